// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC

/// A service that judges its peers as many do, by one check that is known to be too little. It
/// answers one connection after the other. It is there to show that the attacks work.
///
/// Says `listening`, and with ``Check/content`` a line `read N` for each answer.
enum NaiveService {
    /// What it goes by.
    enum Check {
        /// The program has this path.
        case path(String)
        /// The end of the program's file, where a signature is, has this text in it.
        case claim(String)
        /// The program has this path; the process that connected sent each message; and it sends a
        /// nonce back, as bytes like any others.
        case echo(String)
        /// The program has this path. Everything else that is mapped as code, at one look, is
        /// root's file or has this text at the end of its file.
        case look(String, String)
        /// The program's file can be read to its end.
        case content
    }

    static func run(_ path: String, _ check: Check, secret: String) -> Int32 {
        guard let listener = try? UnixSocket.listen(at: path, backlog: 16) else { return 1 }
        _ = fcntl(listener.rawValue, F_SETFL, 0)
        _ = unsafe chmod(path, 0o666)
        _ = Application.say("listening")
        while true {
            let socket = accept(listener.rawValue, nil, nil)
            guard socket >= 0 else { continue }
            _ = llavero_pass_credentials(socket)
            let first = receive(socket)
            let answer = Array((isTrusted(socket, check, first.sender) ? secret : "denied").utf8)
            _ = unsafe send(socket, answer, answer.count, Int32(MSG_NOSIGNAL))
            close(socket)
        }
    }

    private static func receive(_ socket: Int32) -> (bytes: [UInt8], sender: pid_t) {
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&entry, 1, -1)
        var bytes = [UInt8](repeating: 0, count: 4096)
        var sender: pid_t = 0
        var user: uid_t = 0
        var attached: Int32 = 0
        _ = unsafe llavero_peek(socket, &bytes, bytes.count, &sender, &user, &attached)
        let count = unsafe recv(socket, &bytes, bytes.count, 0)
        return (Array(bytes.prefix(max(count, 0))), sender)
    }

    private static func isTrusted(_ socket: Int32, _ check: Check, _ sender: pid_t) -> Bool {
        var pid: pid_t = 0
        var user: uid_t = 0
        var group: gid_t = 0
        guard unsafe llavero_peer_credentials(socket, &pid, &user, &group) == 0 else {
            return false
        }
        switch check {
        case .path(let path): return program(pid) == path
        case .claim(let text): return says("/proc/\(pid)/exe", text)
        case .echo(let path):
            let nonce = Array("prove \(UInt64.random(in: 0 ... .max))".utf8)
            guard sender == pid, unsafe send(socket, nonce, nonce.count, 0) == nonce.count else {
                return false
            }
            let proof = receive(socket)
            return proof.bytes == nonce && proof.sender == pid && program(pid) == path
        case .look(let path, let text):
            return program(pid) == path
                && codeFiles(pid).allSatisfy { $0 == path || isRoots($0) || says($0, text) }
        case .content:
            let count = readAll("/proc/\(pid)/exe")
            _ = Application.say("read \(count)")
            return count > 0
        }
    }

    private static func says(_ path: String, _ text: String) -> Bool {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        let end = lseek(file, 0, SEEK_END)
        let count = unsafe pread(file, &bytes, bytes.count, max(end - bytes.count, 0))
        return bytes.prefix(max(count, 0)).firstRange(of: Array(text.utf8)) != nil
    }

    private static func isRoots(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_uid == 0
    }

    private static func readAll(_ path: String) -> Int {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return 0 }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        var all = 0
        while true {
            let count = unsafe read(file, &bytes, bytes.count)
            guard count > 0 else { return all }
            all += count
        }
    }

    /// The files that are mapped as code, as `maps` names them.
    private static func codeFiles(_ pid: pid_t) -> [String] {
        let file = unsafe open("/proc/\(pid)/maps", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [""] }
        defer { close(file) }
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = unsafe read(file, &piece, piece.count)
            guard count > 0 else { break }
            text += piece[..<count]
        }
        return text.split(separator: UInt8(ascii: "\n")).compactMap { line in
            guard let rights = line.split(separator: UInt8(ascii: " ")).dropFirst().first,
                rights.contains(UInt8(ascii: "x")),
                let path = line.firstIndex(of: UInt8(ascii: "/"))
            else { return nil }
            return String(decoding: line[path...], as: UTF8.self)
        }
    }

    private static func program(_ pid: pid_t) -> String {
        var bytes = [CChar](repeating: 0, count: 4096)
        let count = unsafe readlink("/proc/\(pid)/exe", &bytes, bytes.count)
        return String(
            decoding: bytes.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC
import SecurityWire

/// A connection of which the attacker sends and reads the bytes.
struct RawClient {
    let socket: Int32

    init?(_ path: String) {
        guard let connected = try? UnixSocket.connect(to: path, timeout: .seconds(10)) else {
            return nil
        }
        socket = connected.release()
    }

    func send(_ request: ClientRequest) {
        guard let frame = try? request.encoded(sequence: 1) else { return }
        _ = unsafe frame.bytes.withUnsafeBytes {
            unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// What comes within two seconds, up to a whole frame; nothing when the connection is closed.
    func receive() -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            guard UnixSocket.waitUntilReadable(socket, .seconds(bytes.isEmpty ? 10 : 2)) else {
                return bytes
            }
            var piece = [UInt8](repeating: 0, count: 4096)
            let count = unsafe recv(socket, &piece, piece.count, 0)
            guard count > 0 else { return bytes }
            bytes += piece[..<count]
            if let header = unsafe bytes.withUnsafeBytes({ all in
                try? unsafe FrameHeader(decoding: UnsafeRawBufferPointer(rebasing: all.prefix(16)))
            }), bytes.count >= 16 + header.bodyByteCount {
                return bytes
            }
        }
    }

    /// The reply that some bytes are; nil when they are none.
    static func reply(_ bytes: [UInt8]) -> ReceivedReply? {
        guard bytes.count >= 16 else { return nil }
        return unsafe bytes.withUnsafeBytes { all -> ReceivedReply? in
            guard
                let header = try? unsafe FrameHeader(
                    decoding: UnsafeRawBufferPointer(rebasing: all[..<16])),
                all.count == 16 + header.bodyByteCount
            else { return nil }
            let split = 16 + header.messageByteCount
            return try? unsafe ReceivedReply(
                decoding: header.kind,
                message: UnsafeRawBufferPointer(rebasing: all[16..<split]),
                secret: UnsafeRawBufferPointer(rebasing: all[split...]))
        }
    }
}

/// Everything that an attacker got, as text; secrets in these tests are plain letters.
private func tell(_ bytes: [UInt8]) {
    let text = bytes.map { (0x20..<0x7F).contains($0) ? Character(Unicode.Scalar($0)) : "." }
    _ = Application.say("got \(bytes.count): \(String(text))")
}

/// An application opens a connection, shows who it is, and forks: the child, which the service
/// knows nothing of, goes on with the connection.
enum Lending {
    static func run(_ path: String, _ service: String) -> Int32 {
        guard let client = RawClient(path) else { return 1 }
        let find = ClientRequest.find(Application.query(service), cursor: 0)
        client.send(find)
        var answer = client.receive()
        if case .prove(let nonce) = RawClient.reply(answer) {
            client.send(.prove(nonce))
            _ = client.receive()
            client.send(find)
            answer = client.receive()
        }
        // The control: the application itself gets it.
        tell(answer)
        let child = llavero_fork()
        guard child == 0 else {
            var status: Int32 = 0
            _ = unsafe waitpid(child, &status, 0)
            return 0
        }
        client.send(find)
        tell(client.receive())
        exit(0)
    }
}

/// An attacker connects and sends a request, leaves the socket to a child, and becomes the victim's
/// program, so that the kernel names that one when the service comes to ask. The child reads.
enum Leaving {
    static func run(_ path: String, _ service: String, _ program: String) -> Int32 {
        guard let client = RawClient(path) else { return 1 }
        let find = ClientRequest.find(Application.query(service), cursor: 0)
        client.send(find)
        let child = llavero_fork()
        if child == 0 {
            var answer = client.receive()
            tell(answer)
            if case .prove(let nonce) = RawClient.reply(answer) {
                client.send(.prove(nonce))
                answer = client.receive()
                tell(answer)
                client.send(find)
                tell(client.receive())
            }
            _ = Application.say("done")
            exit(0)
        }
        let texts: [String] = [program, "wait"]
        var words: [UnsafeMutablePointer<CChar>?] = unsafe texts.map { unsafe strdup($0) }
        unsafe words.append(nil)
        _ = unsafe execv(program, words)
        return 127
    }
}

/// An attacker connects, sends a request, leaves the socket to a child and ends, so that its number
/// can become the victim's. The child reads.
enum Abandoning {
    static func run(_ path: String, _ service: String) -> Int32 {
        guard let client = RawClient(path) else { return 1 }
        client.send(.find(Application.query(service), cursor: 0))
        guard llavero_fork() == 0 else { _exit(0) }
        tell(client.receive())
        _ = Application.say("done")
        exit(0)
    }
}

/// A service that does what many do: it asks who is connected, and compares the path of that
/// process's program. It is there to show that the attacks work.
enum NaiveService {
    static func run(_ path: String, trusted: String, secret: String) -> Int32 {
        guard let listener = try? UnixSocket.listen(at: path, backlog: 16) else { return 1 }
        _ = fcntl(listener.rawValue, F_SETFL, 0)
        _ = unsafe chmod(path, 0o666)
        _ = Application.say("listening")
        while true {
            let socket = accept4(listener.rawValue)
            guard socket >= 0 else { continue }
            var byte = [UInt8](repeating: 0, count: 4096)
            _ = unsafe recv(socket, &byte, byte.count, 0)
            let answer = Array((program(at: socket) == trusted ? secret : "denied").utf8)
            _ = unsafe send(socket, answer, answer.count, Int32(MSG_NOSIGNAL))
            close(socket)
        }
    }

    private static func accept4(_ listener: Int32) -> Int32 {
        accept(listener, nil, nil)
    }

    private static func program(at socket: Int32) -> String {
        var pid: pid_t = 0
        var user: uid_t = 0
        var group: gid_t = 0
        guard unsafe llavero_peer_credentials(socket, &pid, &user, &group) == 0 else { return "" }
        var bytes = [CChar](repeating: 0, count: 4096)
        let count = unsafe readlink("/proc/\(pid)/exe", &bytes, bytes.count)
        return String(
            decoding: bytes.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

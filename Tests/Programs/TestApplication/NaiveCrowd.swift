// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC

/// A service without budgets: it keeps what is sent until a frame is whole, however many begin one;
/// it has one table of nonces and one queue of letters for all. It is there to show that floods
/// work. Says `listening`.
///
/// Frames have the real service's head. Kind 6 asks for a nonce, 8 digits. Kind 8 brings one back:
/// `ok` or `stale`. Kind 7 is a letter: `after N`, how many others were read first since it came.
struct NaiveCrowd {
    private struct Peer {
        let socket: Int32
        var bytes: [UInt8] = []
        /// How many letters had been read when its own came; nil when none waits.
        var waitsSince: Int?
    }

    private static let nonceCount = 64
    private static let letterMicroseconds: UInt32 = 1000
    private var peers: [Peer] = []
    private var nonces: [[UInt8]] = []
    private var lastNonce = 0
    /// The sockets of those whose letters wait, in the order in which they came.
    private var letters: [Int32] = []
    private var readCount = 0

    static func run(_ path: String) -> Int32 {
        guard let listener = try? UnixSocket.listen(at: path, backlog: 1024) else { return 1 }
        _ = unsafe chmod(path, 0o666)
        _ = Application.say("listening")
        var crowd = NaiveCrowd()
        while true { crowd.turn(listener.rawValue) }
    }

    private mutating func turn(_ listener: Int32) {
        let sockets = [listener] + peers.map(\.socket)
        var entries = sockets.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        _ = unsafe poll(&entries, nfds_t(entries.count), letters.isEmpty ? -1 : 0)
        if entries[0].revents != 0 {
            let socket = accept(listener, nil, nil)
            if socket >= 0 { peers.append(Peer(socket: socket)) }
        }
        for index in (1..<entries.count).reversed() where entries[index].revents != 0 {
            read(index - 1)
        }
        readLetter()
    }

    private mutating func read(_ index: Int) {
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        let count = unsafe recv(peers[index].socket, &piece, piece.count, Int32(MSG_DONTWAIT))
        guard count > 0 else {
            letters.removeAll { $0 == peers[index].socket }
            close(peers[index].socket)
            peers.remove(at: index)
            return
        }
        peers[index].bytes += piece[..<count]
        let head = peers[index].bytes.prefix(16).map(Int.init)
        guard head.count == 16 else { return }
        func number(_ places: Range<Int>) -> Int {
            places.reversed().reduce(0) { $0 << 8 | head[$1] }
        }
        let end = 16 + number(0..<4) + number(4..<8)
        guard peers[index].bytes.count >= end else { return }
        let body = Array(peers[index].bytes[16..<end])
        peers[index].bytes.removeFirst(end)
        answer(number(10..<12), body, index)
    }

    private mutating func answer(_ kind: Int, _ body: [UInt8], _ index: Int) {
        switch kind {
        case 6:
            lastNonce += 1
            let nonce = Array(String(10_000_000 + lastNonce).utf8)
            nonces.append(nonce)
            if nonces.count > Self.nonceCount { nonces.removeFirst() }
            say(nonce, peers[index].socket)
        case 7:
            peers[index].waitsSince = readCount
            letters.append(peers[index].socket)
        default: say(Array((nonces.contains(body) ? "ok" : "stale").utf8), peers[index].socket)
        }
    }

    private mutating func readLetter() {
        guard !letters.isEmpty else { return }
        let socket = letters.removeFirst()
        guard let index = peers.firstIndex(where: { $0.socket == socket }),
            let since = peers[index].waitsSince
        else { return }
        usleep(Self.letterMicroseconds)
        say(Array("after \(readCount - since)".utf8), socket)
        readCount += 1
        peers[index].waitsSince = nil
    }

    private func say(_ bytes: [UInt8], _ socket: Int32) {
        _ = unsafe send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Glibc
import Synchronization
import TestSupport

/// A small server of HTTP on loopback that answers, or misbehaves, as a test says.
final class TestWebServer: Sendable {
    struct Request: Sendable {
        let path: String
        let body: Data
    }

    enum Answer: Sendable {
        case content(Data)
        case status(String)
        case redirect(String)
        /// Takes the request and says nothing.
        case silence
        /// A byte now and then.
        case trickle
        /// Content without an end.
        case endless
        /// Header lines without an end.
        case endlessHead
    }

    let port: UInt16
    private let socket: Int32
    private let paths = Mutex<[String]>([])
    private let isOver = Atomic(false)
    private let answer: @Sendable (Request) -> Answer

    /// The paths that were asked for, one for each connection; "" for one without a request.
    var requests: [String] { paths.withLock { $0 } }

    /// - Parameters:
    ///   - host: An address of loopback.
    ///   - answer: What it answers.
    /// - Throws: when it can't listen.
    init(host: String = "127.0.0.1", _ answer: @escaping @Sendable (Request) -> Answer) throws {
        let made = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = unsafe inet_addr(host)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isReady = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(made, pointer, length) == 0 && listen(made, 16) == 0
                    && getsockname(made, pointer, &length) == 0
            }
        }
        guard isReady else { throw TestFailure("No server at \(host).") }
        socket = made
        port = UInt16(bigEndian: address.sin_port)
        self.answer = answer
        Thread { [self] in accept() }.start()
    }

    func stop() {
        isOver.store(true, ordering: .releasing)
        shutdown(socket, Int32(SHUT_RDWR))
    }

    private func accept() {
        while true {
            let connection = Glibc.accept(socket, nil, nil)
            guard connection >= 0 else { break }
            Thread { [self] in
                serve(connection)
                close(connection)
            }.start()
        }
        close(socket)
    }

    private func serve(_ connection: Int32) {
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        _ = unsafe setsockopt(
            connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        guard let request = request(connection) else {
            return paths.withLock { $0.append("") }
        }
        paths.withLock { $0.append(request.path) }
        switch answer(request) {
        case .content(let data):
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(data.count)\r\n\r\n"
            _ = send(connection, Data(head.utf8) + data)
        case .status(let line):
            _ = send(connection, Data("HTTP/1.1 \(line)\r\nContent-Length: 0\r\n\r\n".utf8))
        case .redirect(let place):
            let head = "HTTP/1.1 307 Elsewhere\r\nLocation: \(place)\r\nContent-Length: 0\r\n\r\n"
            _ = send(connection, Data(head.utf8))
        case .silence: while !isOver.load(ordering: .acquiring) { usleep(20_000) }
        case .trickle:
            _ = send(connection, Data("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n".utf8))
            keepSending(connection, Data([0x30]), pause: 100_000)
        case .endless:
            _ = send(connection, Data("HTTP/1.1 200 OK\r\n\r\n".utf8))
            keepSending(connection, Data(count: 65536), pause: 0)
        case .endlessHead:
            _ = send(connection, Data("HTTP/1.1 200 OK\r\n".utf8))
            keepSending(
                connection, Data("X: \(String(repeating: "x", count: 1000))\r\n".utf8), pause: 0
            )
        }
    }

    private func keepSending(_ connection: Int32, _ data: Data, pause: UInt32) {
        while !isOver.load(ordering: .acquiring), send(connection, data) { usleep(pause) }
    }

    private func send(_ connection: Int32, _ data: Data) -> Bool {
        var rest = [UInt8](data)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.send(
                    connection, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private func request(_ connection: Int32) -> Request? {
        var bytes = Data()
        let end = Data("\r\n\r\n".utf8)
        while true {
            if let head = bytes.range(of: end) {
                let text = String(decoding: bytes[..<head.lowerBound], as: UTF8.self)
                let words = text.split(separator: " ")
                let length = text.lowercased().split(separator: "\r\n")
                    .first { $0.hasPrefix("content-length: ") }
                    .flatMap { Int($0.dropFirst(16)) }
                let body = bytes[head.upperBound...]
                if body.count >= length ?? 0, words.count > 2 {
                    return Request(path: String(words[1]), body: Data(body))
                }
            }
            var part = [UInt8](repeating: 0, count: 4096)
            let count = unsafe recv(connection, &part, part.count, 0)
            guard count > 0 else { return nil }
            bytes += part.prefix(count)
        }
    }
}

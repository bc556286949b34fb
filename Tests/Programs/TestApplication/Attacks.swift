// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC
import SecretBytes
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
        let bytes = frame.secrets.reduce(into: frame.bytes) { bytes, secret in
            unsafe secret.bytes.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        }
        _ = unsafe bytes.withUnsafeBytes {
            unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// Sends back what is to come as a proof, with the descriptor that belongs to it.
    func prove(_ nonce: [UInt8]) {
        guard let frame = try? ClientRequest.prove(nonce).encoded(sequence: 1) else { return }
        let event = eventfd(0, Int32(EFD_CLOEXEC))
        defer { close(event) }
        _ = unsafe frame.bytes.withUnsafeBytes { bytes in
            unsafe llavero_send_descriptors(
                socket, bytes.baseAddress, bytes.count, [event], 1, 0)
        }
    }

    /// What comes, up to a whole frame; empty when the connection is closed, nil when nothing comes
    /// for longer than the service leaves a connection open on which nothing is asked.
    func receive() -> [UInt8]? {
        var bytes: [UInt8] = []
        while true {
            guard UnixSocket.waitUntilReadable(socket, .seconds(bytes.isEmpty ? 20 : 10)) else {
                return bytes.isEmpty ? nil : bytes
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
    static func reply(_ bytes: [UInt8]?) -> ReceivedReply? {
        guard let bytes, bytes.count >= 16 else { return nil }
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

/// `find SERVICE [GROUP]`, `add SERVICE SECRET`, `whoami`: as the application's own words, by a
/// client that doesn't ask who the service is. `closed` when it gives no answer, `silence` when it
/// doesn't do that either.
enum Talking {
    static func run(_ path: String, _ words: [String], tellsConnection: Bool = false) -> Int32 {
        guard let client = RawClient(path) else { return Application.say("unreachable") }
        guard let request = request(words) else { return 2 }
        if tellsConnection { _ = Application.say("connected") }
        client.send(request)
        var answer = client.receive()
        if case .prove(let nonce)? = RawClient.reply(answer) {
            client.prove(nonce)
            _ = client.receive()
            client.send(request)
            answer = client.receive()
        }
        guard let bytes = answer else { return Application.say("silence") }
        switch RawClient.reply(bytes) {
        case .found(let items, _, _)?:
            return Application.say(items.first?.secret.map(\.text) ?? "nothing")
        case .written?: return Application.say("ok")
        case .identity(let identity)?:
            let lines = [identity.grade] + identity.accessGroups
            return Application.say(lines.joined(separator: "\n"))
        case .failed(let failure)?: return Application.say("failed \(failure.status)")
        default: return Application.say("closed")
        }
    }

    private static func request(_ words: [String]) -> ClientRequest? {
        switch (words.first, words.count) {
        case ("find", 2): .find(Application.query(words[1]), cursor: 0)
        case ("find", 3): .find(Application.query(words[1], words[2]), cursor: 0)
        case ("add", 3):
            .add(
                Application.item(words[1], words[2]),
                WriteIdentity(
                    requestID: (0..<16).map { _ in .random(in: 0...255) }, isRepeated: false))
        case ("whoami", 1): .identity
        default: nil
        }
    }
}

/// Everything that an attacker got, as text; secrets in these tests are plain letters.
private func tell(_ bytes: [UInt8]?) {
    guard let bytes else {
        _ = Application.say("silence")
        return
    }
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
            client.prove(nonce)
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
                client.prove(nonce)
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

/// What a keychain dumper does first: it looks in the database for everything that could be an
/// access group.
enum Dumping {
    static func run(_ files: [String]) -> Int32 {
        for path in files {
            let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { continue }
            defer { close(file) }
            var text: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 64 * 1024)
            while true {
                let count = unsafe read(file, &piece, piece.count)
                guard count > 0 else { break }
                for byte in piece[..<count] {
                    if isOfGroup(byte) {
                        text.append(byte)
                    } else {
                        tell(text)
                        text = []
                    }
                }
            }
            tell(text)
        }
        return Application.say("read \(files.count)")
    }

    private static func isOfGroup(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
            UInt8(ascii: ":"), UInt8(ascii: "/"):
            true
        default: false
        }
    }

    private static func tell(_ text: [UInt8]) {
        let dot = text.firstIndex(of: UInt8(ascii: ".")) ?? 0
        let word = String(decoding: text, as: UTF8.self)
        guard dot >= 10 || word.contains("path:/") || word.contains("unsigned.") else { return }
        _ = Application.say("group \(word)")
    }
}

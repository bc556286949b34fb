// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Foundation
import Keychain
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// Invalid input from a peer: the service refuses it or closes the connection, and continues to
    /// serve others.
    @Suite struct BadInput {
        private static let mebibyte = 1024 * 1024

        @Test func bytesThatAreNoRequestEndTheConnection() throws {
            let noise = Limits.bytes(4096, seed: 3)
            try serves { service in
                for bytes in [
                    noise, [UInt8](repeating: 0, count: 16), [UInt8](repeating: 0xFF, count: 64),
                    [UInt8]("GET / HTTP/1.1\r\n\r\n".utf8),
                    try head(version: 0), try head(version: 2), try head(version: 0xFFFF),
                    try head(kind: 0), try head(kind: 0x777), try head(kind: 0x1234),
                    try head(kind: FrameKind.findReply.rawValue),
                    try head(kind: FrameKind.addReply.rawValue),
                    try head(kind: FrameKind.lockReply.rawValue),
                    try head(kind: FrameKind.failure.rawValue),
                ] {
                    let connection = try RawConnection(service.socketPath)
                    #expect(connection.exchange(bytes).isRefusal, "\(bytes.prefix(16))")
                    connection.finishSending()
                    #expect(connection.receive() == .closed, "\(bytes.prefix(16))")
                }
            }
        }

        @Test func frameOverTheLimitEndsTheConnectionAtItsHead() throws {
            let limit = FrameHeader.maximumBodyByteCount
            try serves { service in
                for (message, secret) in [
                    (limit + 1, 0), (0, limit + 1), (limit, 1), (Int(UInt32.max), 0),
                    (Int(UInt32.max), Int(UInt32.max)),
                ] {
                    let connection = try RawConnection(service.socketPath)
                    let bytes = try head(
                        kind: FrameKind.find.rawValue, message: message, secret: secret)
                    #expect(connection.exchange(bytes) == .closed)
                }
                // A message over its own limit, and a secret over its own, in frames below theirs.
                let resident = try ProcessUse.residentByteCount(service.worker())
                for kind in [FrameKind.find, .add, .update, .delete] {
                    let connection = try RawConnection(service.socketPath)
                    let bytes = try head(kind: kind.rawValue, message: 4, secret: limit - 4)
                    let body = [UInt8](repeating: 0, count: limit)
                    #expect(connection.exchange(bytes + body).isRefusal)
                }
                let grown = try ProcessUse.residentByteCount(service.worker())
                #expect(grown < resident + 24 * Self.mebibyte)
            }
        }

        @Test func frameInSingleBytesIsServed() throws {
            try serves { service in
                let connection = try RawConnection(service.socketPath)
                for byte in try add("byte by byte").dropLast() { connection.send([byte]) }
                let last = try #require(try add("byte by byte").last)
                guard case .written? = connection.exchange([last]).reply else {
                    Issue.record("not added")
                    return
                }
                #expect(try service.keychain.find(.password("byte by byte")).count == 1)
            }
        }

        @Test func severalRequestsOnOneConnectionAreAnsweredInTurn() throws {
            try serves { service in
                let connection = try RawConnection(service.socketPath)
                for sequence in UInt32(1)...50 {
                    let answer = connection.exchange(
                        try ClientRequest.deviceStatus.frameBytes(sequence: sequence))
                    guard case .deviceStatus? = answer.reply else {
                        Issue.record("no status")
                        return
                    }
                }
            }
        }

        @Test func secondFrameBehindTheFirstEndsTheConnection() throws {
            try serves { service in
                let connection = try RawConnection(service.socketPath)
                connection.send(try add("one") + add("two"))
                #expect(connection.receive() == .closed)
                #expect(reason { try service.keychain.find(.password("two")) } == .absent)
                let trailing = try RawConnection(service.socketPath)
                #expect(trailing.exchange(try status() + [0]) == .closed)
            }
        }

        @Test func secretWhereNoneBelongsIsRefused() throws {
            try serves { service in
                // Without the secret each would succeed.
                let find = try ClientRequest.find(.password("kept"), cursor: 0).frameBytes()
                let delete = try ClientRequest.delete(.password("kept"), identity()).frameBytes()
                var noSecret = NewItem.password("anna", secret: nil)
                noSecret.attributes[.label] = .text("label")
                let add = try ClientRequest.add(noSecret, identity()).frameBytes()
                for frame in [find, delete, add] {
                    let connection = try RawConnection(service.socketPath)
                    var bytes = frame + [1, 2, 3, 4]
                    bytes.replaceSubrange(4..<8, with: little(UInt32(4)))
                    #expect(connection.exchange(bytes) == .closed)
                }
                #expect(try service.keychain.find(.password("kept")).count == 1)
                #expect(reason { try service.keychain.find(.password("anna")) } == .absent)
            }
        }

        @Test func malformedMessagesAreRefused() throws {
            try serves { service in
                let bodies: [[UInt8]] = [
                    [0xFF], [0x0A, 0x7F], [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F],
                    [UInt8](repeating: 0x0B, count: 200),
                    // A message nested in itself many times.
                    (0..<100).reduce(into: [UInt8]()) { body, _ in
                        body = [0x12] + little(UInt8(truncatingIfNeeded: body.count)) + body
                    },
                ]
                for kind in [FrameKind.find, .add, .update, .delete, .passcode] {
                    for body in bodies + [[]] {
                        let connection = try RawConnection(service.socketPath)
                        let bytes = try head(kind: kind.rawValue, message: body.count) + body
                        #expect(connection.exchange(bytes).isRefusal, "\(kind) \(body.prefix(8))")
                    }
                }
            }
        }

        @Test func everyPrefixOfARequestIsSurvived() throws {
            try serves { service in
                let frame = try add("never whole")
                for count in 0..<frame.count {
                    let connection = try RawConnection(service.socketPath)
                    connection.send([UInt8](frame[..<count]))
                    connection.finishSending()
                    #expect(connection.receive() == .closed, "\(count) bytes")
                }
                #expect(reason { try service.keychain.find(.password("never whole")) } == .absent)
            }
        }

        @Test func peerThatHangsUpWhileItsWriteIsCarriedOutHarmsNobody() throws {
            try serves { service in
                // Few at a time: the number of a process's connections is limited.
                for round in 1...20 {
                    for number in 0..<5 {
                        let connection = try RawConnection(service.socketPath)
                        connection.send(try add("gone \(round) \(number)"))
                    }
                    // Sent completely, so that each is stored in the end.
                    try Waiting.until("the writes of round \(round)") {
                        let found = try? service.keychain.find(.password(limit: nil))
                        return found?.count == 1 + 5 * round
                    }
                }
            }
        }

        /// Silent, stuck in the header, stuck in the body.
        @Test func peerThatSaysNothingIsClosed() throws {
            try serves { service in
                let frame = try add("half")
                let connections = try [[], [UInt8](frame[..<7]), [UInt8](frame[..<40])].map {
                    bytes in
                    let connection = try RawConnection(service.socketPath)
                    connection.send(bytes)
                    return connection
                }
                for connection in connections { #expect(connection.receive() == .closed) }
                #expect(reason { try service.keychain.find(.password("half")) } == .absent)
            }
        }

        // MARK: - Descriptors

        @Test func descriptorsThatComeAlongAreClosed() throws {
            try serves { service in
                for count in [1, 3, 16, 40] {
                    try Self.expectClosed(service, try status(), count: count)
                    try Self.expectClosed(service, [1, 2, 3], count: count)
                }
            }
        }

        /// Attaches ends of pipes: once no process has them open, the other ends show it.
        private static func expectClosed(
            _ service: TestService, _ bytes: [UInt8], count: Int
        ) throws {
            var readers: [Int32] = []
            var writers: [Int32] = []
            for _ in 0..<count {
                var ends: [Int32] = [-1, -1]
                #expect(unsafe llavero_pipe(&ends) == 0)
                readers.append(ends[0])
                writers.append(ends[1])
            }
            defer { for reader in readers { close(reader) } }
            let connection = try RawConnection(service.socketPath)
            #expect(connection.send(bytes, attaching: writers))
            for reader in readers {
                // Still open here, so the pipe can't have ended yet.
                #expect(!Waiting.forReadable(reader, until: .now))
            }
            for writer in writers { close(writer) }
            let deadline = ContinuousClock.now + Waiting.patience
            let left = readers.count { !Waiting.forReadable($0, until: deadline) }
            #expect(left == 0, "\(left) of \(count) are still open")
        }

        @Test func requestOverAHandedOnDescriptorIsRefused() throws {
            try serves { service in
                let bytes = try status()
                let connection = try RawConnection(service.socketPath)
                guard case .deviceStatus? = connection.exchange(bytes).reply else {
                    Issue.record("no status")
                    return
                }
                var options = TestProcess.Options()
                options.descriptors = [connection.rawValue]
                let hex = bytes.map { String(format: "%02x", $0) }.joined()
                let result = try TestProcess.run(
                    Binaries.launcher(), ["send", hex], options)
                #expect(result.output == "closed\n")
                // The process that connected can't use it, either.
                #expect(connection.receive() == .closed)
            }
        }

        @Test func attributesThatSayTheyAreOfNoKnownTypeEndTheConnection() throws {
            try serves { service in
                let sound = try add("typed")
                // Field 1, six bytes, text.
                let field: [UInt8] = [0x0A, 6, UInt8(ascii: "T"), UInt8(ascii: "t")]
                let start = try #require(
                    sound.indices.dropLast(4).first { Array(sound[$0..<$0 + 4]) == field })
                for (offset, byte) in [(2, UInt8(ascii: "X")), (3, 0xFF), (0, 0x0D)] {
                    var broken = sound
                    broken[start + offset] = byte
                    let connection = try RawConnection(service.socketPath)
                    #expect(connection.exchange(broken) == .closed, "byte \(offset)")
                }
                #expect(reason { try service.keychain.find(.password("typed")) } == .absent)
                let connection = try RawConnection(service.socketPath)
                #expect(connection.exchange(sound) != .closed)
            }
        }

        @Test func anAccountThatIsSentAsDataIsTheOneThatIsSentAsText() throws {
            try serves { service in
                var item = NewItem.password("anna")
                item.attributes[.account] = .data([UInt8]("anna".utf8))
                try service.keychain.add(item)
                #expect(reason { try service.keychain.add(.password("anna")) } == .duplicate)
                #expect(
                    try one(service, "anna").attributes[.account] == .data([UInt8]("anna".utf8)))
            }
        }

        // MARK: - Helpers

        /// Provides a service with one item, and checks afterwards that the same daemons still
        /// serve.
        private func serves(_ body: (TestService) throws -> Void) throws {
            try TestService.run { service in
                try service.keychain.add(.password("kept", secret: "kept"))
                let worker = try service.worker()
                let enclave = try service.enclave()
                try body(service)
                #expect(try service.worker() == worker)
                #expect(try service.enclave() == enclave)
                let fresh = service.connect()
                #expect(try fresh.find(.password("kept")).first?.secret?.testText == "kept")
                try fresh.add(.password("afterwards"))
            }
        }

        private func status() throws -> [UInt8] { try ClientRequest.deviceStatus.frameBytes() }

        private func add(_ account: String) throws -> [UInt8] {
            try ClientRequest.add(.password(account), identity()).frameBytes()
        }

        private func identity() -> WriteIdentity {
            WriteIdentity(
                requestID: (0..<16).map { _ in UInt8.random(in: 0...255) }, isRepeated: false)
        }

        private func head(
            version: UInt16 = 1, kind: UInt16 = FrameKind.deviceStatus.rawValue,
            message: Int = 0, secret: Int = 0
        ) throws -> [UInt8] {
            little(UInt32(message)) + little(UInt32(secret)) + little(version) + little(kind)
                + little(UInt32(1))
        }

        private func little(_ value: some FixedWidthInteger) -> [UInt8] {
            unsafe withUnsafeBytes(of: value.littleEndian) { unsafe [UInt8]($0) }
        }
    }
}

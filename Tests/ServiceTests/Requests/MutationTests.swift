// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// Valid requests with random changes.
    @Suite struct Mutations {
        /// The long form of this test (`make campaign`) sets LLAVERO_MUTATIONS.
        private static let count =
            ProcessInfo.processInfo.environment["LLAVERO_MUTATIONS"].flatMap(Int.init) ?? 3000

        @Test func changedRequestsAreAnsweredOrEndTheConnection() throws {
            try TestService.run { service in
                try service.keychain.add(.password("before"))
                let worker = try service.worker()
                let enclave = try service.enclave()
                let frames = try Self.frames()
                var generator = SeededGenerator(seed: 20_260_101)
                var answered = 0
                var closed = 0
                for number in 0..<Self.count {
                    let bytes = Self.mutated(
                        frames[number % frames.count], using: &generator)
                    let connection = try RawConnection(service.socketPath)
                    connection.send(bytes)
                    connection.finishSending()
                    switch connection.receive() {
                    case .frame(let kind, _, _):
                        #expect(kind.rawValue & 0x8000 != 0)
                        answered += 1
                    case .closed: closed += 1
                    case .garbage, .silence:
                        Issue.record("request \(number) has no answer: \(bytes.prefix(64))")
                    }
                }
                #expect(try service.worker() == worker)
                #expect(try service.enclave() == enclave)
                // Both must have occurred, otherwise the changes are too small or too large.
                #expect(answered > Self.count / 20)
                #expect(closed > Self.count / 20)
                try service.keychain.add(.password("afterwards", service: "mutations"))
                let found = try service.keychain.find(
                    .password("afterwards", service: "mutations"))
                #expect(found.first?.secret?.testText == "secret")
            }
        }

        private static func frames() throws -> [[UInt8]] {
            let identity = WriteIdentity(
                requestID: [UInt8](repeating: 5, count: 16), isRepeated: false)
            var item = NewItem.password("mutant", secret: "secret of the mutant")
            item.attributes[.label] = .text("label")
            item.attributes[.creator] = .integer(77)
            item.attributes[.synchronizable] = .integer(1)
            item.returning = [.data, .attributes, .persistentReference]
            var query = ItemQuery.password("mutant", limit: 3, returning: [.data, .attributes])
            query.attributes[.label] = .text("label")
            query.attributes[.modificationDate] = .date(1)
            let requests: [ClientRequest] = [
                .find(query, cursor: 0), .find(.password(limit: nil), cursor: 1),
                .find(
                    .reference(PersistentReference(bytes: [UInt8]("genp0123456789abcdef".utf8))),
                    cursor: 0),
                .add(item, identity),
                .update(query, .setting([.comment: .data([1, 2])], secret: "new"), identity),
                .delete(query, identity), .deviceStatus, .challenge,
                .passcode(operation: 2, sealed: Limits.bytes(100, seed: 9)),
                .lock(.now, waits: false), .assertion(seconds: 1),
            ]
            return try requests.map { try $0.frameBytes() }
        }

        private static func mutated(
            _ frame: [UInt8], using generator: inout SeededGenerator
        ) -> [UInt8] {
            var bytes = frame
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                // A change of the header's counts would nearly always end it; most changes are
                // after the header.
                let isBody = bytes.count > 17 && Int.random(in: 0..<4, using: &generator) > 0
                let place = Int.random(
                    in: isBody ? 16..<bytes.count : 0..<bytes.count, using: &generator)
                let random = UInt8.random(in: 0...255, using: &generator)
                switch Int.random(in: 0..<6, using: &generator) {
                case 0: bytes[place] ^= 1 << (random & 7)
                case 1: bytes[place] = random
                case 2: bytes[place] = [0, 1, 0x7F, 0x80, 0xFF][Int(random) % 5]
                case 3: bytes.insert(random, at: place)
                case 4 where bytes.count > 1: bytes.remove(at: place)
                default: bytes.removeLast(min(bytes.count - 1, Int(random) % 8))
                }
            }
            if Bool.random(using: &generator), bytes.count >= 16 {
                // A correct header, so that the message itself is decoded.
                let secret = frame[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
                let message = UInt32(max(bytes.count - 16 - secret, 0))
                unsafe withUnsafeBytes(of: message.littleEndian) {
                    unsafe bytes.replaceSubrange(0..<4, with: $0)
                }
                bytes.replaceSubrange(4..<16, with: frame[4..<16])
            }
            return bytes
        }
    }

    /// Very many connections.
    @Suite struct ManyConnections {
        /// The kernel attaches a message's sender only to sockets with that option. A client that
        /// is faster than the service's `accept` must be identified all the same.
        @Test func everyFreshConnectionIsAnswered() throws {
            try TestService.run { service in
                let request = try ClientRequest.deviceStatus.frameBytes()
                var unanswered = 0
                for _ in 0..<40_000 {
                    let connection = try RawConnection(service.socketPath)
                    guard case .frame = connection.exchange(request) else {
                        unanswered += 1
                        continue
                    }
                }
                #expect(unanswered == 0)
            }
        }

        private static let processes = 10
        private static let connectionsPerProcess = 1000

        @Test func tenThousandConnectionsLeaveNothingBehind() throws {
            var options = TestService.Options()
            // Root can read everything anyway.
            options.isInspectable = geteuid() != 0
            try TestService.run(options) { service in
                try service.keychain.add(.password("anna"))
                let worker = try service.worker()
                let descriptors = try ProcessUse.descriptorCount(worker)
                // The first round allocates memory that later rounds reuse, so measure after it.
                try Self.storm(service, processes: 2)
                let resident = try ProcessUse.residentByteCount(worker)
                try Self.storm(service, processes: Self.processes)

                #expect(try service.worker() == worker)
                try Waiting.until("the descriptors to be closed") {
                    try ProcessUse.descriptorCount(worker) <= descriptors
                }
                let grown = try ProcessUse.residentByteCount(worker)
                #expect(grown < resident + 4 << 20)
            }
        }

        private static func storm(_ service: TestService, processes: Int) throws {
            let launcher = try Binaries.launcher()
            let start = ContinuousClock.now
            var clients: [TestProcess] = []
            defer { for client in clients { client.end() } }
            for _ in 0..<processes {
                clients.append(
                    try TestProcess(
                        launcher,
                        ["connect", service.socketPath, "\(connectionsPerProcess)"]))
            }
            for client in clients {
                #expect(try client.readLine() == "connected \(connectionsPerProcess)")
                // The service still serves others beside all that are open.
                #expect(try service.keychain.find(.password("anna")).count == 1)
                #expect(try service.connect().find(.password("anna")).count == 1)
            }
            for client in clients {
                client.closeInput()
                let kept = try client.readLine()
                let count = Int(kept.dropFirst("open ".count)) ?? -1
                // Some stay open, and no process gets more than its share. Silent connections are
                // closed after ten seconds: by then none may be left.
                let fewest = start.duration(to: .now) < .seconds(9) ? 1 : 0
                #expect((fewest...32).contains(count), "\(kept)")
                #expect(try client.wait() == .exit(0))
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Glibc
import IPC
import Keychain
import SecretBytes
import SecurityWire
import Synchronization
import TestSupport
import Testing

/// A service with scripted replies, on one connection at a time.
private final class ScriptedService: Sendable {
    /// The received frames, header and body.
    private let received = Mutex<[(kind: FrameKind, body: [UInt8])]>([])
    private let answer: @Sendable (FrameKind, Int) -> ServiceReply?

    /// - Parameters:
    ///   - directory: The folder of its socket and its public key.
    ///   - answer: Its reply to a request, given the kind and the number of earlier requests of
    ///     that kind; nil closes the connection.
    /// - Throws: When it can't listen.
    init(
        in directory: String, _ answer: @escaping @Sendable (FrameKind, Int) -> ServiceReply?
    ) throws {
        self.answer = answer
        let listener = try UnixSocket.listen(at: directory + "/s", backlog: 8)
        // The base point of Curve25519, a valid public key.
        try FileManager.default.createDirectory(
            atPath: directory + "/enclave", withIntermediateDirectories: true)
        let path = directory + "/enclave/passcode.pub"
        try Data([9] + [UInt8](repeating: 0, count: 31)).write(to: URL(fileURLWithPath: path))
        unsafe chmod(path, 0o644)
        let raw = dup(listener.rawValue)
        try NativeThread.start { [self] in
            let listener = Descriptor(owning: raw)
            while Waiting.forReadable(listener.rawValue, until: .now + Waiting.patience) {
                let socket = accept(listener.rawValue, nil, nil)
                guard socket >= 0 else { return }
                serve(Descriptor(owning: socket))
            }
        }
    }

    var kinds: [FrameKind] { received.withLock { $0.map(\.kind) } }
    var bodies: [[UInt8]] { received.withLock { $0.map(\.body) } }

    private func serve(_ socket: consuming Descriptor) {
        while let bytes = Self.read(FrameHeader.byteCount, socket.rawValue),
            let header = unsafe bytes.withUnsafeBytes({ try? unsafe FrameHeader(decoding: $0) }),
            let body = Self.read(header.bodyByteCount, socket.rawValue)
        {
            let count = received.withLock { received in
                received.append((header.kind, body))
                return received.count { $0.kind == header.kind } - 1
            }
            guard
                let frame = try? answer(header.kind, count)?.encoded(sequence: header.sequence)
            else { return }
            _ = unsafe frame.bytes.withUnsafeBytes { bytes in
                unsafe send(
                    socket.rawValue, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
        }
    }

    private static func read(_ count: Int, _ socket: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        guard count > 0 else { return bytes }
        let taken = unsafe recv(socket, &bytes, count, Int32(MSG_WAITALL))
        return taken == count ? bytes : nil
    }
}

extension KeychainTests {
    /// A service that is too busy.
    @Suite struct Busy {
        private static let busy = ServiceReply.failed(Failure(-25291, .busy))

        private static func run(
            deadline: Duration? = nil,
            _ answer: @escaping @Sendable (FrameKind, Int) -> ServiceReply?,
            _ body: (ScriptedService, KeychainConnection) throws -> Void
        ) throws {
            try TemporaryDirectory.lend { directory in
                let service = try ScriptedService(in: directory, answer)
                let location = ServiceLocation(
                    socketPath: directory + "/s", deadline: deadline)
                try body(service, KeychainConnection(location: location))
            }
        }

        private static func failure(
            _ body: () throws -> Void
        ) -> KeychainError? {
            do { try body() } catch { return error as? KeychainError }
            return nil
        }

        @Test func readIsTriedAgainUntilThereIsAnAnswer() throws {
            try Self.run {
                $1 < 5 ? Self.busy : .entitlements([:])
            } _: { service, keychain in
                let values = try keychain.entitlements(["a"])
                #expect(values.isEmpty)
                #expect(service.kinds == [FrameKind](repeating: .entitlements, count: 6))
            }
        }

        @Test func findIsTriedAgainFromTheSamePage() throws {
            try Self.run {
                $1 < 3 ? Self.busy : .failed(Failure(-25300, .absent))
            } _: {
                service, keychain in
                var query = ItemQuery(.genericPassword)
                query.limit = nil
                #expect(Self.failure { _ = try keychain.find(query) }?.reason == .absent)
                #expect(service.kinds.count == 4)
                #expect(Set(service.bodies).count == 1)
            }
        }

        /// The service closes the first connection after three of four seconds, and never replies
        /// on the second one.
        @Test func findWhoseConnectionEndsHasTheRestOfItsDeadlineAlone() throws {
            let deadline = Duration.seconds(4)
            try Self.run(deadline: deadline) { _, count in
                usleep(count == 0 ? 3_000_000 : 5_000_000)
                return nil
            } _: { service, keychain in
                var query = ItemQuery(.genericPassword)
                query.limit = nil
                let start = ContinuousClock.now
                #expect(Self.failure { _ = try keychain.find(query) }?.reason == .unreachable)
                // With its own deadline the second exchange would end after seven seconds.
                #expect(start.duration(to: .now) < .seconds(6))
                #expect(service.kinds == [.find, .find])
            }
        }

        /// The service takes six of eight seconds to ask for a proof, and never accepts it.
        @Test func proofHasTheRestOfTheDeadlineAlone() throws {
            try Self.run(deadline: .seconds(8)) { kind, _ in
                usleep(6_000_000)
                return kind == .prove ? nil : .prove([UInt8](repeating: 1, count: 32))
            } _: { service, keychain in
                let start = ContinuousClock.now
                let error = Self.failure { _ = try keychain.deviceStatus() }
                #expect(error?.reason == .unreachable)
                // With its own deadline the proof would end after fourteen seconds.
                #expect(start.duration(to: .now) < .seconds(12))
                #expect(service.kinds == [.deviceStatus, .prove])
            }
        }

        /// While the first page is on its way, another thread's call begins. It has to wait for the
        /// second page, which was requested ahead, and then gets no reply.
        @Test func callBehindAPrefetchedPageHasTheRestOfItsDeadlineAlone() throws {
            try Self.run(deadline: .seconds(8)) { kind, count in
                guard kind == .find else {
                    usleep(10_000_000)
                    return nil
                }
                usleep(count == 0 ? 2_000_000 : 4_000_000)
                return .found(
                    OutgoingRows(), nextCursor: count == 0 ? 7 : 0, openedRowCount: 0)
            } _: { service, keychain in
                let reason = Mutex<FailureReason?>(nil)
                let isOver = try EventCounter()
                try NativeThread.start {
                    var query = ItemQuery(.genericPassword)
                    query.limit = nil
                    let error = Self.failure { _ = try keychain.find(query) }
                    reason.withLock { $0 = error?.reason }
                    isOver.signal()
                }
                try Waiting.until("the find to begin") { !service.kinds.isEmpty }
                let start = ContinuousClock.now
                let error = Self.failure { _ = try keychain.deviceStatus() }
                #expect(error?.reason == .unreachable)
                // With a new deadline after the page it would end after twelve seconds.
                #expect(start.duration(to: .now) < .seconds(11))
                #expect(service.kinds == [.find, .find, .deviceStatus])
                // The second page is kept for its reader.
                let isFindOver = isOver.wait(milliseconds: 5000)
                #expect(isFindOver)
                #expect(reason.withLock { $0 } == .absent)
            }
        }

        /// The same request id, and not marked as repeated: nothing was carried out.
        @Test func writeIsTriedAgainAsItWas() throws {
            try Self.run {
                $1 < 3 ? Self.busy : .deleted(count: 2)
            } _: { service, keychain in
                let count = try keychain.delete(ItemQuery(.genericPassword))
                #expect(count == 2)
                #expect(service.kinds == [FrameKind](repeating: .delete, count: 4))
                #expect(Set(service.bodies).count == 1)
            }
        }

        @Test func passcodeIsSentAnewWithAnotherChallenge() throws {
            let answer: @Sendable (FrameKind, Int) -> ServiceReply = { kind, count in
                switch kind {
                case .challenge: .challenge([UInt8](repeating: UInt8(count), count: 32))
                default: count < 2 ? Self.busy : .passcodeDone
                }
            }
            try Self.run(answer) { service, keychain in
                try keychain.unlock(passcode: SecretBytes(passcode: "1234"))
                #expect(
                    service.kinds == [
                        .challenge, .passcode, .challenge, .passcode, .challenge, .passcode,
                    ])
            }
        }

        /// At the deadline the error says that the service is reachable, and that nothing was done.
        @Test func busyIsTheLastWord() throws {
            let deadline = Duration.milliseconds(300)
            try Self.run(deadline: deadline) { kind, _ in
                kind == .challenge ? .challenge([UInt8](repeating: 0, count: 32)) : Self.busy
            } _: { service, keychain in
                let busy = KeychainError(status: -25291, reason: .busy)
                #expect(Self.failure { _ = try keychain.entitlements(["a"]) } == busy)
                #expect(
                    Self.failure { _ = try keychain.delete(ItemQuery(.genericPassword)) } == busy)
                #expect(
                    Self.failure {
                        try keychain.unlock(passcode: SecretBytes(passcode: "1234"))
                    } == busy)
                for kind in [FrameKind.entitlements, .delete, .passcode] {
                    #expect(service.kinds.count { $0 == kind } > 1)
                }
            }
        }

        @Test func whoIsCancelledIsNotToldOfABusyService() async throws {
            let directory = try TemporaryDirectory.ofThisProcess() + "/busy"
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true)
            let service = try ScriptedService(in: directory) { _, _ in Self.busy }
            let location = ServiceLocation(socketPath: directory + "/s")
            let keychain = Keychain(service: "s", in: KeychainService(location: location))
            let calls: [Task<FailureReason?, Never>] = [
                Task {
                    await reason { () throws(KeychainError) in
                        _ = try await keychain.value(for: "item", within: .seconds(600))
                    }
                },
                Task {
                    await reason { () throws(KeychainError) in
                        try await keychain.save("value", for: "other", within: .seconds(600))
                    }
                },
            ]
            try await waitUntil("attempts") { service.kinds.count > 8 }
            for call in calls {
                call.cancel()
                #expect(await call.value == .cancelled)
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// A write whose reply was lost: the client asks for its outcome by its name.
    @Suite struct WriteOutcome {
        private static let killsPerService = 4
        private static let rounds = 32

        @Test func writeSentAgainAfterACrashIsCarriedOutOnce() throws {
            var generator = SeededGenerator(seed: 99)
            var carriedOutBefore = 0
            // Both cases occur on a slow machine as well.
            let points = (0..<Self.rounds).map { number -> Round.Point in
                switch number % 8 {
                case 0: .beforeItIsRead
                case 4: .afterTheAnswer
                default: .atRandom
                }
            }
            try TemporaryDirectory.lend { directory in
                for start in stride(from: 0, to: Self.rounds, by: Self.killsPerService) {
                    try TestService.run(.init(.user, directory: directory)) { service in
                        for point in points[start..<start + Self.killsPerService] {
                            let round = try Round(service, using: &generator)
                            carriedOutBefore +=
                                try round.run(service, point, using: &generator) ? 1 : 0
                        }
                    }
                }
            }
            #expect(carriedOutBefore > 0)
            #expect(carriedOutBefore < Self.rounds)
        }

        @Test func writeThatNobodyKnowsIsCarriedOutWhenItIsSentAgain() throws {
            try TestService.run { service in
                let connection = try RawConnection(service.socketPath)
                let write = ClientRequest.add(.password("anna"), Self.identity(1, isRepeated: true))
                #expect(Self.isDone(connection.exchange(try write.frameBytes())))
                #expect(try service.keychain.find(.password("anna", limit: nil)).count == 1)
            }
        }

        @Test func anotherWriteOfAnotherNameIsADuplicate() throws {
            try TestService.run { service in
                let connection = try RawConnection(service.socketPath)
                func add(_ name: UInt8, isRepeated: Bool) throws -> RawConnection.Answer {
                    let identity = Self.identity(name, isRepeated: isRepeated)
                    return connection.exchange(
                        try ClientRequest.add(.password("anna"), identity).frameBytes())
                }
                #expect(Self.isDone(try add(1, isRepeated: false)))
                #expect(Self.isDone(try add(1, isRepeated: true)))
                #expect(try add(2, isRepeated: true).failure?.reason == .duplicate)
                #expect(try add(3, isRepeated: false).failure?.reason == .duplicate)
                // The outcome is known for a minute, whatever happens to the item.
                try service.keychain.delete(.password("anna"))
                #expect(Self.isDone(try add(1, isRepeated: true)))
                #expect(reason { try service.keychain.find(.password("anna")) } == .absent)
            }
        }

        @Test func refusedWriteIsRefusedAgain() throws {
            try TestService.run { service in
                try service.keychain.add(.password("anna"))
                let connection = try RawConnection(service.socketPath)
                for isRepeated in [false, true] {
                    let write = ClientRequest.add(
                        .password("anna"), Self.identity(7, isRepeated: isRepeated))
                    #expect(
                        connection.exchange(try write.frameBytes()).failure?.reason == .duplicate)
                }
            }
        }

        @Test func writeNameNeedsSixteenBytes() throws {
            try TestService.run { service in
                for count in [0, 15, 17] {
                    let connection = try RawConnection(service.socketPath)
                    let identity = WriteIdentity(
                        requestID: [UInt8](repeating: 1, count: count), isRepeated: false)
                    #expect(
                        connection.exchange(
                            try ClientRequest.add(.password("anna"), identity).frameBytes()
                        ).isRefusal)
                }
                #expect(reason { try service.keychain.find(.password("anna")) } == .absent)
            }
        }

        fileprivate static func identity(_ byte: UInt8, isRepeated: Bool) -> WriteIdentity {
            WriteIdentity(
                requestID: [UInt8](repeating: byte, count: 16), isRepeated: isRepeated)
        }

        fileprivate static func isDone(_ answer: RawConnection.Answer) -> Bool {
            if case .written? = answer.reply { return true }
            return false
        }
    }
}

/// One write that a crash interrupts, sent again, and checked. Each kind of write would give
/// another result if it were carried out twice: duplicate, or absent.
private struct Round {
    /// The time of the crash.
    enum Point {
        case beforeItIsRead
        case atRandom
        case afterTheAnswer
    }

    private let name: [UInt8]
    private let before: String
    private let after: String
    private let kind: Int

    init(_ service: TestService, using generator: inout SeededGenerator) throws {
        name = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let number = generator.next()
        before = "before \(number)"
        after = "after \(number)"
        kind = Int(number % 3)
        if kind > 0 { try service.keychain.add(.password(before)) }
    }

    /// Carries out the write.
    /// - Returns: Whether the write had been carried out before the crash.
    func run(
        _ service: TestService, _ point: Point, using generator: inout SeededGenerator
    ) throws -> Bool {
        let worker = try service.worker()
        let first = try RawConnection(service.socketPath)
        if point == .beforeItIsRead {
            // It has been accepted, so the next securityd can't receive it.
            _ = first.exchange(try ClientRequest.deviceStatus.frameBytes())
            kill(worker, SIGSTOP)
        }
        first.send(try request(isRepeated: false).frameBytes())
        switch point {
        case .beforeItIsRead: break
        case .afterTheAnswer: #expect(ServiceTests.WriteOutcome.isDone(first.receive()))
        case .atRandom:
            // A random moment for the crash, not a wait for an event.
            let moment = UInt32.random(in: 0..<8000, using: &generator)
            usleep(moment < 2000 ? 0 : moment - 2000)
        }
        try service.crash(worker)
        let wasDone = isApplied(try accounts(service))

        let second = try RawConnection(service.socketPath)
        let answer = second.exchange(try request(isRepeated: true).frameBytes())
        if case .written? = answer.reply {} else { Issue.record("answered with \(answer)") }
        let found = try accounts(service)
        #expect(isApplied(found))
        #expect(found.count { $0 == before } == 0)
        #expect(found.count { $0 == after } == (kind == 2 ? 0 : 1))
        return wasDone
    }

    private func request(isRepeated: Bool) -> ClientRequest {
        let identity = WriteIdentity(requestID: name, isRepeated: isRepeated)
        switch kind {
        case 0: return .add(.password(after), identity)
        case 1:
            return .update(.password(before), .setting([.account: .text(after)]), identity)
        default: return .delete(.password(before), identity)
        }
    }

    private func isApplied(_ accounts: [String]) -> Bool {
        kind == 2 ? !accounts.contains(before) : accounts.contains(after)
    }

    private func accounts(_ service: TestService) throws -> [String] {
        try Waiting.value("the service to answer") { () throws -> [String]? in
            do throws(KeychainError) {
                let found = try service.keychain.find(
                    .password(limit: nil, returning: [.attributes]))
                return found.compactMap { item -> String? in
                    guard case .text(let account)? = item.attributes[.account] else { return nil }
                    return account
                }
            } catch {
                switch error.reason {
                case .absent: return []
                case .unreachable: return nil
                default: throw error
                }
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecurityWire
import Testing

@Suite struct BackupCallTests {
    private static var options: RestoreOptions {
        var options = RestoreOptions()
        options.conflict = .backup
        options.isDryRun = true
        options.takesOlder = true
        return options
    }

    private static let session = [UInt8](1...16)
    private static let letter = [UInt8](0..<40)

    static let calls: [BackupCall] = [
        .status, .challenge, .prove(nonce: [UInt8](0..<32)), .setPassword(letter: letter),
        .removePassword(letter: letter), .begin, .read(session: session),
        .open(head: [1, 2, 3], options, letter: letter), .part(session: session, [4, 5]),
        .finish(session: session), .abandon(session: session),
    ]

    private static let status: BackupStatus = {
        var status = BackupStatus()
        status.isPasswordSet = true
        status.set = session
        status.lastNumber = 2
        status.lastDate = 3
        status.lastRowCount = 4
        status.pendingCount = 5
        status.deviceOnlyCount = 6
        status.excludedCount = 7
        return status
    }()

    private static let counts: RestoreCounts = {
        var counts = RestoreCounts()
        for (number, field) in RestoreCounts.fields.enumerated() {
            counts[keyPath: field] = UInt64(number) + 1
        }
        return counts
    }()

    static let answers: [BackupAnswer] = [
        .status(BackupStatus()), .status(status),
        .challenge(nonce: [UInt8](0..<32), directory: [0x2F]), .done,
        .begun(session: session, head: [8]),
        .part([9], isLast: true, BackupCounts()), .restored(counts),
    ]

    private static func decoded(_ bytes: [UInt8]) -> BackupCall? {
        unsafe bytes.withUnsafeBytes { try? unsafe BackupCall(decoding: $0) }
    }

    private static func decodedAnswer(_ bytes: [UInt8]) -> BackupAnswer? {
        unsafe bytes.withUnsafeBytes { try? unsafe BackupAnswer(decoding: $0) }
    }

    @Test(arguments: calls)
    func aRequestIsReadAsItWasWritten(_ call: BackupCall) {
        #expect(Self.decoded(call.encoded) == call)
    }

    @Test(arguments: answers)
    func aReplyIsReadAsItWasWritten(_ answer: BackupAnswer) {
        #expect(Self.decodedAnswer(answer.encoded) == answer)
    }

    @Test func aCutRequestIsAnotherOneOrNone() {
        for call in Self.calls {
            for count in call.encoded.indices {
                #expect(Self.decoded(Array(call.encoded.prefix(count))) != call)
            }
        }
    }

    @Test func limitsHold() {
        func part(_ count: Int) -> BackupCall {
            .part(session: Self.session, [UInt8](repeating: 0, count: count))
        }
        #expect(Self.decoded(part(BackupCall.partByteCount).encoded) != nil)
        #expect(Self.decoded(part(BackupCall.partByteCount + 1).encoded) == nil)
        func open(_ count: Int) -> BackupCall {
            .open(
                head: [UInt8](repeating: 0, count: count), RestoreOptions(), letter: Self.letter)
        }
        #expect(Self.decoded(open(BackupCall.headByteCountLimit).encoded) != nil)
        #expect(Self.decoded(open(BackupCall.headByteCountLimit + 1).encoded) == nil)
        #expect(Self.decoded([2, 1]) == nil)
        #expect(Self.decoded([1, 99]) == nil)
    }
}

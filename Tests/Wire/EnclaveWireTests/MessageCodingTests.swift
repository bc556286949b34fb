// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import KeychainVocabulary
import Testing

@Suite struct MessageCodingTests {
    /// enclaved outlives an update of securityd: new numbers come at the end, and none is used again.
    @Test func numbersStay() {
        let kinds: [EnclaveMessageKind] = [
            .status, .challenge, .passcode, .lock, .makeTableKey, .openTableKey, .seal, .open,
            .rebind, .awaitLock, .assertion, .verify, .makePrivateKey, .sign, .agree, .anchor,
            .bindAnchor, .protectors, .access, .keychain,
        ]
        let operations: [PasscodeOperation] = [
            .set, .unlock, .change, .remove, .configure, .makeEscrow, .reset, .acceptRollback,
            .migrate, .makeRecoveryCode, .recover, .bindRegisters, .addProtector, .removeProtector,
            .unlockByProtector, .testProtector, .approve, .supply, .forget,
            .approveByTouch, .configureBiometry, .createKeychain, .unlockKeychain,
            .changeKeychainPassword,
        ]
        #expect(kinds.map(\.rawValue) == Array(1...20))
        #expect(operations.map(\.rawValue) == Array(1...24))
    }

    @Test(arguments: EnclaveMessageKind.allCases)
    func requestsComeBackAsTheyWereSent(kind: EnclaveMessageKind) throws {
        let message = WireSamples.bytes(WireSamples.request(kind))
        let header = try WireSamples.header(message)
        #expect(header.kind == kind.rawValue)
        #expect(header.status == 0)
        #expect(header.requestID == 77)
        #expect(header.userID == 1000)
        #expect(header.payloadByteCount == message.count - EnclaveHeader.byteCount)
        let payload = WireSamples.payload(message)
        #expect(WireSamples.recoded(request: payload, kind) == payload)
    }

    @Test(arguments: EnclaveMessageKind.allCases)
    func repliesComeBackAsTheyWereSent(kind: EnclaveMessageKind) {
        let payload = WireSamples.payload(WireSamples.bytes(WireSamples.reply(kind), kind: kind))
        #expect(WireSamples.recoded(reply: payload, kind) == payload)
    }

    @Test(arguments: EnclaveMessageKind.allCases)
    func truncatedRequestsAreRefused(kind: EnclaveMessageKind) {
        let payload = WireSamples.payload(WireSamples.bytes(WireSamples.request(kind)))
        for count in 0..<payload.count {
            let cut = [UInt8](payload.prefix(count))
            let recoded = WireSamples.recoded(request: cut, kind)
            // The end of these is a value of any length: a truncated one is a shorter one.
            let hasOpenEnd =
                [.seal, .rebind, .passcode, .sign, .agree, .keychain].contains(kind)
            #expect(recoded == nil || (hasOpenEnd && recoded == cut))
        }
    }

    @Test(arguments: EnclaveMessageKind.allCases)
    func truncatedRepliesAreRefused(kind: EnclaveMessageKind) {
        let payload = WireSamples.payload(WireSamples.bytes(WireSamples.reply(kind), kind: kind))
        for count in 0..<payload.count {
            let cut = [UInt8](payload.prefix(count))
            let recoded = WireSamples.recoded(reply: cut, kind)
            let hasOpenEnd = [.seal, .rebind, .makePrivateKey].contains(kind)
            #expect(recoded == nil || (hasOpenEnd && recoded == cut))
        }
    }

    @Test(arguments: [
        EnclaveMessageKind.status, .challenge, .lock, .makeTableKey, .openTableKey, .open, .verify,
        .awaitLock, .assertion,
    ])
    func bytesAfterAMessageAreRefused(kind: EnclaveMessageKind) {
        let request = WireSamples.payload(WireSamples.bytes(WireSamples.request(kind)))
        let reply = WireSamples.payload(WireSamples.bytes(WireSamples.reply(kind), kind: kind))
        #expect(WireSamples.recoded(request: request + [0], kind) == nil)
        #expect(WireSamples.recoded(reply: reply + [0], kind) == nil)
    }

    @Test func randomBytesNeverTrap() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...200, using: &generator)
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            // Half of them begin like a message with rows, so that the loop is reached.
            if Bool.random(using: &generator), count > 3 {
                bytes[0] = 1
                bytes[1] = 0
                bytes[2] = 6
            }
            for kind in EnclaveMessageKind.allCases {
                _ = WireSamples.recoded(request: bytes, kind)
                _ = WireSamples.recoded(
                    reply: bytes, status: UInt16.random(in: 0...14, using: &generator), kind)
            }
            _ = try? WireSamples.header(bytes)
        }
    }

    @Test func flippedBitsNeverTrap() {
        for kind in EnclaveMessageKind.allCases {
            let payload = WireSamples.payload(WireSamples.bytes(WireSamples.request(kind)))
            for index in payload.indices {
                for bit in 0..<8 {
                    var flipped = payload
                    flipped[index] ^= 1 << UInt8(bit)
                    _ = WireSamples.recoded(request: flipped, kind)
                }
            }
        }
    }

    @Test func aPayloadOfTheLimitIsAcceptedAndOneByteMoreIsNot() throws {
        var message = WireSamples.bytes(WireSamples.request(.status))
        for (byteCount, isAccepted) in [
            (EnclaveHeader.payloadLimit, true), (EnclaveHeader.payloadLimit + 1, false),
        ] {
            for (index, shift) in [0, 8, 16, 24].enumerated() {
                message[index] = UInt8(truncatingIfNeeded: byteCount >> shift)
            }
            #expect(((try? WireSamples.header(message)) != nil) == isAccepted)
        }
    }

    @Test func aMessageOfAnotherVersionIsRefused() {
        var message = WireSamples.bytes(WireSamples.request(.status))
        #expect((try? WireSamples.header(message)) != nil)
        message[20] ^= 1
        #expect((try? WireSamples.header(message)) == nil)
    }

    @Test func openTakes1To1024Rows() {
        let row = SealedSecret(binding: WireSamples.binding(), sealed: [])
        for (count, isAccepted) in [(0, false), (1, true), (1024, true), (1025, false)] {
            let rows = [SealedSecret](repeating: row, count: count)
            let payload = WireSamples.payload(WireSamples.bytes(.open(rows)))
            #expect((WireSamples.recoded(request: payload, .open) != nil) == isAccepted)
        }
    }

    @Test func aFailureCarriesNothingAndAThrottleItsSeconds() {
        #expect(WireSamples.recoded(reply: [], status: 2, .open) == [])
        #expect(WireSamples.recoded(reply: [0], status: 2, .open) == nil)
        #expect(WireSamples.recoded(reply: [], status: 1, .open) == nil)
        #expect(WireSamples.recoded(reply: [3, 0, 0, 0], status: 1, .open) == [3, 0, 0, 0])
        #expect(WireSamples.recoded(reply: [60, 0, 0, 0], status: 5, .passcode) == [60, 0, 0, 0])
        #expect(WireSamples.recoded(reply: [], status: 5, .passcode) == nil)
        #expect(WireSamples.recoded(reply: [], status: 27, .lock) == nil)
    }

    @Test func anAssertionLasts1To60Seconds() {
        for (seconds, isAccepted) in [(UInt8(0), false), (1, true), (60, true), (61, false)] {
            let payload: [UInt8] = [1, 0, 0, 0, 0, seconds, 0]
            #expect((WireSamples.recoded(request: payload, .assertion) != nil) == isAccepted)
        }
        #expect(WireSamples.recoded(request: [2, 9, 0, 0, 0, 0, 0], .assertion) != nil)
        for payload in [[3, 0, 0, 0, 0, 1, 0], [1, 1, 0, 0, 0, 1, 0], [2, 1, 0, 0, 0, 1, 0]] {
            #expect(WireSamples.recoded(request: payload.map(UInt8.init), .assertion) == nil)
        }
    }

    @Test func aLockOfAnUnknownModeIsRefused() {
        for mode in UInt8(0)...2 {
            #expect(WireSamples.recoded(request: [mode], .lock) == [mode])
        }
        #expect(WireSamples.recoded(request: [3], .lock) == nil)
    }

    @Test func everyMessageAboutBackupsIsReadAsItWasWritten() {
        for request in WireSamples.backupRequests {
            let payload = WireSamples.payload(WireSamples.bytes(.backup(request)))
            #expect(WireSamples.recoded(request: payload, .backup) == payload, "\(request)")
        }
        for reply in WireSamples.backupReplies {
            let payload = WireSamples.payload(WireSamples.bytes(.backup(reply), kind: .backup))
            #expect(WireSamples.recoded(reply: payload, .backup) == payload, "\(reply)")
        }
    }

    @Test func numbersOnTheWireAreFrozen() {
        #expect(ProtectionClass.allCases.map(\.rawValue) == [6, 7, 8, 9, 10, 11, 12])
        #expect(EnclaveStatusCode.allCases.map(\.rawValue) == [UInt16](0...26))
        #expect(EnclaveMessageKind.allCases.map(\.rawValue) == [UInt16](1...21))
        let operations = PasscodeOperation.allCases.map(\.rawValue)
        #expect(operations == [UInt8](1...27))
        #expect(LockMode.allCases.map(\.rawValue) == [0, 1, 2])
        let seal = WireSamples.bytes(WireSamples.request(.seal))
        #expect(seal.prefix(4) == [35, 0, 0, 0])
        #expect(seal[4..<8] == [7, 0, 0, 0])
        #expect(seal[24] == 7)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Enclave
import EnclaveState
import EnclaveWire
import Foundation
import KeychainVocabulary
import SecretBytes
import TPMClient
import TestSupport
import Testing

/// The enclave with real files and a software TPM, and a clock that the test advances.
/// `Documentation/attack-list.md` explains the numbers in names of tests.
@Suite struct TPMEnclaveTests {
    private static let user: UInt32 = 7

    /// Deletes indexes from the TPM, as enclaved requests it; or fails before.
    private final class Exchange: DeviceKeyExchange {
        let host: TPMHost
        var failure: DeviceKeyFailure?

        init(_ host: TPMHost) { self.host = host }

        func offers(_ target: DeviceKeyTarget) -> Bool { false }

        func deviceKey(_ new: NewDeviceKey) -> (any DeviceKey)? { nil }

        func put(_ new: NewDeviceKey, _ changes: [StateChange]) throws(DurableStateFailure) {
            throw .notDone
        }

        func take(_ new: NewDeviceKey) {}

        func giveUp(_ new: NewDeviceKey, sealed: [UInt8]?) {}

        func release(_ index: HeldIndex) throws(DeviceKeyFailure) {
            if let failure { throw failure }
            try host.release(index)
        }
    }

    /// An enclave, its files and its TPM; restarted at will.
    private final class Fixture {
        let tpm: TestTPM
        let path: String
        let record: TPMRecord
        var seconds: UInt64 = 10_000
        var notices: [EnclaveNotice] = []
        /// From the next start on, the TPM deletes nothing and fails with this reason.
        var releaseFailure: DeviceKeyFailure?
        private var enclave: Enclave?

        init(_ tpm: TestTPM, _ path: String) throws {
            self.tpm = tpm
            self.path = path
            record = try TPMDevice.make(
                try Self.connection(tpm), isShared: false, mayBeHardware: false, hasCounter: false
            ).record
        }

        private static func connection(_ tpm: TestTPM) throws -> TPMConnection {
            TPMConnection(
                DescriptorTransport(owning: try tpm.connect()), operationMilliseconds: 30_000)
        }

        func stop() { enclave = nil }

        func start() throws {
            stop()
            // Until another thread's new process has executed its program, it holds our lock, too.
            let state = try Waiting.value("the directory") {
                try? StateDirectory(statePath: path)
            }
            let host = TPMHost(
                try Self.connection(tpm), isShared: false, mayBeHardware: false)
            _ = try host.use(record.bytes)
            let exchange = Exchange(host)
            exchange.failure = releaseFailure
            enclave = Enclave(
                deviceKey: try #require(host.deviceKey(indexNumber: nil)), exchange: exchange,
                state: FileState(state) { _ in }, tiesFiles: false,
                clock: { [unowned self] in seconds },
                notify: { [unowned self] in notices.append($0) })
            enclave?.releaseWhatIsDue()
        }

        func status() throws -> EnclaveStatus {
            guard case .reply(let reply)? = enclave?.handle(.status, user: user),
                case .status(let status) = reply
            else { throw TestFailure("no status") }
            return status
        }

        func passcode(
            _ operation: PasscodeOperation, _ texts: String..., settings: [UInt8] = []
        ) throws -> EnclaveStatusCode {
            guard case .reply(let reply)? = enclave?.handle(.challenge, user: user),
                case .challenge(let nonce) = reply, let key = enclave?.publicKey
            else { throw TestFailure("no challenge") }
            let parts = texts.map { EnclaveFixture.counted([UInt8]($0.utf8)) } + [settings]
            let letter = EnclaveFixture.letter(
                operation, nonce: nonce, parts: parts, key: key, user: user, isIdentified: true)
            guard let answer = enclave?.handle(letter, user: user) else {
                throw TestFailure("no enclave")
            }
            return try finish(answer)
        }

        private func finish(_ answer: consuming EnclaveAnswer) throws -> EnclaveStatusCode {
            switch consume answer {
            case .reply(let reply): return reply.statusCode
            case .deferred(let job):
                let derived = Cryptography.deriveByAuthenticating(
                    job.passcode.bytes, using: SymmetricKey(data: job.salt))
                guard let next = enclave?.derivationFinished(.derived(derived, .floor)) else {
                    throw TestFailure("no enclave")
                }
                return try finish(next)
            case .waiting: throw TestFailure("no answer")
            case .ended: throw TestFailure("it has ended")
            }
        }
    }

    private static func run(_ body: (Fixture) throws -> Void) throws {
        try TestTPM.run { tpm in
            try TemporaryDirectory.lend { path in
                let fixture = try Fixture(tpm, path)
                try fixture.start()
                #expect(try fixture.passcode(.set, "right") == .success)
                try body(fixture)
                fixture.stop()
            }
        }
    }

    @Test func x02DelaysAreThoseOfTheTableAndTheTenthIsTheLast() throws {
        try Self.run { fixture in
            let delays: [UInt32] = [0, 0, 0, 0, 60, 300, 900, 900, 3600]
            for (index, delay) in delays.enumerated() {
                #expect(try fixture.passcode(.unlock, "wrong \(index)") == .wrongPasscode)
                #expect(try fixture.status().secondsUntilNextAttempt == delay)
                if delay > 0 { #expect(try fixture.passcode(.unlock, "right") == .throttled) }
                fixture.seconds += UInt64(delay)
            }
            #expect(try fixture.passcode(.unlock, "wrong 10") == .wrongPasscode)
            fixture.seconds += 1_000_000
            #expect(try fixture.passcode(.unlock, "right") == .disabled)
            try fixture.start()
            fixture.seconds += 1_000_000
            #expect(try fixture.passcode(.unlock, "right") == .disabled)
        }
    }

    @Test func x09RightPasscodeAfterNineFailuresUnlocksAndTenMoreMayFollow() throws {
        try Self.run { fixture in
            for round in 0..<2 {
                for number in 0..<9 {
                    let outcome = try fixture.passcode(.unlock, "wrong \(round) \(number)")
                    #expect(outcome == .wrongPasscode)
                    fixture.seconds += 4000
                }
                #expect(try fixture.passcode(.unlock, "right") == .success)
                #expect(try fixture.status().failedAttempts == 0)
            }
        }
    }

    /// After each wrong passcode every file of the enclave is rolled back: the TPM still refuses
    /// after ten.
    @Test func x08TPMCountsOverFilesThatArePutBack() throws {
        try Self.run { fixture in
            fixture.stop()
            try TemporaryDirectory.lend { copies in
                let (ours, saved) = (fixture.path + "/enclave", copies + "/enclave")
                try FileManager.default.copyItem(atPath: ours, toPath: saved)
                for number in 0..<12 {
                    try fixture.start()
                    #expect(try fixture.status().failedAttempts == 0)
                    let outcome = try fixture.passcode(.unlock, "wrong \(number)")
                    #expect(outcome == (number < 10 ? .wrongPasscode : .disabled))
                    fixture.stop()
                    try FileManager.default.removeItem(atPath: ours)
                    try FileManager.default.copyItem(atPath: saved, toPath: ours)
                }
                try fixture.start()
                #expect(try fixture.passcode(.unlock, "right") == .disabled)
                // And the record says so from now on.
                #expect(try fixture.status().failedAttempts == 10)
                #expect(
                    fixture.notices.contains(.deviceKeyFailed(user: Self.user, .exhausted)))
            }
        }
    }

    @Test func x07TenWrongPasscodesEraseAndTheIndexGoesToo() throws {
        try Self.run { fixture in
            #expect(try fixture.passcode(.configure, "right", settings: [10, 0, 0, 0]) == .success)
            #expect(try fixture.status().eraseAfter == 10)
            for number in 0..<10 {
                #expect(try fixture.passcode(.unlock, "wrong \(number)") == .wrongPasscode)
                fixture.seconds += 4000
            }
            let status = try fixture.status()
            #expect(status.erasures == 1 && !status.isPasscodeSet)
            #expect(try fixture.passcode(.unlock, "right") == .wrongState)
            fixture.stop()
            #expect(try fixture.tpm.indexes() == [])
        }
    }

    @Test func changedPasscodeTakesTheOldIndexAwayAndKeepsTheItemsKeys() throws {
        try Self.run { fixture in
            #expect(try fixture.passcode(.change, "right", "new") == .success)
            try fixture.start()
            #expect(try fixture.passcode(.unlock, "right") == .wrongPasscode)
            #expect(try fixture.passcode(.unlock, "new") == .success)
            #expect(try fixture.passcode(.remove, "new") == .success)
            fixture.stop()
            #expect(try fixture.tpm.indexes() == [])
        }
    }

    /// If the enclave is killed, or the TPM is unreachable, after the new keybag is stored, the old
    /// index still exists. The next start that reaches the TPM deletes it, and then the old files
    /// and the old passcode open nothing.
    @Test(arguments: [DeviceKeyFailure.gone, .timedOut, .otherDevice])
    func oldIndexThatCouldNotBeTakenAwayGoesAtTheNextStart(_ failure: DeviceKeyFailure) throws {
        for operation in [PasscodeOperation.change, .remove] {
            try Self.run { fixture in
                try TemporaryDirectory.lend { copies in
                    let (ours, old, new) = (
                        fixture.path + "/enclave", copies + "/old", copies + "/new"
                    )
                    func swap(_ present: String, for other: String) throws {
                        fixture.stop()
                        try FileManager.default.moveItem(atPath: ours, toPath: present)
                        try FileManager.default.copyItem(atPath: other, toPath: ours)
                    }
                    fixture.stop()
                    let before = try fixture.tpm.indexes()
                    try FileManager.default.copyItem(atPath: ours, toPath: old)
                    fixture.releaseFailure = failure
                    try fixture.start()
                    let changed =
                        operation == .change
                        ? try fixture.passcode(.change, "right", "new")
                        : try fixture.passcode(.remove, "right")
                    #expect(changed == .success)
                    #expect(fixture.notices.contains(.releaseFailed(failure)))
                    // The control: the replayed files can be opened as long as the index exists.
                    try swap(new, for: old)
                    #expect(try Set(fixture.tpm.indexes()).isSuperset(of: before))
                    try fixture.start()
                    #expect(try fixture.passcode(.unlock, "right") == .success)
                    try swap(copies + "/used", for: new)
                    // A start that doesn't reach the TPM leaves the list for the next one.
                    try fixture.start()
                    fixture.releaseFailure = nil
                    try fixture.start()
                    fixture.stop()
                    let left = try fixture.tpm.indexes()
                    #expect(left.count == (operation == .change ? 1 : 0))
                    #expect(Set(left).isDisjoint(with: before))
                    #expect(!FileManager.default.fileExists(atPath: ours + "/releases"))
                    try swap(copies + "/new again", for: old)
                    try fixture.start()
                    #expect(try fixture.passcode(.unlock, "right") == .deviceKeyUnavailable)
                    try swap(copies + "/old again", for: copies + "/new again")
                    try fixture.start()
                    if operation == .change {
                        #expect(try fixture.passcode(.unlock, "new") == .success)
                    } else {
                        #expect(try !fixture.status().isPasscodeSet)
                    }
                }
            }
        }
    }

    /// An object on the list is deleted only if the stored keybag doesn't need it.
    @Test func indexInUseStaysWhateverTheListSays() throws {
        try Self.run { fixture in
            fixture.stop()
            let numbers = try fixture.tpm.indexes()
            let number = try #require(
                numbers.first.flatMap { UInt32($0.dropFirst(2), radix: 16) })
            let list = ReleaseList([
                HeldIndex(user: Self.user, number: number, place: fixture.record.place)
            ])
            let path = fixture.path + "/enclave/releases"
            try Data(list.file).write(to: URL(fileURLWithPath: path))
            try fixture.start()
            #expect(!FileManager.default.fileExists(atPath: path))
            #expect(try fixture.passcode(.unlock, "right") == .success)
            fixture.stop()
            #expect(try fixture.tpm.indexes() == numbers)
            // The control: an unused index.
            let other = ReleaseList([
                HeldIndex(user: nil, number: number, place: fixture.record.place)
            ])
            try Data(other.file).write(to: URL(fileURLWithPath: path))
            try fixture.start()
            fixture.stop()
            #expect(try fixture.tpm.indexes() == [])
        }
    }

    @Test func damagedListIsSaidAndTakesNothingAway() throws {
        try Self.run { fixture in
            fixture.stop()
            let numbers = try fixture.tpm.indexes()
            let index = HeldIndex(
                user: nil, number: try #require(UInt32(numbers[0].dropFirst(2), radix: 16)),
                place: fixture.record.place)
            let file = ReleaseList([index]).file
            #expect(ReleaseList(file)?.indexes == [index])
            for place in file.indices {
                var damaged = file
                damaged[place] ^= 1
                #expect(ReleaseList(damaged) == nil)
                #expect(ReleaseList([UInt8](file[..<place])) == nil)
            }
            try Data(file.dropLast()).write(
                to: URL(fileURLWithPath: fixture.path + "/enclave/releases"))
            try fixture.start()
            #expect(fixture.notices.contains(.releasesRefused))
            fixture.stop()
            #expect(try fixture.tpm.indexes() == numbers)
        }
    }

    @Test func counterOfAFileGoesUpAndItsDamageIsSeen() throws {
        try TemporaryDirectory.lend { path in
            let state = try StateDirectory(statePath: path)
            let key = try FileDeviceKey(state)
            #expect(try key.readCounter() == 0)
            for number in UInt64(1)...3 {
                try key.incrementCounter()
                #expect(try key.readCounter() == number)
            }
            #expect(try FileDeviceKey(state).readCounter() == 3)
            let file = URL(fileURLWithPath: path + "/enclave/device.counter")
            var bytes = try Data(contentsOf: file)
            bytes[0] ^= 1
            try bytes.write(to: file)
            #expect(throws: DeviceKeyFailure.refused) { try key.readCounter() }
            #expect(throws: DeviceKeyFailure.refused) { try key.incrementCounter() }
        }
    }
}

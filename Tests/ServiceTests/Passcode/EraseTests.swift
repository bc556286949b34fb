// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import Keychain
import SecretBytes
import SecurityWire
import Synchronization
import TestSupport
import Testing

extension ServiceTests {
    /// Ten wrong passcodes destroy every key. Also the effects of a damaged index key, which are
    /// different.
    /// `Documentation/attack-list.md` explains the numbers in names of tests.
    @Suite struct Erasing {
        private static let passcode = "correct horse"

        /// Ten wrong passcodes take two hours of delays, and the daemons use the machine's clock.
        /// So here the tenth has already been counted, as if a power cut had come before it was
        /// judged.
        @Test(arguments: [false, true])
        func x07TenthWrongPasscodeErasesAndTheKeychainIsUsableAnew(isRestarted: Bool) throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                let state = directory + "/llavero"
                try TestService.run(options) { service in
                    for accessibility in Accessibility.allCases
                    where accessibility != .whenPasscodeSetThisDeviceOnly {
                        try service.keychain.add(
                            .password(accessibility.code, accessibility: accessibility))
                    }
                    try service.keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                    try service.configure(
                        .init(eraseAfter: 10, countsUnidentified: true), passcode: Self.passcode)
                }
                let keybags = try StateFiles.keybags(state)
                try StateFiles.countAttempts(10, state, user: geteuid())
                try TestService.run(options) { service in
                    var device = try service.keychain.deviceStatus()
                    #expect(device.failedAttempts == 10)
                    // The keys of class D are open in both processes.
                    #expect(reads(service, "dk") == 0)
                    #expect(reads(service, "dku") == 0)
                    try Self.offerTheLastWrongOne(service)
                    device = try service.keychain.deviceStatus()
                    #expect(!device.passcodeSet)
                    #expect(device.state == .noPasscode)
                    #expect(device.failedAttempts == 0)
                    if isRestarted {
                        try service.crash(try service.worker())
                        _ = try service.enclave()
                    }
                    try Self.expectErased(service)
                    try Self.expectNoDamage(service)
                    try Self.expectUsable(service)
                    try Self.expectNoDamage(service)
                }
                for (name, bytes) in try StateFiles.keybags(state) {
                    #expect(bytes != keybags[name])
                }
                try TestService.run(options) { service in
                    for account in ["ak", "dk"] {
                        let found = try one(service, account)
                        #expect(found.secret?.testText == "anew")
                    }
                    #expect(reads(service, "cku") == -25300)
                    try Self.expectNoDamage(service)
                }
            }
        }

        /// The remains of an erasure are reported, but aren't damage; nothing can restore them.
        private static func expectNoDamage(_ service: TestService) throws {
            let old = UInt64(Accessibility.allCases.count - 1)
            for report in [try service.keychain.check(), try service.keychain.recover()] {
                #expect(report.findings.filter(\.isDamage) == [])
                #expect(report.findings.allSatisfy { $0.kind == .erased && $0.number == old })
            }
            let check = try service.keychain.check()
            #expect(check.findings.map(\.kind) == [.erased])
            #expect(check.counts.sound == check.counts.examined - old)
        }

        /// Rows whose key is gone for another reason still count as damage after an erasure.
        @Test func aKeyThatIsDamagedAfterAnErasureIsNotTakenForErased() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                let state = directory + "/llavero"
                try Self.prepareErasure(options, state)
                try TestService.run(options) { service in
                    try Self.offerTheLastWrongOne(service)
                    try service.keychain.add(.password("new", accessibility: .whenUnlocked))
                }
                try FileManager.default.removeItem(atPath: state + "/keychain.keys")
                try StoredRows.execute(
                    """
                    UPDATE metadatakeys SET wrapped = randomblob(60)
                    WHERE keyclass = 6 AND generation = 2
                    """, state)
                try TestService.run(options) { service in
                    let findings = try service.keychain.check().findings.filter(\.isDamage)
                    #expect(findings.contains { $0.kind == .keyMissing })
                    #expect(findings.contains { $0.kind == .metadataKey && $0.number == 2 })
                }
            }
        }

        /// Stores an item in each class except akpu, and counts nine wrong passcodes and one more.
        private static func prepareErasure(
            _ options: TestService.Options, _ state: String
        ) throws {
            try TestService.run(options) { service in
                for accessibility in Accessibility.allCases
                where accessibility != .whenPasscodeSetThisDeviceOnly {
                    try service.keychain.add(
                        .password(accessibility.code, accessibility: accessibility))
                }
                try service.keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                try service.configure(
                    .init(eraseAfter: 10, countsUnidentified: true), passcode: Self.passcode)
            }
            try StateFiles.countAttempts(10, state, user: geteuid())
        }

        /// Writers continue while everything is erased: writes that were acknowledged before it are
        /// gone completely, writes that begin after it stay, and the keychain can be used again.
        @Test func writesInFlightDuringAnErasureLeaveAKeychainThatGoesOn() throws {
            for _ in 0..<Self.inFlightRounds {
                try TemporaryDirectory.lend { directory in
                    let options = TestService.Options(.user, directory: directory)
                    let state = directory + "/llavero"
                    try Self.prepareErasure(options, state)
                    let after = InParallel.Names()
                    try TestService.run(options) { service in
                        try Self.eraseUnderWrites(service, after)
                        try Self.expect(after.all, service)
                    }
                    try TestService.run(options) { try Self.expect(after.all, $0) }
                }
            }
        }

        private static let inFlightRounds = 4
        private static let writerCount = 4

        /// `after` gets the names of the writes that were begun after the erasure, and
        /// acknowledged.
        private static func eraseUnderWrites(
            _ service: TestService, _ after: InParallel.Names
        ) throws {
            let isErased = Atomic<Bool>(false)
            let isOver = Atomic<Bool>(false)
            let writing = InParallel.Shared()
            for writer in 0..<writerCount {
                let connection = service.connect()
                writing.start("writer \(writer)") {
                    var number = 0
                    while !isOver.load(ordering: .acquiring) {
                        number += 1
                        let isBehind = isErased.load(ordering: .acquiring)
                        let name = "\(writer) \(number)"
                        do {
                            try connection.add(
                                .password(name, secret: name, accessibility: .always))
                        } catch let error as KeychainError
                            where !isBehind && error.status != -25299
                        {
                            continue
                        } catch {
                            throw TestFailure("\(name), behind \(isBehind): \(error)")
                        }
                        if isBehind { after.append(name) }
                    }
                }
            }
            usleep(150_000)
            try offerTheLastWrongOne(service)
            isErased.store(true, ordering: .releasing)
            let waited = Result {
                try Waiting.until("writes behind the erasure") { after.all.count > 20 }
            }
            isOver.store(true, ordering: .releasing)
            #expect(writing.finish() == [])
            try waited.get()
        }

        private static func expect(_ names: [String], _ service: TestService) throws {
            for name in names {
                let found = try one(service, name)
                #expect(found.secret?.testText == name)
            }
            let device = try service.keychain.deviceStatus()
            #expect(!device.passcodeSet)
            for accessibility in Accessibility.allCases {
                #expect(reads(service, accessibility.code) == -25300)
            }
            let damage = try service.keychain.check().findings.filter(\.isDamage)
            #expect(damage == [])
            let all = try service.keychain.find(.password(limit: nil))
            #expect(all.count >= names.count)
        }

        private static func offerTheLastWrongOne(_ service: TestService) throws {
            let refusal = reason {
                try service.keychain.unlock(passcode: SecretBytes(passcode: "wrong"))
            }
            #expect(refusal != nil)
        }

        /// None of the earlier items can be opened, and the right passcode isn't valid any more.
        private static func expectErased(_ service: TestService) throws {
            let right = reason {
                try service.keychain.unlock(passcode: SecretBytes(passcode: Self.passcode))
            }
            #expect(right == .wrongState)
            for accessibility in Accessibility.allCases {
                #expect(reads(service, accessibility.code) == -25300)
            }
            #expect(status { try service.keychain.find(.password(limit: nil)) } == -25300)
            #expect(
                status {
                    try service.keychain.update(
                        .password("dk"), applying: .setting(secret: "x"))
                } == -25300)
            #expect(status { try service.keychain.delete(.password("dk")) } == -25300)
        }

        private static func expectUsable(_ service: TestService) throws {
            let state = service.stateDirectory
            let old = try StoredRows.rows("genp", state).map { $0["uuid"] }
            for account in ["ak", "dk"] {
                try service.keychain.add(
                    .password(account, secret: "anew", accessibility: Accessibility(code: account)))
                #expect(try one(service, account).secret?.testText == "anew")
                #expect(status { try service.keychain.add(.password(account)) } == -25299)
            }
            let keys = try StoredRows.rows("indexkeys", state)
            #expect(keys.map { $0["generation"] } == [.integer(1), .integer(2)])
            #expect(keys.map { $0["erasures"] } == [.integer(0), .integer(1)])
            #expect(Set(keys.map { $0["keybaguuid"] }).count == 2)
            // The old rows are still in the file, but can't be read.
            let rows = try StoredRows.rows("genp", state)
            #expect(rows.prefix(old.count).map { $0["uuid"] } == old)
            #expect(rows.count == old.count + 2)
        }

        /// All ten, one after the other, with a clock that the test advances.
        @Test func x07TenWrongPasscodesInARowErase() throws {
            try TemporaryDirectory.lend { directory in
                let service = try InProcessService(stateDirectory: directory)
                defer { service.stopEnclave() }
                let client = InProcessService.Client(
                    userID: 4711,
                    entitlements: Entitlements([
                        "keychain-access-groups": .list([.text("TEAM000000.test")])
                    ]))
                let keychain = try service.connect(client)
                try keychain.add(.password("dk", accessibility: .always))
                try service.passcode(.set, Self.passcode, client)
                try service.passcode(
                    .configure, Self.passcode, settings: .init(eraseAfter: 10), client)
                try keychain.lock()
                for number in 1...10 {
                    #expect(status { try keychain.find(.password("dk")) } == 0)
                    #expect(throws: TestFailure.self) {
                        try service.passcode(.unlock, "wrong \(number)", client)
                    }
                    service.clock.advance(bySeconds: 3600)
                }
                #expect(throws: TestFailure.self) {
                    try service.passcode(.unlock, Self.passcode, client)
                }
                #expect(try !keychain.deviceStatus().passcodeSet)
                #expect(status { try keychain.find(.password("dk")) } == -25300)
                try keychain.add(.password("dk", secret: "anew", accessibility: .always))
                let found = try keychain.find(.password("dk"))
                #expect(found.map { $0.secret?.testText } == ["anew"])
            }
        }

        /// A program gives ten wrong passcodes. They erase only if it is identified, or the owner wants
        /// it so.
        /// Red team: any; U, erases nothing.
        /// Before: worked; erases all.
        @Test(arguments: [IdentityGrade.unsigned, .rootOwnedPath, .signed], [false, true])
        func x07OnlyAnUnidentifiedProgramsGuessesEraseNothing(
            grade: IdentityGrade, countsUnidentified: Bool
        ) throws {
            try TemporaryDirectory.lend { directory in
                let service = try InProcessService(stateDirectory: directory)
                defer { service.stopEnclave() }
                let owner = InProcessService.Client(
                    userID: geteuid(),
                    entitlements: Entitlements([
                        "keychain-access-groups": .list([.text("TEAM000000.test")])
                    ]))
                var guesser = owner
                guesser.grade = grade
                let keychain = try service.connect(owner)
                let passcode = SecretBytes(passcode: Self.passcode)
                try keychain.add(.password("dk", accessibility: .always))
                try keychain.setPasscode(passcode)
                try keychain.configure(
                    DeviceSettings(
                        erasesAfterFailures: true, graceSeconds: 0,
                        countsUnidentifiedPrograms: countsUnidentified),
                    passcode: passcode)
                let other = try service.connect(guesser)
                for number in 1...10 {
                    let guess = SecretBytes(passcode: "guess \(number)")
                    #expect(reason { try other.unlock(passcode: guess) } == .wrongPasscode)
                    service.clock.advance(bySeconds: 24 * 60 * 60)
                }
                let device = try keychain.deviceStatus()
                let isErased = countsUnidentified || grade != .unsigned
                #expect(device.erasures == (isErased ? 1 : 0))
                #expect(device.passcodeSet == !isErased)
                #expect(
                    reason { try keychain.unlock(passcode: passcode) }
                        == (isErased ? .wrongState : .disabled))
                #expect(status { try keychain.find(.password("dk")) } == (isErased ? -25300 : 0))
            }
        }

        /// A program without an identity sets the first passcode, before its user does.
        /// Red team: ephemeral; U; not stopped.
        /// Before: worked; U.
        @Test func anyProgramOfTheUserMaySetTheFirstPasscode() throws {
            try SignedWorld.run { world in
                let program = try world.install(world.program(), "unsigned")
                #expect(try world.ask(program, "whoami").first == "U")
                #expect(try world.ask(program, "set-passcode", "first") == ["ok"])
                #expect(try world.ask(program, "set-passcode", "second") == ["failed -50"])
            }
        }

        /// The same with real programs: the record says whether each guess came from an identified
        /// one.
        @Test func theRecordOfGuessesSaysWhetherAllGuessersAreKnown() throws {
            try SignedWorld.run { world in
                let team = try SignedWorld.Team("TEAM000001")
                try world.trust(team)
                let signed = try world.install(
                    team.sign(world.program(), "com.example.app"), "signed")
                let unsigned = try world.install(world.program(build: "2"), "unsigned")
                #expect(try world.ask(signed, "set-passcode", "right") == ["ok"])
                #expect(try world.ask(signed, "unlock", "wrong") == ["failed -25293"])
                #expect(try !Self.recordsUnidentified(world))
                #expect(try world.ask(unsigned, "unlock", "other") == ["failed -25293"])
                #expect(try Self.recordsUnidentified(world))
                #expect(try world.ask(signed, "unlock", "third") == ["failed -25293"])
                #expect(try Self.recordsUnidentified(world))
            }
        }

        /// Whether one of the counted guesses came from an unidentified program, according to the
        /// later slot.
        private static func recordsUnidentified(_ world: SignedWorld) throws -> Bool {
            let folder = world.service.stateDirectory + "/enclave"
            let name = try FileManager.default.contentsOfDirectory(atPath: folder).first {
                $0.hasPrefix("attempts.")
            }
            let file = try Data(
                contentsOf: URL(fileURLWithPath: folder + "/" + (name ?? "attempts")))
            let later = file[4] > file[516] ? 0 : 512
            return file[later + 12] == 1
        }

        // MARK: - A damaged index key

        /// A key that can't be opened without an erasure must not look erased: no new keychain is
        /// begun.
        @Test func damagedIndexKeyWithoutACopyIsUnavailableAndNeverReplaced() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                let state = directory + "/llavero"
                try TestService.run(options) { _ = try $0.keychain.add(.password("a")) }
                let sound = try StoredRows.rows("indexkeys", state)
                let copies = try Data(contentsOf: URL(fileURLWithPath: state + "/keychain.keys"))
                try StoredRows.execute("UPDATE indexkeys SET wrapped = randomblob(60)", state)
                try FileManager.default.removeItem(atPath: state + "/keychain.keys")
                let damaged = try StoredRows.rows("indexkeys", state)
                try TestService.run(options) { service in
                    for _ in 0..<2 {
                        #expect(reads(service, "a") == -25291)
                        #expect(status { try service.keychain.add(.password("b")) } == -25291)
                        #expect(
                            status {
                                try service.keychain.update(
                                    .password("a"), applying: .setting(secret: "x"))
                            } == -25291)
                    }
                    let kinds = try service.keychain.check().findings.map(\.kind)
                    #expect(kinds == [.indexKey])
                }
                #expect(try StoredRows.rows("indexkeys", state) == damaged)
                // With the copy nothing is lost, and recovering repairs it.
                try copies.write(to: URL(fileURLWithPath: state + "/keychain.keys"))
                try TestService.run(options) { service in
                    #expect(reads(service, "a") == 0)
                    #expect(try service.keychain.check().findings.map(\.kind) == [.indexKey])
                    #expect(try service.keychain.recover().findings == [])
                    #expect(try service.keychain.check().findings == [])
                    try service.keychain.add(.password("b"))
                }
                let mended = try StoredRows.rows("indexkeys", state)
                #expect(mended.map { $0["wrapped"] } == sound.map { $0["wrapped"] })
            }
        }

        @Test func missingIndexKeyIsTakenFromItsCopy() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                let state = directory + "/llavero"
                try TestService.run(options) { _ = try $0.keychain.add(.password("a")) }
                try StoredRows.execute("DELETE FROM indexkeys", state)
                try TestService.run(options) { service in
                    #expect(reads(service, "a") == 0)
                    #expect(status { try service.keychain.add(.password("a")) } == -25299)
                }
            }
        }

        // MARK: - Damaged metadata keys

        @Test func aFlippedWrappedKeyCostsNoRowAfterRecover() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                let state = directory + "/llavero"
                try TestService.run(options) { service in
                    for code in ["ak", "ck", "dk"] {
                        try service.keychain.add(
                            .password(code, accessibility: Accessibility(code: code)))
                    }
                }
                try StoredRows.execute(
                    """
                    UPDATE metadatakeys SET wrapped = randomblob(60) WHERE keyclass = 6;
                    DELETE FROM metadatakeys WHERE keyclass = 8
                    """, state)
                try TestService.run(options) { service in
                    #expect(reads(service, "ak") == -25300)
                    #expect(reads(service, "ck") == 0)
                    #expect(reads(service, "dk") == -25300)
                    // The class gets another key, and its old rows keep theirs.
                    try service.keychain.add(.password("dk 2", accessibility: .always))
                    #expect(try service.keychain.recover().findings == [])
                    for account in ["ak", "ck", "dk", "dk 2"] {
                        #expect(reads(service, account) == 0)
                    }
                    #expect(try service.keychain.check().findings == [])
                    // Nothing is sealed under restored keys.
                    try service.keychain.add(.password("ak 2", accessibility: .whenUnlocked))
                    #expect(reads(service, "ak 2") == 0)
                    let rows = try StoredRows.rows("genp", state)
                    let generations = rows.map { $0["keygeneration"] }
                    #expect(
                        generations == [
                            .integer(1), .integer(1), .integer(1), .integer(2), .integer(2),
                        ])
                }
            }
        }

        @Test func damagedAndMissingCopiesAreFoundByACheck() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                let path = directory + "/llavero/keychain.keys"
                try TestService.run(options) { service in
                    try service.keychain.add(.password("a", accessibility: .always))
                    try service.keychain.add(.password("b", accessibility: .afterFirstUnlock))
                    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
                    #expect(bytes.count == 3 * 96)
                    #expect(try service.keychain.check().findings == [])
                    var flipped = bytes
                    flipped[96 + 40] ^= 1
                    // A crash left an incomplete copy.
                    try (flipped + Data([1, 2, 3])).write(to: URL(fileURLWithPath: path))
                    let findings = try service.keychain.check().findings
                    #expect(findings.map(\.kind) == [.keyCopies])
                    #expect(reads(service, "a") == 0)
                }
                // The missing copy is made again at the start, in the place of the incomplete one.
                try TestService.run(options) { service in
                    #expect(try service.keychain.check().findings == [])
                    try service.keychain.add(.password("c", accessibility: .whenUnlocked))
                }
                #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == 5 * 96)
            }
        }
    }
}

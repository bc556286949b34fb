// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import KeychainVocabulary
import SecurityDaemon
import SecurityWire
import Testing

/// Creation and deletion of a keychain change two daemons' files. After an end of either at any step,
/// the next start has the old or the new state.
@Suite struct KeychainSequenceTests {
    private static let uuid = [UInt8](1...16)
    private static let path = [UInt8]("/tmp/job.keychain".utf8)

    /// The database and enclaved's files, and when they fail.
    private final class World {
        var records: [KeychainRecord] = []
        var keys: [UInt32: [UInt8]] = [:]
        /// Rows of keychains.
        var rows: [UInt32] = []
        /// The remaining steps; at 0 the step fails.
        var stepsLeft = Int.max
        /// Whether the step that fails is carried out all the same.
        var failsAfterwards = false
        var failure = DaemonError.enclave(.gone)
        /// The UUID of the letter that is being sent.
        var uuid: [UInt8] = []
        var numbers: [UInt32] = [7]

        private func step(_ change: () throws(DaemonError) -> Void) throws(DaemonError) {
            stepsLeft -= 1
            guard stepsLeft != 0 else {
                if failsAfterwards { try change() }
                throw failure
            }
            // The process has ended: nothing more happens.
            guard stepsLeft > 0 else { throw failure }
            try change()
        }

        var sequences: KeychainSequences {
            KeychainSequences(
                records: { self.records },
                write: { (step) throws(DaemonError) in
                    try self.step { () throws(DaemonError) in try self.carryOut(step) }
                },
                listed: {
                    self.keys.map {
                        ListedKeychain(
                            number: $0.key, uuid: $0.value, settings: KeychainSettings(),
                            isUnlocked: false)
                    }
                },
                createKeys: { (number, _, _) throws(DaemonError) in
                    try self.step { self.keys[number] = self.uuid }
                },
                destroyKeys: { (number) throws(DaemonError) in
                    try self.step { self.keys[number] = nil }
                },
                randomNumber: {
                    let number = self.numbers.removeFirst()
                    if self.numbers.isEmpty { self.numbers = [number &+ 1] }
                    return number
                })
        }

        private func carryOut(_ step: KeychainStep) throws(DaemonError) {
            switch step {
            case .begin(let record):
                guard !records.contains(where: { $0.path == record.path }) else {
                    throw .enclave(.keychainExists)
                }
                records.append(record)
            case .settle(let record, let state):
                guard let place = records.firstIndex(where: { $0.uuid == record.uuid }) else {
                    throw .enclave(.noSuchKeychain)
                }
                records[place].state = state
            case .remove(let record):
                records.removeAll { $0.uuid == record.uuid }
                rows.removeAll { $0 == record.number }
            }
        }

        func create(_ uuid: [UInt8] = KeychainSequenceTests.uuid) throws(DaemonError) {
            self.uuid = uuid
            try sequences.create(
                uuid: uuid, path: KeychainSequenceTests.path, group: "unsigned.1000",
                KeychainSettings(), letter: [1])
        }

        /// The next start.
        func restart() throws(DaemonError) {
            stepsLeft = .max
            try sequences.repair()
        }

        /// Neither half of a keychain is there without the other.
        var isWhole: Bool {
            records.allSatisfy { $0.state == .live && keys[$0.number] == $0.uuid }
                && Set(records.map(\.number)) == Set(keys.keys)
                && Set(rows).isSubset(of: records.map(\.number))
        }
    }

    private static func withKeychain() throws -> World {
        let world = World()
        try world.create()
        world.rows = [7, 7]
        #expect(world.isWhole)
        return world
    }

    @Test func aKeychainIsMadeInThreeSteps() throws {
        let world = World()
        world.stepsLeft = 4
        try world.create()
        #expect(world.stepsLeft == 1)
        #expect(world.isWhole)
        #expect(world.records.map(\.path) == [Self.path])
    }

    @Test(arguments: 1...3, [false, true])
    func anEndInAnyStepOfACreationLeavesAllOrNothing(step: Int, isCarriedOut: Bool) throws {
        let world = World()
        world.stepsLeft = step
        world.failsAfterwards = isCarriedOut
        #expect(throws: DaemonError.self) { try world.create() }
        try world.restart()
        #expect(world.isWhole)
        // The keys decide: once they are there, the keychain is.
        let isThere = step == 3 || (step == 2 && isCarriedOut)
        #expect(world.records.count == (isThere ? 1 : 0))
        // The path is free again, or taken.
        let again = Result { () throws(DaemonError) in try world.create([UInt8](21...36)) }
        #expect((try? again.get()) == nil ? isThere : !isThere)
        #expect(world.isWhole)
    }

    @Test(arguments: 1...3, [false, true])
    func anEndInAnyStepOfADeletionLeavesAllOrNothing(step: Int, isCarriedOut: Bool) throws {
        let world = try Self.withKeychain()
        world.stepsLeft = step
        world.failsAfterwards = isCarriedOut
        let record = try #require(world.records.first)
        #expect(throws: DaemonError.self) { try world.sequences.delete(record) }
        try world.restart()
        #expect(world.isWhole)
        // Once the database says that it goes, it goes.
        let isThere = step == 1 && !isCarriedOut
        #expect(world.records.count == (isThere ? 1 : 0))
        #expect(world.rows.isEmpty == !isThere)
    }

    /// The repair itself may end at any step.
    @Test(arguments: 1...2, [false, true])
    func anEndInARepairIsRepaired(step: Int, isCarriedOut: Bool) throws {
        let world = try Self.withKeychain()
        let record = try #require(world.records.first)
        world.stepsLeft = 2
        #expect(throws: DaemonError.self) { try world.sequences.delete(record) }
        world.stepsLeft = step
        world.failsAfterwards = isCarriedOut
        #expect(throws: DaemonError.self) { try world.sequences.repair() }
        try world.restart()
        #expect(world.isWhole)
        #expect(world.records.isEmpty)
        #expect(world.rows.isEmpty)
    }

    @Test func aRefusalOfTheEnclaveChangesNothing() throws {
        let world = World()
        var refusing = world.sequences
        refusing.createKeys = { (_, _, _) throws(DaemonError) in
            throw .enclave(.tooManyKeychains)
        }
        let full = refusing
        #expect(throws: DaemonError.enclave(.tooManyKeychains)) {
            try full.create(
                uuid: Self.uuid, path: Self.path, group: "g", KeychainSettings(), letter: [1])
        }
        #expect(world.records.isEmpty)
        let other = try Self.withKeychain()
        let record = try #require(other.records.first)
        refusing = other.sequences
        refusing.destroyKeys = { (_) throws(DaemonError) in throw .enclave(.stateNotWritten) }
        let unwritable = refusing
        #expect(throws: DaemonError.enclave(.stateNotWritten)) { try unwritable.delete(record) }
        #expect(other.isWhole)
        #expect(other.rows == [7, 7])
    }

    @Test func anUnknownOutcomeIsReportedAsOne() throws {
        for step in 2...3 {
            let world = World()
            world.stepsLeft = step
            #expect(throws: DaemonError.enclave(.outcomeUnknown)) { try world.create() }
        }
    }

    /// A list that enclaved can't read says nothing of what is in it.
    @Test func withoutEnclavesListNothingIsForgotten() throws {
        let world = World()
        world.stepsLeft = 2
        world.failsAfterwards = true
        #expect(throws: DaemonError.self) { try world.create() }
        world.stepsLeft = .max
        var sequences = world.sequences
        sequences.listed = { () throws(DaemonError) in throw .enclave(.stateNotWritten) }
        let blind = sequences
        #expect(throws: DaemonError.enclave(.stateNotWritten)) { try blind.repair() }
        #expect(world.records.map(\.state) == [.creating])
        #expect(world.keys.count == 1)
        try world.restart()
        #expect(world.isWhole)
        #expect(world.records.count == 1)
    }

    @Test func aNumberIsNeverLoginsAndNeverTaken() throws {
        let world = try Self.withKeychain()
        world.keys[9] = [UInt8](repeating: 9, count: 16)
        world.numbers = [0, .max, 7, 9, 8]
        world.uuid = [UInt8](21...36)
        try world.sequences.create(
            uuid: world.uuid, path: [UInt8]("/other".utf8), group: "g", KeychainSettings(),
            letter: [1])
        #expect(world.records.map(\.number) == [7, 8])
    }

    /// After damage to the database a keychain's record may come back from a kept file.
    @Test func keysWithoutARecordStay() throws {
        let world = try Self.withKeychain()
        world.records = []
        try world.restart()
        #expect(world.keys.count == 1)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import EnclaveWire
package import KeychainVocabulary

/// A step of an operation on a keychain that changes the database.
package enum KeychainStep: Equatable, Sendable {
    /// Stores a record in the state *creating*: the path is taken.
    case begin(KeychainRecord)
    /// The keychain is there, or is going.
    case settle(KeychainRecord, KeychainRecord.State)
    /// Deletes a keychain whose keys are destroyed, or were never made: all of its rows, its wrapped
    /// keys and its record.
    case remove(KeychainRecord)
}

/// The operations on keychains that change the database and enclaved's files. Each step is durable before
/// the next begins, so a crash between any two leaves a record that says what is left to do
/// (decision 50, "Never neither").
package struct KeychainSequences {
    /// The user's records, in any state.
    package var records: () throws(DaemonError) -> [KeychainRecord]
    /// Changes the database; durable when it returns.
    package var write: (KeychainStep) throws(DaemonError) -> Void
    /// What enclaved has. It throws when enclaved can't read its list.
    package var listed: () throws(DaemonError) -> [ListedKeychain]
    /// Makes a keychain's keys; durable when it returns.
    package var createKeys:
        (UInt32, KeychainSettings, _ letter: [UInt8]) throws(DaemonError) -> Void
    /// Destroys a keychain's keys, if there are any; durable when it returns.
    package var destroyKeys: (UInt32) throws(DaemonError) -> Void
    /// A random number.
    package var randomNumber: () -> UInt32

    /// Puts the parts together.
    package init(
        records: @escaping () throws(DaemonError) -> [KeychainRecord],
        write: @escaping (KeychainStep) throws(DaemonError) -> Void,
        listed: @escaping () throws(DaemonError) -> [ListedKeychain],
        createKeys: @escaping (UInt32, KeychainSettings, [UInt8]) throws(DaemonError) -> Void,
        destroyKeys: @escaping (UInt32) throws(DaemonError) -> Void,
        randomNumber: @escaping () -> UInt32
    ) {
        self.records = records
        self.write = write
        self.listed = listed
        self.createKeys = createKeys
        self.destroyKeys = destroyKeys
        self.randomNumber = randomNumber
    }

    // MARK: - Operations

    /// Makes a keychain.
    /// - Parameters:
    ///   - uuid: 16 bytes, chosen by the client.
    ///   - path: Where its marker will be.
    ///   - group: The access group of its creator.
    ///   - settings: When it locks by itself.
    ///   - letter: Its password, sealed to enclaved.
    /// - Throws: ``DaemonError/invalidRequest`` for a path that is none; `keychainExists` and
    ///   `tooManyKeychains` of the enclave; `outcomeUnknown` when a step's outcome isn't known:
    ///   ``repair()`` finishes it.
    package func create(
        uuid: [UInt8], path: [UInt8], group: String, _ settings: KeychainSettings,
        letter: [UInt8]
    ) throws(DaemonError) {
        let taken = try Set(records().map(\.number)).union(listed().map(\.number))
        guard
            let record = KeychainRecord(
                number: freeNumber(besides: taken), uuid: uuid, path: path, group: group)
        else { throw .invalidRequest }
        try write(.begin(record))
        do throws(DaemonError) {
            try createKeys(record.number, settings, letter)
        } catch {
            guard error.isCertain else { throw .enclave(.outcomeUnknown) }
            // Nothing was made. If this fails, the repair finds no keys and does the same.
            do throws(DaemonError) { try write(.remove(record)) } catch {}
            throw error
        }
        do throws(DaemonError) { try write(.settle(record, .live)) } catch {
            throw .enclave(.outcomeUnknown)
        }
    }

    /// Deletes a keychain.
    /// - Throws: what keeps the keys from being destroyed: then nothing has changed. `outcomeUnknown`
    ///   when that isn't known: ``repair()`` deletes it.
    package func delete(_ record: KeychainRecord) throws(DaemonError) {
        try write(.settle(record, .deleting))
        do throws(DaemonError) { try destroyKeys(record.number) } catch {
            guard error.isCertain else { throw .enclave(.outcomeUnknown) }
            do throws(DaemonError) { try write(.settle(record, .live)) } catch {
                throw .enclave(.outcomeUnknown)
            }
            throw error
        }
        do throws(DaemonError) { try write(.remove(record)) } catch {
            throw .enclave(.outcomeUnknown)
        }
    }

    /// Finishes what a crash, or an unknown outcome, has left. It may be repeated.
    /// - Throws: when the database or enclaved can't be asked; what isn't finished stays as it is.
    package func repair() throws(DaemonError) {
        let open = try records().filter { $0.state != .live }
        guard !open.isEmpty else { return }
        let keychains = try listed()
        for record in open {
            switch KeychainRepair(record, keychains) {
            case .none: continue
            case .finishCreation: try write(.settle(record, .live))
            case .forgetCreation: try write(.remove(record))
            case .finishDeletion:
                try destroyKeys(record.number)
                try write(.remove(record))
            }
        }
    }

    /// Never that of login, and none that a row may still have.
    private func freeNumber(besides taken: Set<UInt32>) -> UInt32 {
        while true {
            let number = randomNumber()
            if number != 0, number != .max, !taken.contains(number) { return number }
        }
    }
}

extension DaemonError {
    /// Whether it is certain that nothing has changed.
    fileprivate var isCertain: Bool {
        switch self {
        case .enclave(.unreachable), .enclave(.gone), .enclave(.outcomeUnknown): false
        default: true
        }
    }
}

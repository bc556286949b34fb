// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
package import SecretBytes

/// A device key inside a TPM: enclaved's operations, of a few commands each.
///
/// Objects are loaded on first use; if the TPM has lost them, they are loaded again, once.
package final class TPMDevice {
    /// The objects that stay loaded while the connection lasts.
    struct Loaded {
        let storageKey: StorageKey
        let deviceKey: TPMHandle
        let session: TPMSession
        let counterAuthorization: Secret?
    }

    private static let counterLabel = [UInt8]("llavero.tpm.counter.1".utf8)

    /// The TPM.
    package let connection: TPMConnection
    /// The record to store.
    package private(set) var record: TPMRecord
    private var loaded: Loaded?
    private var isPrepared = false
    private let isShared: Bool

    /// How many commands have been sent.
    package var commandCount: Int { connection.commandCount }

    /// Uses the record of a device key; sends nothing yet.
    /// - Parameters:
    ///   - record: The device key's record.
    ///   - connection: The TPM.
    ///   - isShared: Whether a resource manager separates its clients. If not, this is the only
    ///     client, and may flush all loaded objects.
    package init(_ record: TPMRecord, _ connection: TPMConnection, isShared: Bool) {
        self.record = record
        self.connection = connection
        self.isShared = isShared
    }

    /// Makes a device key.
    /// - Parameters:
    ///   - connection: The TPM.
    ///   - isShared: As in `init`.
    ///   - mayBeHardware: False for a socket, which never leads to a chip.
    ///   - hasCounter: Whether to make a counter. ``makeCounter()`` makes its index, after the
    ///     record with its number is stored.
    ///   - counterNumber: The number of the counter; nil: any.
    /// - Returns: The device key, with the record to store.
    /// - Throws: the TPM's failure; then no object is left in it.
    package static func make(
        _ connection: TPMConnection, isShared: Bool, mayBeHardware: Bool, hasCounter: Bool,
        counterNumber: UInt32? = nil
    ) throws(TPMFailure) -> TPMDevice {
        connection.beginOperation()
        try prepare(connection, isShared: isShared)
        let kind = try connection.kind()
        let storageKey = try connection.createStorageKey()
        defer { connection.flush(storageKey.handle.number) }
        let session = try connection.startSession(.authorization, saltedTo: storageKey)
        defer { connection.flush(session.handle) }
        let blob = try connection.create(
            TPMTemplates.deviceKey, below: storageKey.handle, session)
        let record = TPMRecord(
            kind: mayBeHardware ? kind : .software, storageKeyName: storageKey.handle.name,
            deviceKey: blob, counterNumber: hasCounter ? counterNumber ?? randomIndexNumber() : 0,
            counterState: hasCounter ? .chosen : .none)
        // A key that can't be loaded again would make the keychain unreadable.
        guard record.bytes.count <= TPMRecord.byteCountLimit else { throw .garbage }
        let device = TPMDevice(record, connection, isShared: isShared)
        device.isPrepared = true
        return device
    }

    static func randomIndexNumber() -> UInt32 { UInt32.random(in: TPMIndex.numbers) }

    private static func prepare(
        _ connection: TPMConnection, isShared: Bool
    ) throws(TPMFailure) {
        if !isShared { try connection.startUp() }
        try connection.flushAll(isShared: isShared)
    }

    // MARK: - Operations

    /// Runs an operation, and once more if the TPM has lost the loaded objects.
    /// - Parameters:
    ///   - isShort: Whether other requests wait for it.
    ///   - operation: The operation on the loaded objects.
    /// - Returns: The operation's result.
    /// - Throws: the TPM's failure.
    func perform<R>(
        isShort: Bool = false, _ operation: (Loaded) throws(TPMFailure) -> R
    ) throws(TPMFailure) -> R {
        connection.beginOperation(isShort: isShort)
        do throws(TPMFailure) {
            return try operation(try load())
        } catch {
            guard error.losesHandles else { throw error }
            unload()
            guard error == .forgotten || error == .full else { throw error }
        }
        return try operation(try load())
    }

    private func load() throws(TPMFailure) -> Loaded {
        if let loaded { return loaded }
        if !isPrepared {
            try Self.prepare(connection, isShared: isShared)
            isPrepared = true
        }
        let storageKey = try connection.createStorageKey()
        var opened = [storageKey.handle.number]
        do throws(TPMFailure) {
            // Asking another TPM would be useless.
            guard storageKey.handle.name == record.storageKeyName else { throw .otherDevice }
            let session = try connection.startSession(.authorization, saltedTo: storageKey)
            opened.append(session.handle)
            let deviceKey = try connection.load(
                record.deviceKey, below: storageKey.handle, session)
            opened.append(deviceKey.number)
            let authorization =
                record.counterState == .none
                ? nil
                : try connection.authenticate(
                    Secret(SecretBytes(copyingPublic: Self.counterLabel)), with: deviceKey, session)
            let made = Loaded(
                storageKey: storageKey, deviceKey: deviceKey, session: session,
                counterAuthorization: authorization)
            loaded = made
            return made
        } catch {
            for number in opened { connection.flush(number) }
            throw error
        }
    }

    /// Before the next operation, the loaded objects are flushed, including those of lost replies.
    private func unload() {
        loaded = nil
        isPrepared = false
    }

    /// Checks that the TPM is reachable and the right one, and loads the objects.
    package func check() throws(TPMFailure) {
        try perform(isShort: true) { (_) throws(TPMFailure) in }
    }

    /// HMAC-SHA-256 under the device key.
    /// - Parameter input: At most 1024 bytes.
    /// - Returns: 32 bytes.
    /// - Throws: the TPM's failure.
    package func authenticate(_ input: Secret) throws(TPMFailure) -> Secret {
        try perform(isShort: true) { (loaded) throws(TPMFailure) in
            try connection.authenticate(input, with: loaded.deviceKey, loaded.session)
        }
    }
}

// MARK: - Counter

extension TPMDevice {
    private func counter(_ loaded: Loaded) throws(TPMFailure) -> (TPMIndex, Secret) {
        guard record.counterState != .none, let authorization = loaded.counterAuthorization else {
            throw .replaced
        }
        return (.counter(record.counterNumber), authorization)
    }

    /// Makes the counter's index, unless it was made before a crash.
    ///
    /// Call it after a record with the counter's number was stored; store the record again
    /// afterwards.
    package func makeCounter() throws(TPMFailure) {
        guard record.counterState == .chosen else { return }
        try perform { (loaded) throws(TPMFailure) in
            let (index, authorization) = try self.counter(loaded)
            if try !self.connection.define(
                index, authorization: authorization, loaded.session)
            {
                let name = try self.connection.name(ofIndex: index.number)
                if name == index.written.name { return }
                guard name == index.fresh.name else { throw .replaced }
            }
            try self.connection.increment(
                index.fresh, authorization: authorization, loaded.session)
        }
        record.counterState = .made
    }

    /// Makes another counter; call it when the old one is missing, or isn't ours.
    package func renewCounter() throws(TPMFailure) {
        // The loaded objects have no authorization for the new counter.
        if record.counterState == .none { unload() }
        record.counterNumber = Self.randomIndexNumber()
        record.counterState = .chosen
        try makeCounter()
    }

    /// The counter's value.
    package func readCounter() throws(TPMFailure) -> UInt64 {
        try perform(isShort: true) { (loaded) throws(TPMFailure) in
            let (index, authorization) = try self.counter(loaded)
            return try self.connection.read(
                index.written, authorization: authorization, loaded.session)
        }
    }

    /// Increments the counter.
    package func incrementCounter() throws(TPMFailure) {
        try perform(isShort: true) { (loaded) throws(TPMFailure) in
            let (index, authorization) = try self.counter(loaded)
            try self.connection.increment(
                index.written, authorization: authorization, loaded.session)
        }
    }

    /// Deletes the counter from the TPM: its count isn't needed any more.
    package func removeCounter() throws(TPMFailure) {
        try perform { (loaded) throws(TPMFailure) in
            let (index, _) = try self.counter(loaded)
            try self.connection.undefine(index.written, loaded.session)
        }
        record.counterState = .none
    }
}

// MARK: - Unused indexes

extension TPMDevice {
    /// Deletes an index, if it exists and has the attributes of those made here.
    package func release(indexNumber: UInt32) throws(TPMFailure) {
        try perform { (loaded) throws(TPMFailure) in
            try self.connection.release(indexNumber: indexNumber, loaded.session)
        }
    }

    /// The same, without a device key.
    /// - Parameters:
    ///   - indexNumber: The index.
    ///   - place: The TPM that contains it; nil: this one, whichever it is.
    ///   - connection: The TPM.
    ///   - isShared: As in `init`.
    /// - Throws: `otherDevice` for another TPM; other TPM failures.
    package static func release(
        indexNumber: UInt32, place: [UInt8]?, _ connection: TPMConnection, isShared: Bool
    ) throws(TPMFailure) {
        connection.beginOperation()
        try prepare(connection, isShared: isShared)
        let storageKey = try connection.createStorageKey()
        defer { connection.flush(storageKey.handle.number) }
        let found = storageKey.handle.name.suffix(TPMKeyDerivation.digestByteCount)
        guard place == nil || place == Array(found) else { throw .otherDevice }
        let session = try connection.startSession(.authorization, saltedTo: storageKey)
        defer { connection.flush(session.handle) }
        try connection.release(indexNumber: indexNumber, session)
    }
}

extension SecretBytes {
    /// A copy of bytes that aren't secret.
    package init(copyingPublic bytes: [UInt8]) {
        self.init(byteCount: bytes.count)
        unsafe bytes.withUnsafeBytes { source in
            unsafe withUnsafeMutableBytes { unsafe $0.copyMemory(from: source) }
        }
    }
}

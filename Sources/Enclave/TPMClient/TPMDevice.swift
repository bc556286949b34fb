// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
package import SecretBytes

/// A device key inside a TPM: what enclaved asks of it, as operations of a few commands each.
///
/// Nothing is loaded before it is needed; what the TPM has forgotten is loaded anew, once.
package final class TPMDevice {
    /// What is loaded while the connection lasts.
    struct Loaded {
        let storageKey: StorageKey
        let deviceKey: TPMHandle
        let session: TPMSession
        let counterAuthorization: Secret?
    }

    private static let counterLabel = [UInt8]("llavero.tpm.counter.1".utf8)

    /// The TPM.
    package let connection: TPMConnection
    /// What is to be kept of it.
    package private(set) var record: TPMRecord
    private var loaded: Loaded?
    private var isPrepared = false
    private let isShared: Bool

    /// How many commands have been sent.
    package var commandCount: Int { connection.commandCount }

    /// Takes what is kept of a device key; nothing is sent yet.
    /// - Parameters:
    ///   - record: Of the device key.
    ///   - connection: The TPM.
    ///   - isShared: Whether a resource manager keeps its clients apart. If none does, this is the
    ///     only client, and may flush whatever it finds.
    package init(_ record: TPMRecord, _ connection: TPMConnection, isShared: Bool) {
        self.record = record
        self.connection = connection
        self.isShared = isShared
    }

    /// Makes a device key.
    /// - Parameters:
    ///   - connection: The TPM.
    ///   - isShared: As in `init`.
    ///   - mayBeHardware: False for a socket: no chip is at the end of one.
    ///   - hasCounter: Whether a counter comes with it; its index is made by ``makeCounter()``, once the
    ///     record is kept that tells its number.
    ///   - counterNumber: The counter's; nothing: any.
    /// - Returns: It, with the record to keep.
    /// - Throws: what is wrong with the TPM; nothing is left in it then.
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
        // One that couldn't be read again would be the end of the keychain.
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

    /// Runs an operation, and once more if the TPM has forgotten what was loaded.
    /// - Parameters:
    ///   - isShort: Whether everybody waits for it.
    ///   - operation: What is done with what is loaded.
    /// - Returns: What it gives.
    /// - Throws: what is wrong with the TPM.
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
            // Another TPM would be asked for nothing.
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

    /// What is loaded, and what a lost answer told of, is flushed before the next operation.
    private func unload() {
        loaded = nil
        isPrepared = false
    }

    /// Makes sure that the TPM is there, is the right one, and has what is needed.
    package func check() throws(TPMFailure) {
        try perform(isShort: true) { (_) throws(TPMFailure) in }
    }

    /// HMAC-SHA-256 under the device key.
    /// - Parameter input: At most 1024 bytes.
    /// - Returns: 32 bytes.
    /// - Throws: what is wrong with the TPM.
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

    /// Makes the counter's index, if a crash hasn't come after that.
    ///
    /// To be called after a record was kept in which its number is chosen; the record is to be kept
    /// again then.
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

    /// Makes another counter; to be called when the one that was there is gone, or isn't ours.
    package func renewCounter() throws(TPMFailure) {
        // What is loaded has no authorization for a counter that wasn't there.
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

    /// Counts up.
    package func incrementCounter() throws(TPMFailure) {
        try perform(isShort: true) { (loaded) throws(TPMFailure) in
            let (index, authorization) = try self.counter(loaded)
            try self.connection.increment(
                index.written, authorization: authorization, loaded.session)
        }
    }

    /// Gives the counter's room back: what it counted is over.
    package func removeCounter() throws(TPMFailure) {
        try perform { (loaded) throws(TPMFailure) in
            let (index, _) = try self.counter(loaded)
            try self.connection.undefine(index.written, loaded.session)
        }
        record.counterState = .none
    }
}

// MARK: - Indexes that nobody needs any more

extension TPMDevice {
    /// Takes an index away, if it is there and one as they are made here.
    package func release(indexNumber: UInt32) throws(TPMFailure) {
        try perform { (loaded) throws(TPMFailure) in
            try self.connection.release(indexNumber: indexNumber, loaded.session)
        }
    }

    /// The same, without a device key.
    /// - Parameters:
    ///   - indexNumber: The index.
    ///   - place: The TPM in which it is; nothing: this one, whichever it is.
    ///   - connection: The TPM.
    ///   - isShared: As in `init`.
    /// - Throws: `otherDevice` for another TPM; what is wrong with it.
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
    /// A copy of bytes that are no secret themselves.
    package init(copyingPublic bytes: [UInt8]) {
        self.init(byteCount: bytes.count)
        unsafe bytes.withUnsafeBytes { source in
            unsafe withUnsafeMutableBytes { unsafe $0.copyMemory(from: source) }
        }
    }
}

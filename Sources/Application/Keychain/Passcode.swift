// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import FoundationEssentials
import Glibc
import IPC
public import SecretBytes
public import SecurityWire

extension KeychainConnection {
    private enum Operation: UInt8 {
        case set = 1
        case unlock = 2
        case change = 3
        case remove = 4
        case configure = 5
        case makeEscrow = 6
        case reset = 7
        case acceptRollback = 10
        case migrate = 30
        case makeRecoveryCode = 31
        case recover = 32
        case bindRegisters = 33
    }

    /// What is sealed to the enclave beside the nonce.
    private struct Letter {
        /// Each goes with its byte count before it.
        var values: [Secret]
        var settings: [UInt8] = []
    }

    /// What makes device keys.
    public enum DeviceKeyMaker: UInt8, CaseIterable, Sendable {
        /// A file.
        case file = 1
        /// The TPM that the service uses.
        case tpm = 2
    }

    /// Bytes of the key of an escrow record.
    public static var escrowKeyByteCount: Int { 32 }

    /// Sets the device's passcode; from then on locking means something.
    /// - Throws: ``FailureReason/wrongState`` if one is set; ``FailureReason/invalidRequest`` if it
    ///   is empty or over 1024 bytes.
    public func setPasscode(_ passcode: borrowing SecretBytes) throws(KeychainError) {
        try send(.set, Letter(values: [Secret(copying: passcode)]))
    }

    /// Unlocks the device.
    /// - Throws: ``FailureReason/wrongPasscode``, ``FailureReason/throttled``,
    ///   ``FailureReason/disabled``; ``FailureReason/wrongState`` if none is set;
    ///   ``FailureReason/locked`` if the passcode was right, and somebody locked meanwhile;
    ///   ``FailureReason/unknownOutcome``.
    public func unlock(passcode: borrowing SecretBytes) throws(KeychainError) {
        try send(.unlock, Letter(values: [Secret(copying: passcode)]))
    }

    /// Replaces the passcode; items keep working. An escrow record goes with the old one.
    /// - Throws: as ``unlock(passcode:)``.
    public func changePasscode(
        from old: borrowing SecretBytes, to new: borrowing SecretBytes
    ) throws(KeychainError) {
        try send(.change, Letter(values: [Secret(copying: old), Secret(copying: new)]))
    }

    /// Removes the passcode; items of the passcode-set class are lost.
    /// - Throws: as ``unlock(passcode:)``.
    public func removePasscode(_ passcode: borrowing SecretBytes) throws(KeychainError) {
        try send(.remove, Letter(values: [Secret(copying: passcode)]))
    }

    /// Takes the keychain as it is, though it isn't what was written last: an older state of it was
    /// put in its place, by its owner or somebody else.
    /// - Parameter passcode: The device's; empty when none is set.
    /// - Throws: as ``unlock(passcode:)``.
    public func acceptRollback(passcode: borrowing SecretBytes) throws(KeychainError) {
        try send(.acceptRollback, Letter(values: [Secret(copying: passcode)]))
    }

    /// Has the keychain kept by a device key of another maker. No item is touched; an escrow record
    /// goes. A crash leaves the old device key or the new one, with everything that belongs to it.
    /// - Parameters:
    ///   - maker: What is to make it.
    ///   - passcode: The device's; empty when none is set.
    /// - Throws: as ``unlock(passcode:)``; ``FailureReason/wrongState`` when that maker has made the
    ///   present one, or a rollback is to be accepted first; ``FailureReason/deviceKeyUnavailable``
    ///   when there is no TPM that can be used, or the present one is out of reach.
    public func migrateDeviceKey(
        to maker: DeviceKeyMaker, passcode: borrowing SecretBytes
    ) throws(KeychainError) {
        try send(
            .migrate, Letter(values: [Secret(copying: passcode)], settings: [maker.rawValue]))
    }

    /// Binds the passcode to platform configuration registers of the TPM (SHA-256 bank), as they are
    /// now, or to none: where they are bound, the passcode unlocks only a machine that was started with
    /// the same firmware and settings. A changed passcode is bound as the old one was, to what the
    /// registers hold then.
    ///
    /// A firmware update changes registers: bind to none before, and anew afterwards.
    /// - Parameters:
    ///   - registers: Their numbers, 0 to 23; none: the passcode is bound to nothing.
    ///   - passcode: The device's.
    /// - Throws: as ``unlock(passcode:)``; ``FailureReason/wrongState`` when the device key isn't a
    ///   TPM's, or there is no recovery code, the way in when registers change;
    ///   ``FailureReason/invalidRequest`` for another number.
    public func bindPasscode(
        toRegisters registers: Set<Int>, passcode: borrowing SecretBytes
    ) throws(KeychainError) {
        guard registers.allSatisfy({ (0..<24).contains($0) }) else {
            throw KeychainError(status: SecurityStatus.param, reason: .invalidRequest)
        }
        let mask = registers.reduce(UInt32(0)) { $0 | 1 << UInt32($1) }
        let settings = (0..<4).map { UInt8(truncatingIfNeeded: mask >> (8 * UInt32($0))) }
        try send(
            .bindRegisters, Letter(values: [Secret(copying: passcode)], settings: settings))
    }

    /// Makes a recovery code, in place of an earlier one, and unlocks. Whoever has it and the files of
    /// the keychain opens all items but those of the passcode-set class, on any machine; keep it
    /// elsewhere.
    /// - Parameter passcode: The device's; empty when none is set.
    /// - Returns: The code. It is kept nowhere else.
    /// - Throws: as ``unlock(passcode:)``.
    public func makeRecoveryCode(passcode: borrowing SecretBytes) throws(KeychainError)
        -> RecoveryCode
    {
        let code = RecoveryCode.random()
        try send(
            .makeRecoveryCode, Letter(values: [Secret(copying: passcode), code.symbols]))
        return code
    }

    /// Takes the passcode away by the recovery code, which goes with it: all items but those of the
    /// passcode-set class stay. Where the device key is gone or isn't the one any more, the keychain
    /// gets a new one, and is taken as it is: no rollback of it is noticed then.
    /// - Parameters:
    ///   - recoveryCode: The last one that was made.
    ///   - maker: What is to make the new device key, where one is needed; nil: the TPM, if the service
    ///     has one, else a file.
    /// - Throws: ``FailureReason/wrongPasscode`` for another code; ``FailureReason/wrongState`` when
    ///   there is none, or nothing that it is needed for; ``FailureReason/deviceKeyUnavailable`` when
    ///   that maker can't be used; ``FailureReason/unknownOutcome``.
    public func reset(
        recoveryCode: RecoveryCode, to maker: DeviceKeyMaker? = nil
    ) throws(KeychainError) {
        try send(
            .recover, Letter(values: [recoveryCode.symbols], settings: [maker?.rawValue ?? 0]))
    }

    /// Changes the settings, and unlocks. They go with the passcode when that is removed or reset.
    /// - Throws: as ``unlock(passcode:)``; ``FailureReason/invalidRequest`` for a grace period over
    ///   300 s.
    public func configure(
        _ settings: DeviceSettings, passcode: borrowing SecretBytes
    ) throws(KeychainError) {
        guard settings.graceSeconds <= DeviceSettings.graceSecondsLimit else {
            throw KeychainError(status: SecurityStatus.param, reason: .invalidRequest)
        }
        let eraseAfter = settings.erasesAfterFailures ? DeviceSettings.eraseAfterFailureCount : 0
        var writer = ByteWriter()
        writer.u8(UInt8(eraseAfter))
        writer.u16(settings.graceSeconds)
        // An older service doesn't know the byte.
        if settings.countsUnidentifiedPrograms { writer.u8(1) }
        try send(
            .configure, Letter(values: [Secret(copying: passcode)], settings: writer.bytes))
    }

    /// Makes an escrow record, in place of an earlier one, and unlocks. Whoever has its key can take
    /// the passcode away on this device; keep it elsewhere.
    /// - Returns: The key, 32 random bytes. It is kept nowhere else.
    /// - Throws: as ``unlock(passcode:)``.
    public func makeEscrow(passcode: borrowing SecretBytes) throws(KeychainError) -> Secret {
        let key = Secret(SecretBytes.random(byteCount: Self.escrowKeyByteCount))
        try send(.makeEscrow, Letter(values: [Secret(copying: passcode), key]))
        return key
    }

    /// Takes the passcode away by the key of the escrow record: all items but those of the
    /// passcode-set class stay. It works after too many wrong passcodes, too.
    /// - Throws: ``FailureReason/wrongPasscode`` for another key; ``FailureReason/wrongState`` when
    ///   there is no escrow record; ``FailureReason/invalidRequest`` unless it has 32 bytes;
    ///   ``FailureReason/unknownOutcome``.
    public func reset(escrowKey: borrowing SecretBytes) throws(KeychainError) {
        guard escrowKey.byteCount == Self.escrowKeyByteCount else {
            throw KeychainError(status: SecurityStatus.param, reason: .invalidRequest)
        }
        try send(.reset, Letter(values: [Secret(copying: escrowKey)]))
    }

    private func send(_ operation: Operation, _ letter: Letter) throws(KeychainError) {
        let reply = try once { () throws(KeychainError) in
            .passcode(operation: operation.rawValue, sealed: try sealed(operation, letter))
        }
        guard case .done = reply else { throw .unknownOutcome }
    }

    /// A passcode on its way to the enclave, as for ``unlock(passcode:)``.
    func sealedUnlock(_ passcode: Secret) throws(KeychainError) -> [UInt8] {
        try sealed(.unlock, Letter(values: [passcode]))
    }

    private func sealed(_ operation: Operation, _ letter: Letter) throws(KeychainError) -> [UInt8] {
        guard letter.values.allSatisfy({ $0.bytes.byteCount <= 1024 }) else {
            throw KeychainError(status: SecurityStatus.param, reason: .invalidRequest)
        }
        guard case .challenge(let nonce) = try read(.challenge) else { throw .unreachable }
        let plaintext = Self.plaintext(nonce, letter)
        guard let key = passcodeKey(),
            let sealed = Self.seal(plaintext, to: key, operation, userID: geteuid())
        else { throw .denied }
        return sealed
    }

    /// Nonce, then each value with its count in 2 bytes before it, then the settings (PROTOCOL.md,
    /// "Passcodes").
    private static func plaintext(_ nonce: [UInt8], _ letter: Letter) -> SecretBytes {
        let counts = letter.values.map { 2 + $0.bytes.byteCount }
        var plaintext = SecretBytes(
            byteCount: nonce.count + counts.reduce(0, +) + letter.settings.count)
        unsafe plaintext.withUnsafeMutableBytes { target in
            unsafe target.copyBytes(from: nonce)
            var offset = nonce.count
            for value in letter.values {
                unsafe value.bytes.withUnsafeBytes { unsafe put($0, into: target, at: offset) }
                offset += 2 + value.bytes.byteCount
            }
            unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset...]).copyBytes(
                from: letter.settings)
        }
        return plaintext
    }

    private static func put(
        _ value: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer, at: Int
    ) {
        unsafe target[at] = UInt8(truncatingIfNeeded: value.count)
        unsafe target[at + 1] = UInt8(truncatingIfNeeded: value.count >> 8)
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: target[(at + 2)...])
        unsafe rest.copyMemory(from: value)
    }

    /// HPKE to the enclave: 32 bytes of encapsulated key, then the ciphertext.
    private static func seal(
        _ plaintext: borrowing SecretBytes, to key: Curve25519.KeyAgreement.PublicKey,
        _ operation: Operation, userID: UInt32
    ) -> [UInt8]? {
        var context = ByteWriter()
        context.u8(operation.rawValue)
        context.u32(userID)
        let suite = HPKE.Ciphersuite(
            kem: .Curve25519_HKDF_SHA256, kdf: .HKDF_SHA256, aead: .AES_GCM_256)
        do {
            var sender = try HPKE.Sender(
                recipientKey: key, ciphersuite: suite, info: Data("llavero passcode 1".utf8))
            let ciphertext = try unsafe plaintext.withUnsafeBytes {
                try unsafe sender.seal($0, authenticating: context.bytes)
            }
            return [UInt8](sender.encapsulatedKey) + [UInt8](ciphertext)
        } catch { return nil }
    }

    /// The enclave's public key, from a file that only the service's user can have written.
    private func passcodeKey() -> Curve25519.KeyAgreement.PublicKey? {
        let raw = unsafe open(location.passcodeKeyPath, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard raw >= 0 else { return nil }
        let file = Descriptor(owning: raw)
        var status = stat()
        guard unsafe fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size == 32, status.st_mode & 0o022 == 0,
            ServiceLocation.isTrustedOwner(status.st_uid)
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: 32)
        guard unsafe Glibc.read(file.rawValue, &bytes, 32) == 32 else { return nil }
        return try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes)
    }
}

extension Secret {
    /// Keeps a copy.
    convenience init(copying bytes: borrowing SecretBytes) {
        self.init(bytes.prefix(bytes.byteCount))
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import FoundationEssentials
import Glibc
import IPC
import KeychainVocabulary
public import SecretBytes
public import SecurityWire

extension KeychainConnection {
    /// The values that are sealed to the enclave with the nonce.
    struct Letter {
        /// Each is preceded by its byte count.
        var values: [Secret]
        var settings: [UInt8] = []
    }

    /// Where a device key can be made.
    public enum DeviceKeyMaker: UInt8, CaseIterable, Sendable {
        /// A file.
        case file = 1
        /// The TPM that the service uses.
        case tpm = 2
    }

    /// Bytes of the key of an escrow record.
    public static var escrowKeyByteCount: Int { 32 }

    /// Sets the device's passcode; locking has an effect only with a passcode.
    /// - Throws: ``FailureReason/wrongState`` if one is set; ``FailureReason/invalidRequest`` if it
    ///   is empty or over 1024 bytes; ``FailureReason/administratorNeeded`` in the system service,
    ///   without a code of root's.
    /// - Parameters:
    ///   - passcode: The passcode.
    ///   - permit: In the system service, what root's `security device permit-passcode` has shown.
    public func setPasscode(
        _ passcode: borrowing SecretBytes, permit: PermitCode? = nil
    ) throws(KeychainError) {
        try send(.set, Letter(values: [Secret(copying: passcode)]), permit)
    }

    /// Unlocks the device.
    /// - Throws: ``FailureReason/wrongPasscode``, ``FailureReason/throttled``,
    ///   ``FailureReason/disabled``; ``FailureReason/wrongState`` if none is set;
    ///   ``FailureReason/locked`` if the passcode was right, but the device was locked again
    ///   meanwhile; ``FailureReason/unknownOutcome``.
    public func unlock(passcode: borrowing SecretBytes) throws(KeychainError) {
        try send(.unlock, Letter(values: [Secret(copying: passcode)]))
    }

    /// Replaces the passcode; items keep working. The escrow record for the old passcode is
    /// deleted.
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

    /// Accepts the keychain as it is, although it isn't the last written state: its owner or an
    /// attacker replaced it by an older one.
    /// - Parameter passcode: The device's; empty when none is set.
    /// - Throws: as ``unlock(passcode:)``.
    public func acceptRollback(passcode: borrowing SecretBytes) throws(KeychainError) {
        try send(.acceptRollback, Letter(values: [Secret(copying: passcode)]))
    }

    /// Replaces the device key by one of another maker. It changes no item, but deletes an escrow
    /// record. After a crash the keychain has either the old device key or the new one, with
    /// everything that belongs to it.
    /// - Parameters:
    ///   - maker: Where to make it.
    ///   - passcode: The device's; empty when none is set.
    /// - Throws: as ``unlock(passcode:)``; ``FailureReason/wrongState`` when that maker made the
    ///   current one, or a rollback must be accepted first; ``FailureReason/deviceKeyUnavailable``
    ///   when no TPM can be used, or the current one can't be reached.
    public func migrateDeviceKey(
        to maker: DeviceKeyMaker, passcode: borrowing SecretBytes
    ) throws(KeychainError) {
        try send(
            .migrate, Letter(values: [Secret(copying: passcode)], settings: [maker.rawValue]))
    }

    /// Binds the passcode to the current values of platform configuration registers of the TPM
    /// (SHA-256 bank), or to none. A bound passcode unlocks only a machine that was started with
    /// the same firmware and settings. A changed passcode is bound to the same registers, with
    /// their values at that time.
    ///
    /// A firmware update changes registers: bind to none before it, and again afterwards.
    /// - Parameters:
    ///   - registers: Their numbers, 0 to 23; empty: the passcode isn't bound.
    ///   - passcode: The device's.
    /// - Throws: as ``unlock(passcode:)``; ``FailureReason/wrongState`` when the device key isn't a
    ///   TPM's, or there is no recovery code, which is needed when registers change;
    ///   ``FailureReason/invalidRequest`` for another number.
    public func bindPasscode(
        toRegisters registers: Set<Int>, passcode: borrowing SecretBytes
    ) throws(KeychainError) {
        guard registers.allSatisfy({ (0..<24).contains($0) }) else {
            throw KeychainError(status: SecurityStatus.param, reason: .invalidRequest)
        }
        let mask = registers.reduce(UInt32(0)) { $0 | 1 << UInt32($1) }
        var settings: [UInt8] = []
        settings.append(littleEndian: mask)
        try send(
            .bindRegisters, Letter(values: [Secret(copying: passcode)], settings: settings))
    }

    /// Makes a recovery code, which replaces an earlier one, and unlocks. With the code and the
    /// keychain's files, anyone can open all items except those of the passcode-set class, on any
    /// machine. Keep the code elsewhere.
    ///
    /// A first passcode deletes a code that was made before it.
    /// - Parameters:
    ///   - passcode: The device's; empty when none is set.
    ///   - permit: As for ``setPasscode(_:permit:)``, while no passcode is set.
    /// - Returns: The code. No other copy exists.
    /// - Throws: as ``unlock(passcode:)``; ``FailureReason/administratorNeeded``.
    public func makeRecoveryCode(
        passcode: borrowing SecretBytes, permit: PermitCode? = nil
    ) throws(KeychainError) -> RecoveryCode {
        let code = RecoveryCode.random()
        try send(
            .makeRecoveryCode, Letter(values: [Secret(copying: passcode), code.symbols]), permit)
        return code
    }

    /// Removes the passcode with the recovery code, and then deletes the code: all items except
    /// those of the passcode-set class stay. If the device key is missing or a different one, the
    /// keychain gets a new one and is accepted as it is: a rollback isn't detected then.
    /// - Parameters:
    ///   - recoveryCode: The last one that was made.
    ///   - maker: Where to make the new device key, if one is needed; nil: the TPM, if the service
    ///     has one, else a file.
    /// - Throws: ``FailureReason/wrongPasscode`` for another code; ``FailureReason/wrongState``
    ///   when there is none, or no passcode to remove and no device key to replace;
    ///   ``FailureReason/deviceKeyUnavailable`` when that maker can't be used;
    ///   ``FailureReason/unknownOutcome``.
    public func reset(
        recoveryCode: RecoveryCode, to maker: DeviceKeyMaker? = nil
    ) throws(KeychainError) {
        try send(
            .recover, Letter(values: [recoveryCode.symbols], settings: [maker?.rawValue ?? 0]))
    }

    /// Changes the settings, and unlocks. Removing or resetting the passcode resets them.
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
        writer.u8(settings.countsUnidentifiedPrograms ? 1 : 0)
        try send(
            .configure, Letter(values: [Secret(copying: passcode)], settings: writer.bytes))
    }

    /// Changes what fingerprints count for, and unlocks. A finger is recognized by a program of the
    /// machine, and nothing proves that to the keychain: who replaces that program can say yes.
    /// Removing the passcode switches fingerprints off.
    /// - Parameters:
    ///   - biometry: What they count for.
    ///   - passcode: The device's.
    /// - Throws: as ``unlock(passcode:)``.
    public func configureBiometry(
        _ biometry: DeviceStatus.Biometry, passcode: borrowing SecretBytes
    ) throws(KeychainError) {
        let mode: BiometryMode =
            switch biometry {
            case .off: .off
            case .presence: .presence
            case .sets: .sets
            }
        try send(
            .configureBiometry,
            Letter(values: [Secret(copying: passcode)], settings: [mode.rawValue, 0]))
    }

    /// Notes that the enrolled fingers change, and unlocks: items that demand the present ones can't be
    /// used any more. What fingerprints count for stays as it is.
    /// - Parameter passcode: The device's.
    /// - Throws: as ``unlock(passcode:)``.
    public func noteBiometryChange(passcode: borrowing SecretBytes) throws(KeychainError) {
        try send(
            .configureBiometry,
            Letter(values: [Secret(copying: passcode)], settings: [BiometryMode.unchanged, 1]))
    }

    /// Makes an escrow record, which replaces an earlier one, and unlocks. With its key, anyone can
    /// remove the passcode on this device; keep the key elsewhere.
    /// - Returns: The key, 32 random bytes. No other copy exists.
    /// - Throws: as ``unlock(passcode:)``.
    public func makeEscrow(passcode: borrowing SecretBytes) throws(KeychainError) -> Secret {
        let key = Secret(SecretBytes.random(byteCount: Self.escrowKeyByteCount))
        try send(.makeEscrow, Letter(values: [Secret(copying: passcode), key]))
        return key
    }

    /// Removes the passcode with the escrow record's key: all items except those of the
    /// passcode-set class stay. This works even after too many wrong passcodes.
    /// - Throws: ``FailureReason/wrongPasscode`` for another key; ``FailureReason/wrongState`` when
    ///   there is no escrow record; ``FailureReason/invalidRequest`` unless it has 32 bytes;
    ///   ``FailureReason/unknownOutcome``.
    public func reset(escrowKey: borrowing SecretBytes) throws(KeychainError) {
        guard escrowKey.byteCount == Self.escrowKeyByteCount else {
            throw KeychainError(status: SecurityStatus.param, reason: .invalidRequest)
        }
        try send(.reset, Letter(values: [Secret(copying: escrowKey)]))
    }

    private func send(
        _ operation: PasscodeOperation, _ letter: Letter, _ permit: PermitCode? = nil
    ) throws(KeychainError) {
        let reply = try once { () throws(KeychainError) in
            .passcode(
                operation: operation.rawValue, sealed: try sealed(operation, letter),
                permit: permit?.text ?? "")
        }
        guard case .done = reply else { throw .unknownOutcome }
    }

    /// A passcode as sent to the enclave, in the form for ``unlock(passcode:)``.
    func sealedUnlock(_ passcode: Secret) throws(KeychainError) -> [UInt8] {
        try sealed(.unlock, Letter(values: [passcode]))
    }

    /// A password of the application for one of its contexts.
    func sealedSupply(_ password: Secret, _ context: [UInt8]) throws(KeychainError) -> [UInt8] {
        let digest = Array(SHA256.hash(data: context))
        return try sealed(.supply, Letter(values: [password], settings: digest))
    }

    /// Passwords for a keychain, and which one they are for.
    func sealed(
        _ operation: PasscodeOperation, _ passwords: [Secret], for id: KeychainID
    ) throws(KeychainError) -> [UInt8] {
        guard
            passwords.allSatisfy({ $0.bytes.byteCount <= KeychainLimits.passwordByteCount })
        else {
            throw KeychainError(status: SecurityStatus.param, reason: .invalidRequest)
        }
        return try sealed(operation, Letter(values: passwords, settings: id.uuid))
    }

    /// The passcode and the backup password; either may be empty.
    func sealedForBackup(
        _ operation: PasscodeOperation, _ values: [Secret]
    ) throws(KeychainError) -> [UInt8] { try sealed(operation, Letter(values: values)) }

    private func sealed(_ operation: PasscodeOperation, _ letter: Letter) throws(KeychainError)
        -> [UInt8]
    {
        guard case .challenge(let nonce) = try read(.challenge) else { throw .unreachable }
        return try sealed(operation, letter, nonce, userID: geteuid())
    }

    /// Seals a letter for a user's keybag.
    func sealed(
        _ operation: PasscodeOperation, _ letter: Letter, _ nonce: [UInt8], userID: UInt32
    ) throws(KeychainError) -> [UInt8] {
        guard letter.values.allSatisfy({ $0.bytes.byteCount <= 1024 }) else {
            throw KeychainError(status: SecurityStatus.param, reason: .invalidRequest)
        }
        let plaintext = Self.plaintext(nonce, letter)
        guard let key = passcodeKey(),
            let sealed = Self.seal(plaintext, to: key, operation, userID: userID)
        else { throw .denied }
        return sealed
    }

    /// Nonce, then each value preceded by its 2-byte count, then the settings (PROTOCOL.md,
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
        _ operation: PasscodeOperation, userID: UInt32
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
        let raw = unsafe open(
            location.passcodeKeyPath, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard raw >= 0 else { return nil }
        let file = Descriptor(owning: raw)
        var status = stat()
        guard unsafe fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size == 32, status.st_mode & 0o022 == 0,
            location.isTrustedKeyOwner(status.st_uid)
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

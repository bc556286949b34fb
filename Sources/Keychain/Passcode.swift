// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import FoundationEssentials
import Glibc
import IPC
public import SecretBytes
import SecurityWire

extension KeychainConnection {
    private enum Operation: UInt8 {
        case set = 1
        case unlock = 2
        case change = 3
        case remove = 4
    }

    /// Sets the device's passcode; from then on locking means something.
    /// - Throws: ``FailureReason/wrongState`` if one is set; ``FailureReason/invalidRequest`` if it
    ///   is empty or over 1024 bytes.
    public func setPasscode(_ passcode: borrowing SecretBytes) throws(KeychainError) {
        try passcodeOperation(.set, passcode, nil)
    }

    /// Unlocks the device.
    /// - Throws: ``FailureReason/wrongPasscode``, ``FailureReason/throttled``,
    ///   ``FailureReason/disabled``; ``FailureReason/wrongState`` if none is set.
    public func unlock(passcode: borrowing SecretBytes) throws(KeychainError) {
        try passcodeOperation(.unlock, passcode, nil)
    }

    /// Replaces the passcode; items keep working.
    /// - Throws: as ``unlock(passcode:)``.
    public func changePasscode(
        from old: borrowing SecretBytes, to new: borrowing SecretBytes
    ) throws(KeychainError) {
        try passcodeOperation(.change, old, Secret(new.prefix(new.byteCount)))
    }

    /// Removes the passcode; items of the passcode-set class are lost.
    /// - Throws: as ``unlock(passcode:)``.
    public func removePasscode(_ passcode: borrowing SecretBytes) throws(KeychainError) {
        try passcodeOperation(.remove, passcode, nil)
    }

    private func passcodeOperation(
        _ operation: Operation, _ passcode: borrowing SecretBytes, _ second: Secret?
    ) throws(KeychainError) {
        guard passcode.byteCount <= 1024, (second?.bytes.byteCount ?? 0) <= 1024 else {
            throw KeychainError(status: SecurityStatus.param, reason: .invalidRequest)
        }
        guard case .challenge(let nonce) = try read(.challenge) else { throw .unreachable }
        let plaintext = Self.plaintext(nonce, passcode, second)
        guard let key = passcodeKey(),
            let sealed = Self.seal(plaintext, to: key, operation, userID: geteuid())
        else { throw .denied }
        guard case .done = try once(.passcode(operation: operation.rawValue, sealed: sealed))
        else { throw .unknownOutcome }
    }

    /// Nonce, then each passcode with its count in 2 bytes before it (PROTOCOL.md, "Passcodes").
    private static func plaintext(
        _ nonce: [UInt8], _ passcode: borrowing SecretBytes, _ second: Secret?
    ) -> SecretBytes {
        let firstCount = passcode.byteCount
        let byteCount = nonce.count + 2 + firstCount + (second.map { 2 + $0.bytes.byteCount } ?? 0)
        var plaintext = SecretBytes(byteCount: byteCount)
        unsafe plaintext.withUnsafeMutableBytes { target in
            unsafe target.copyBytes(from: nonce)
            unsafe passcode.withUnsafeBytes { unsafe put($0, into: target, at: nonce.count) }
            unsafe second?.bytes.withUnsafeBytes {
                unsafe put($0, into: target, at: nonce.count + 2 + firstCount)
            }
        }
        return plaintext
    }

    private static func put(
        _ passcode: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer, at: Int
    ) {
        unsafe target[at] = UInt8(truncatingIfNeeded: passcode.count)
        unsafe target[at + 1] = UInt8(truncatingIfNeeded: passcode.count >> 8)
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: target[(at + 2)...])
        unsafe rest.copyMemory(from: passcode)
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

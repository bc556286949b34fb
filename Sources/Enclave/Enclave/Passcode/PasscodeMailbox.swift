// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import FoundationEssentials
import IPC
import KeychainVocabulary
import SecretBytes

/// What arrives with a passcode: sealed to a key of this process, with a nonce of this process.
struct PasscodeLetter {
    /// Empty in a reset, which has none.
    var passcode = Secret(SecretBytes(byteCount: 0))
    /// Of a change alone.
    var newPasscode: Secret?
    /// Of the settings alone.
    var settings: Keybag.Settings?
    /// Of an escrow record, and a reset by it, alone: 32 bytes.
    var escrowKey: Secret?
    /// Of what is about a recovery code alone: 26 symbols.
    var recoveryCode: Secret?
    /// Of a migration, and a recovery that says what is to make the new device key.
    var target: DeviceKeyTarget?
    /// Of a binding alone.
    var registers: PlatformRegisters?
    /// Of a new protector alone.
    var protector: ProtectorChoice?
    /// Of a protector that is removed or tested.
    var protectorName: String?
    /// Of a protector with a key of its own: 32 bytes. Of the TPM's: empty.
    var protectorKey: Secret?
    /// Of an approval, the digest of its question; of a password, that of its context; of a keychain's
    /// password, the keychain's UUID.
    var digest: [UInt8] = []
    /// Of an approval alone: what is approved, once its digest is compared.
    var question: AccessQuestion?
    /// Of what changes biometry alone.
    var biometry: BiometryChange?
    /// Of a touch alone.
    var touch: TouchCode?
    /// What is to be done with a backup; ``newPasscode`` is its password then.
    var backup: BackupOrder?

    /// The byte count of a touch's code.
    static let touchCodeByteCount = 32
}

/// What shows that a letter about a touch is the agent's.
struct TouchCode {
    let nonce: [UInt8]
    /// The HMAC-SHA-256 of ``TouchKey/message(nonce:digest:userID:)``.
    let code: [UInt8]

    /// Whether the holder of the key has made it.
    func isMade(
        with key: borrowing SecretBytes, digest: [UInt8], userID: UInt32
    ) -> Bool {
        let symmetric = unsafe key.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
        return HMAC<SHA256>.isValidAuthenticationCode(
            code, authenticating: TouchKey.message(nonce: nonce, digest: digest, userID: userID),
            using: symmetric)
    }
}

/// What fingerprints are to count for, and whether their set changes.
struct BiometryChange {
    /// Nil is what they count for already.
    let mode: BiometryMode?
    let changesSet: Bool
}

/// Receives sealed passcodes; each nonce opens one letter.
struct PasscodeMailbox: ~Copyable {
    private static let info = Data("llavero passcode 1".utf8)
    private static let ciphersuite = HPKE.Ciphersuite(
        kem: .Curve25519_HKDF_SHA256, kdf: .HKDF_SHA256, aead: .AES_GCM_256)

    private let privateKey = Curve25519.KeyAgreement.PrivateKey()
    private var nonces = PasscodeNonces()

    /// 32 bytes, for all to read.
    var publicKey: [UInt8] { [UInt8](privateKey.publicKey.rawRepresentation) }

    /// A nonce for one letter.
    mutating func makeNonce(user: UInt32, now: UInt64) -> [UInt8] {
        nonces.make(user: user, now: now)
    }

    /// Opens a letter and uses up its nonce.
    mutating func open(
        _ operation: PasscodeOperation, encapsulatedKey: [UInt8], ciphertext: [UInt8],
        user: UInt32, now: UInt64
    ) throws(Refusal) -> PasscodeLetter {
        var associatedData = [operation.rawValue]
        associatedData.append(littleEndian: user)
        guard
            var recipient = try? HPKE.Recipient(
                privateKey: privateKey, ciphersuite: Self.ciphersuite, info: Self.info,
                encapsulatedKey: Data(encapsulatedKey)),
            var plaintext = try? recipient.open(ciphertext, authenticating: associatedData)
        else { throw .status(.undecodable) }
        let content = unsafe plaintext.lendAndWipe { bytes in
            unsafe Self.parse(bytes, operation)
        }
        guard let (nonce, letter) = content else { throw .status(.malformed) }
        let isApproval = [.approve, .supply, .approveByTouch].contains(operation)
        try nonces.use(
            nonce, user: user, now: now,
            within: isApproval ? PasscodeNonces.approvalSeconds : PasscodeNonces.seconds)
        guard letter.isAcceptable(for: operation) else { throw .status(.passcodeUnacceptable) }
        return letter
    }

    /// 32-byte nonce, then what the operation needs: values of a u16 byte count and bytes, and the
    /// settings as u8, u16 and u8.
    private static func parse(
        _ bytes: UnsafeRawBufferPointer, _ operation: PasscodeOperation
    ) -> (nonce: [UInt8], letter: PasscodeLetter)? {
        guard bytes.count >= EnclaveReply.nonceByteCount else { return nil }
        let nonce = unsafe [UInt8](bytes[..<EnclaveReply.nonceByteCount])
        var offset = EnclaveReply.nonceByteCount
        var letter = PasscodeLetter()
        if ![.reset, .recover, .unlockByProtector, .testProtector, .approveByTouch]
            .contains(operation)
        {
            guard let passcode = unsafe takeValue(bytes, &offset) else { return nil }
            letter.passcode = passcode
        }
        switch operation {
        case .set, .unlock, .remove, .acceptRollback, .forget, .removeBackupPassword: break
        case .change, .setBackupPassword, .openBackup:
            guard let passcode = unsafe takeValue(bytes, &offset) else { return nil }
            letter.newPasscode = passcode
        case .configure:
            guard let settings = unsafe takeSettings(bytes, &offset) else { return nil }
            letter.settings = settings
        case .migrate:
            guard let target = unsafe takeTarget(bytes, &offset), target != nil else { return nil }
            letter.target = target
        case .bindRegisters:
            guard let registers = unsafe takeRegisters(bytes, &offset) else { return nil }
            letter.registers = registers
        case .makeRecoveryCode, .recover:
            guard let code = unsafe takeValue(bytes, &offset),
                code.bytes.byteCount == Protector.codeByteCount
            else { return nil }
            letter.recoveryCode = code
            if operation == .recover {
                guard let target = unsafe takeTarget(bytes, &offset) else { return nil }
                letter.target = target
            }
        case .addProtector:
            guard unsafe takeProtectorKey(bytes, &offset, &letter),
                let choice = unsafe takeChoice(bytes, &offset)
            else { return nil }
            letter.protector = choice
        case .removeProtector:
            guard let name = unsafe takeName(bytes, &offset) else { return nil }
            letter.protectorName = name
        case .unlockByProtector:
            guard unsafe takeProtectorKey(bytes, &offset, &letter) else { return nil }
        case .testProtector:
            guard unsafe takeProtectorKey(bytes, &offset, &letter),
                let name = unsafe takeName(bytes, &offset)
            else { return nil }
            letter.protectorName = name
        case .configureBiometry:
            guard bytes.count - offset == 2, unsafe bytes[offset + 1] <= 1 else { return nil }
            let mode = unsafe BiometryMode(rawValue: bytes[offset])
            guard unsafe mode != nil || bytes[offset] == BiometryMode.unchanged else { return nil }
            letter.biometry = unsafe BiometryChange(
                mode: mode, changesSet: bytes[offset + 1] == 1)
            offset = bytes.count
        case .approveByTouch:
            let digestByteCount = AccessSubject.digestByteCount
            guard bytes.count - offset == digestByteCount + PasscodeLetter.touchCodeByteCount
            else { return nil }
            let end = offset + digestByteCount
            letter.digest = unsafe [UInt8](bytes[offset..<end])
            letter.touch = unsafe TouchCode(nonce: nonce, code: [UInt8](bytes[end...]))
            offset = bytes.count
        case .approve, .supply:
            guard bytes.count - offset >= AccessSubject.digestByteCount else { return nil }
            let end = offset + AccessSubject.digestByteCount
            letter.digest = unsafe [UInt8](bytes[offset..<end])
            offset = end
        case .createKeychain, .unlockKeychain, .changeKeychainPassword:
            if operation == .changeKeychainPassword {
                guard let password = unsafe takeValue(bytes, &offset) else { return nil }
                letter.newPasscode = password
            }
            guard bytes.count - offset == KeychainLimits.uuidByteCount else { return nil }
            letter.digest = unsafe [UInt8](bytes[offset...])
            offset = bytes.count
        case .makeEscrow, .reset:
            guard let key = unsafe takeValue(bytes, &offset),
                key.bytes.byteCount == EscrowBag.keyByteCount
            else { return nil }
            letter.escrowKey = key
        }
        return offset == bytes.count ? (nonce, letter) : nil
    }

    /// - Returns: Nil for what is no target; a nil one for 0.
    private static func takeTarget(
        _ bytes: UnsafeRawBufferPointer, _ offset: inout Int
    ) -> DeviceKeyTarget?? {
        guard offset < bytes.count else { return nil }
        let number = unsafe bytes[offset]
        offset += 1
        guard number != 0 else { return .some(nil) }
        return DeviceKeyTarget(rawValue: number).map { .some($0) }
    }

    private static func takeSettings(
        _ bytes: UnsafeRawBufferPointer, _ offset: inout Int
    ) -> Keybag.Settings? {
        guard bytes.count - offset == 4 else { return nil }
        let start = offset
        offset = bytes.count
        let unidentified = unsafe bytes[start + 3]
        guard unidentified <= 1,
            let grace = unsafe UInt16(littleEndianBytes: bytes[start + 1..<start + 3])
        else { return nil }
        return unsafe Keybag.Settings(
            eraseAfter: UInt32(bytes[start]),
            graceSeconds: UInt32(grace),
            erasesForUnidentified: unidentified == 1)
    }

    /// u32.
    private static func takeRegisters(
        _ bytes: UnsafeRawBufferPointer, _ offset: inout Int
    ) -> PlatformRegisters? {
        guard bytes.count - offset >= 4,
            let mask = unsafe UInt32(littleEndianBytes: bytes[offset..<offset + 4])
        else { return nil }
        offset += 4
        return PlatformRegisters(mask: mask)
    }

    /// 32 bytes, or none.
    private static func takeProtectorKey(
        _ bytes: UnsafeRawBufferPointer, _ offset: inout Int, _ letter: inout PasscodeLetter
    ) -> Bool {
        guard let key = unsafe takeValue(bytes, &offset),
            [0, Cryptography.keyByteCount].contains(key.bytes.byteCount)
        else { return false }
        letter.protectorKey = key
        return true
    }

    /// The last part of a letter.
    private static func takeChoice(
        _ bytes: UnsafeRawBufferPointer, _ offset: inout Int
    ) -> ProtectorChoice? {
        var reader = unsafe ByteReader(UnsafeRawBufferPointer(rebasing: bytes[offset...]))
        offset = bytes.count
        guard let choice = try? unsafe ProtectorChoice(&reader), unsafe reader.remaining == 0 else {
            return nil
        }
        return choice
    }

    /// The last part of a letter: u8 byte count and a name.
    private static func takeName(
        _ bytes: UnsafeRawBufferPointer, _ offset: inout Int
    ) -> String? {
        var reader = unsafe ByteReader(UnsafeRawBufferPointer(rebasing: bytes[offset...]))
        offset = bytes.count
        guard let count = try? unsafe reader.u8(), let name = try? unsafe reader.array(Int(count)),
            unsafe reader.remaining == 0
        else { return nil }
        let text = String(decoding: name, as: UTF8.self)
        return ProtectorChoice.isName(text) ? text : nil
    }

    private static func takeValue(
        _ bytes: UnsafeRawBufferPointer, _ offset: inout Int
    ) -> Secret? {
        guard bytes.count - offset >= 2,
            let number = unsafe UInt16(littleEndianBytes: bytes[offset..<offset + 2])
        else { return nil }
        let (start, count) = (offset + 2, Int(number))
        guard bytes.count - start >= count else { return nil }
        offset = start + count
        return Secret(
            unsafe SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[start..<offset])))
    }
}

extension PasscodeLetter {
    fileprivate func isAcceptable(for operation: PasscodeOperation) -> Bool {
        if operation.isOfKeychain {
            return passcode.bytes.byteCount <= KeychainLimits.passwordByteCount
                && (newPasscode?.bytes.byteCount ?? 0) <= KeychainLimits.passwordByteCount
        }
        if operation.isOfBackup {
            let least =
                operation == .setBackupPassword ? BackupLimits.passwordByteCounts.lowerBound : 0
            return passcode.bytes.byteCount <= DerivationJob.passcodeByteCountLimit
                && (least...BackupLimits.passwordByteCounts.upperBound)
                    .contains(newPasscode?.bytes.byteCount ?? least)
        }
        let bounds = 1...DerivationJob.passcodeByteCountLimit
        // Who has no passcode can accept a rollback, and have another device key, too.
        let mayBeEmpty = [
            .reset, .acceptRollback, .migrate, .makeRecoveryCode, .recover, .remove,
            .addProtector, .removeProtector, .unlockByProtector, .testProtector, .forget,
            .approveByTouch,
        ].contains(operation)
        let least = mayBeEmpty ? 0 : bounds.lowerBound
        return (least...bounds.upperBound).contains(passcode.bytes.byteCount)
            && bounds.contains(newPasscode?.bytes.byteCount ?? 1)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Crypto
import EnclaveWire
import IPC
import KeychainVocabulary

/// The file format: tag (4 ASCII letters), u32 big-endian length, value; in one fixed order, so
/// that a duplicate, a missing and an unknown tag are all the wrong tag at their place.
///
///     VERS TYPE UUID GENR WRAP ERAS GRAC ERAU ERSD (PROT) (BIOM ESET) (KCHN)
///     (BKUP) [KDFT SALT MEMC ITER ENTR] {CLAS WRAP KTYP WPKY}… SIGN
///
/// PROT is there when there are protectors or a recovery code, BIOM and ESET when fingerprints count
/// or have counted, KCHN when there are keychains with passwords of their own, BKUP when a backup password
/// is set. The bracketed ones are there when a passcode is set. SIGN is HMAC-SHA-256 over all before it.
extension Keybag {
    /// The largest keybag file.
    package static let byteCountLimit = 64 * 1024

    private static let version: UInt32 = 1
    private static let userType: UInt32 = 0
    private static let argon2id: UInt32 = 2
    private static let symmetricKeyType: UInt32 = 0
    private static let underDevice: UInt32 = 1
    private static let underDeviceAndPasscode: UInt32 = 3
    private static let underProtectors: UInt32 = 9
    private static let digestByteCount = 32

    /// The file's bytes.
    package func encode(signingKey: SymmetricKey) -> [UInt8] {
        var writer = TagWriter()
        writer.number("VERS", Self.version)
        writer.number("TYPE", Self.userType)
        writer.value("UUID", uuid)
        writer.number("GENR", generation)
        writer.number("WRAP", protection)
        writer.number("ERAS", settings.eraseAfter)
        writer.number("GRAC", settings.graceSeconds)
        writer.number("ERAU", settings.erasesForUnidentified ? 1 : 0)
        writer.number("ERSD", erasures)
        if let protectorsDigest { writer.value("PROT", protectorsDigest) }
        if biometry != Biometry() {
            writer.number("BIOM", UInt32(biometry.mode.rawValue))
            var enrolment: [UInt8] = []
            enrolment.append(littleEndian: biometry.enrolment)
            writer.value("ESET", enrolment)
        }
        if let keychainsDigest { writer.value("KCHN", keychainsDigest) }
        if let backupDigest { writer.value("BKUP", backupDigest) }
        if let passcode {
            writer.number("KDFT", Self.argon2id)
            writer.value("SALT", passcode.salt)
            writer.number("MEMC", passcode.parameters.memoryKiB)
            writer.number("ITER", passcode.parameters.passes)
            writer.value("ENTR", passcode.sealedEntropy)
        }
        for protectionClass in wrappedClasses {
            guard let wrapped = wrappedKeys[protectionClass] else { continue }
            writer.number("CLAS", UInt32(protectionClass.rawValue))
            writer.number("WRAP", wrapValue(protectionClass))
            writer.number("KTYP", Self.symmetricKeyType)
            writer.value("WPKY", wrapped)
        }
        return writer.signed(signingKey)
    }

    /// Reads a file's bytes; the signature comes first.
    package init(_ bytes: [UInt8], signingKey: SymmetricKey) throws(KeybagError) {
        var reader = try TagReader(
            signed: bytes, byteCountLimit: Self.byteCountLimit, signingKey: signingKey)
        try self.init(&reader)
        try reader.finish()
    }

    private init(_ reader: inout TagReader) throws(KeybagError) {
        try reader.expect("VERS", Self.version)
        try reader.expect("TYPE", Self.userType)
        uuid = try reader.value("UUID", byteCount: Self.uuidByteCount...Self.uuidByteCount)
        generation = try reader.number("GENR")
        let protection = try reader.number("WRAP")
        settings = try Settings(&reader)
        erasures = try reader.number("ERSD")
        protectorsDigest = try Self.digest("PROT", &reader)
        biometry = try Biometry(&reader)
        keychainsDigest = try Self.digest("KCHN", &reader)
        backupDigest = try Self.digest("BKUP", &reader)
        switch protection {
        case Self.underDevice: passcode = nil
        case Self.underProtectors where protectorsDigest != nil: passcode = nil
        case Self.underDeviceAndPasscode: passcode = try PasscodeProtection(&reader)
        case _: throw .wrongValue("WRAP")
        }
        wrappedKeys = [:]
        for protectionClass in Self.classes(withPasscode: passcode != nil)
        where protection != Self.underProtectors || !protectionClass.needsPasscode {
            try reader.expect("CLAS", UInt32(protectionClass.rawValue))
            try reader.expect("WRAP", wrapValue(protectionClass))
            try reader.expect("KTYP", Self.symmetricKeyType)
            wrappedKeys[protectionClass] = try reader.value(
                "WPKY",
                byteCount: Cryptography.wrappedKeyByteCount...Cryptography.wrappedKeyByteCount)
        }
    }

    /// What a tag that may be missing has.
    private static func digest(
        _ tag: String, _ reader: inout TagReader
    ) throws(KeybagError) -> [UInt8]? {
        guard try reader.hasNext(tag) else { return nil }
        return try reader.value(tag, byteCount: digestByteCount...digestByteCount)
    }

    private var protection: UInt32 {
        if isUnderProtectors { return Self.underProtectors }
        return passcode == nil ? Self.underDevice : Self.underDeviceAndPasscode
    }

    private func wrapValue(_ protectionClass: ProtectionClass) -> UInt32 {
        passcode != nil && protectionClass.needsPasscode
            ? Self.underDeviceAndPasscode : Self.underDevice
    }
}

extension Keybag.Settings {
    fileprivate init(_ reader: inout TagReader) throws(KeybagError) {
        let eraseAfter = try reader.number("ERAS")
        let graceSeconds = try reader.number("GRAC")
        let unidentified = try reader.number("ERAU")
        guard unidentified <= 1 else { throw .wrongValue("ERAU") }
        guard
            let settings = Self(
                eraseAfter: eraseAfter, graceSeconds: graceSeconds,
                erasesForUnidentified: unidentified == 1)
        else { throw .wrongValue("ERAS") }
        self = settings
    }
}

extension Keybag.Biometry {
    fileprivate init(_ reader: inout TagReader) throws(KeybagError) {
        self.init()
        guard try reader.hasNext("BIOM") else { return }
        guard let number = UInt8(exactly: try reader.number("BIOM")),
            let mode = BiometryMode(rawValue: number)
        else { throw .wrongValue("BIOM") }
        self.mode = mode
        let bytes = try reader.value("ESET", byteCount: 8...8)
        enrolment = UInt64(littleEndianBytes: bytes) ?? 0
        // Nothing has two encodings.
        guard self != Keybag.Biometry() else { throw .wrongValue("ESET") }
    }
}

extension Keybag.PasscodeProtection {
    private static let argon2id: UInt32 = 2
    /// A TPM's sealed object is some hundred bytes.
    private static let sealedEntropyByteCounts = 1...4096

    fileprivate init(_ reader: inout TagReader) throws(KeybagError) {
        try reader.expect("KDFT", Self.argon2id)
        salt = try reader.value("SALT", byteCount: Self.saltByteCount...Self.saltByteCount)
        let memoryKiB = try reader.number("MEMC")
        guard
            let parameters = DerivationParameters(
                memoryKiB: memoryKiB, passes: try reader.number("ITER"))
        else { throw .wrongValue("MEMC") }
        self.parameters = parameters
        sealedEntropy = try reader.value("ENTR", byteCount: Self.sealedEntropyByteCounts)
    }
}

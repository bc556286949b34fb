// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import SecretBytes

/// The class keys that a reset brings back, wrapped under a random key that the user keeps
/// elsewhere, and the device key.
///
/// The file has a keybag's form:
///
///     VERS TYPE UUID SALT {CLAS WRAP KTYP WPKY}… SIGN
///
/// UUID and SALT are those of the keybag; SALT is new with each passcode, so that a record of an
/// earlier passcode is no use.
struct EscrowBag: Hashable {
    static let keyByteCount = 32
    static let byteCountLimit = 4096
    /// akpu goes with the passcode; dk and dku need none.
    static let classes: [ProtectionClass] = ProtectionClass.allCases.filter {
        $0.needsPasscode && $0.exists == .always
    }

    private static let version: UInt32 = 1
    private static let type: UInt32 = 2
    private static let underDeviceAndEscrow: UInt32 = 5
    private static let symmetricKeyType: UInt32 = 0

    private let uuid: [UInt8]
    private let salt: [UInt8]
    private let wrappedKeys: [ProtectionClass: [UInt8]]

    /// Wraps those of the class keys that it holds.
    /// - Returns: Nothing when a class is missing.
    init?(_ all: [ProtectionClass: Secret], of keybag: Keybag, using wrappingKey: SymmetricKey) {
        let keys = all.filter { Self.classes.contains($0.key) }
        guard Self.classes.allSatisfy({ keys[$0] != nil }), let salt = keybag.passcode?.salt,
            let wrapped = Keybag.wrap(keys, using: wrappingKey)
        else { return nil }
        uuid = keybag.uuid
        self.salt = salt
        wrappedKeys = wrapped
    }

    /// The class keys; nothing when it is the wrong key.
    func unwrap(using wrappingKey: SymmetricKey) -> [ProtectionClass: Secret]? {
        let bag = Keybag(uuid: uuid, generation: 0, passcode: nil, wrappedKeys: wrappedKeys)
        return bag.unwrap(Self.classes, using: wrappingKey)
    }

    /// The file's bytes.
    func encode(signingKey: SymmetricKey) -> [UInt8] {
        var writer = TagWriter()
        writer.number("VERS", Self.version)
        writer.number("TYPE", Self.type)
        writer.value("UUID", uuid)
        writer.value("SALT", salt)
        for protectionClass in Self.classes {
            guard let wrapped = wrappedKeys[protectionClass] else { continue }
            writer.number("CLAS", UInt32(protectionClass.rawValue))
            writer.number("WRAP", Self.underDeviceAndEscrow)
            writer.number("KTYP", Self.symmetricKeyType)
            writer.value("WPKY", wrapped)
        }
        return writer.signed(signingKey)
    }

    /// Reads a file's bytes.
    /// - Throws: also when it belongs to another keybag or an earlier passcode.
    init(_ bytes: [UInt8], of keybag: Keybag, signingKey: SymmetricKey) throws(KeybagError) {
        var reader = try TagReader(
            signed: bytes, byteCountLimit: Self.byteCountLimit, signingKey: signingKey)
        try reader.expect("VERS", Self.version)
        try reader.expect("TYPE", Self.type)
        uuid = try reader.value("UUID", byteCount: Keybag.uuidByteCount...Keybag.uuidByteCount)
        let saltByteCount = Keybag.PasscodeProtection.saltByteCount
        salt = try reader.value("SALT", byteCount: saltByteCount...saltByteCount)
        var wrapped: [ProtectionClass: [UInt8]] = [:]
        for protectionClass in Self.classes {
            try reader.expect("CLAS", UInt32(protectionClass.rawValue))
            try reader.expect("WRAP", Self.underDeviceAndEscrow)
            try reader.expect("KTYP", Self.symmetricKeyType)
            wrapped[protectionClass] = try reader.value(
                "WPKY",
                byteCount: Cryptography.wrappedKeyByteCount...Cryptography.wrappedKeyByteCount)
        }
        wrappedKeys = wrapped
        try reader.finish()
        guard uuid == keybag.uuid else { throw .wrongValue("UUID") }
        guard salt == keybag.passcode?.salt else { throw .wrongValue("SALT") }
    }
}

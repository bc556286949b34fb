// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC
package import KeychainVocabulary
package import SecretBytes

/// A keychain as enclaved lists it.
package struct ListedKeychain: Hashable, Sendable {
    /// Its number; never 0.
    package let number: UInt32
    /// 16 random bytes that the creator chose.
    package let uuid: [UInt8]
    /// When it locks by itself.
    package let settings: KeychainSettings
    /// Whether its key is open now.
    package let isUnlocked: Bool

    /// Combines the parts.
    package init(number: UInt32, uuid: [UInt8], settings: KeychainSettings, isUnlocked: Bool) {
        self.number = number
        self.uuid = uuid
        self.settings = settings
        self.isUnlocked = isUnlocked
    }
}

/// A request about keychains with a password of their own. The layouts are in PROTOCOL.md,
/// "Keychains".
package enum KeychainRequest: Sendable {
    /// List the user's.
    case list
    /// Make the keys of a new one. The letter has its password and its UUID.
    case create(number: UInt32, KeychainSettings, letter: [UInt8])
    /// Open its key.
    case unlock(number: UInt32, letter: [UInt8])
    /// Wrap its key under another password. It stays locked or unlocked.
    case changePassword(number: UInt32, letter: [UInt8])
    /// Drop its key; 0 means those of every keychain of the user.
    case lock(number: UInt32)
    /// Change when it locks by itself.
    case configure(number: UInt32, KeychainSettings)
    /// Destroy its keys.
    case destroy(number: UInt32)
    /// Seal a secret under the class key and the keychain's key.
    case seal(number: UInt32, SecretBinding, Secret)
    /// Make a table key that only this keychain's keys open.
    case makeTableKey(number: UInt32, TableKeyName)
    /// Open such a table key.
    case openTableKey(number: UInt32, TableKeyName, wrapped: [UInt8])
}

/// A reply to a ``KeychainRequest``.
package enum KeychainReply: Sendable {
    /// The keychains, in the order of their numbers.
    case listed([ListedKeychain])
    /// Done.
    case done
    /// A sealed secret.
    case sealed([UInt8])
    /// A new table key, wrapped and plain.
    case madeTableKey(wrapped: [UInt8], key: Secret)
    /// An opened table key.
    case openedTableKey(Secret)
}

// MARK: - Decoding

extension KeychainRequest {
    private enum Kind: UInt8 {
        case list = 1
        case create = 2
        case unlock = 3
        case changePassword = 4
        case lock = 5
        case configure = 6
        case destroy = 7
        case seal = 8
        case makeTableKey = 9
        case openTableKey = 10
    }

    init(_ reader: inout ByteReader) throws(DecodingFailure) {
        guard let kind = Kind(rawValue: try unsafe reader.u8()) else { throw DecodingFailure() }
        guard kind != .list else {
            self = .list
            return
        }
        let number = try unsafe reader.u32()
        // 0 is login, which has no key here.
        guard kind == .lock || number != 0 else { throw DecodingFailure() }
        switch kind {
        case .list: self = .list
        case .create:
            let settings = try unsafe KeychainSettings(&reader)
            self = .create(number: number, settings, letter: try unsafe reader.letter())
        case .unlock: self = .unlock(number: number, letter: try unsafe reader.letter())
        case .changePassword:
            self = .changePassword(number: number, letter: try unsafe reader.letter())
        case .lock: self = .lock(number: number)
        case .configure:
            self = .configure(number: number, try unsafe KeychainSettings(&reader))
        case .destroy: self = .destroy(number: number)
        case .seal:
            let binding = try unsafe SecretBinding(&reader)
            self = .seal(
                number: number, binding, Secret(unsafe SecretBytes(copying: reader.rest())))
        case .makeTableKey:
            self = .makeTableKey(number: number, try unsafe TableKeyName(&reader))
        case .openTableKey:
            let name = try unsafe TableKeyName(&reader)
            let wrapped = try unsafe reader.array(EnclaveRequest.wrappedTableKeyByteCount)
            self = .openTableKey(number: number, name, wrapped: wrapped)
        }
    }
}

extension KeychainSettings {
    /// u8 bits (0 locks on sleep, 1 uses the interval), u32 seconds.
    package init(_ reader: inout ByteReader) throws(DecodingFailure) {
        let bits = try unsafe reader.u8()
        let seconds = try unsafe reader.u32()
        guard let settings = KeychainSettings(bits: bits, intervalSeconds: seconds) else {
            throw DecodingFailure()
        }
        self = settings
    }
}

extension KeychainReply {
    private enum Kind: UInt8 {
        case listed = 1
        case done = 2
        case sealed = 3
        case madeTableKey = 4
        case openedTableKey = 5
    }

    static func decode(_ reader: inout ByteReader) throws(DecodingFailure) -> KeychainReply {
        guard let kind = Kind(rawValue: try unsafe reader.u8()) else { throw DecodingFailure() }
        switch kind {
        case .listed: return .listed(try unsafe keychains(&reader))
        case .done: return .done
        case .sealed: return .sealed(unsafe [UInt8](reader.rest()))
        case .madeTableKey:
            let wrapped = try unsafe reader.array(EnclaveRequest.wrappedTableKeyByteCount)
            return .madeTableKey(wrapped: wrapped, key: try unsafe key(&reader))
        case .openedTableKey: return .openedTableKey(try unsafe key(&reader))
        }
    }

    private static func key(_ reader: inout ByteReader) throws(DecodingFailure) -> Secret {
        Secret(
            try unsafe SecretBytes(copying: reader.bytes(EnclaveReply.tableKeyByteCount)))
    }

    private static func keychains(
        _ reader: inout ByteReader
    ) throws(DecodingFailure) -> [ListedKeychain] {
        let count = try unsafe Int(reader.u16())
        guard count <= KeychainLimits.count else { throw DecodingFailure() }
        var keychains: [ListedKeychain] = []
        for _ in 0..<count {
            let number = try unsafe reader.u32()
            let uuid = try unsafe reader.array(KeychainLimits.uuidByteCount)
            let settings = try unsafe KeychainSettings(&reader)
            let isUnlocked = try unsafe reader.u8()
            guard number != 0, isUnlocked <= 1 else { throw DecodingFailure() }
            keychains.append(
                ListedKeychain(
                    number: number, uuid: uuid, settings: settings, isUnlocked: isUnlocked == 1))
        }
        return keychains
    }

    func encode(into buffer: inout MessageBuffer) {
        switch self {
        case .listed(let keychains):
            buffer.u8(Kind.listed.rawValue)
            buffer.u16(UInt16(truncatingIfNeeded: keychains.count))
            for keychain in keychains {
                buffer.u32(keychain.number)
                buffer.bytes(keychain.uuid)
                buffer.append(keychain.settings)
                buffer.u8(keychain.isUnlocked ? 1 : 0)
            }
        case .done: buffer.u8(Kind.done.rawValue)
        case .sealed(let sealed):
            buffer.u8(Kind.sealed.rawValue)
            buffer.bytes(sealed)
        case .madeTableKey(let wrapped, let key):
            buffer.u8(Kind.madeTableKey.rawValue)
            buffer.bytes(wrapped)
            buffer.bytes(key.bytes)
        case .openedTableKey(let key):
            buffer.u8(Kind.openedTableKey.rawValue)
            buffer.bytes(key.bytes)
        }
    }
}

// MARK: - Encoding

extension KeychainRequest {
    func encode(into buffer: inout MessageBuffer) {
        switch self {
        case .list: buffer.u8(Kind.list.rawValue)
        case .create(let number, let settings, let letter):
            buffer.begin(Kind.create.rawValue, number)
            buffer.append(settings)
            buffer.bytes(letter)
        case .unlock(let number, let letter):
            buffer.begin(Kind.unlock.rawValue, number)
            buffer.bytes(letter)
        case .changePassword(let number, let letter):
            buffer.begin(Kind.changePassword.rawValue, number)
            buffer.bytes(letter)
        case .lock(let number): buffer.begin(Kind.lock.rawValue, number)
        case .configure(let number, let settings):
            buffer.begin(Kind.configure.rawValue, number)
            buffer.append(settings)
        case .destroy(let number): buffer.begin(Kind.destroy.rawValue, number)
        case .seal(let number, let binding, let secret):
            buffer.begin(Kind.seal.rawValue, number)
            buffer.append(binding)
            buffer.bytes(secret.bytes)
        case .makeTableKey(let number, let name):
            buffer.begin(Kind.makeTableKey.rawValue, number)
            buffer.append(name)
        case .openTableKey(let number, let name, let wrapped):
            buffer.begin(Kind.openTableKey.rawValue, number)
            buffer.append(name)
            buffer.bytes(wrapped)
        }
    }
}

extension MessageBuffer {
    fileprivate mutating func begin(_ kind: UInt8, _ number: UInt32) {
        u8(kind)
        u32(number)
    }

    fileprivate mutating func append(_ settings: KeychainSettings) {
        u8(settings.bits)
        u32(settings.intervalSeconds)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials
import IPC
package import KeychainVocabulary

/// A keychain of the caller, by its UUID.
package struct KeychainID: Hashable, Sendable {
    /// 16 bytes; zeros mean login.
    package let uuid: [UInt8]

    /// The keychain that each user has.
    package static let login = KeychainID(
        checked: [UInt8](repeating: 0, count: KeychainLimits.uuidByteCount))

    /// Names a keychain.
    /// - Returns: Nil unless the UUID has 16 bytes.
    package init?(_ uuid: [UInt8]) {
        guard uuid.count == KeychainLimits.uuidByteCount else { return nil }
        self.init(checked: uuid)
    }

    private init(checked uuid: [UInt8]) { self.uuid = uuid }

    /// Whether it is login.
    package var isLogin: Bool { self == .login }
}

extension KeychainID {
    /// The keychain that a request for items names: none is login, which has no other name there.
    /// - Throws: ``WireError/malformed``.
    init?(other field: Data) throws(WireError) {
        guard !field.isEmpty else { return nil }
        guard let id = KeychainID([UInt8](field)), !id.isLogin else { throw .malformed }
        self = id
    }
}

/// A request about keychains with a password of their own (PROTOCOL.md, "Keychains").
package enum KeychainCall: Hashable, Sendable {
    /// The longest path, as Linux has it.
    package static let pathByteCountLimit = 4096
    /// Each keychain once, and login.
    package static let searchListLimit = KeychainLimits.count + 1

    /// The next keychains after one; after login all, the search list and the default one.
    case list(after: KeychainID)
    /// Make one. Its password and its UUID are in the letter, too.
    case create(KeychainID, path: [UInt8], KeychainSettings, letter: [UInt8])
    /// Unlock one.
    case unlock(KeychainID, letter: [UInt8])
    /// Give one another password.
    case changePassword(KeychainID, letter: [UInt8])
    /// Lock one; nil means all but login.
    case lock(KeychainID?)
    /// Change when one locks by itself.
    case configure(KeychainID, KeychainSettings)
    /// Delete one. With `force` also one that holds items of other groups.
    case delete(KeychainID, force: Bool)
    /// Replace the search list.
    case setSearchList([KeychainID])
    /// Set the default keychain; nil means none.
    case setDefault(KeychainID?)
}

/// A keychain in a listing.
package struct KeychainEntry: Hashable, Sendable {
    /// Which.
    package let id: KeychainID
    /// Where its marker is.
    package let path: [UInt8]
    /// When it locks by itself.
    package let settings: KeychainSettings
    /// Whether it is unlocked.
    package let isUnlocked: Bool

    /// Combines the parts.
    package init(
        _ id: KeychainID, path: [UInt8], _ settings: KeychainSettings, isUnlocked: Bool
    ) {
        self.id = id
        self.path = path
        self.settings = settings
        self.isUnlocked = isUnlocked
    }
}

/// A part of a listing.
package struct KeychainListing: Hashable, Sendable {
    /// In the order of their UUIDs.
    package var keychains: [KeychainEntry] = []
    /// Whether there are more.
    package var hasMore = false
    /// Of the first part alone.
    package var searchList: [KeychainID] = []
    /// Of the first part alone; nil: there is none.
    package var defaultKeychain: KeychainID?

    /// An empty one.
    package init() {}
}

// MARK: - Coding

/// The layouts' first byte.
private enum Version {
    static let now: UInt8 = 1
}

extension KeychainCall {
    private enum Kind: UInt8 {
        case list = 1
        case create = 2
        case unlock = 3
        case changePassword = 4
        case lock = 5
        case configure = 6
        case delete = 7
        case setSearchList = 8
        case setDefault = 9
    }

    /// The bytes of the message; no protobuf.
    package var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.u8(Version.now)
        switch self {
        case .list(let last):
            writer.u8(Kind.list.rawValue)
            writer.bytes(last.uuid)
        case .create(let id, let path, let settings, let letter):
            writer.u8(Kind.create.rawValue)
            writer.bytes(id.uuid)
            writer.append(path: path)
            writer.append(settings)
            writer.bytes(letter)
        case .unlock(let id, let letter):
            writer.u8(Kind.unlock.rawValue)
            writer.bytes(id.uuid)
            writer.bytes(letter)
        case .changePassword(let id, let letter):
            writer.u8(Kind.changePassword.rawValue)
            writer.bytes(id.uuid)
            writer.bytes(letter)
        case .lock(let id):
            writer.u8(Kind.lock.rawValue)
            writer.append(optional: id)
        case .configure(let id, let settings):
            writer.u8(Kind.configure.rawValue)
            writer.bytes(id.uuid)
            writer.append(settings)
        case .delete(let id, let force):
            writer.u8(Kind.delete.rawValue)
            writer.bytes(id.uuid)
            writer.u8(force ? 1 : 0)
        case .setSearchList(let list):
            writer.u8(Kind.setSearchList.rawValue)
            writer.append(list)
        case .setDefault(let id):
            writer.u8(Kind.setDefault.rawValue)
            writer.append(optional: id)
        }
        return writer.bytes
    }

    /// Reads a message.
    /// - Throws: ``WireError/malformed``.
    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        do throws(DecodingFailure) {
            var reader = unsafe ByteReader(bytes)
            guard try unsafe reader.u8() == Version.now else { throw DecodingFailure() }
            self = try unsafe Self.read(&reader)
            try unsafe reader.finish()
        } catch { throw .malformed }
    }

    private static func read(
        _ reader: inout ByteReader
    ) throws(DecodingFailure) -> KeychainCall {
        guard let kind = Kind(rawValue: try unsafe reader.u8()) else { throw DecodingFailure() }
        switch kind {
        case .list: return .list(after: try unsafe reader.keychain())
        case .create:
            let id = try unsafe reader.otherKeychain()
            let path = try unsafe reader.path()
            let settings = try unsafe reader.settings()
            return .create(id, path: path, settings, letter: try unsafe reader.letter())
        case .unlock:
            let id = try unsafe reader.otherKeychain()
            return .unlock(id, letter: try unsafe reader.letter())
        case .changePassword:
            let id = try unsafe reader.otherKeychain()
            return .changePassword(id, letter: try unsafe reader.letter())
        case .lock:
            let id = try unsafe reader.optionalKeychain()
            guard id?.isLogin != true else { throw DecodingFailure() }
            return .lock(id)
        case .configure:
            let id = try unsafe reader.otherKeychain()
            return .configure(id, try unsafe reader.settings())
        case .delete:
            let id = try unsafe reader.otherKeychain()
            let force = try unsafe reader.u8()
            guard force <= 1 else { throw DecodingFailure() }
            return .delete(id, force: force == 1)
        case .setSearchList: return .setSearchList(try unsafe reader.keychains())
        case .setDefault: return .setDefault(try unsafe reader.optionalKeychain())
        }
    }
}

extension KeychainListing {
    /// The bytes of the message; no protobuf.
    package var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.u8(Version.now)
        writer.u8(hasMore ? 1 : 0)
        writer.append(optional: defaultKeychain)
        writer.append(searchList)
        writer.u16(UInt16(clamping: keychains.count))
        for keychain in keychains {
            writer.bytes(keychain.id.uuid)
            writer.append(path: keychain.path)
            writer.append(keychain.settings)
            writer.u8(keychain.isUnlocked ? 1 : 0)
        }
        return writer.bytes
    }

    /// Reads a message.
    /// - Throws: ``WireError/malformed``.
    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        do throws(DecodingFailure) {
            var reader = unsafe ByteReader(bytes)
            guard try unsafe reader.u8() == Version.now else { throw DecodingFailure() }
            let more = try unsafe reader.u8()
            defaultKeychain = try unsafe reader.optionalKeychain()
            searchList = try unsafe reader.keychains()
            let count = try unsafe Int(reader.u16())
            guard more <= 1, count <= KeychainLimits.count else { throw DecodingFailure() }
            hasMore = more == 1
            for _ in 0..<count {
                let id = try unsafe reader.otherKeychain()
                let path = try unsafe reader.path()
                let settings = try unsafe reader.settings()
                let isUnlocked = try unsafe reader.u8()
                guard isUnlocked <= 1 else { throw DecodingFailure() }
                keychains.append(
                    KeychainEntry(id, path: path, settings, isUnlocked: isUnlocked == 1))
            }
            try unsafe reader.finish()
        } catch { throw .malformed }
    }
}

extension ByteWriter {
    fileprivate mutating func append(path: [UInt8]) {
        u16(UInt16(clamping: path.count))
        bytes(path)
    }

    fileprivate mutating func append(_ settings: KeychainSettings) {
        u8(settings.bits)
        u32(settings.intervalSeconds)
    }

    /// A byte that says whether there is one, and it.
    fileprivate mutating func append(optional id: KeychainID?) {
        u8(id == nil ? 0 : 1)
        if let id { bytes(id.uuid) }
    }

    fileprivate mutating func append(_ list: [KeychainID]) {
        u16(UInt16(clamping: list.count))
        for id in list { bytes(id.uuid) }
    }
}

extension ByteReader {
    fileprivate mutating func keychain() throws(DecodingFailure) -> KeychainID {
        guard let id = KeychainID(try unsafe array(KeychainLimits.uuidByteCount)) else {
            throw DecodingFailure()
        }
        return id
    }

    /// One that isn't login.
    fileprivate mutating func otherKeychain() throws(DecodingFailure) -> KeychainID {
        let id = try unsafe keychain()
        guard !id.isLogin else { throw DecodingFailure() }
        return id
    }

    fileprivate mutating func optionalKeychain() throws(DecodingFailure) -> KeychainID? {
        switch try unsafe u8() {
        case 0: return nil
        case 1: return try unsafe keychain()
        case _: throw DecodingFailure()
        }
    }

    /// Each at most once.
    fileprivate mutating func keychains() throws(DecodingFailure) -> [KeychainID] {
        let count = try unsafe Int(u16())
        guard count <= KeychainCall.searchListLimit else { throw DecodingFailure() }
        var list: [KeychainID] = []
        for _ in 0..<count { list.append(try unsafe keychain()) }
        guard Set(list).count == count else { throw DecodingFailure() }
        return list
    }

    /// An absolute one, without a zero byte.
    fileprivate mutating func path() throws(DecodingFailure) -> [UInt8] {
        let path = try unsafe array(Int(u16()))
        guard path.first == UInt8(ascii: "/"), path.count <= KeychainCall.pathByteCountLimit,
            !path.contains(0)
        else { throw DecodingFailure() }
        return path
    }

    fileprivate mutating func settings() throws(DecodingFailure) -> KeychainSettings {
        let bits = try unsafe u8()
        let seconds = try unsafe u32()
        guard let settings = KeychainSettings(bits: bits, intervalSeconds: seconds) else {
            throw DecodingFailure()
        }
        return settings
    }

    /// The rest: an encapsulated key of 32 bytes, and a ciphertext.
    fileprivate mutating func letter() throws(DecodingFailure) -> [UInt8] {
        let letter = unsafe [UInt8](rest())
        guard (33...ItemLimits.sealedPasscodeByteCount).contains(letter.count) else {
            throw DecodingFailure()
        }
        return letter
    }
}

extension FrameContent {
    func keychainCall() throws(WireError) -> KeychainCall {
        guard unsafe !hasSecret else { throw .malformed }
        return try unsafe KeychainCall(decoding: message)
    }

    /// An empty message is the reply to what has no result.
    func keychainListing() throws(WireError) -> KeychainListing? {
        guard unsafe !hasSecret else { throw .malformed }
        guard unsafe message.count > 0 else { return nil }
        return try unsafe KeychainListing(decoding: message)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Enclave
import EnclaveState
import EnclaveWire
import Foundation
import SecretBytes
import TestSupport

/// The keys of a service, derived from its state files and the passcode as STORAGE.md describes.
struct DerivedKeys {
    /// Argon2id's output for the passcode.
    let derived: [UInt8]
    /// The key that wraps the class keys.
    let passcodeKey: [UInt8]
    /// The class keys that need the passcode.
    private(set) var classKeys: [ProtectionClass: [UInt8]] = [:]
    /// Metadata keys, of the newest generation of each class.
    private(set) var metadataKeys: [ProtectionClass: [UInt8]] = [:]

    /// Works on a copy, because the running enclave locks the directory.
    init(stateDirectory: String, user: UInt32, passcode: String) throws {
        let copy = try TemporaryDirectory.lend { directory in
            try Self.derive(stateDirectory, directory + "/state", user, passcode)
        }
        self = copy
    }

    private init(derived: [UInt8], passcodeKey: [UInt8]) {
        self.derived = derived
        self.passcodeKey = passcodeKey
    }

    private static func derive(
        _ original: String, _ path: String, _ user: UInt32, _ passcode: String
    ) throws -> DerivedKeys {
        _ = unsafe mkdir(path, 0o700)
        for name in try FileManager.default.contentsOfDirectory(atPath: original)
        where name.hasPrefix("keychain.db") || name == "enclave" {
            try FileManager.default.copyItem(
                atPath: original + "/" + name, toPath: path + "/" + name)
        }
        let directory = try StateDirectory(statePath: path)
        let deviceKey = try FileDeviceKey(directory)
        let userBytes = little(user)
        let root = try deviceKey.tangle(.keybag, SecretBytes(copying: userBytes))
        let signingKey = Cryptography.derive(
            from: root.bytes.symmetricKey(), info: [UInt8]("llavero.keybag.signature.1".utf8))
        guard let file = try directory.read("keybag.\(user)", limit: Keybag.byteCountLimit) else {
            throw TestFailure("There is no keybag.")
        }
        let keybag = try Keybag(file, signingKey: signingKey)
        guard let protection = keybag.passcode else { throw TestFailure("No passcode is set.") }

        let derived = try Argon2id.derive(
            passcode, protection.salt, passes: protection.parameters.passes,
            memoryKiB: protection.parameters.memoryKiB)
        let tangled = try deviceKey.tangle(.passcode, SecretBytes(copying: derived))
        let entropy = try deviceKey.openEntropy(
            protection.sealedEntropy, context: userBytes + keybag.uuid)
        let material = SymmetricKey(data: derived + tangled.testBytes + entropy.testBytes)
        let passcodeKey = Cryptography.derive(
            from: material, info: [UInt8]("llavero.passcodekey.1".utf8))
        var keys = DerivedKeys(derived: derived, passcodeKey: bytes(passcodeKey))
        try keys.unwrap(keybag, passcodeKey)
        try keys.openMetadataKeys(path, user)
        return keys
    }

    private mutating func unwrap(_ keybag: Keybag, _ passcodeKey: SymmetricKey) throws {
        for protectionClass in [ProtectionClass.ak, .aku, .akpu, .ck, .cku] {
            guard let wrapped = keybag.wrappedKeys[protectionClass] else {
                throw TestFailure("The keybag has no \(protectionClass).")
            }
            let key = unsafe wrapped.withUnsafeBytes {
                unsafe Cryptography.unwrap($0, using: passcodeKey)
            }
            guard let key else { throw TestFailure("\(protectionClass) doesn't unwrap.") }
            classKeys[protectionClass] = Self.bytes(key)
        }
    }

    private mutating func openMetadataKeys(_ path: String, _ user: UInt32) throws {
        let label = [UInt8]("llavero.tablekey.1".utf8)
        for stored in try StoredRows.metadataKeys(path) {
            guard let protectionClass = ProtectionClass(rawValue: stored.keyClass),
                let classKey = classKeys[protectionClass]
            else { continue }
            let key = Cryptography.derive(from: SymmetricKey(data: classKey), info: label)
            let associatedData =
                label + [1] + Self.little(user) + [stored.keyClass] + Self.little(stored.generation)
            let opened = Cryptography.open(
                stored.wrapped, using: key, authenticating: associatedData)
            guard let opened else { throw TestFailure("A metadata key doesn't open.") }
            metadataKeys[protectionClass] = opened.testBytes
        }
    }

    /// The key of a row's secret, by its row: 32 bytes; nil for a class that needs no passcode.
    /// - Throws: when the row's key can't be unwrapped, which would show a wrong one.
    func rowKey(of row: StoredRow) throws -> [UInt8]? {
        guard case .integer(let number)? = row["keyclass"], let secret = row["secret"]?.bytes,
            let protectionClass = UInt8(exactly: number).flatMap(ProtectionClass.init(rawValue:))
        else { throw TestFailure("A row lacks its columns.") }
        guard let classKey = classKeys[protectionClass] else { return nil }
        let key = unsafe secret[4..<44].withUnsafeBytes {
            unsafe Cryptography.unwrap($0, using: SymmetricKey(data: classKey))
        }
        guard let key else { throw TestFailure("A row's key doesn't unwrap.") }
        return Self.bytes(key)
    }

    fileprivate static func bytes(_ key: SymmetricKey) -> [UInt8] {
        unsafe key.withUnsafeBytes { unsafe [UInt8]($0) }
    }

    fileprivate static func little(_ value: UInt32) -> [UInt8] {
        [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
    }
}

/// The attempts of an attacker who has the files and a passcode, but not the device's key.
struct PasscodeGuess {
    /// Whether any key that can be derived from these opens any of the keybag's class keys.
    let unwrapsAnything: Bool

    /// Uses the files in the directory; its device key is another device's.
    init(_ stateDirectory: String, user: UInt32, passcode: String) throws {
        unwrapsAnything = try TemporaryDirectory.lend { directory in
            let path = directory + "/state"
            _ = unsafe mkdir(path, 0o700)
            try FileManager.default.copyItem(
                atPath: stateDirectory + "/enclave", toPath: path + "/enclave")
            let files = try StateDirectory(statePath: path)
            guard let file = try files.read("keybag.\(user)", limit: Keybag.byteCountLimit) else {
                throw TestFailure("There is no keybag.")
            }
            let tags = Self.tags(file)
            guard let salt = tags["SALT"]?.first, let entropy = tags["ENTR"]?.first,
                let memory = tags["MEMC"]?.first, let passes = tags["ITER"]?.first,
                let wrappedKeys = tags["WPKY"], wrappedKeys.count == 7
            else { throw TestFailure("The keybag lacks something.") }
            let derived = try Argon2id.derive(
                passcode, salt, passes: Self.number(passes), memoryKiB: Self.number(memory))
            let deviceKey = try FileDeviceKey(files)
            let tangled = try deviceKey.tangle(.passcode, SecretBytes(copying: derived)).testBytes
            let entropies = [[], [UInt8](repeating: 0, count: 32), entropy]
            var candidates = [derived, tangled]
            for start in [derived, tangled, derived + tangled] {
                for entropy in entropies {
                    let material = SymmetricKey(data: start + entropy)
                    candidates.append(
                        DerivedKeys.bytes(
                            Cryptography.derive(
                                from: material, info: [UInt8]("llavero.passcodekey.1".utf8))))
                }
            }
            return candidates.contains { candidate in
                wrappedKeys.contains { wrapped in
                    unsafe wrapped.withUnsafeBytes {
                        unsafe Cryptography.unwrap($0, using: SymmetricKey(data: candidate)) != nil
                    }
                }
            }
        }
    }

    /// Every value by its tag, without a check of the signature, which can't be verified here.
    private static func tags(_ file: [UInt8]) -> [String: [[UInt8]]] {
        var tags: [String: [[UInt8]]] = [:]
        var rest = file[...]
        while rest.count > 8 {
            let name = String(decoding: rest.prefix(4), as: UTF8.self)
            let count = Int(number(Array(rest.dropFirst(4).prefix(4))))
            tags[name, default: []].append(Array(rest.dropFirst(8).prefix(count)))
            rest = rest.dropFirst(8 + count)
        }
        return tags
    }

    private static func number(_ bytes: [UInt8]) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// The reference library, called directly and not through the product's own code.
private enum Argon2id {
    private typealias Function =
        @convention(c) (
            UInt32, UInt32, UInt32, UnsafeRawPointer?, Int, UnsafeRawPointer?, Int,
            UnsafeMutableRawPointer?, Int
        ) -> Int32

    static func derive(
        _ passcode: String, _ salt: [UInt8], passes: UInt32, memoryKiB: UInt32
    ) throws -> [UInt8] {
        guard let library = unsafe dlopen("libargon2.so.1", RTLD_NOW),
            let symbol = unsafe dlsym(library, "argon2id_hash_raw")
        else { throw TestFailure("libargon2 can't be loaded.") }
        let hash = unsafe unsafeBitCast(symbol, to: Function.self)
        let passcode = [UInt8](passcode.utf8)
        var key = [UInt8](repeating: 0, count: 32)
        let result = unsafe hash(
            passes, memoryKiB, 1, passcode, passcode.count, salt, salt.count, &key, key.count)
        guard result == 0 else { throw TestFailure("Argon2id gives \(result).") }
        return key
    }
}

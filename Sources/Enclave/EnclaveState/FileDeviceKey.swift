// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Enclave
package import EnclaveWire
package import SecretBytes

/// A device key in a file of mode 0600: an attacker who reads the disk has it. The status says so.
///
/// There are two equal files, each with the key and a check value: damage to one of them is
/// harmless.
package final class FileDeviceKey: SealingDeviceKey {
    static let keybagPrefix = "keybag."
    static let attemptsPrefix = "attempts."
    static let fileNames = [fileName, copyName]

    private static let fileName = "device.key"
    private static let copyName = "device.key.2"
    private static let byteCount = 32
    private static let checkByteCount = 16
    private static let checkLabel = [UInt8]("llavero.device.check.1".utf8)
    private static let tangleLabel = [UInt8]("llavero.device.tangle.1".utf8)
    private static let entropyLabel = [UInt8]("llavero.device.entropy.1".utf8)

    package let maker = DeviceKeyMaker.file
    private let key: Secret
    private let directory: StateDirectory

    /// A new device key could never open the existing keybags.
    package static func refuseWhereKeybagsAre(
        _ directory: StateDirectory
    ) throws(StateDirectoryError) {
        for prefix in [keybagPrefix, attemptsPrefix]
        where try directory.hasFile(prefix: prefix) { throw .deviceKeyMissing }
    }

    /// Whether there is a key in the directory, even a damaged one.
    package static func exists(in directory: StateDirectory) throws(StateDirectoryError) -> Bool {
        let hasFirst = try directory.hasFile(fileName)
        let hasCopy = try directory.hasFile(copyName)
        return hasFirst || hasCopy
    }

    /// Reads the key, or makes one for a directory that has no keybag yet.
    ///
    /// If one copy is missing or damaged, the other one replaces it.
    /// - Throws: when no file is a key, both are and differ, or both are missing although there
    ///   are keybags: a new key could never open them.
    package init(_ directory: StateDirectory) throws(StateDirectoryError) {
        self.directory = directory
        let first = Self.read(Self.fileName, directory)
        let second = Self.read(Self.copyName, directory)
        switch (first, second) {
        case (.absent, .absent):
            try Self.refuseWhereKeybagsAre(directory)
            key = Secret(.random(byteCount: Self.byteCount))
            try directory.create(Self.fileName, Self.file(key))
            try directory.create(Self.copyName, Self.file(key))
        case (.key(let one), .key(let two)):
            guard Self.areEqual(one, two) else {
                throw .differ(file: Self.fileName, copy: Self.copyName)
            }
            key = one
        case (.key(let whole), _):
            key = whole
            try directory.write(Self.copyName, Self.file(whole))
        case (_, .key(let whole)):
            key = whole
            try directory.write(Self.fileName, Self.file(whole))
        case (.refused(let error), _): throw error
        case (.absent, .refused(let error)): throw error
        }
    }

    /// Uses a key that isn't on the disk yet.
    package init(_ directory: StateDirectory, new key: Secret) {
        self.directory = directory
        self.key = key
    }

    /// The content of a file.
    private enum Content {
        case absent
        case key(Secret)
        case refused(StateDirectoryError)
    }

    private static func read(_ name: String, _ directory: StateDirectory) -> Content {
        do throws(StateDirectoryError) {
            let limit = byteCount + checkByteCount
            guard let found = try directory.readSecret(name, limit: limit) else { return .absent }
            guard found.bytes.byteCount == limit else { return .refused(.wrongSize(file: name)) }
            let key = Secret(found.bytes.prefix(byteCount))
            return areEqual(file(key), found.bytes) ? .key(key) : .refused(.damaged(file: name))
        } catch {
            return .refused(error)
        }
    }

    /// The file's bytes: the key, then the first 16 bytes of an HMAC under it.
    static func file(_ key: Secret) -> SecretBytes {
        let check = Cryptography.authenticate(checkLabel, using: key.bytes.symmetricKey())
        return unsafe SecretBytes(byteCount: byteCount + checkByteCount) { room in
            unsafe key.bytes.withUnsafeBytes { unsafe room.copyMemory(from: $0) }
            unsafe UnsafeMutableRawBufferPointer(rebasing: room[byteCount...])
                .copyBytes(from: check.prefix(checkByteCount))
        }
    }

    private static func areEqual(_ one: Secret, _ two: Secret) -> Bool {
        areEqual(one.bytes, two.bytes)
    }

    private static func areEqual(
        _ one: borrowing SecretBytes, _ two: borrowing SecretBytes
    ) -> Bool {
        one.symmetricKey() == two.symmetricKey()
    }

    /// Mixes the key into an input.
    package func tangle(
        _ purpose: TanglePurpose, _ input: borrowing SecretBytes
    ) throws(DeviceKeyFailure) -> Secret {
        let label = Self.tangleLabel + [purpose.rawValue]
        let key = Cryptography.derive(from: key.bytes.symmetricKey(), info: label)
        return Cryptography.deriveByAuthenticating(input, using: key)
    }

    /// Seals a keybag's entropy value under the key.
    package func sealEntropy(
        _ entropy: borrowing SecretBytes, context: [UInt8]
    ) throws(DeviceKeyFailure) -> [UInt8] {
        let key = Cryptography.derive(from: key.bytes.symmetricKey(), info: Self.entropyLabel)
        guard let sealed = Cryptography.seal(entropy, using: key, authenticating: context) else {
            throw .refused
        }
        return sealed
    }

    /// Opens a sealed entropy value.
    package func openEntropy(
        _ sealed: [UInt8], context: [UInt8]
    ) throws(DeviceKeyFailure) -> Secret {
        let key = Cryptography.derive(from: key.bytes.symmetricKey(), info: Self.entropyLabel)
        guard let entropy = Cryptography.open(sealed, using: key, authenticating: context) else {
            throw .refused
        }
        return entropy
    }

    // MARK: - Counter

    private var counter: FileCounter {
        FileCounter(directory: directory, key: key.bytes.symmetricKey())
    }

    /// A number in a file beside the key.
    package func readCounter() throws(DeviceKeyFailure) -> UInt64 { try counter.read() }

    /// Counts up in the file.
    package func incrementCounter() throws(DeviceKeyFailure) { try counter.increment() }
}

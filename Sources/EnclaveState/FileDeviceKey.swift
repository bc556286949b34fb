// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Enclave
package import EnclaveWire
package import SecretBytes

/// A device key that lies in a file of mode 0600: whoever reads the disk has it. The status says
/// so.
package final class FileDeviceKey: DeviceKey {
    static let keybagPrefix = "keybag."

    private static let fileName = "device.key"
    private static let byteCount = 32
    private static let tangleLabel = [UInt8]("llavero.device.tangle.1".utf8)
    private static let entropyLabel = [UInt8]("llavero.device.entropy.1".utf8)

    package let maker = DeviceKeyMaker.file
    private let key: Secret

    /// Reads the key, or makes one for a directory that has no keybag yet.
    /// - Throws: when the file can't be read, isn't a key, or is missing although there are
    ///   keybags: a new key could never open them.
    package init(_ directory: StateDirectory) throws(StateDirectoryError) {
        if let found = try directory.readSecret(Self.fileName, limit: Self.byteCount) {
            guard found.bytes.byteCount == Self.byteCount else {
                throw .wrongSize(file: Self.fileName)
            }
            key = found
            return
        }
        guard try !directory.hasFile(prefix: Self.keybagPrefix) else { throw .deviceKeyMissing }
        key = Secret(.random(byteCount: Self.byteCount))
        try directory.create(Self.fileName, key.bytes)
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
            throw DeviceKeyFailure()
        }
        return sealed
    }

    /// Opens a sealed entropy value.
    package func openEntropy(
        _ sealed: [UInt8], context: [UInt8]
    ) throws(DeviceKeyFailure) -> Secret {
        let key = Cryptography.derive(from: key.bytes.symmetricKey(), info: Self.entropyLabel)
        guard let entropy = Cryptography.open(sealed, using: key, authenticating: context) else {
            throw DeviceKeyFailure()
        }
        return entropy
    }
}

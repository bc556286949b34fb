// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation
import IPC
import SecurityWire

/// A passcode message, made as Documentation/PROTOCOL.md describes: for operations without a client
/// call, and for any user.
package enum PasscodeLetter {
    /// Settings of the device.
    package struct Settings {
        /// 0 or 10.
        package var eraseAfter: UInt8
        /// How long a lock with grace period is delayed.
        package var graceSeconds: UInt16

        /// Whether wrong passcodes of unidentified programs count, too.
        package var countsUnidentified: Bool

        /// Combines the parts.
        package init(
            eraseAfter: UInt8, graceSeconds: UInt16 = 0, countsUnidentified: Bool = false
        ) {
            self.countsUnidentified = countsUnidentified
            self.eraseAfter = eraseAfter
            self.graceSeconds = graceSeconds
        }
    }

    /// Seals a message.
    /// - Parameters:
    ///   - operation: Its number.
    ///   - passcode: The passcode.
    ///   - settings: For operation 5.
    ///   - nonce: The service's nonce.
    ///   - userID: The user of the passcode.
    ///   - stateDirectory: The directory with the public key.
    /// - Returns: The sealed message.
    /// - Throws: When the key can't be read.
    package static func seal(
        _ operation: UInt8, _ passcode: String, _ settings: Settings? = nil, nonce: [UInt8],
        userID: UInt32, stateDirectory: String
    ) throws -> [UInt8] {
        let bytes = [UInt8](passcode.utf8)
        var plaintext = ByteWriter()
        plaintext.bytes(nonce)
        plaintext.u16(UInt16(bytes.count))
        plaintext.bytes(bytes)
        if let settings {
            plaintext.u8(settings.eraseAfter)
            plaintext.u16(settings.graceSeconds)
            plaintext.u8(settings.countsUnidentified ? 1 : 0)
        }
        var context = ByteWriter()
        context.u8(operation)
        context.u32(userID)
        let key = try Data(
            contentsOf: URL(fileURLWithPath: stateDirectory + "/enclave/passcode.pub"))
        var sender = try HPKE.Sender(
            recipientKey: Curve25519.KeyAgreement.PublicKey(rawRepresentation: key),
            ciphersuite: HPKE.Ciphersuite(
                kem: .Curve25519_HKDF_SHA256, kdf: .HKDF_SHA256, aead: .AES_GCM_256),
            info: Data("llavero passcode 1".utf8))
        let ciphertext = try sender.seal(plaintext.bytes, authenticating: context.bytes)
        return [UInt8](sender.encapsulatedKey) + [UInt8](ciphertext)
    }
}

extension TestService {
    /// Changes the settings of the test's user, as a client would.
    package func configure(_ settings: PasscodeLetter.Settings, passcode: String) throws {
        let connection = try RawConnection(socketPath)
        guard
            case .challenge(let nonce)? = connection.exchange(
                try ClientRequest.challenge.frameBytes()
            ).reply
        else { throw TestFailure("The service gave no nonce.") }
        let configure: UInt8 = 5
        let letter = try PasscodeLetter.seal(
            configure, passcode, settings, nonce: nonce, userID: geteuid(),
            stateDirectory: stateDirectory)
        let request = ClientRequest.passcode(operation: configure, sealed: letter)
        let reply = connection.exchange(try request.frameBytes(sequence: 2)).reply
        guard case .done? = reply else {
            throw TestFailure("The settings weren't taken: \(String(describing: reply))")
        }
    }
}

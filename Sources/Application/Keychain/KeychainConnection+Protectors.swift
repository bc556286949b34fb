// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC
import KeychainVocabulary
public import SecretBytes
public import SecurityWire

/// The protectors of a keybag.
public struct KeychainProtectors: Equatable, Sendable {
    /// In the order in which they were added.
    public var protectors: [KeychainProtector]
    /// Whether no passcode is set, and the protectors alone open the keys.
    public var replacePasscode: Bool
}

/// What a new protector is.
public struct NewProtector: Sendable {
    /// What unlocks.
    public enum Means: Sendable {
        /// A key that a file has.
        case keyFile(ProtectorKey)
        /// A key that a credential of systemd's has.
        case credential(ProtectorKey)
        /// The TPM that has the device key, while these registers have their present values.
        case tpm(registers: Set<Int>)
    }

    /// Its name: 1 to 64 letters, digits, and `.`, `_` and `-`, but not first.
    public var name: String
    /// What unlocks.
    public var means: Means
    /// Whether it leads to the state after the first unlock only.
    public var locksAfterwards = false

    /// Names one.
    public init(name: String, _ means: Means, locksAfterwards: Bool = false) {
        self.name = name
        self.means = means
        self.locksAfterwards = locksAfterwards
    }

    fileprivate var parts: (kind: UInt8, key: Secret?, mask: UInt32) {
        switch means {
        case .keyFile(let key): (2, key.key, 0)
        case .credential(let key): (3, key.key, 0)
        case .tpm(let registers): (4, nil, registers.reduce(0) { $0 | 1 << UInt32($1) })
        }
    }
}

/// What a protector is tested with.
public enum ProtectorProof: Sendable {
    /// Its key.
    case key(ProtectorKey)
    /// The TPM.
    case tpm
}

// Requests about protectors are for the caller's own keybag. Root can name another user's, in the
// service for all users.
extension KeychainConnection {
    /// Lists the protectors.
    /// - Throws: ``FailureReason/administratorNeeded`` for another user's, unless root asks.
    public func protectors(
        ofUser userID: UInt32? = nil
    ) throws(KeychainError) -> KeychainProtectors {
        let reply = try read(.protectors(.list(userID: userID)))
        guard case .protectors(let list, let replace, _) = reply else { throw .unreachable }
        return KeychainProtectors(protectors: list, replacePasscode: replace)
    }

    /// Adds a protector, which unlocks everything but items of the passcode-set class. It needs the
    /// passcode or, before one is set, root; and the device unlocked.
    /// - Parameters:
    ///   - protector: The protector.
    ///   - passcode: The device's; empty when none is set.
    ///   - userID: Whose keybag; nil: the caller's.
    /// - Throws: as ``unlock(passcode:)``; ``FailureReason/nameTaken``;
    ///   ``FailureReason/tooManyProtectors``; ``FailureReason/administratorNeeded``;
    ///   ``FailureReason/wrongState`` for a TPM when the device key is in a file, or when nothing
    ///   else would unlock after its registers have changed.
    public func addProtector(
        _ protector: NewProtector, passcode: borrowing SecretBytes, ofUser userID: UInt32? = nil
    ) throws(KeychainError) {
        let parts = protector.parts
        guard case .tpm(let registers) = protector.means,
            !registers.allSatisfy({ (0..<24).contains($0) })
        else {
            var settings: [UInt8] = [parts.kind, protector.locksAfterwards ? 1 : 0]
            settings.append(littleEndian: parts.mask)
            settings += try Self.sized(protector.name)
            return try sendAboutProtectors(
                .addProtector,
                Letter(
                    values: [
                        Secret(copying: passcode), parts.key ?? Secret(SecretBytes(byteCount: 0)),
                    ], settings: settings), name: protector.name, userID)
        }
        throw KeychainError(status: SecurityStatus.param, reason: .invalidRequest)
    }

    /// Removes a protector; the others stay. It needs the passcode or, where none is set, root.
    /// - Throws: as ``unlock(passcode:)``; ``FailureReason/noSuchProtector``;
    ///   ``FailureReason/lastProtector`` when nothing else unlocks.
    public func removeProtector(
        named name: String, passcode: borrowing SecretBytes, ofUser userID: UInt32? = nil
    ) throws(KeychainError) {
        try sendAboutProtectors(
            .removeProtector,
            Letter(values: [Secret(copying: passcode)], settings: try Self.sized(name)),
            name: name, userID)
    }

    /// Unlocks with a protector's key. It neither counts as a wrong passcode nor resets their count.
    /// - Throws: ``FailureReason/wrongPasscode`` when no protector has this key;
    ///   ``FailureReason/wrongState`` when there is none.
    public func unlock(protectorKey: ProtectorKey) throws(KeychainError) {
        try sendAboutProtectors(
            .unlockByProtector, Letter(values: [protectorKey.key]), name: "", nil)
    }

    /// Finds out whether a protector would unlock; changes nothing.
    /// - Throws: as ``unlock(protectorKey:)``; ``FailureReason/noSuchProtector``;
    ///   ``FailureReason/deviceKeyUnavailable`` when the TPM doesn't open it: it is out of reach,
    ///   or has other registers.
    public func testProtector(
        named name: String, with proof: ProtectorProof, ofUser userID: UInt32? = nil
    ) throws(KeychainError) {
        let key: Secret
        switch proof {
        case .key(let protectorKey): key = protectorKey.key
        case .tpm: key = Secret(SecretBytes(byteCount: 0))
        }
        try sendAboutProtectors(
            .testProtector, Letter(values: [key], settings: try Self.sized(name)), name: name,
            userID)
    }

    /// Removes all protectors of a keybag without a passcode, which root alone can: afterwards
    /// nothing locks it.
    /// - Throws: ``FailureReason/locked``; ``FailureReason/administratorNeeded``.
    public func removeProtection(ofUser userID: UInt32? = nil) throws(KeychainError) {
        let none = Secret(SecretBytes(byteCount: 0))
        try sendAboutProtectors(.remove, Letter(values: [none]), name: "", userID)
    }

    private static func sized(_ name: String) throws(KeychainError) -> [UInt8] {
        guard (1...ProtectorRequest.nameByteCountLimit).contains(name.utf8.count) else {
            throw KeychainError(status: SecurityStatus.param, reason: .invalidRequest)
        }
        return [UInt8(name.utf8.count)] + name.utf8
    }

    /// Carries out an operation of the enclave on a user's keybag.
    func sendAboutProtectors(
        _ operation: PasscodeOperation, _ letter: Letter, name: String, _ userID: UInt32?
    ) throws(KeychainError) {
        guard
            case .protectors(_, _, let nonce) = try read(.protectors(.challenge(userID: userID))),
            nonce.count == 32
        else { throw .unreachable }
        let reply = try once { () throws(KeychainError) in
            .protectors(
                .send(
                    operation: operation.rawValue,
                    sealed: try sealed(operation, letter, nonce, userID: userID ?? geteuid()),
                    name: name, userID: userID))
        }
        guard case .protectors = reply else { throw .unknownOutcome }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials

/// A request about protectors, for the caller's own keybag or, from root, for another user's.
package enum ProtectorRequest: Equatable, Sendable {
    /// The most bytes of a protector's name.
    package static let nameByteCountLimit = 64

    /// List them.
    case list(userID: UInt32?)
    /// Get a nonce for a sealed message.
    case challenge(userID: UInt32?)
    /// Carry out an operation of the enclave; the name is for the audit log.
    case send(operation: UInt8, sealed: [UInt8], name: String, userID: UInt32?)
    /// Root: the account of this number has another name now, and is the same.
    case renameUser(UInt32)

    /// Whose keybag; nil: the caller's.
    package var userID: UInt32? {
        switch self {
        case .list(let userID), .challenge(let userID), .send(_, _, _, let userID): userID
        case .renameUser(let userID): userID
        }
    }
}

/// What unlocks a keybag besides its passcode, as the service lists it.
public struct KeychainProtector: Equatable, Sendable {
    /// What it is.
    public enum Kind: UInt32, CaseIterable, Sendable {
        /// A recovery code.
        case recoveryCode = 1
        /// A key in a file.
        case keyFile = 2
        /// A key in a credential of systemd's.
        case credential = 3
        /// The TPM that has the device key.
        case tpm = 4
    }

    /// What it is.
    public var kind: Kind
    /// Its name.
    public var name: String
    /// Whether it leads to the state after the first unlock, and not to the unlocked one.
    public var locksAfterwards: Bool
    /// The registers of the TPM, 0 to 23, that must keep their values.
    public var boundRegisters: [Int]
    /// When it was added, in seconds since 1970-01-01 00:00:00 UTC.
    public var created: Int64
    /// When it last unlocked; nil: never.
    public var lastUsed: Int64?

    package init(
        kind: Kind, name: String, locksAfterwards: Bool, registerMask: UInt32, created: UInt64,
        lastUsed: UInt64
    ) {
        self.kind = kind
        self.name = name
        self.locksAfterwards = locksAfterwards
        boundRegisters = (0..<24).filter { registerMask & 1 << UInt32($0) != 0 }
        self.created = Int64(clamping: created)
        self.lastUsed = lastUsed == 0 ? nil : Int64(clamping: lastUsed)
    }
}

// MARK: - Coding

extension ProtectorRequest {
    init(_ message: WireProtectorRequest) throws(WireError) {
        let userID = message.hasUserID ? message.userID : nil
        switch message.action {
        case 1: self = .list(userID: userID)
        case 2: self = .challenge(userID: userID)
        case 3:
            guard let operation = UInt8(exactly: message.operation),
                message.sealed.count <= ItemLimits.sealedPasscodeByteCount,
                message.name.utf8.count <= Self.nameByteCountLimit
            else { throw .malformed }
            self = .send(
                operation: operation, sealed: [UInt8](message.sealed), name: message.name,
                userID: userID)
        case 4:
            guard let userID else { throw .malformed }
            self = .renameUser(userID)
        default: throw .malformed
        }
    }

    var message: WireProtectorRequest {
        var message = WireProtectorRequest()
        if let userID { message.userID = userID }
        switch self {
        case .list: message.action = 1
        case .challenge: message.action = 2
        case .send(let operation, let sealed, let name, _):
            message.action = 3
            message.operation = UInt32(operation)
            message.sealed = Data(sealed)
            message.name = name
        case .renameUser: message.action = 4
        }
        return message
    }
}

extension KeychainProtector {
    init(_ entry: WireProtectorEntry) throws(WireError) {
        guard let kind = Kind(rawValue: entry.kind) else { throw .malformed }
        self.init(
            kind: kind, name: entry.name, locksAfterwards: entry.locksAfterwards,
            registerMask: entry.registers, created: entry.created, lastUsed: entry.lastUsed)
    }

    var message: WireProtectorEntry {
        var entry = WireProtectorEntry()
        entry.kind = kind.rawValue
        entry.name = name
        entry.locksAfterwards = locksAfterwards
        entry.registers = boundRegisters.reduce(0) { $0 | 1 << UInt32($1) }
        entry.created = UInt64(clamping: created)
        entry.lastUsed = UInt64(clamping: lastUsed ?? 0)
        return entry
    }
}

extension WireProtectorReply {
    init(_ protectors: [KeychainProtector], hasNoPasscode: Bool) {
        self.init()
        self.protectors = protectors.map(\.message)
        hasNoPasscode_p = hasNoPasscode
    }

    init(nonce: [UInt8]) {
        self.init()
        self.nonce = Data(nonce)
    }
}

extension ReceivedReply {
    /// Decodes the list of protectors, or a nonce.
    static func decodeProtectors(_ content: FrameContent) throws(WireError) -> ReceivedReply {
        let reply: WireProtectorReply = try unsafe content.decoded()
        guard reply.nonce.isEmpty || reply.nonce.count == 32 else { throw .malformed }
        var protectors: [KeychainProtector] = []
        for entry in reply.protectors { protectors.append(try KeychainProtector(entry)) }
        return .protectors(
            protectors, hasNoPasscode: reply.hasNoPasscode_p, nonce: [UInt8](reply.nonce))
    }
}

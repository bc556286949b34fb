// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC

/// What unlocks a keybag besides the passcode; the numbers are used on the wire and on disk.
package enum ProtectorKind: UInt8, CaseIterable, Sendable {
    /// A recovery code: it needs no device key, and its use removes the passcode.
    case recoveryCode = 1
    /// A key in a file.
    case keyFile = 2
    /// A key in a credential of systemd's.
    case credential = 3
    /// A value that the TPM of the device key releases, without a person.
    case tpm = 4
}

/// What is decided when a protector is added.
package struct ProtectorChoice: Hashable, Sendable {
    /// The most bytes of a name.
    package static let nameByteCountLimit = 64
    /// The name under which a recovery code is listed; no other protector has it.
    package static let recoveryCodeName = "recovery-code"

    /// The kind.
    package let kind: ProtectorKind
    /// The name: letters, digits, and `.`, `_` and `-`, but not first.
    package let name: String
    /// Whether it leads to the state after the first unlock, and not to the unlocked one.
    package let locksAfterwards: Bool
    /// For a TPM: the registers that must keep their values.
    package let registers: PlatformRegisters

    /// - Returns: Nil for a name that isn't one, and for registers of another kind than a TPM.
    package init?(
        kind: ProtectorKind, name: String, locksAfterwards: Bool = false,
        registers: PlatformRegisters = .none
    ) {
        guard Self.isName(name), kind == .tpm || registers == .none,
            kind == .recoveryCode || name != Self.recoveryCodeName
        else { return nil }
        self.kind = kind
        self.name = name
        self.locksAfterwards = locksAfterwards
        self.registers = registers
    }

    /// Whether a text can be a protector's name.
    package static func isName(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard (1...nameByteCountLimit).contains(bytes.count) else { return false }
        return bytes.enumerated().allSatisfy { offset, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): offset > 0
            default: false
            }
        }
    }
}

/// A protector, as it is listed.
package struct ListedProtector: Hashable, Sendable {
    /// The most protectors of one keybag.
    package static let countLimit = 16

    /// What was decided when it was added.
    package let choice: ProtectorChoice
    /// When it was added, in seconds since 1970.
    package let created: UInt64
    /// When it last unlocked, in seconds since 1970; 0: never.
    package let lastUsed: UInt64

    /// Combines the parts.
    package init(choice: ProtectorChoice, created: UInt64, lastUsed: UInt64) {
        self.choice = choice
        self.created = created
        self.lastUsed = lastUsed
    }
}

// MARK: - Coding

extension ProtectorChoice {
    private static let locksAfterwardsFlag: UInt8 = 1

    /// u8 kind, u8 flags, u32 registers, u8 byte count and name.
    package init(_ reader: inout ByteReader) throws(DecodingFailure) {
        let kind = ProtectorKind(rawValue: try unsafe reader.u8())
        let flags = try unsafe reader.u8()
        let registers = PlatformRegisters(mask: try unsafe reader.u32())
        let name = try unsafe reader.array(Int(reader.u8()))
        guard let kind, flags <= Self.locksAfterwardsFlag, let registers,
            let choice = ProtectorChoice(
                kind: kind, name: String(decoding: name, as: UTF8.self),
                locksAfterwards: flags == Self.locksAfterwardsFlag, registers: registers)
        else { throw DecodingFailure() }
        self = choice
    }

    /// The same bytes.
    package var bytes: [UInt8] {
        var bytes = [kind.rawValue, locksAfterwards ? Self.locksAfterwardsFlag : 0]
        bytes.append(littleEndian: registers.mask)
        bytes.append(UInt8(truncatingIfNeeded: name.utf8.count))
        return bytes + name.utf8
    }
}

extension ListedProtector {
    static func decodeAll(_ reader: inout ByteReader) throws(DecodingFailure) -> [ListedProtector] {
        let count = try unsafe Int(reader.u8())
        guard count <= countLimit else { throw DecodingFailure() }
        var list: [ListedProtector] = []
        for _ in 0..<count {
            let created = try unsafe reader.u64()
            let lastUsed = try unsafe reader.u64()
            list.append(
                ListedProtector(
                    choice: try unsafe ProtectorChoice(&reader), created: created,
                    lastUsed: lastUsed))
        }
        return list
    }
}

extension MessageBuffer {
    mutating func append(_ protectors: [ListedProtector]) {
        u8(UInt8(truncatingIfNeeded: protectors.count))
        for protector in protectors {
            u64(protector.created)
            u64(protector.lastUsed)
            bytes(protector.choice.bytes)
        }
    }
}

// MARK: - Call

extension EnclaveClient {
    /// The protectors of a user's keybag, in the order in which they were added.
    package mutating func protectors(
        userID: UInt32
    ) throws(EnclaveCallError) -> [ListedProtector] {
        switch try call(.protectors, userID: userID) {
        case .protectors(let protectors): return protectors
        case let reply: throw link.unexpected(reply)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// What must be proven before a secret is used, beside the class key.
///
/// Applications make it from flags, enclaved judges it, and what is between them only passes its
/// bytes on. One value has one encoding, so that a digest of it identifies it.
package struct AccessControl: Hashable, Sendable {
    /// What is done with the secret. The raw values are the encoding's.
    package enum Operation: UInt8, CaseIterable, Sendable {
        /// Read it.
        case decrypt = 1
        /// Store it.
        case encrypt = 2
        /// Delete the item.
        case delete = 3
        /// Sign with it.
        case sign = 4
        /// Agree on a secret with it.
        case computeKey = 5
        /// Decapsulate with it.
        case decapsulate = 6
        /// Attest it.
        case attest = 7
        /// Stands for every operation without an entry of its own.
        case fallback = 8
    }

    /// What an operation demands.
    package indirect enum Constraint: Hashable, Sendable {
        /// The operation is refused.
        case never
        /// The operation is free.
        case always
        /// Biometry or the passcode.
        case owner
        /// The passcode.
        case passcode
        /// Any enrolled biometry.
        case biometry
        /// Biometry as enrolled when the item was stored.
        case enrolledBiometry
        /// A paired device.
        case companion
        /// At least this many of several; 1 ... their number.
        case some(UInt8, of: [Constraint])
    }

    /// The byte count of ``salt``.
    package static let saltByteCount = 32
    /// An encoding is at most this long.
    package static let byteCountLimit = 512
    static let depthLimit = 4
    static let choiceLimit = 16

    /// The number of the protection class.
    package var protectionClass: UInt8
    /// The demand of each operation. Empty: every operation is free.
    package var operations: [Operation: Constraint]
    /// Whether the secret is also sealed under a password of the application.
    package var demandsPassword: Bool
    /// What the password is derived with; enclaved chooses it when it seals. Empty before that, and
    /// without a password.
    package var salt: [UInt8] = []
    /// Which enrolled set of biometry is meant; enclaved says that when it seals. Nil before that,
    /// and where no set is demanded.
    package var enrolment: UInt64?

    /// Combines the parts.
    package init(
        protectionClass: UInt8, operations: [Operation: Constraint], demandsPassword: Bool = false
    ) {
        self.protectionClass = protectionClass
        self.operations = operations
        self.demandsPassword = demandsPassword
    }

    /// Whether it demands nothing beyond the class key.
    package var isTrivial: Bool {
        !demandsPassword && operations.values.allSatisfy { $0 == .always }
            && (operations.isEmpty || operations[.fallback] == .always
                || Operation.ofItems.allSatisfy { operations[$0] == .always })
    }

    /// The constraint of an operation: its own, else the one that stands for all, else nil, which
    /// means refused. Without any entry, every operation is free.
    package func constraint(of operation: Operation) -> Constraint? {
        operations.isEmpty ? .always : operations[operation] ?? operations[.fallback]
    }

    /// Whether it says which enrolled set it demands, if it demands one.
    package var isBound: Bool { demands { $0 == .enrolledBiometry } == (enrolment != nil) }

    /// Whether any operation demands what matches.
    package func demands(_ isMeant: (Constraint) -> Bool) -> Bool {
        operations.values.contains { $0.contains(isMeant) }
    }
}

extension AccessControl.Operation {
    fileprivate static let ofItems: [AccessControl.Operation] = [.decrypt, .encrypt, .delete]
}

extension AccessControl.Constraint {
    func contains(_ isMeant: (AccessControl.Constraint) -> Bool) -> Bool {
        if isMeant(self) { return true }
        guard case .some(_, let choices) = self else { return false }
        return choices.contains { $0.contains(isMeant) }
    }
}

// MARK: - Coding

// u8 1, u8 class, u8 flags (bit 0 password, bit 1 salt, bit 2 set), u8 number of entries, entries in
// ascending order: u8 operation, constraint; then u64 set and 32 bytes of salt, if there are any. A
// constraint is u8 tag; for tag 8 u8 needed, u8 number, constraints. (Documentation/STORAGE.md, "Access controls".)
extension AccessControl {
    private static let version: UInt8 = 1
    private static let passwordFlag: UInt8 = 1
    private static let saltFlag: UInt8 = 2
    private static let enrolmentFlag: UInt8 = 4
    private static let enrolmentByteCount = 8

    /// The only encoding of this value.
    package var encoded: [UInt8] {
        var flags: UInt8 = demandsPassword ? Self.passwordFlag : 0
        if !salt.isEmpty { flags |= Self.saltFlag }
        if enrolment != nil { flags |= Self.enrolmentFlag }
        var bytes = [
            Self.version, protectionClass, flags, UInt8(truncatingIfNeeded: operations.count),
        ]
        for (operation, constraint) in operations.sorted(by: { $0.key.rawValue < $1.key.rawValue })
        {
            bytes.append(operation.rawValue)
            constraint.append(to: &bytes)
        }
        if let enrolment {
            for index in 0..<UInt64(Self.enrolmentByteCount) {
                bytes.append(UInt8(truncatingIfNeeded: enrolment >> (8 * index)))
            }
        }
        return bytes + salt
    }

    /// Reads an encoding.
    /// - Returns: Nil for anything that ``encoded`` doesn't produce.
    package init?(decoding bytes: some Sequence<UInt8>) {
        var rest = Array(bytes)[...]
        guard rest.count <= Self.byteCountLimit, rest.popFirst() == Self.version,
            let protectionClass = rest.popFirst(), let flags = rest.popFirst(),
            flags & ~(Self.passwordFlag | Self.saltFlag | Self.enrolmentFlag) == 0,
            let count = rest.popFirst()
        else { return nil }
        var operations: [Operation: Constraint] = [:]
        var last: UInt8 = 0
        for _ in 0..<count {
            guard let number = rest.popFirst(), number > last,
                let operation = Operation(rawValue: number),
                let constraint = Constraint(takingFrom: &rest, depth: 0)
            else { return nil }
            last = number
            operations[operation] = constraint
        }
        self.init(
            protectionClass: protectionClass, operations: operations,
            demandsPassword: flags & Self.passwordFlag != 0)
        if flags & Self.enrolmentFlag != 0 {
            guard rest.count >= Self.enrolmentByteCount else { return nil }
            enrolment = rest.prefix(Self.enrolmentByteCount).reversed().reduce(0) {
                $0 << 8 | UInt64($1)
            }
            rest = rest.dropFirst(Self.enrolmentByteCount)
        }
        guard flags & Self.saltFlag != 0 else {
            guard rest.isEmpty else { return nil }
            return
        }
        guard demandsPassword, rest.count == Self.saltByteCount else { return nil }
        salt = Array(rest)
    }
}

extension AccessControl.Constraint {
    private static let someTag: UInt8 = 8

    fileprivate func append(to bytes: inout [UInt8]) {
        switch self {
        case .never: bytes.append(1)
        case .always: bytes.append(2)
        case .owner: bytes.append(3)
        case .passcode: bytes.append(4)
        case .biometry: bytes.append(5)
        case .enrolledBiometry: bytes.append(6)
        case .companion: bytes.append(7)
        case .some(let needed, let choices):
            bytes += [Self.someTag, needed, UInt8(truncatingIfNeeded: choices.count)]
            for choice in choices { choice.append(to: &bytes) }
        }
    }

    fileprivate init?(takingFrom bytes: inout ArraySlice<UInt8>, depth: Int) {
        switch bytes.popFirst() {
        case 1: self = .never
        case 2: self = .always
        case 3: self = .owner
        case 4: self = .passcode
        case 5: self = .biometry
        case 6: self = .enrolledBiometry
        case 7: self = .companion
        case Self.someTag:
            guard depth < AccessControl.depthLimit, let needed = bytes.popFirst(),
                let count = bytes.popFirst(), Int(count) <= AccessControl.choiceLimit,
                needed >= 1, needed <= count
            else { return nil }
            var choices: [AccessControl.Constraint] = []
            for _ in 0..<count {
                guard
                    let choice = AccessControl.Constraint(takingFrom: &bytes, depth: depth + 1)
                else { return nil }
                choices.append(choice)
            }
            self = .some(needed, of: choices)
        case _: return nil
        }
    }
}

// MARK: - Text

extension AccessControl {
    /// As text, in the form of Apple's debug output: `ak;od(cpo(DeviceOwnerAuthentication));…`.
    package func text(classCode: String) -> String {
        var parts = [classCode]
        for (operation, constraint) in operations.sorted(by: { $0.key.code < $1.key.code }) {
            parts.append("\(operation.code)(\(constraint.text))")
        }
        if demandsPassword { parts.append("prp(true)") }
        return parts.joined(separator: ";")
    }
}

extension AccessControl.Operation {
    fileprivate var code: String {
        switch self {
        case .decrypt: "od"
        case .encrypt: "oe"
        case .delete: "odel"
        case .sign: "osgn"
        case .computeKey: "ock"
        case .decapsulate: "okd"
        case .attest: "oa"
        case .fallback: "dacl"
        }
    }
}

extension AccessControl.Constraint {
    fileprivate var text: String {
        switch self {
        case .never: "false"
        case .always: "true"
        case .owner: "cpo(DeviceOwnerAuthentication)"
        case .passcode: "cup(true)"
        case .biometry: "cbio(pbioc)"
        case .enrolledBiometry: "cbio(pbioc,pbioh)"
        case .companion: "cwtch(true)"
        case .some(let needed, let choices):
            "ckofn(\(choices.map(\.text).joined(separator: ",")),pkofn(\(needed)))"
        }
    }
}

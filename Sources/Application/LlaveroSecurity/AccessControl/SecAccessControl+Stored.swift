// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import KeychainVocabulary
import SecurityWire

// An access control in the form that items are stored with. The table of operations of each
// combination of flags is Apple's, as observed.
extension SecAccessControl {
    /// The stored form.
    /// - Returns: Nil when the accessibility isn't one that items can have.
    var stored: AccessControl? {
        guard let accessibility = accessibilityCode.flatMap({ Accessibility(code: $0) }) else {
            return nil
        }
        let operations = operations ?? .unconstrained
        return AccessControl(
            protectionClass: accessibility.rawValue, operations: operations.table,
            demandsPassword: operations.demandsPassword)
    }

    /// The access control of a stored item.
    convenience init?(_ stored: AccessControl) {
        guard let accessibility = Accessibility(rawValue: stored.protectionClass) else {
            return nil
        }
        self.init(
            protection: NSString(string: accessibility.code), operations: Operations(stored))
    }
}

extension SecAccessControl.Operations {
    var demandsPassword: Bool {
        switch self {
        case .unconstrained: false
        case .password: true
        case .reading(_, let password), .keyUse(_, let password): password
        case .other(let control): control.demandsPassword
        }
    }

    /// The demand of each operation.
    var table: [AccessControl.Operation: AccessControl.Constraint] {
        switch self {
        case .unconstrained, .password: return [.fallback: .always]
        case .reading(let constraint, _):
            return [.decrypt: constraint.stored, .encrypt: .always, .delete: .always]
        case .keyUse(let constraint, _):
            let use = constraint?.stored ?? .always
            return [
                .sign: use, .computeKey: use, .decapsulate: use, .attest: .always,
                .delete: .always,
            ]
        case .other(let control): return control.operations
        }
    }

    init(_ stored: AccessControl) {
        let candidates: [SecAccessControl.Operations] =
            [.unconstrained, .password]
            + SecAccessControl.Constraint.all(in: stored).flatMap {
                constraint -> [SecAccessControl.Operations] in
                [
                    .reading(constraint, password: stored.demandsPassword),
                    .keyUse(constraint, password: stored.demandsPassword),
                ]
            } + [.keyUse(nil, password: stored.demandsPassword)]
        let same = candidates.first {
            $0.table == stored.operations && $0.demandsPassword == stored.demandsPassword
        }
        var unsalted = stored
        unsalted.salt = []
        unsalted.enrolment = nil
        self = same ?? .other(unsalted)
    }
}

extension SecAccessControl.Constraint {
    private static let leaves: [(SecAccessControlCreateFlags, AccessControl.Constraint)] = [
        (.userPresence, .owner), (.biometryAny, .biometry),
        (.biometryCurrentSet, .enrolledBiometry), (.devicePasscode, .passcode),
        (.companion, .companion),
    ]

    var stored: AccessControl.Constraint {
        let flags = SecAccessControlCreateFlags(rawValue: proofs)
        let choices = Self.leaves.filter { flags.contains($0.0) }.map(\.1)
        guard choices.count > 1, let needed = UInt8(exactly: needed) else {
            return choices.first ?? .never
        }
        return .some(needed, of: choices)
    }

    /// Each constraint of a stored access control that flags can say.
    static func all(in control: AccessControl) -> [SecAccessControl.Constraint] {
        control.operations.values.compactMap { constraint in
            let (needed, choices) =
                if case .some(let needed, let choices) = constraint {
                    (Int(needed), choices)
                } else { (1, [constraint]) }
            var flags: SecAccessControlCreateFlags = []
            for choice in choices {
                guard let leaf = leaves.first(where: { $0.1 == choice }) else { return nil }
                flags.insert(leaf.0)
            }
            return SecAccessControl.Constraint(proofs: flags.rawValue, needed: needed)
        }
    }
}

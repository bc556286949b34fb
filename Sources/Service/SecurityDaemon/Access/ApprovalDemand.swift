// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
package import EnclaveWire
import ItemStore
package import KeychainVocabulary
import SecretBytes
import SecurityWire

/// What must be proven before a request can be carried out.
package struct ApprovalDemand: Equatable, Sendable {
    /// The operation.
    package let operation: AccessControl.Operation
    /// The items; of more than a question can name, the first.
    package let subjects: [AccessSubject]
    /// Whether the person must approve; else a password of the application is missing.
    package let needsPerson: Bool
    /// How the person can.
    package let ways: PersonWays
}

/// Gathers what the rows of a request demand.
struct GuardedRows {
    private var waiting: [AccessSubject] = []
    private var controls: [AccessControl] = []
    private var lacksPassword = false

    /// Notes a row that can't be used yet.
    /// - Returns: Whether the error means that.
    mutating func note(_ error: EnclaveCallError, _ item: SealedItem) -> Bool {
        note(error, GuardedFields(item.secret))
    }

    /// The same, for anything that is sealed.
    mutating func note(_ error: EnclaveCallError, _ fields: GuardedFields?) -> Bool {
        switch error {
        case .personNeeded:
            if let fields, let subject = fields.subject,
                waiting.count < AccessQuestion.subjectLimit
            {
                waiting.append(subject)
                if let control = AccessControl(decoding: fields.control) {
                    controls.append(control)
                }
            }
        case .passwordNeeded: lacksPassword = true
        case _: return false
        }
        return true
    }

    /// The demand of all rows; nil if there is none.
    func demand(_ operation: AccessControl.Operation) -> ApprovalDemand? {
        guard !waiting.isEmpty || lacksPassword else { return nil }
        let ways = controls.reduce(into: PersonWays()) {
            $0.formUnion(PersonWays($1.constraint(of: operation)))
        }
        return ApprovalDemand(
            operation: operation, subjects: waiting, needsPerson: !waiting.isEmpty, ways: ways)
    }
}

/// The clear fields of what is sealed under an access control. enclaved judges it; here they only
/// say what to ask for. They are proven only by opening it.
struct GuardedFields {
    private static let format: UInt8 = 2
    private static let controlOffset = 4 + AccessSubject.uuidByteCount

    /// The encoded access control.
    let control: [UInt8]
    private let uuid: [UInt8]

    /// Whether something is sealed under an access control.
    static func isGuarded(_ sealed: [UInt8]) -> Bool { sealed.first == format }

    init?(_ sealed: [UInt8]) {
        guard Self.isGuarded(sealed), sealed.count > Self.controlOffset else { return nil }
        let end = Self.controlOffset + (Int(sealed[2]) | Int(sealed[3]) << 8)
        guard sealed.count >= end else { return nil }
        control = Array(sealed[Self.controlOffset..<end])
        uuid = Array(sealed[4..<Self.controlOffset])
    }

    /// What a person is asked for.
    var subject: AccessSubject? {
        AccessSubject(uuid: uuid, controlDigest: Array(SHA256.hash(data: control)))
    }
}

extension SealedItem {
    /// Whether the secret is sealed under an access control.
    var isGuarded: Bool { GuardedFields.isGuarded(secret) }

    /// The encoded access control.
    var encodedAccessControl: [UInt8]? { GuardedFields(secret)?.control }
}

extension ItemAccess {
    /// The scope for enclaved; of a request without a context, one that nothing was proven in.
    var scope: AccessScope? {
        let given = context.isEmpty ? Self.random() : context
        let presenter =
            origin.isEmpty ? [UInt8](repeating: 0, count: AccessScope.byteCount) : origin
        return AccessScope(context: given, origin: presenter)
    }

    private static func random() -> [UInt8] {
        unsafe SecretBytes.random(byteCount: AccessScope.byteCount).withUnsafeBytes {
            unsafe [UInt8]($0)
        }
    }
}

// MARK: - Calls

extension ItemKeys {
    /// Asks the enclave to open the secrets of guarded rows.
    /// - Returns: For each name the secret, or why there is none.
    func openGuarded<Name>(
        _ rows: [NamedSecret<Name>], _ access: ItemAccess, userID: UInt32
    ) throws(DaemonError) -> [(name: Name, secret: Result<Secret, EnclaveCallError>)] {
        guard let scope = access.scope else { throw .invalidRequest }
        return try openNamed(rows) { (batch) throws(EnclaveCallError) in
            try enclave.open(batch, under: scope, userID: userID)
        } secret: {
            $0
        }
    }

    /// - Throws: ``DaemonError/approvalNeeded(_:)`` unless an operation on a guarded row is allowed.
    func demandAccess(
        to item: SealedItem, for operation: AccessControl.Operation, _ access: ItemAccess
    ) throws(DaemonError) {
        guard item.isGuarded else { return }
        guard let sealed = SealedSecret(item), let scope = access.scope else {
            throw .invalidRequest
        }
        let verdicts: [EnclaveCallError?]
        do {
            verdicts = try enclave.judge(
                operation, [sealed], under: scope, userID: item.userID)
        } catch { throw DaemonError(error) }
        if case let verdict?? = verdicts.first {
            throw Self.failure(verdict, item, operation)
        }
    }

    /// The error of a guarded row: what it demands, or that it can't be used.
    static func failure(
        _ error: EnclaveCallError, _ item: SealedItem, _ operation: AccessControl.Operation
    ) -> DaemonError {
        failure(error, GuardedFields(item.secret), operation)
    }

    /// The same, for anything that is sealed.
    static func failure(
        _ error: EnclaveCallError, _ fields: GuardedFields?,
        _ operation: AccessControl.Operation
    ) -> DaemonError {
        var rows = GuardedRows()
        guard rows.note(error, fields), let demand = rows.demand(operation) else {
            return DaemonError(error)
        }
        return .approvalNeeded(demand)
    }
}

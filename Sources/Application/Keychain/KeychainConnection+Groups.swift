// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import SecretBytes
public import SecurityWire

extension KeychainConnection {
    /// Reports which of these entitlements the service honors: those of this program's signature,
    /// as far as its provisioning profile allows. An unsigned program has none.
    /// - Returns: The values of those that the program has.
    public func entitlements(
        _ names: [String]
    ) throws(KeychainError) -> [String: EntitlementValue] {
        var values: [String: EntitlementValue] = [:]
        var rest = names[...]
        while !rest.isEmpty {
            let some = rest.prefix(IdentityLimits.entitlementCount)
            rest = rest.dropFirst(some.count)
            let reply = try read(.entitlements(Array(some)))
            guard case .entitlements(let found) = reply else { throw .unreachable }
            values.merge(found) { $1 }
        }
        return values
    }

    /// Moves every item of one access group to another, in one transaction. The caller must hold
    /// both groups.
    /// - Returns: The number of items; 0 when the reply was lost and only the outcome is known.
    /// - Throws: ``FailureReason/absent`` when the group has no items; ``FailureReason/duplicate``
    ///   when an item of the other group has the primary key that a moved one would get;
    ///   ``FailureReason/locked``; ``FailureReason/denied`` when a group isn't the caller's;
    ///   ``FailureReason/unimplemented`` when one is a key of the enclave, which stays in the group
    ///   that it was made for.
    @discardableResult
    public func moveItems(
        from source: String, to target: String,
        itemClasses: [ItemClass] = [.genericPassword, .internetPassword, .certificate, .key]
    ) throws(KeychainError) -> UInt64 {
        let move = ItemMove(from: source, to: target, itemClasses: itemClasses)
        return try write { .move(move, $0) }.count
    }

    /// Opens an access group that this program doesn't hold, for this connection, and unlocks the
    /// device. The audit log records the group's name. The group closes when the connection is
    /// lost.
    /// - Throws: As ``unlock(passcode:)``; ``FailureReason/denied`` for a group that no program can
    ///   hold.
    public func openGroup(
        _ group: String, passcode: borrowing SecretBytes
    ) throws(KeychainError) {
        let passcode = Secret(copying: passcode)
        let reply = try once { () throws(KeychainError) in
            .openGroup(group, sealed: try sealedUnlock(passcode))
        }
        guard case .done = reply else { throw .unknownOutcome }
    }
}

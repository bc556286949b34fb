// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import SecurityWire

// What a program asks about the device and itself.
extension KeychainConnection {
    /// What protects the keychain now.
    public func deviceStatus() throws(KeychainError) -> DeviceStatus {
        try deviceStatus(CallBounds())
    }

    func deviceStatus(_ bounds: CallBounds) throws(KeychainError) -> DeviceStatus {
        let reply = try read(.deviceStatus, deadline: Self.readDeadline, bounds)
        guard case .deviceStatus(let report) = reply,
            let status = DeviceStatus(report)
        else { throw .unreachable }
        return status
    }

    /// The identity that the service assigned to this program, and what it may therefore see.
    public func callerIdentity() throws(KeychainError) -> CallerIdentity {
        try callerIdentity(CallBounds())
    }

    func callerIdentity(_ bounds: CallBounds) throws(KeychainError) -> CallerIdentity {
        guard case .identity(let identity) = try read(.identity, bounds) else {
            throw .unreachable
        }
        return identity
    }
}

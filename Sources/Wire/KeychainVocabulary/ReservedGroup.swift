// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Access groups that no program holds: securityd has rules of their own for who reads and writes
/// them (Documentation/PROTOCOL.md, "Groups of the machine").
package enum ReservedGroup: String, CaseIterable, Sendable {
    /// A user's trust settings. Every program of the user reads them.
    case userTrust = "trust:user"
    /// The machine's trust settings. Every program reads them.
    case machineTrust = "trust:machine"
    /// The System keychain. Every program reads its certificates.
    case machineKeychain = "keychain:machine"
    /// What securityd knows of a user's keychains. No request of a program reaches it.
    case keychains = "keychains:user"

    /// Whether its rows are the machine's and not a user's.
    package var isOfMachine: Bool { self == .machineTrust || self == .machineKeychain }
}

/// The keybag of the machine in the service of all its users: the device key alone protects it, and it
/// never has a passcode.
package enum MachineKeybag {
    /// In place of a user's number: no user has this one.
    package static let userID = UInt32.max
}

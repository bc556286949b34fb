// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import Foundation
import LlaveroSecurity

/// What a right demands of the person.
public struct LAAuthenticationRequirement: Hashable, Sendable {
    let policy: LAPolicy
    let flags: CFOptionFlags

    /// The device's owner, by biometry or passcode.
    public static let `default` = LAAuthenticationRequirement(
        policy: .deviceOwnerAuthentication, flags: .userPresence)
    /// Biometry.
    public static let biometry = LAAuthenticationRequirement(
        policy: .deviceOwnerAuthenticationWithBiometrics, flags: .biometryAny)
    /// Biometry as enrolled when the right was saved.
    public static let biometryCurrentSet = LAAuthenticationRequirement(
        policy: .deviceOwnerAuthenticationWithBiometrics, flags: .biometryCurrentSet)

    /// Biometry, or what stands in for it.
    public static func biometry(
        fallback: LABiometryFallbackRequirement
    ) -> LAAuthenticationRequirement { .default }

    private init(policy: LAPolicy, flags: SecAccessControlCreateFlags) {
        self.policy = policy
        self.flags = flags.rawValue
    }

    /// The access control of what a right guards.
    func control(_ added: SecAccessControlCreateFlags = []) -> SecAccessControl? {
        SecAccessControlCreateWithFlags(
            nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
            SecAccessControlCreateFlags(rawValue: flags).union(added), nil)
    }
}

/// What stands in for biometry.
public enum LABiometryFallbackRequirement: Hashable, Sendable {
    /// The passcode.
    case devicePasscode

    /// The passcode.
    public static let `default` = LABiometryFallbackRequirement.devicePasscode
}

/// Something that a program does only for the device's owner.
///
/// A right that isn't saved guards nothing itself: it is a question to the person. A saved one
/// (``LAPersistedRight``) has a key and a secret, which enclaved opens only after an approval.
open class LARight: NSObject {
    /// Whether the person has agreed.
    public enum State: Int, Sendable {
        /// Nobody was asked.
        case unknown = 0
        /// The person is asked.
        case authorizing = 1
        /// The person has agreed.
        case authorized = 2
        /// The person hasn't agreed, or the right was given back.
        case notAuthorized = 3
    }

    /// Whether the person has agreed.
    public private(set) var state: State = .unknown
    /// A number of the program's own.
    public var tag = 0
    /// What is demanded.
    let requirement: LAAuthenticationRequirement
    /// In which the person agrees.
    private(set) var context = LAContext()

    /// A right that demands the device's owner.
    override public convenience init() { self.init(requirement: .default) }

    /// A right.
    /// - Parameter requirement: What it demands.
    public init(requirement: LAAuthenticationRequirement) {
        self.requirement = requirement
        super.init()
    }

    /// Asks the person.
    /// - Parameter localizedReason: The reason that is shown.
    /// - Throws: ``LAError``: why the person hasn't agreed.
    open func authorize(localizedReason: String) async throws {
        if state == .authorized { return }
        state = .authorizing
        context.localizedReason = localizedReason
        do {
            try await prove(localizedReason)
            state = .authorized
        } catch {
            state = .notAuthorized
            throw error
        }
    }

    /// Whether asking may succeed.
    /// - Throws: ``LAError``: why not.
    open func checkCanAuthorize() async throws {
        var error: NSError?
        guard unsafe context.canEvaluatePolicy(requirement.policy, error: &error) else {
            throw error.map { LAError(_nsError: $0) } ?? LAError.make(.notInteractive)
        }
    }

    /// Gives the right back: what the person agreed to is over.
    open func deauthorize() async {
        context.invalidate()
        context = LAContext()
        state = .notAuthorized
    }

    func prove(_ reason: String) async throws {
        _ = try await context.evaluatePolicy(requirement.policy, localizedReason: reason)
    }
}

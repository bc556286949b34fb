// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Dispatch
@_exported public import Foundation
import Keychain
public import LlaveroSecurity
import Synchronization

/// Authenticates the device's owner.
///
/// There is no biometry here, and no dialog that asks for the passcode on an application's behalf.
/// So every evaluation fails with the reason, and an application behaves as on a device without
/// biometry. The context never reports an authentication that didn't happen.
open class LAContext: NSObject {
    private struct State {
        var isInvalidated = false
        var credentials: Set<LACredentialType> = []
        var localizedFallbackTitle: String?
        var localizedCancelTitle: String?
        var localizedReason = ""
        var reuseDuration: TimeInterval = 0
        var interactionNotAllowed = false
        var maxBiometryFailures: Int?
    }

    private let state = Mutex(State())

    /// A context in which nothing has been proven.
    override public init() { super.init() }

    // MARK: - Settings

    /// The title of the button for another method.
    open var localizedFallbackTitle: String? {
        get { state.withLock { $0.localizedFallbackTitle } }
        set { state.withLock { $0.localizedFallbackTitle = newValue } }
    }

    /// The title of the button to cancel.
    open var localizedCancelTitle: String? {
        get { state.withLock { $0.localizedCancelTitle } }
        set { state.withLock { $0.localizedCancelTitle = newValue } }
    }

    /// The reason that the keychain's own dialogs show to the owner.
    open var localizedReason: String {
        get { state.withLock { $0.localizedReason } }
        set { state.withLock { $0.localizedReason = newValue } }
    }

    /// For how many seconds after an unlock of the device no authentication is needed; at most
    /// ``LATouchIDAuthenticationMaximumAllowableReuseDuration``. It has no effect here: there is no
    /// biometric unlock.
    open var touchIDAuthenticationAllowableReuseDuration: TimeInterval {
        get { state.withLock { $0.reuseDuration } }
        set {
            let most = LATouchIDAuthenticationMaximumAllowableReuseDuration
            let seconds = newValue.isNaN ? 0 : min(max(newValue, 0), most)
            state.withLock { $0.reuseDuration = seconds }
        }
    }

    /// Whether dialogs are forbidden.
    open var interactionNotAllowed: Bool {
        get { state.withLock { $0.interactionNotAllowed } }
        set { state.withLock { $0.interactionNotAllowed = newValue } }
    }

    /// How many failures of biometry are allowed. It has no effect, as in recent versions of
    /// Apple's systems.
    open var maxBiometryFailures: NSNumber? {
        get { state.withLock { $0.maxBiometryFailures }.map { NSNumber(value: $0) } }
        set {
            let count = newValue?.intValue
            state.withLock { $0.maxBiometryFailures = count }
        }
    }

    /// The kind of biometry: none.
    open var biometryType: LABiometryType { .none }

    /// A digest of the enrolled biometry; nil, since there is none.
    open var evaluatedPolicyDomainState: Data? { nil }

    // MARK: - Evaluation

    /// Whether an evaluation could succeed now.
    /// - Parameters:
    ///   - policy: The policy to satisfy.
    ///   - error: Set to the reason.
    /// - Returns: False.
    open func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool {
        if let error = unsafe error {
            unsafe error.pointee = LAError.make(obstacle(to: policy))._nsError
        }
        return false
    }

    /// Authenticates the owner.
    /// - Parameters:
    ///   - policy: The policy to satisfy.
    ///   - localizedReason: The reason shown to the owner.
    ///   - reply: Called on a separate queue, with false and the reason.
    open func evaluatePolicy(
        _ policy: LAPolicy, localizedReason: String,
        reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let code = obstacle(to: policy)
        Self.queue.async { reply(false, LAError.make(code)) }
    }

    /// Authenticates the owner.
    /// - Returns: Never.
    /// - Throws: Why no one was authenticated.
    open func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool {
        throw LAError.make(obstacle(to: policy))
    }

    /// Satisfies an access control.
    /// - Parameters:
    ///   - accessControl: The access control.
    ///   - operation: The intended operation on the protected item.
    ///   - localizedReason: The reason shown to the owner.
    ///   - reply: Called on a separate queue: with true for an access control without requirements,
    ///     else with false and the reason.
    open func evaluateAccessControl(
        _ accessControl: SecAccessControl, operation: LAAccessControlOperation,
        localizedReason: String, reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let code = obstacle(to: accessControl)
        Self.queue.async { reply(code == nil, code.map { LAError.make($0) }) }
    }

    /// Satisfies an access control.
    /// - Returns: True for an access control without requirements.
    /// - Throws: Why it isn't satisfied.
    open func evaluateAccessControl(
        _ accessControl: SecAccessControl, operation: LAAccessControlOperation,
        localizedReason: String
    ) async throws -> Bool {
        if let code = obstacle(to: accessControl) { throw LAError.make(code) }
        return true
    }

    /// Ends the context: no authentication succeeds in it any more, and it wipes its credentials.
    open func invalidate() {
        state.withLock { state in
            state.isInvalidated = true
            state.credentials = []
        }
    }

    // MARK: - Credentials

    /// Sets a credential, or removes it.
    ///
    /// No operation can use one yet: the context remembers that one was set, but doesn't keep the
    /// credential itself.
    /// - Parameters:
    ///   - credential: Nil removes it.
    ///   - type: The kind of credential.
    /// - Returns: Whether it is accepted: not in a context that has ended, and never the number of
    ///   a smart card.
    @discardableResult
    open func setCredential(_ credential: Data?, type: LACredentialType) -> Bool {
        state.withLock { state in
            guard !state.isInvalidated, type == .applicationPassword else { return false }
            if credential == nil {
                state.credentials.remove(type)
            } else {
                state.credentials.insert(type)
            }
            return true
        }
    }

    /// Whether a credential has been set.
    open func isCredentialSet(_ type: LACredentialType) -> Bool {
        state.withLock { $0.credentials.contains(type) }
    }

    // MARK: - Reasons

    private static let queue = DispatchQueue(label: "llavero.local-authentication")

    /// Why a policy can't be satisfied: there always is a reason.
    private func obstacle(to policy: LAPolicy) -> LAError.Code {
        if state.withLock({ $0.isInvalidated }) { return .invalidContext }
        switch policy {
        case .deviceOwnerAuthenticationWithBiometrics,
            .deviceOwnerAuthenticationWithBiometricsOrCompanion:
            return .biometryNotAvailable
        case .deviceOwnerAuthenticationWithCompanion: return .companionNotAvailable
        case .deviceOwnerAuthentication:
            return Self.hasNoPasscode ? .passcodeNotSet : .notInteractive
        }
    }

    private func obstacle(to accessControl: SecAccessControl) -> LAError.Code? {
        if state.withLock({ $0.isInvalidated }) { return .invalidContext }
        if accessControl.asksForNothing { return nil }
        return Self.hasNoPasscode ? .passcodeNotSet : .notInteractive
    }

    /// Whether it is certain that no passcode is set. False if the service doesn't reply.
    private static var hasNoPasscode: Bool {
        do throws(KeychainError) {
            return try connection.deviceStatus().passcodeSet == false
        } catch { return false }
    }

    private static let connection = KeychainConnection()
}

extension LAContext: AuthenticationContext {
    /// Whether ``invalidate()`` was called.
    package var isInvalidated: Bool { state.withLock { $0.isInvalidated } }
}

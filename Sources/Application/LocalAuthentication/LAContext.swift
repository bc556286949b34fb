// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Dispatch
@_exported public import Foundation
import Keychain
public import LlaveroSecurity
import Synchronization

/// A way to have the device's owner authenticated.
///
/// There is no biometry here and nobody who asks for the passcode on an application's behalf, so
/// that every evaluation fails, and says why: an application takes the way that it takes on such a
/// device. Never is anybody said to be authenticated who isn't.
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

    /// What the button for another way says.
    open var localizedFallbackTitle: String? {
        get { state.withLock { $0.localizedFallbackTitle } }
        set { state.withLock { $0.localizedFallbackTitle = newValue } }
    }

    /// What the button to cancel says.
    open var localizedCancelTitle: String? {
        get { state.withLock { $0.localizedCancelTitle } }
        set { state.withLock { $0.localizedCancelTitle = newValue } }
    }

    /// Why the owner is asked, in questions that the keychain asks.
    open var localizedReason: String {
        get { state.withLock { $0.localizedReason } }
        set { state.withLock { $0.localizedReason = newValue } }
    }

    /// For how many seconds an unlock of the device counts; at most
    /// ``LATouchIDAuthenticationMaximumAllowableReuseDuration``, and here never: there is no
    /// biometric unlock.
    open var touchIDAuthenticationAllowableReuseDuration: TimeInterval {
        get { state.withLock { $0.reuseDuration } }
        set {
            let most = LATouchIDAuthenticationMaximumAllowableReuseDuration
            let seconds = newValue.isNaN ? 0 : min(max(newValue, 0), most)
            state.withLock { $0.reuseDuration = seconds }
        }
    }

    /// Whether the owner must not be asked.
    open var interactionNotAllowed: Bool {
        get { state.withLock { $0.interactionNotAllowed } }
        set { state.withLock { $0.interactionNotAllowed = newValue } }
    }

    /// How many failures of biometry are borne. Without effect, as on Apple's systems of late.
    open var maxBiometryFailures: NSNumber? {
        get { state.withLock { $0.maxBiometryFailures }.map { NSNumber(value: $0) } }
        set {
            let count = newValue?.intValue
            state.withLock { $0.maxBiometryFailures = count }
        }
    }

    /// What biometry there is: none.
    open var biometryType: LABiometryType { .none }

    /// A digest of who has enrolled; nil, since nobody can.
    open var evaluatedPolicyDomainState: Data? { nil }

    // MARK: - Evaluation

    /// Whether an evaluation could succeed now.
    /// - Parameters:
    ///   - policy: What is to be proven.
    ///   - error: Set to why it couldn't.
    /// - Returns: False.
    open func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool {
        if let error = unsafe error {
            unsafe error.pointee = LAError.make(obstacle(to: policy))._nsError
        }
        return false
    }

    /// Has the owner authenticated.
    /// - Parameters:
    ///   - policy: What is to be proven.
    ///   - localizedReason: What the owner is told.
    ///   - reply: Called on a queue of its own, with false and why.
    open func evaluatePolicy(
        _ policy: LAPolicy, localizedReason: String,
        reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let code = obstacle(to: policy)
        Self.queue.async { reply(false, LAError.make(code)) }
    }

    /// Has the owner authenticated.
    /// - Returns: Never.
    /// - Throws: Why nobody is.
    open func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool {
        throw LAError.make(obstacle(to: policy))
    }

    /// Has proven what an access control asks for.
    /// - Parameters:
    ///   - accessControl: The access control.
    ///   - operation: What is to be done with what it guards.
    ///   - localizedReason: What the owner is told.
    ///   - reply: Called on a queue of its own: with true for an access control that asks for
    ///     nothing, else with false and why.
    open func evaluateAccessControl(
        _ accessControl: SecAccessControl, operation: LAAccessControlOperation,
        localizedReason: String, reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let code = obstacle(to: accessControl)
        Self.queue.async { reply(code == nil, code.map { LAError.make($0) }) }
    }

    /// Has proven what an access control asks for.
    /// - Returns: True for an access control that asks for nothing.
    /// - Throws: Why it isn't proven.
    open func evaluateAccessControl(
        _ accessControl: SecAccessControl, operation: LAAccessControlOperation,
        localizedReason: String
    ) async throws -> Bool {
        if let code = obstacle(to: accessControl) { throw LAError.make(code) }
        return true
    }

    /// Ends the context: nothing is proven in it any more, and credentials are forgotten.
    open func invalidate() {
        state.withLock { state in
            state.isInvalidated = true
            state.credentials = []
        }
    }

    // MARK: - Credentials

    /// Gives a credential, or takes it back.
    ///
    /// Nothing can use one yet; that there is one is remembered, the credential itself is not kept.
    /// - Parameters:
    ///   - credential: Nil takes it back.
    ///   - type: What it is.
    /// - Returns: Whether it is taken: not in a context that has ended, and no number of a smart
    ///   card.
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

    /// Whether a credential has been given.
    open func isCredentialSet(_ type: LACredentialType) -> Bool {
        state.withLock { $0.credentials.contains(type) }
    }

    // MARK: - Why not

    private static let queue = DispatchQueue(label: "llavero.local-authentication")

    /// What keeps a policy from being satisfied: there always is something.
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

    /// Whether it is certain that no passcode is set. A service that doesn't answer tells nothing.
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

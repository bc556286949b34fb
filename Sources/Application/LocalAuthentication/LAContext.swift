// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Dispatch
@_exported public import Foundation
package import Keychain
public import LlaveroSecurity
import SecretBytes
import Synchronization

/// Authenticates the device's owner.
///
/// The passcode is asked for by the agent of the person's session. Fingerprints count where the owner
/// has accepted that nothing proves them to the keychain (``biometryStrength``). The context never
/// reports an authentication that didn't happen.
///
/// An item with an access control is asked for when it is used, and then not again with the same
/// context. An evaluation of a policy opens no item: an approval names the item that it is for.
open class LAContext: NSObject {
    private struct State {
        var hasPassword = false
        var localizedFallbackTitle: String?
        var localizedCancelTitle: String?
        var reuseDuration: TimeInterval = 0
        var maxBiometryFailures: Int?
    }

    private let state = Mutex(State())
    /// What was approved in the context.
    package let accessContext: AccessContext

    /// A context in which nothing has been proven.
    override public init() {
        accessContext = AccessContext()
        super.init()
    }

    // MARK: - Externalized contexts

    private static let externalizedVersion: UInt8 = 1

    /// The context as bytes, for ``init(externalizedContext:)`` of the same process. No other
    /// process can use it: enclaved knows the one that it belongs to.
    open var externalizedContext: Data {
        Data([Self.externalizedVersion] + accessContext.externalized)
    }

    /// The context that was externalized; what was approved in it counts.
    /// - Parameter externalizedContext: The bytes. In another process than the one that made them
    ///   every use of an item in it is refused. Other bytes give nil.
    public init?(externalizedContext: Data) {
        guard externalizedContext.first == Self.externalizedVersion,
            let context = AccessContext(externalized: [UInt8](externalizedContext.dropFirst()))
        else { return nil }
        accessContext = context
        super.init()
    }

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
        get { accessContext.purpose }
        set { accessContext.purpose = newValue }
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
        get { !accessContext.mayAsk }
        set { accessContext.mayAsk = !newValue }
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

    /// The kind of biometry: fingerprints, if the owner accepts them.
    open var biometryType: LABiometryType { biometryStrength == .none ? .none : .touchID }

    /// How strongly biometry is bound to the keychain. Not Apple's.
    open var biometryStrength: LABiometryStrength { Biometry.now.strength }

    /// An opaque name of the enrolled biometry: another one after each change of the fingers with
    /// `security`. Nil where fingerprints don't count.
    open var evaluatedPolicyDomainState: Data? {
        let biometry = Biometry.now
        guard biometry.strength != .none else { return nil }
        return Data("enrolled \(biometry.enrolment)".utf8)
    }

    /// What fingers count for now, as far as the service says.
    private struct Biometry {
        var strength = LABiometryStrength.none
        var enrolment: UInt64 = 0
        var isLockedOut = false

        static var now: Biometry {
            let status: DeviceStatus
            do throws(KeychainError) { status = try connection.deviceStatus() } catch {
                return Biometry()
            }
            let strength: LABiometryStrength =
                switch status.biometry {
                case .off: .none
                case .presence: .presenceOnly
                case .sets: .unprovenSets
                }
            return Biometry(
                strength: strength, enrolment: status.enrolment,
                isLockedOut: status.isBiometryLockedOut)
        }

        /// Why no finger can be taken now.
        var obstacle: LAError.Code? {
            if strength == .none { return .biometryNotAvailable }
            return isLockedOut ? .biometryLockout : nil
        }
    }

    // MARK: - Evaluation

    /// Whether an evaluation could succeed now: whether a passcode is set. Whether there is a way to
    /// ask shows only when it is tried.
    /// - Parameters:
    ///   - policy: The policy to satisfy.
    ///   - error: Set to the reason.
    /// - Returns: Whether asking may satisfy it.
    open func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool {
        guard let code = obstacle(to: policy) else { return true }
        if let error = unsafe error { unsafe error.pointee = LAError.make(code)._nsError }
        return false
    }

    /// Authenticates the owner.
    /// - Parameters:
    ///   - policy: The policy to satisfy.
    ///   - localizedReason: The reason shown to the owner.
    ///   - reply: Called on a separate queue: with true once the owner has proven to be there, else
    ///     with false and the reason.
    open func evaluatePolicy(
        _ policy: LAPolicy, localizedReason: String,
        reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let code = obstacle(to: policy)
        let byBiometry = policy != .deviceOwnerAuthentication
        answer(reply) { [accessContext] in
            code
                ?? Self.obstacle(
                    toPresenceIn: accessContext, localizedReason, byBiometry: byBiometry)
        }
    }

    /// Authenticates the owner.
    /// - Returns: True.
    /// - Throws: Why no one was authenticated.
    open func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            evaluatePolicy(policy, localizedReason: localizedReason) { isDone, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(isDone))
            }
        }
    }

    /// Satisfies an access control, as far as it can be without the item.
    /// - Parameters:
    ///   - accessControl: The access control.
    ///   - operation: The intended operation on the protected item.
    ///   - localizedReason: The reason shown to the owner.
    ///   - reply: Called on a separate queue: with true for an access control without requirements,
    ///     or once the owner has proven to be there, else with false and the reason.
    open func evaluateAccessControl(
        _ accessControl: SecAccessControl, operation: LAAccessControlOperation,
        localizedReason: String, reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        if !isInvalidated, accessControl.asksForNothing {
            return answer(reply) { nil }
        }
        let code = obstacle(to: accessControl)
        let needsPerson = accessControl.asksForPerson
        answer(reply) { [accessContext] in
            if let code { return code }
            return needsPerson ? Self.obstacle(toPresenceIn: accessContext, localizedReason) : nil
        }
    }

    /// Satisfies an access control.
    /// - Returns: True.
    /// - Throws: Why it isn't satisfied.
    open func evaluateAccessControl(
        _ accessControl: SecAccessControl, operation: LAAccessControlOperation,
        localizedReason: String
    ) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            evaluateAccessControl(
                accessControl, operation: operation, localizedReason: localizedReason
            ) { isDone, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(isDone))
            }
        }
    }

    /// Ends the context: no authentication succeeds in it any more, what was approved in it doesn't
    /// count any more, and it wipes its credentials.
    open func invalidate() {
        accessContext.invalidate()
        state.withLock { $0.hasPassword = false }
    }

    // MARK: - Credentials

    /// Sets the password for items that demand one of the application, or removes it.
    /// - Parameters:
    ///   - credential: Nil removes it.
    ///   - type: The kind of credential.
    /// - Returns: Whether it is accepted: not in a context that has ended, and never the number of
    ///   a smart card.
    @discardableResult
    open func setCredential(_ credential: Data?, type: LACredentialType) -> Bool {
        state.withLock { state in
            guard !accessContext.isInvalidated, type == .applicationPassword else { return false }
            let password = credential.map { data in
                unsafe data.withUnsafeBytes { Secret(unsafe SecretBytes(copying: $0)) }
            }
            accessContext.setPassword(password)
            state.hasPassword = password != nil
            return true
        }
    }

    /// Whether a credential has been set.
    open func isCredentialSet(_ type: LACredentialType) -> Bool {
        type == .applicationPassword && state.withLock { $0.hasPassword }
    }

    // MARK: - Reasons

    private static let queue = DispatchQueue(
        label: "llavero.local-authentication", attributes: .concurrent)

    private func answer(
        _ reply: @escaping @Sendable (Bool, (any Error)?) -> Void,
        _ obstacle: @escaping @Sendable () -> LAError.Code?
    ) {
        Self.queue.async {
            let code = obstacle()
            reply(code == nil, code.map { LAError.make($0) })
        }
    }

    /// Why a policy can't be satisfied; nil if asking may satisfy it.
    private func obstacle(to policy: LAPolicy) -> LAError.Code? {
        if isInvalidated { return .invalidContext }
        switch policy {
        case .deviceOwnerAuthenticationWithBiometrics,
            .deviceOwnerAuthenticationWithBiometricsOrCompanion:
            let biometry = Biometry.now
            guard biometry.strength != .none else { return .biometryNotAvailable }
            return passcodeObstacle ?? biometry.obstacle
        case .deviceOwnerAuthenticationWithCompanion: return .companionNotAvailable
        case .deviceOwnerAuthentication: return passcodeObstacle
        }
    }

    private func obstacle(to accessControl: SecAccessControl) -> LAError.Code? {
        if isInvalidated { return .invalidContext }
        let biometry = Biometry.now.obstacle
        guard accessControl.canBeSatisfied(withBiometry: biometry == nil) else {
            return biometry ?? .biometryNotAvailable
        }
        if accessControl.asksForPerson, let code = passcodeObstacle { return code }
        let lacksPassword =
            accessControl.asksForPassword && !isCredentialSet(.applicationPassword)
        return lacksPassword ? .notInteractive : nil
    }

    private var passcodeObstacle: LAError.Code? {
        do throws(KeychainError) {
            guard try Self.connection.deviceStatus().passcodeSet else { return .passcodeNotSet }
            return accessContext.mayAsk ? nil : .notInteractive
        } catch { return .notInteractive }
    }

    private static func obstacle(
        toPresenceIn context: AccessContext, _ reason: String, byBiometry: Bool = false
    ) -> LAError.Code? {
        do throws(KeychainError) {
            try context.establishPresence(
                purpose: reason, by: byBiometry ? .biometry : .owner, over: connection)
            return nil
        } catch {
            if context.isInvalidated { return .appCancel }
            switch error.reason {
            case .personCanceled: return .userCancel
            case .wrongPasscode, .throttled, .disabled: return .authenticationFailed
            case .accessRefused:
                return byBiometry ? Biometry.now.obstacle ?? .passcodeNotSet : .passcodeNotSet
            default: return .notInteractive
            }
        }
    }

    private static let connection = KeychainConnection()
}

extension LAContext: AuthenticationContext {
    /// Whether ``invalidate()`` was called.
    package var isInvalidated: Bool { accessContext.isInvalidated }
}

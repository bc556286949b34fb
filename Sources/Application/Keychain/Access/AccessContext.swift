// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import KeychainVocabulary
public import SecretBytes
import SecurityWire
import Synchronization

/// What a person has approved for items with an access control, for this process alone.
///
/// Reading such an item asks the person. With the same context the same item isn't asked for again,
/// until the context is invalidated or the device is locked. Another context is asked again.
public final class AccessContext: Sendable {
    private struct State {
        var isInvalidated = false
        var mayAsk = true
        var purpose = ""
        var password: Secret?
    }

    private let state = Mutex(State())
    /// enclaved knows the context by it, together with the process.
    let handle: [UInt8]
    /// Whether what was approved ends with this object.
    private let isOwner: Bool

    /// A context in which nothing has been approved.
    public init() {
        var random = SystemRandomNumberGenerator()
        handle = (0..<ItemAccess.contextByteCount).map { _ in
            UInt8.random(in: 0...255, using: &random)
        }
        isOwner = true
    }

    /// The context as bytes. They are of use to this process alone.
    package var externalized: [UInt8] { handle }

    /// The context that was externalized. It ends with the first object, or when it is invalidated.
    package init?(externalized bytes: [UInt8]) {
        guard bytes.count == ItemAccess.contextByteCount else { return nil }
        handle = bytes
        isOwner = false
    }

    deinit { if isOwner { forget() } }

    /// Whether the person may be asked; if not, an item that needs it is
    /// ``FailureReason/personNeeded``.
    public var mayAsk: Bool {
        get { state.withLock { $0.mayAsk } }
        set { state.withLock { $0.mayAsk = newValue } }
    }

    /// The reason that the person is shown.
    public var purpose: String {
        get { state.withLock { $0.purpose } }
        set { state.withLock { $0.purpose = newValue } }
    }

    /// Whether the context was ended.
    public var isInvalidated: Bool { state.withLock { $0.isInvalidated } }

    /// The password for items that demand one of the application; nil removes it.
    public func setPassword(_ password: Secret?) {
        state.withLock { $0.password = password }
    }

    /// Ends the context: nothing is approved in it any more, and its password is wiped.
    public func invalidate() {
        state.withLock { state in
            state.isInvalidated = true
            state.password = nil
        }
        forget()
    }

    var password: Secret? { state.withLock { $0.password } }

    /// The context's part of a request.
    package var access: ItemAccess {
        var access = ItemAccess()
        access.context = handle
        access.purpose = purpose
        return access
    }

    // MARK: - The service's side

    /// On which the person was asked.
    private let asking = Mutex<KeychainConnection?>(nil)

    /// The connection of its own: a question takes a minute, and other calls don't wait for it.
    func connection(like other: KeychainConnection) -> KeychainConnection {
        asking.withLock { asking in
            if let connection = asking { return connection }
            let connection = other.another()
            asking = connection
            return connection
        }
    }

    /// Asks for the person's presence. It opens no item: items with an access control are asked for
    /// when they are used, because an approval names the item.
    /// - Throws: ``FailureReason/personCanceled``; ``FailureReason/personNeeded`` where nobody can be
    ///   asked; ``FailureReason/wrongPasscode`` after three wrong entries;
    ///   ``FailureReason/accessRefused`` without a passcode, or in a context that has ended.
    public func establishPresence(
        purpose: String, over keychain: KeychainConnection = KeychainConnection()
    ) throws(KeychainError) {
        try establishPresence(purpose: purpose, by: .owner, over: keychain)
    }

    /// Asks for the person's presence, to be proven in this way.
    package func establishPresence(
        purpose: String, by proof: PresenceProof, over keychain: KeychainConnection
    ) throws(KeychainError) {
        if isInvalidated { throw .accessRefused }
        guard mayAsk else { throw .personNeeded }
        var access = ItemAccess()
        access.purpose = purpose
        let call = AccessCall.establish(
            context: handle, purpose: access.purpose, by: proof)
        try connection(like: keychain).ask(call)
        if isInvalidated { throw .accessRefused }
    }

    /// Tells the service that the context is over, if it knows of it.
    private func forget() {
        let connection = asking.withLock { asking in
            defer { asking = nil }
            return asking
        }
        guard let connection else { return }
        do throws(KeychainError) { _ = try connection.read(.access(.drop(context: handle))) } catch
        {
            // The service has ended, and with it the context.
        }
    }
}

// MARK: - Calls

/// A store that can have a person asked.
protocol AskingStore: BlockingKeychainStore {
    /// Makes a call, and has the person asked as often as needed.
    func askingFor<Value>(
        _ context: AccessContext?,
        _ call: (any BlockingKeychainStore, ItemAccess) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value
}

extension KeychainConnection: AskingStore {
    func askingFor<Value>(
        _ context: AccessContext?,
        _ call: (any BlockingKeychainStore, ItemAccess) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        try asking(context) { (connection, access) throws(KeychainError) in
            try call(connection, access)
        }
    }
}

extension KeychainConnection {
    /// Longer than a person has for a question.
    private static let questionDeadline = Duration.seconds(100)

    /// Makes a call that may need the person, and asks as often as needed.
    /// - Parameters:
    ///   - context: What was approved; nil: the call has a context of its own.
    ///   - mayAsk: Whether the person may be asked.
    ///   - call: The call, over a connection.
    /// - Returns: What the call returns.
    /// - Throws: ``FailureReason/personNeeded`` where nobody can be asked;
    ///   ``FailureReason/personCanceled``; ``FailureReason/wrongPasscode`` after three wrong
    ///   entries; ``FailureReason/accessRefused``; and what the call throws.
    package func asking<Value>(
        _ context: AccessContext?, mayAsk: Bool = true,
        _ call: (KeychainConnection, ItemAccess) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        if context?.isInvalidated ?? false { throw .accessRefused }
        do throws(KeychainError) { return try call(self, context?.access ?? ItemAccess()) } catch {
            guard Self.isAnswerable(error, context, mayAsk) else { throw error }
        }
        let context = context ?? AccessContext()
        let connection = context.connection(like: self)
        for _ in 0..<AccessControl.roundLimit {
            if context.isInvalidated { throw .accessRefused }
            do throws(KeychainError) { return try call(connection, context.access) } catch {
                guard Self.isAnswerable(error, context, mayAsk) else { throw error }
                try connection.answer(error, context)
            }
        }
        throw .accessRefused
    }

    private static func isAnswerable(
        _ error: KeychainError, _ context: AccessContext?, _ mayAsk: Bool
    ) -> Bool {
        switch error.reason {
        case .personNeeded: mayAsk && context?.mayAsk ?? true
        case .passwordNeeded:
            context?.password != nil || mayAsk && context?.mayAsk ?? true
        default: false
        }
    }

    private func answer(_ error: KeychainError, _ context: AccessContext) throws(KeychainError) {
        let call: AccessCall
        if error.reason == .passwordNeeded, let password = context.password {
            call = .supply(
                context: context.handle, sealed: try sealedSupply(password, context.handle))
        } else {
            call = .ask(context: context.handle)
        }
        try ask(call)
    }

    fileprivate func ask(_ call: AccessCall) throws(KeychainError) {
        let bounds = CallBounds(end: .end(of: Self.questionDeadline))
        _ = try read(.access(call), deadline: Self.questionDeadline, bounds)
    }
}

extension KeychainError {
    static let personCanceled = KeychainError(
        status: SecurityStatus.userCanceled, reason: .personCanceled)
    static let personNeeded = KeychainError(
        status: SecurityStatus.interactionNotAllowed, reason: .personNeeded)
    static let accessRefused = KeychainError(
        status: SecurityStatus.authFailed, reason: .accessRefused)
}

extension AccessControl {
    /// After so many answers a request that still needs one is refused.
    package static let roundLimit = 20
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import KeychainVocabulary
import SecretBytes

/// What was proven in authentication contexts. A context belongs to the process that first used it,
/// and has only the operations and items that the person approved in it.
struct AccessContexts {
    /// One approved operation on one item.
    struct Grant: Hashable {
        let operation: AccessControl.Operation
        let subject: AccessSubject
    }

    /// One context. A class, so that its secrets have one owner.
    final class Context {
        let origin: [UInt8]
        /// What was proven for each.
        var grants: [Grant: AccessProofs] = [:]
        /// The application's password.
        var password: Secret? {
            didSet { passwordKeys = [:] }
        }
        /// What was derived from the password, by salt.
        private(set) var passwordKeys: [[UInt8]: Secret] = [:]
        fileprivate var lastUse: UInt64 = 0

        fileprivate init(origin: [UInt8]) { self.origin = origin }

        func keep(_ key: Secret, salt: [UInt8]) {
            if passwordKeys.count >= AccessContexts.keyLimit { passwordKeys = [:] }
            passwordKeys[salt] = key
        }
    }

    private struct Name: Hashable {
        let user: UInt32
        let context: [UInt8]
    }

    /// A user's contexts; the one that was used longest ago makes room for a new one.
    static let limitPerUser = 64
    /// The same for all users.
    static let limit = 1024
    /// The approved operations of a context; more than these are asked for again.
    static let grantLimit = 4096
    static let keyLimit = 64

    private var contexts: [Name: Context] = [:]
    private var useCount: UInt64 = 0

    var count: Int { contexts.count }

    /// A context that exists.
    /// - Returns: Nil when there is none.
    /// - Throws: `accessRefused` when another process owns it.
    mutating func context(_ scope: AccessScope, user: UInt32) throws(Refusal) -> Context? {
        guard let context = contexts[Name(user: user, context: scope.context)] else { return nil }
        guard context.origin == scope.origin else { throw .status(.accessRefused) }
        use(context)
        return context
    }

    /// A context; a new one if there is none.
    /// - Throws: `accessRefused` when another process owns it.
    mutating func make(_ scope: AccessScope, user: UInt32) throws(Refusal) -> Context {
        if let context = try context(scope, user: user) { return context }
        makeRoom(of: user)
        let context = Context(origin: scope.origin)
        contexts[Name(user: user, context: scope.context)] = context
        use(context)
        return context
    }

    /// Ends a context, unless another process owns it.
    mutating func drop(_ scope: AccessScope, user: UInt32) {
        let name = Name(user: user, context: scope.context)
        if contexts[name]?.origin == scope.origin { contexts[name] = nil }
    }

    /// Ends all contexts of a user: what was approved before a lock doesn't count after it.
    mutating func forget(_ user: UInt32) { contexts = contexts.filter { $0.key.user != user } }

    private mutating func use(_ context: Context) {
        useCount += 1
        context.lastUse = useCount
    }

    private mutating func makeRoom(of user: UInt32) {
        let own = contexts.filter { $0.key.user == user }
        let candidates = own.count >= Self.limitPerUser ? own : contexts
        guard own.count >= Self.limitPerUser || contexts.count >= Self.limit,
            let oldest = candidates.min(by: { $0.value.lastUse < $1.value.lastUse })
        else { return }
        contexts[oldest.key] = nil
    }
}

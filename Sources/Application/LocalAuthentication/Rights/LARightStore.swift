// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Dispatch
public import Foundation
import Keychain
import LlaveroSecurity

/// The program's saved rights, in its keychain.
public final class LARightStore: Sendable {
    /// The store.
    public static let shared = LARightStore()

    private init() {}

    /// A saved right; nobody is asked.
    /// - Throws: `errSecItemNotFound` when there is none.
    public func right(forIdentifier identifier: String) async throws -> LAPersistedRight {
        let saved = SavedRight(identifier: identifier)
        _ = try await Blocking.call { try saved.key(SharedContext(AccessContext())) }
        return LAPersistedRight(identifier, .default)
    }

    /// Saves a right: makes its key, and stores its secret.
    /// - Parameters:
    ///   - right: What it demands.
    ///   - identifier: Its name in the program.
    ///   - secret: Its secret; may be empty.
    /// - Returns: The saved right.
    /// - Throws: `errSecDuplicateItem` for a name that is used; `errSecAuthFailed` for biometry that
    ///   isn't there.
    @discardableResult
    public func saveRight(
        _ right: LARight, identifier: String, secret: Data = Data()
    ) async throws -> LAPersistedRight {
        let (saved, requirement) = (SavedRight(identifier: identifier), right.requirement)
        try await Blocking.call { try saved.store(secret, requirement) }
        return LAPersistedRight(identifier, requirement)
    }

    /// Deletes a right with its key and its secret; nobody is asked.
    public func removeRight(_ right: LAPersistedRight) async throws {
        try await removeRight(forIdentifier: right.identifier)
    }

    /// Deletes a right with its key and its secret; nobody is asked.
    public func removeRight(forIdentifier identifier: String) async throws {
        let saved = SavedRight(identifier: identifier)
        try await Blocking.call { try saved.remove() }
    }

    /// Deletes all rights of the program.
    public func removeAllRights() async throws {
        try await Blocking.call { try SavedRight.removeAll() }
    }
}

/// The items of a right.
struct SavedRight: Sendable {
    private static let service = "com.apple.LocalAuthentication.rights"
    let identifier: String

    private var tag: Data { Data((Self.service + ":" + identifier).utf8) }

    private var secretQuery: [CFString: Any] {
        [
            kSecClass: kSecClassGenericPassword, kSecAttrService: Self.service,
            kSecAttrAccount: identifier, kSecUseDataProtectionKeychain: true,
        ]
    }

    private var keyQuery: [CFString: Any] {
        [
            kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
            kSecAttrApplicationTag: tag, kSecUseDataProtectionKeychain: true,
        ]
    }

    func secret(_ context: SharedContext) throws -> Data {
        var query = secretQuery
        query[kSecReturnData] = true
        query[kSecUseAuthenticationContext] = context
        var result: CFTypeRef?
        let status = unsafe SecItemCopyMatching(query as CFDictionary, &result)
        guard status == errSecSuccess else { throw Self.failure(status) }
        return result as? Data ?? Data()
    }

    func key(_ context: SharedContext) throws -> SecKey {
        var query = keyQuery
        query[kSecReturnRef] = true
        query[kSecUseAuthenticationContext] = context
        var result: CFTypeRef?
        let status = unsafe SecItemCopyMatching(query as CFDictionary, &result)
        guard status == errSecSuccess else { throw Self.failure(status) }
        guard let key = result as? SecKey else { throw Self.failure(errSecItemNotFound) }
        return key
    }

    func store(_ secret: Data, _ requirement: LAAuthenticationRequirement) throws {
        guard let control = requirement.control(),
            let keyControl = requirement.control(.privateKeyUsage)
        else { throw Self.failure(errSecParam) }
        var item = secretQuery
        item[kSecAttrAccessControl] = control
        item[kSecValueData] = secret
        let status = SecItemAdd(item as CFDictionary, nil)
        guard status == errSecSuccess else { throw Self.failure(status) }
        let attributes: [CFString: Any] = [
            kSecAttrIsPermanent: true, kSecAttrApplicationTag: tag,
            kSecAttrAccessControl: keyControl,
        ]
        let parameters: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecPrivateKeyAttrs: attributes,
        ]
        var error: Unmanaged<CFError>?
        guard unsafe SecKeyCreateRandomKey(parameters as CFDictionary, &error) != nil else {
            // A right is only complete with both.
            SecItemDelete(secretQuery as CFDictionary)
            throw unsafe Self.failure(error)
        }
    }

    func remove() throws {
        let statuses = [
            SecItemDelete(secretQuery as CFDictionary), SecItemDelete(keyQuery as CFDictionary),
        ]
        guard let status = statuses.first(where: { $0 != errSecSuccess }) else { return }
        throw Self.failure(status)
    }

    static func removeAll() throws {
        let keys: [CFString: Any] = [
            kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
            kSecUseDataProtectionKeychain: true, kSecReturnAttributes: true,
            kSecMatchLimit: kSecMatchLimitAll,
        ]
        var result: CFTypeRef?
        let status = unsafe SecItemCopyMatching(keys as CFDictionary, &result)
        guard status != errSecItemNotFound else { return }
        guard status == errSecSuccess else { throw failure(status) }
        let prefix = service + ":"
        for attributes in result as? [[CFString: Any]] ?? [] {
            guard let tag = attributes[kSecAttrApplicationTag] as? Data,
                let name = String(data: tag, encoding: .utf8), name.hasPrefix(prefix)
            else { continue }
            try SavedRight(identifier: String(name.dropFirst(prefix.count))).remove()
        }
    }

    static func failure(_ status: OSStatus) -> NSError {
        NSError(domain: NSOSStatusErrorDomain, code: Int(status))
    }

    static func failure(_ error: Unmanaged<CFError>?) -> NSError {
        failure(
            unsafe error.map {
                OSStatus(truncatingIfNeeded: CFErrorGetCode(unsafe $0.takeRetainedValue()))
            } ?? errSecParam)
    }
}

/// A context of LocalAuthentication for queries.
final class SharedContext: NSObject, AuthenticationContext, Sendable {
    let accessContext: AccessContext

    init(_ context: AccessContext) {
        accessContext = context
        super.init()
    }

    var isInvalidated: Bool { accessContext.isInvalidated }
}

/// Calls that may take as long as a person, away from the threads of tasks.
enum Blocking {
    private static let queue = DispatchQueue(
        label: "llavero.local-authentication.rights", attributes: .concurrent)

    static func call<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }
}

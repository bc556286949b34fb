// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain

/// The certificate or identity that a user prefers for a name, as an item: a generic password with
/// the name as its service, and a persistent reference of the certificate as its generic attribute.
/// A preference whose certificate is deleted isn't found.
///
/// Source: Apple's SecIdentity and SecCertificate, as observed: these items are what other programs
/// find and what a synchronized keychain brings.
struct Preference {
    /// What is preferred. The raw value is the item's type.
    enum Kind: Int {
        /// `iprf`
        case identity = 0x6970_7266
        /// `cprf`
        case certificate = 0x6370_7266
    }

    /// Any use; an item's script code is a signed number.
    static let anyUse: CSSM_KEYUSE = 0x8000_0000

    let kind: Kind
    let name: String
    /// 0 is no constraint.
    let keyUse: CSSM_KEYUSE

    /// - Throws: `errSecParam` for an empty name.
    init(_ kind: Kind, _ name: CFString, _ keyUse: CSSM_KEYUSE) throws(KeyFailure) {
        guard name.length > 0 else { throw KeyFailure(errSecParam) }
        self.kind = kind
        self.name = name as String
        self.keyUse = keyUse
    }

    /// The use of a list of `kSecAttrCan…`; 0 for none. Source: the bits of `CSSM_KEYUSE`.
    static func keyUse(_ list: CFArray?) -> CSSM_KEYUSE {
        let bits: [(CFString, CSSM_KEYUSE)] = [
            (kSecAttrCanEncrypt, 0x1), (kSecAttrCanDecrypt, 0x2), (kSecAttrCanSign, 0x4),
            (kSecAttrCanVerify, 0x8), (kSecAttrCanSignRecover, 0x10),
            (kSecAttrCanVerifyRecover, 0x20), (kSecAttrCanWrap, 0x40), (kSecAttrCanUnwrap, 0x80),
            (kSecAttrCanDerive, 0x100),
        ]
        let names = Set((list ?? NSArray()).compactMap { $0 as? String })
        return bits.reduce(0) { names.contains($1.0 as String) ? $0 | $1.1 : $0 }
    }

    // MARK: - Find

    /// The certificate that is preferred.
    /// - Throws: `errSecItemNotFound`; else as ``SecItemCopyMatching(_:_:)``.
    func certificate() throws(KeyFailure) -> SecCertificate {
        let item = query(named: name)
        item.setObject(NSNumber(value: true), forKey: kSecReturnAttributes as String)
        guard let found = try Self.find(item) as? NSDictionary,
            let reference = found.object(forKey: kSecAttrGeneric) as? NSData,
            let certificate = try Self.find([
                kSecValuePersistentRef as String: reference, kSecReturnRef as String: true,
            ]) as? SecCertificate
        else { throw KeyFailure(errSecItemNotFound) }
        return certificate
    }

    /// The result of the first attempt that finds something.
    /// - Throws: As the last one.
    static func first<Value>(
        _ attempts: [Preference], _ find: (Preference) throws(KeyFailure) -> Value
    ) throws(KeyFailure) -> Value {
        var failure = KeyFailure(errSecItemNotFound)
        for attempt in attempts {
            do throws(KeyFailure) { return try find(attempt) } catch { failure = error }
            guard failure.status == errSecItemNotFound else { break }
        }
        throw failure
    }

    /// The same preference with the use, for any use, and without constraint.
    var withLooserUses: [Preference] {
        var uses = [keyUse, Self.anyUse]
        uses.append(0)
        var seen: Set<CSSM_KEYUSE> = []
        return uses.filter { seen.insert($0).inserted }.map { with(name, $0) }
    }

    /// The same preference for the names that its own one matches.
    var ofPossibleNames: [Preference] {
        ServiceNames.including(name).map { with($0, keyUse) }
    }

    private func with(_ name: String, _ keyUse: CSSM_KEYUSE) -> Preference {
        Preference(copying: self, name, keyUse)
    }

    private init(copying other: Preference, _ name: String, _ keyUse: CSSM_KEYUSE) {
        (kind, self.name, self.keyUse) = (other.kind, name, keyUse)
    }

    private func query(named name: String) -> NSMutableDictionary {
        let query = NSMutableDictionary()
        query.setObject(kSecClassGenericPassword, forKey: kSecClass as String)
        query.setObject(NSString(string: name), forKey: kSecAttrService as String)
        query.setObject(NSNumber(value: kind.rawValue), forKey: kSecAttrType as String)
        if keyUse != 0 { query.setObject(scriptCode, forKey: kSecAttrScriptCode as String) }
        return query
    }

    private var scriptCode: NSNumber { NSNumber(value: Int32(bitPattern: keyUse)) }

    private static func find(_ query: NSDictionary) throws(KeyFailure) -> CFTypeRef? {
        var result: CFTypeRef?
        let status = unsafe SecItemCopyMatching(query, &result)
        guard status == errSecSuccess else { throw KeyFailure(status) }
        return result
    }

    private static func find(_ query: [String: Any]) throws(KeyFailure) -> CFTypeRef? {
        try find(query as NSDictionary)
    }

    // MARK: - Set

    /// Prefers a certificate, which must be stored.
    /// - Throws: `errSecInvalidItemRef` for one that isn't; else as ``SecItemAdd(_:_:)``.
    func set(_ certificate: SecCertificate) throws(KeyFailure) {
        let reference: CFTypeRef?
        do throws(KeyFailure) {
            reference = try Self.find([
                kSecValueRef as String: certificate, kSecReturnPersistentRef as String: true,
            ])
        } catch {
            guard error.status == errSecItemNotFound else { throw error }
            throw KeyFailure(errSecInvalidItemRef)
        }
        guard let reference else { throw KeyFailure(errSecInvalidItemRef) }
        let values = NSMutableDictionary()
        values.setObject(NSString(string: account(certificate)), forKey: kSecAttrAccount as String)
        values.setObject(scriptCode, forKey: kSecAttrScriptCode as String)
        values.setObject(NSString(string: name), forKey: kSecAttrLabel as String)
        values.setObject(reference, forKey: kSecAttrGeneric as String)
        let query = query(named: name)
        query.setObject(NSNumber(value: true), forKey: kSecReturnPersistentRef as String)
        let status: OSStatus
        do throws(KeyFailure) {
            let found = try Self.find(query)
            guard let found else { throw KeyFailure(errSecItemNotFound) }
            status = SecItemUpdate([kSecValuePersistentRef: found] as CFDictionary, values)
        } catch {
            guard error.status == errSecItemNotFound else { throw error }
            let item = self.query(named: name)
            // `aapl`
            item.setObject(NSNumber(value: 0x6161_706c), forKey: kSecAttrCreator as String)
            values.forEachEntry { key, value in
                guard let key = key as? NSString else { return }
                item.setObject(value, forKey: key as String)
            }
            status = SecItemAdd(item, nil)
        }
        guard status == errSecSuccess else { throw KeyFailure(status) }
    }

    /// Deletes the preferences of the name: of the use, or of all without one.
    /// - Throws: As ``SecItemDelete(_:)``; not when there is none.
    func clear() throws(KeyFailure) {
        let status = SecItemDelete(query(named: name))
        guard [errSecSuccess, errSecItemNotFound].contains(status) else {
            throw KeyFailure(status)
        }
    }

    /// Together with the service it must be unique among both kinds and all uses.
    private func account(_ certificate: SecCertificate) -> String {
        var text = certificate.summaryLabel ?? ""
        if keyUse != 0 {
            text += " [key usage 0x" + String(keyUse, radix: 16, uppercase: true) + "]"
        }
        return kind == .identity ? text + " " : text
    }
}

/// The status of a call.
func statusOf(_ call: () throws(KeyFailure) -> Void) -> OSStatus {
    do throws(KeyFailure) {
        try call()
        return errSecSuccess
    } catch { return error.status }
}

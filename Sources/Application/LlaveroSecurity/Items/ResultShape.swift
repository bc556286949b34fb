// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation
import Keychain
import SecretBytes
import SecurityWire

/// What a call's result looks like: one object, a dictionary of several,
/// or an array of either.
struct ResultShape {
    private let flags: ReturnFlags
    private let itemClass: ItemClass
    /// The way to keys in the enclave.
    private let connection: KeychainConnection
    /// Whether passwords have objects.
    private let hasPasswordObjects: Bool
    /// The result of an add leaves some attributes out.
    private let isAdd: Bool
    /// What an add was given; a copy tells each item's accessibility in its place.
    private let accessControl: SecAccessControl?
    /// How the person is asked when a found key of the enclave is used.
    private let asking: EnclaveKey.Asking

    /// The shape of a copy's results.
    init(
        copy flags: ReturnFlags, itemClass: ItemClass, rules: ItemRules,
        connection: KeychainConnection, asking: EnclaveKey.Asking
    ) {
        self.asking = asking
        self.connection = connection
        hasPasswordObjects = rules == .fileKeychain
        self.flags = flags
        self.itemClass = itemClass
        isAdd = false
        accessControl = nil
    }

    /// The shape of an add's result.
    init(
        add flags: ReturnFlags, itemClass: ItemClass, accessControl: SecAccessControl?,
        rules: ItemRules, connection: KeychainConnection
    ) {
        asking = EnclaveKey.Asking()
        self.connection = connection
        hasPasswordObjects = rules == .fileKeychain
        self.flags = flags
        self.itemClass = itemClass
        isAdd = true
        self.accessControl = accessControl
    }

    /// What to ask the service for.
    var fields: ReturnFields {
        var fields: ReturnFields = []
        if flags.contains(.data) { fields.insert(.data) }
        if showsAttributes {
            fields.insert(.attributes)
            // An identity's attributes tell its certificate.
            if itemClass == .identity { fields.insert(.data) }
        }
        if flags.contains(.persistentReference) { fields.insert(.persistentReference) }
        if flags.contains(.reference) {
            switch itemClass {
            case .genericPassword, .internetPassword:
                if hasPasswordObjects { fields.insert(.persistentReference) }
            case .certificate: fields.insert(.data)
            case .key, .identity: fields.formUnion([.data, .attributes])
            }
        }
        return fields
    }

    /// Whether a dictionary has the attributes: a copy's also has them where the secret and the
    /// persistent reference are asked for. Source: Apple's SecItem, as observed.
    private var showsAttributes: Bool {
        flags.contains(.attributes)
            || (!isAdd && flags.isSuperset(of: [.data, .persistentReference]))
    }

    /// The result for several items; one that has nothing to show is left out.
    ///
    /// The array is bridged and not made by `NSArray(array:)`: a program that is linked with
    /// `-static-stdlib` has Foundation's bridging of arrays only if something refers to it, and
    /// without it the application's own `as? [[String: Any]]` is nil (Swift 6.3).
    func array(_ found: [FoundObjects]) -> NSArray {
        found.flatMap { part in part.items.compactMap { object($0, in: part.keychain) } } as NSArray
    }

    /// The result for one item; nil when there is nothing to show. In the data protection keychain
    /// passwords have no objects, so that `kSecReturnRef` alone shows nothing.
    func object(_ item: FoundItem, in keychain: UserKeychain?) -> NSObject? {
        switch flags {
        case []: return nil
        case .reference: return reference(item, keychain)
        case .data: return item.secret.map(WipedData.init)
        case .persistentReference: return item.persistentReference.map { WipedData($0.bytes) }
        default: return dictionary(item, keychain)
        }
    }

    /// The object of an item; nil for data that is no certificate or key, and for passwords that have
    /// none.
    private func reference(_ item: FoundItem, _ keychain: UserKeychain?) -> NSObject? {
        switch itemClass {
        case .genericPassword, .internetPassword:
            hasPasswordObjects
                ? item.persistentReference.map { SecKeychainItem($0, in: keychain) } : nil
        case .certificate: Self.certificate(item.secret)
        case .key:
            item.secret.flatMap {
                SecKey.stored(item.attributes, $0, connection: connection, asking: asking)
            }
        case .identity:
            if let certificate = Self.certificate(item.certificate?.data),
                let secret = item.secret,
                let key = SecKey.stored(
                    item.attributes, secret, connection: connection, asking: asking)
            {
                SecIdentity(certificate: certificate, key: key)
            } else {
                nil
            }
        }
    }

    private static func certificate(_ data: Secret?) -> SecCertificate? {
        data.flatMap { SecCertificate(der: $0.publicData) }
    }

    private func dictionary(_ item: FoundItem, _ keychain: UserKeychain?) -> NSDictionary {
        var entries = DictionaryMaker()
        if showsAttributes { putAttributes(of: item, into: &entries) }
        if flags.contains(.reference) {
            entries.put(kSecClass, NSString(string: itemClass.rawValue))
            if let reference = reference(item, keychain) { entries.put(kSecValueRef, reference) }
        }
        if flags.contains(.data), let secret = item.secret {
            entries.put(kSecValueData, WipedData(secret))
        }
        if flags.contains(.persistentReference), let reference = item.persistentReference {
            entries.put(kSecValuePersistentRef, WipedData(reference.bytes))
        }
        return entries.dictionary
    }

    /// Of a list each item comes by here: the attributes are gone through once.
    private func putAttributes(of item: FoundItem, into entries: inout DictionaryMaker) {
        var attributes = item.attributes
        var stored = item.attributes
        if let certificate = item.certificate {
            // Where both halves have an attribute it is the certificate's.
            attributes.merge(certificate.attributes)
            stored = certificate.attributes
            put(certificate, into: &entries)
        }
        var isSynchronizable = false
        var isTombstone = false
        var hasUser = false
        var accessibility: Accessibility?
        attributes.forEachValue { attribute, value in
            switch (attribute, value) {
            case (.synchronizable, _): isSynchronizable = true
            case (.tombstone, _): isTombstone = true
            case (.multiUser, _): hasUser = true
            case (.accessible, .text(let code)): accessibility = Accessibility(code: code)
            default: break
            }
            guard shows(attribute, value) else { return }
            entries.put(Self.key(of: attribute), value.object)
        }
        let digest = Insecure.SHA1.hash(data: stored.serializedBytes())
        entries.put(kSecAttrSHA1, unsafe digest.withUnsafeBytes { unsafe WipedData($0) })
        if !isSynchronizable { entries.put(kSecAttrSynchronizable, Self.zero) }
        if !isAdd {
            if !isTombstone { entries.put(kSecAttrTombstone, Self.zero) }
            if !hasUser { entries.put(kSecAttrMultiUser, Self.nobody) }
        }
        if let accessControl {
            entries.put(kSecAttrAccessControl, accessControl)
        } else if !isAdd, let stored = item.accessControl.flatMap({ SecAccessControl($0) }) {
            entries.put(kSecAttrAccessControl, stored)
        } else if !isAdd, let control = keyControl(item) {
            entries.put(kSecAttrAccessControl, control)
        } else if !isAdd, let accessibility {
            entries.put(kSecAttrAccessControl, Self.accessControl(of: accessibility))
        }
    }

    /// The access control of a key of the enclave, where the key was asked for, too.
    private func keyControl(_ item: FoundItem) -> SecAccessControl? {
        guard item.attributes[.tokenID] == .text(EnclaveKey.tokenID), let secret = item.secret
        else { return nil }
        return SecKey.stored(item.attributes, secret, connection: connection)?.enclaveKey?
            .accessControl.flatMap { SecAccessControl($0) }
    }

    /// The two keys that identities alone have.
    private func put(_ certificate: FoundCertificate, into entries: inout DictionaryMaker) {
        if let data = certificate.data { entries.put(certificateDataKey, WipedData(data)) }
        if case .text(let token)? = certificate.attributes[.tokenID], !token.isEmpty {
            entries.put(certificateTokenKey, NSString(string: token))
        }
    }

    /// Names inside the service are not shown, nor are a token and a view hint that nobody set.
    /// The digest is computed here.
    private func shows(_ attribute: Attribute, _ value: AttributeValue) -> Bool {
        switch attribute {
        case .uuid, .sha1: false
        case .tombstone, .multiUser: !isAdd
        case .tokenID, .syncViewHint: value != .text("")
        default: true
        }
    }

    // MARK: - Objects that many results share

    private static let zero = NSNumber(value: 0)
    @safe nonisolated(unsafe) private static let nobody = WipedData([UInt8]())

    private static func key(of attribute: Attribute) -> NSString {
        keys[Int(attribute.fieldNumber)]
    }

    /// By field number.
    @safe nonisolated(unsafe) private static let keys: [NSString] = {
        let count = Attribute.allCases.reduce(0) { max($0, Int($1.fieldNumber) + 1) }
        var keys = [NSString](repeating: "", count: count)
        for attribute in Attribute.allCases {
            keys[Int(attribute.fieldNumber)] = NSString(string: attribute.rawValue)
        }
        return keys
    }()

    private static func accessControl(of accessibility: Accessibility) -> SecAccessControl {
        accessControls[accessibility]
            ?? SecAccessControl(protection: NSString(string: accessibility.code), operations: nil)
    }

    private static let accessControls: [Accessibility: SecAccessControl] =
        Dictionary(
            uniqueKeysWithValues: Accessibility.allCases.map {
                (
                    $0,
                    SecAccessControl(protection: NSString(string: $0.code), operations: nil)
                )
            })
}

/// The DER bytes of an identity's certificate.
@safe private nonisolated(unsafe) let certificateDataKey: NSString = "certdata"
/// The token that holds an identity's certificate.
@safe private nonisolated(unsafe) let certificateTokenKey: NSString = "certtkid"

/// Gathers the keys and values of one result.
private struct DictionaryMaker {
    private var keys: [NSObject] = []
    private var values: [AnyObject] = []

    init() {
        keys.reserveCapacity(24)
        values.reserveCapacity(24)
    }

    mutating func put(_ key: NSString, _ value: AnyObject) {
        keys.append(key)
        values.append(value)
    }

    /// The dictionary of what was put.
    var dictionary: NSDictionary {
        unsafe keys.withUnsafeBufferPointer { keys in
            unsafe values.withUnsafeBufferPointer { values in
                guard let key = keys.baseAddress, let value = values.baseAddress else {
                    return NSDictionary()
                }
                return unsafe NSDictionary(objects: value, forKeys: key, count: keys.count)
            }
        }
    }
}

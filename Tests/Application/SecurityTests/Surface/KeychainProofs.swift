// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Glibc
import Security
import TestSupport
import Testing

/// The functions of the list of file keychains, each with the proof that it works. They change what all
/// programs of a home directory share, so that a process of its own calls them.
struct KeychainProofs {
    /// What is declared of the list; all of it works.
    static let names: Set<String> = Set(KeychainProofs().all.map(\.name))

    /// How the Swift names of the constants begin that these functions take or give.
    static let constants = [
        "kSecUnlockStateStatus", "kSecReadPermStatus", "kSecWritePermStatus", "SecProtocolType.",
        "SecAuthenticationType.", "SecPreferencesDomain.", "SecItemClass.genericPassword",
        "SecItemClass.internetPassword", "SecItemAttr.",
    ]

    /// A process's own home directory, with a service of its own.
    static func inOwnHome(_ body: () throws -> Void) throws {
        _ = try EphemeralKeychain.shared.get()
        try TemporaryDirectory.lend { home in
            unsafe setenv("HOME", home, 1)
            try body()
        }
    }

    static func opened(_ name: String) -> SecKeychain? {
        var keychain: SecKeychain?
        _ = unsafe SecKeychainOpen(name, &keychain)
        return keychain
    }

    static func made(_ name: String) -> SecKeychain? {
        var keychain: SecKeychain?
        let status = unsafe SecKeychainCreate(name, 2, "pw", false, nil, &keychain)
        return status == errSecSuccess ? keychain : nil
    }

    /// Stores a password in a keychain.
    static func stored(_ service: String, in keychain: SecKeychain?) -> SecKeychainItem? {
        var item: SecKeychainItem?
        let status = unsafe SecKeychainAddGenericPassword(
            keychain, UInt32(service.utf8.count), service, 3, "bob", 6, "inside", &item)
        return status == errSecSuccess ? item : nil
    }

    /// What a search gives.
    static func found(_ service: String, in keychains: CFTypeRef?) -> (OSStatus, String?) {
        var length: UInt32 = 0
        var data: UnsafeMutableRawPointer?
        let status = unsafe SecKeychainFindGenericPassword(
            keychains, UInt32(service.utf8.count), service, 0, nil, &length, &data, nil)
        defer { _ = unsafe SecKeychainItemFreeContent(nil, data) }
        guard status == errSecSuccess, let start = unsafe data else { return (status, nil) }
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: Int(length))
        return (status, String(decoding: unsafe [UInt8](bytes), as: UTF8.self))
    }

    static var searchList: [SecKeychain] {
        var list: CFArray?
        _ = unsafe SecKeychainCopySearchList(&list)
        return list as? [SecKeychain] ?? []
    }

    static var preferred: SecKeychain? {
        var keychain: SecKeychain?
        _ = unsafe SecKeychainCopyDefault(&keychain)
        return keychain
    }

    static func status(_ keychain: SecKeychain?) -> SecKeychainStatus {
        var bits: SecKeychainStatus = 0
        _ = unsafe SecKeychainGetStatus(keychain, &bits)
        return bits
    }

    typealias Proof = (name: String, works: () -> Bool)

    /// In an order in which each has what it needs.
    var all: [Proof] { objects + states + lists + domains + passwords + items + ends }

    private static let open: SecKeychainStatus =
        kSecUnlockStateStatus | kSecReadPermStatus | kSecWritePermStatus

    private var objects: [Proof] {
        [
            ("SecKeychainGetTypeID", { SecKeychainGetTypeID() != SecKeyGetTypeID() }),
            ("SecKeychainItemGetTypeID", { SecKeychainItemGetTypeID() != SecKeyGetTypeID() }),
            (
                "SecKeychainGetVersion",
                {
                    var version: UInt32 = 0
                    return unsafe SecKeychainGetVersion(&version) == 0 && version == 0x0202_8000
                }
            ),
            ("SecKeychainCreate", { Self.made("job") != nil && Self.made("job") == nil }),
            (
                "SecKeychainOpen",
                {
                    let job = Self.opened("job")
                    return job == Self.opened("job-db") && job != Self.opened("other")
                        && CFGetTypeID(job) == SecKeychainGetTypeID()
                }
            ),
            (
                "SecKeychainGetPath",
                {
                    var (count, few): (UInt32, UInt32) = (1024, 3)
                    var text = [CChar](repeating: 1, count: 1024)
                    let job = Self.opened("job")
                    let first = unsafe SecKeychainGetPath(job, &few, &text)
                    let second = unsafe SecKeychainGetPath(job, &count, &text)
                    let bytes = text.prefix(Int(count)).map { UInt8($0) }
                    return first == errSecBufferTooSmall && second == 0 && few == count
                        && String(decoding: bytes, as: UTF8.self)
                            .hasSuffix("/Library/Keychains/job-db")
                }
            ),
        ]
    }

    private var states: [Proof] {
        [
            ("SecKeychainGetStatus", { Self.status(Self.opened("job")) == Self.open }),
            (
                "SecKeychainLock",
                {
                    SecKeychainLock(Self.opened("job")) == 0
                        && Self.status(Self.opened("job")) == Self.open & ~kSecUnlockStateStatus
                }
            ),
            (
                "SecKeychainUnlock",
                {
                    let job = Self.opened("job")
                    return unsafe SecKeychainUnlock(job, 3, "bad", true) == errSecAuthFailed
                        && SecKeychainUnlock(job, 0, nil, true) == errSecAuthFailed
                        && SecKeychainUnlock(job, 0, nil, false) == errSecAuthFailed
                        && SecKeychainUnlock(job, 2, "pw", true) == 0
                        && SecKeychainUnlock(job, 0, nil, false) == 0
                        && Self.status(job) == Self.open
                }
            ),
            (
                "SecKeychainLockAll",
                {
                    let job = Self.opened("job")
                    return unsafe SecKeychainLockAll() == 0 && Self.status(job) != Self.open
                        && SecKeychainUnlock(job, 2, "pw", true) == 0
                }
            ),
            (
                "SecKeychainSetSettings",
                {
                    var settings = SecKeychainSettings(
                        version: 1, lockOnSleep: true, useLockInterval: true, lockInterval: 900)
                    let isSet = unsafe SecKeychainSetSettings(Self.opened("job"), &settings) == 0
                    settings.version = 2
                    return unsafe isSet
                        && SecKeychainSetSettings(Self.opened("job"), &settings)
                            == errSecParam
                }
            ),
            (
                "SecKeychainCopySettings",
                {
                    var settings = SecKeychainSettings()
                    return unsafe SecKeychainCopySettings(Self.opened("job"), &settings) == 0
                        && settings.lockInterval == 900 && settings.lockOnSleep.boolValue
                        && settings.useLockInterval.boolValue && settings.version == 1
                }
            ),
            (
                "SecKeychainSetUserInteractionAllowed",
                {
                    let job = Self.opened("job")
                    var settings = SecKeychainSettings()
                    SecKeychainLock(job)
                    SecKeychainSetUserInteractionAllowed(false)
                    let without = unsafe SecKeychainCopySettings(job, &settings)
                    SecKeychainSetUserInteractionAllowed(true)
                    let with = unsafe SecKeychainCopySettings(job, &settings)
                    return unsafe without == errSecAuthFailed
                        && with == errSecInteractionNotAllowed
                        && SecKeychainUnlock(job, 2, "pw", true) == 0
                }
            ),
            (
                "SecKeychainGetUserInteractionAllowed",
                {
                    var (first, second): (DarwinBoolean, DarwinBoolean) = (false, true)
                    _ = unsafe SecKeychainGetUserInteractionAllowed(&first)
                    SecKeychainSetUserInteractionAllowed(false)
                    _ = unsafe SecKeychainGetUserInteractionAllowed(&second)
                    SecKeychainSetUserInteractionAllowed(true)
                    return first.boolValue && !second.boolValue
                }
            ),
        ]
    }

    private var lists: [Proof] {
        [
            (
                "SecKeychainCopySearchList",
                { Self.searchList == [Self.opened("login.keychain")].compactMap { $0 } }
            ),
            (
                "SecKeychainSetSearchList",
                {
                    let list = ["job", "login.keychain"].compactMap(Self.opened)
                    return SecKeychainSetSearchList(list as NSArray) == 0
                        && Self.searchList == list
                        && SecKeychainSetSearchList(["job"] as NSArray) == errSecParam
                }
            ),
            ("SecKeychainCopyDefault", { Self.preferred == Self.opened("login.keychain") }),
            (
                "SecKeychainSetDefault",
                {
                    SecKeychainSetDefault(Self.opened("none")) == errSecNoSuchKeychain
                        && SecKeychainSetDefault(Self.opened("job")) == 0
                        && Self.preferred == Self.opened("job")
                }
            ),
        ]
    }

    private var domains: [Proof] {
        [
            (
                "SecKeychainSetDomainDefault",
                {
                    SecKeychainSetDomainDefault(.user, Self.opened("login")) == 0
                        && Self.preferred == Self.opened("login.keychain")
                        && SecKeychainSetDomainDefault(.system, nil) == errSecUnimplemented
                }
            ),
            (
                "SecKeychainCopyDomainDefault",
                {
                    var keychain: SecKeychain?
                    return unsafe SecKeychainCopyDomainDefault(.common, &keychain) == 0
                        && keychain == Self.opened("/Library/Keychains/System.keychain")
                        && SecKeychainCopyDomainDefault(.dynamic, &keychain)
                            == errSecNoDefaultKeychain
                }
            ),
            (
                "SecKeychainSetDomainSearchList",
                {
                    let list = ["login", "job"].compactMap(Self.opened)
                    return SecKeychainSetDomainSearchList(.user, list as NSArray) == 0
                        && Self.searchList == list
                        && SecKeychainSetDomainSearchList(.common, list as NSArray)
                            == errSecUnimplemented
                }
            ),
            (
                "SecKeychainCopyDomainSearchList",
                {
                    var (users, cards): (CFArray?, CFArray?)
                    return unsafe SecKeychainCopyDomainSearchList(.user, &users) == 0
                        && users == Self.searchList as NSArray
                        && SecKeychainCopyDomainSearchList(.dynamic, &cards) == 0
                        && cards?.count == 0
                }
            ),
            (
                "SecKeychainSetPreferenceDomain",
                {
                    let isSet = SecKeychainSetPreferenceDomain(.system) == 0
                    let count = Self.searchList.count
                    let wrong = SecKeychainSetPreferenceDomain(SecPreferencesDomain(rawValue: 9))
                    return isSet && count == 1 && wrong == errSecInvalidPrefsDomain
                }
            ),
            (
                "SecKeychainGetPreferenceDomain",
                {
                    var domain = SecPreferencesDomain.user
                    return unsafe SecKeychainGetPreferenceDomain(&domain) == 0
                        && domain == .system && SecKeychainSetPreferenceDomain(.user) == 0
                }
            ),
        ]
    }

    private var passwords: [Proof] {
        [
            (
                "SecKeychainAddGenericPassword",
                {
                    let job = Self.opened("job")
                    return Self.stored("svc", in: job) != nil && Self.stored("svc", in: job) == nil
                }
            ),
            (
                "SecKeychainFindGenericPassword",
                {
                    Self.found("svc", in: nil) == (0, "inside")
                        && Self.found("svc", in: Self.opened("job")) == (0, "inside")
                        && Self.found("svc", in: Self.opened("login")).0 == errSecItemNotFound
                }
            ),
            (
                "SecKeychainAddInternetPassword",
                {
                    unsafe SecKeychainAddInternetPassword(
                        Self.opened("job"), 4, "host", 0, nil, 3, "bob", 2, "/p", 443, .HTTPS,
                        .default, 6, "inside", nil) == 0
                }
            ),
            (
                "SecKeychainFindInternetPassword",
                {
                    var item: SecKeychainItem?
                    let other = unsafe SecKeychainFindInternetPassword(
                        nil, 4, "host", 0, nil, 0, nil, 0, nil, 80, .any, .any, nil, nil, nil)
                    return unsafe other == errSecItemNotFound
                        && SecKeychainFindInternetPassword(
                            nil, 4, "host", 0, nil, 0, nil, 0, nil, 443, .HTTPS, .any, nil, nil,
                            &item) == 0
                        && item != nil
                }
            ),
        ]
    }

    private static var item: SecKeychainItem? {
        var item: SecKeychainItem?
        _ = unsafe SecKeychainFindGenericPassword(nil, 3, "svc", 0, nil, nil, nil, &item)
        return item
    }

    /// The bytes of an attribute.
    private static func attribute(_ attribute: SecItemAttr) -> [UInt8]? {
        guard let item else { return nil }
        var wanted = unsafe SecKeychainAttribute(tag: attribute.rawValue, length: 0, data: nil)
        return unsafe withUnsafeMutablePointer(to: &wanted) { place in
            var list = unsafe SecKeychainAttributeList(count: 1, attr: place)
            var itemClass = SecItemClass.certificateItemClass
            guard unsafe SecKeychainItemCopyContent(item, &itemClass, &list, nil, nil) == 0,
                itemClass == .genericPasswordItemClass, let data = unsafe place.pointee.data
            else { return nil }
            let bytes = unsafe [UInt8](
                UnsafeRawBufferPointer(start: data, count: Int(place.pointee.length)))
            return unsafe SecKeychainItemFreeContent(&list, nil) == 0 && place.pointee.data == nil
                ? bytes : nil
        }
    }

    private var items: [Proof] {
        [
            (
                "SecKeychainItemCopyContent",
                {
                    Self.attribute(.accountItemAttr) == Array("bob".utf8)
                        && Self.attribute(.creationDateItemAttr)?.count == 16
                        && Self.attribute(.serverItemAttr) == nil
                }
            ),
            ("SecKeychainItemFreeContent", { SecKeychainItemFreeContent(nil, nil) == 0 }),
            (
                "SecKeychainItemModifyContent",
                {
                    guard let item = Self.item else { return false }
                    var label = Array("new".utf8)
                    let status = unsafe label.withUnsafeMutableBytes { bytes in
                        var attribute = unsafe SecKeychainAttribute(
                            tag: SecItemAttr.labelItemAttr.rawValue, length: 3,
                            data: bytes.baseAddress)
                        return unsafe withUnsafeMutablePointer(to: &attribute) { place in
                            var list = unsafe SecKeychainAttributeList(count: 1, attr: place)
                            return unsafe SecKeychainItemModifyContent(item, &list, 5, "other")
                        }
                    }
                    return status == 0 && Self.found("svc", in: nil) == (0, "other")
                        && Self.attribute(.labelItemAttr) == label
                }
            ),
            (
                "SecKeychainItemCopyKeychain",
                {
                    var keychain: SecKeychain?
                    guard let item = Self.item else { return false }
                    return unsafe SecKeychainItemCopyKeychain(item, &keychain) == 0
                        && keychain == Self.opened("job")
                }
            ),
            (
                "SecKeychainItemDelete",
                {
                    guard let item = Self.item else { return false }
                    return SecKeychainItemDelete(item) == 0
                        && SecKeychainItemDelete(item) == errSecInvalidItemRef && Self.item == nil
                }
            ),
        ]
    }

    private var ends: [Proof] {
        [
            (
                "SecKeychainDelete",
                {
                    let job = Self.opened("job")
                    return SecKeychainDelete(nil) == errSecInvalidKeychain
                        && SecKeychainDelete(Self.opened("login")) == errSecReadOnly
                        && SecKeychainDelete(job) == 0
                        && SecKeychainLock(job) == errSecNoSuchKeychain
                        && Self.searchList == [Self.opened("login")].compactMap { $0 }
                }
            )
        ]
    }
}

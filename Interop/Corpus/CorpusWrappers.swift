// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security

// Small wrappers, in the styles in which applications write them.

nonisolated(unsafe) let wrappers: [Program] = [
    (
        "error enum wrapper",
        {
            let store = EnumStore(service: "w1")
            try store.remove("a")
            try check(try store.read("a") == nil)
            try store.write("one", for: "a")
            try store.write("two", for: "a")
            try check(try store.read("a") == "two")
        }
    ),
    (
        "subscript wrapper",
        {
            let store = SubscriptStore()
            store["w2"] = nil
            try check(store["w2"] == nil)
            store["w2"] = "value"
            try check(store["w2"] == "value")
            store["w2"] = nil
            try check(store["w2"] == nil)
        }
    ),
    (
        "codable wrapper",
        {
            let store = CodableStore()
            try store.save(Account(name: "n", token: "t"), key: "w3")
            try check(try store.load(Account.self, key: "w3") == Account(name: "n", token: "t"))
            store.clear("w3")
            try check((try? store.load(Account.self, key: "w3")) == nil)
        }
    ),
    (
        "property wrapper",
        {
            var settings = Settings()
            settings.token = nil
            try check(settings.token == nil)
            settings.token = "abc"
            try check(Settings().token == "abc")
        }
    ),
    (
        "class with static functions",
        {
            _ = StaticStore.delete(key: "w5")
            try check(StaticStore.save(key: "w5", data: Data([1, 2])) == noErr)
            try check(StaticStore.load(key: "w5") == Data([1, 2]))
            try check(StaticStore.delete(key: "w5") == noErr)
        }
    ),
    (
        "generic values",
        {
            let store = ValueStore()
            store.set(42, "w6")
            try check(store.get("w6") == 42)
            store.set(true, "w6")
            try check(store.get("w6") == true)
        }
    ),
    (
        "actor-free async use",
        {
            let done = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                _ = StaticStore.save(key: "w7", data: Data([7]))
                done.signal()
            }
            done.wait()
            try check(StaticStore.load(key: "w7") == Data([7]))
        }
    ),
    (
        "migration from user defaults",
        {
            let defaults = ["w8": "old"]
            for (key, value) in defaults { SubscriptStore()[key] = value }
            try check(SubscriptStore()["w8"] == "old")
        }
    ),
    (
        "closure mapping",
        {
            let keys = ["w9a", "w9b"]
            keys.forEach { SubscriptStore()[$0] = $0.uppercased() }
            try check(keys.compactMap { SubscriptStore()[$0] } == ["W9A", "W9B"])
        }
    ),
    (
        "pattern matching on statuses",
        {
            switch SecItemDelete(
                [kSecClass: kSecClassGenericPassword, kSecAttrService: "w10"] as CFDictionary)
            {
            case errSecSuccess, errSecItemNotFound: break
            case let status: throw NSError(domain: NSOSStatusErrorDomain, code: Int(status))
            }
        }
    ),
]

enum StoreError: Error {
    case unexpectedData
    case unhandled(OSStatus)
}

struct EnumStore {
    let service: String

    private func query(_ account: String) -> [String: AnyObject] {
        var query = [String: AnyObject]()
        query[kSecClass as String] = kSecClassGenericPassword
        query[kSecAttrService as String] = service as AnyObject?
        query[kSecAttrAccount as String] = account as AnyObject?
        return query
    }

    func read(_ account: String) throws -> String? {
        var query = query(account)
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        query[kSecReturnAttributes as String] = kCFBooleanTrue
        query[kSecReturnData as String] = kCFBooleanTrue
        var result: AnyObject?
        let status = withUnsafeMutablePointer(to: &result) {
            SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
        }
        guard status != errSecItemNotFound else { return nil }
        guard status == noErr else { throw StoreError.unhandled(status) }
        guard let item = result as? [String: AnyObject],
            let data = item[kSecValueData as String] as? Data,
            let text = String(data: data, encoding: .utf8)
        else { throw StoreError.unexpectedData }
        return text
    }

    func write(_ text: String, for account: String) throws {
        let data = text.data(using: .utf8)!
        if try read(account) != nil {
            let changes = [kSecValueData as String: data as AnyObject]
            let status = SecItemUpdate(query(account) as CFDictionary, changes as CFDictionary)
            guard status == noErr else { throw StoreError.unhandled(status) }
        } else {
            var item = query(account)
            item[kSecValueData as String] = data as AnyObject?
            let status = SecItemAdd(item as CFDictionary, nil)
            guard status == noErr else { throw StoreError.unhandled(status) }
        }
    }

    func remove(_ account: String) throws {
        let status = SecItemDelete(query(account) as CFDictionary)
        guard status == noErr || status == errSecItemNotFound else {
            throw StoreError.unhandled(status)
        }
    }
}

struct SubscriptStore {
    subscript(key: String) -> String? {
        get { StaticStore.load(key: key).flatMap { String(data: $0, encoding: .utf8) } }
        nonmutating set {
            guard let newValue else {
                _ = StaticStore.delete(key: key)
                return
            }
            _ = StaticStore.save(key: key, data: Data(newValue.utf8))
        }
    }
}

final class StaticStore {
    class func save(key: String, data: Data) -> OSStatus {
        let query =
            [
                kSecClass as String: kSecClassGenericPassword as String,
                kSecAttrAccount as String: key, kSecValueData as String: data,
            ] as [String: Any]
        SecItemDelete(query as CFDictionary)
        return SecItemAdd(query as CFDictionary, nil)
    }

    class func load(key: String) -> Data? {
        let query =
            [
                kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: key,
                kSecReturnData as String: kCFBooleanTrue!,
                kSecMatchLimit as String: kSecMatchLimitOne,
            ] as [String: Any]
        var item: AnyObject? = nil
        let status: OSStatus = SecItemCopyMatching(query as CFDictionary, &item)
        return status == noErr ? item as! Data? : nil
    }

    class func delete(key: String) -> OSStatus {
        SecItemDelete(
            [kSecClass: kSecClassGenericPassword, kSecAttrAccount: key] as CFDictionary)
    }
}

struct Account: Codable, Equatable { let name, token: String }

struct CodableStore {
    func save<T: Encodable>(_ value: T, key: String) throws {
        let status = StaticStore.save(key: key, data: try JSONEncoder().encode(value))
        guard status == errSecSuccess else { throw StoreError.unhandled(status) }
    }

    func load<T: Decodable>(_ type: T.Type, key: String) throws -> T {
        guard let data = StaticStore.load(key: key) else { throw StoreError.unexpectedData }
        return try JSONDecoder().decode(type, from: data)
    }

    func clear(_ key: String) { _ = StaticStore.delete(key: key) }
}

@propertyWrapper struct Stored {
    let key: String
    var wrappedValue: String? {
        get { SubscriptStore()[key] }
        set { SubscriptStore()[key] = newValue }
    }
}

struct Settings { @Stored(key: "w4") var token: String? }

struct ValueStore {
    func set<T: BitwiseCopyable>(_ value: T, _ key: String) {
        let data = withUnsafeBytes(of: value) { Data($0) }
        _ = StaticStore.save(key: key, data: data)
    }

    func get<T: BitwiseCopyable>(_ key: String) -> T? {
        StaticStore.load(key: key).flatMap { data in
            data.count == MemoryLayout<T>.size
                ? data.withUnsafeBytes { $0.loadUnaligned(as: T.self) } : nil
        }
    }
}

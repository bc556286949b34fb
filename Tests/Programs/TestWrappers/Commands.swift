// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Dispatch
import Foundation
import JNKeychain
import Keychain
import KeychainItemWrapper
import SFHFKeychainUtils
import Security
import Synchronization

/// The program's answer to a line.
enum Commands {
    static func answer(_ words: [String]) -> String {
        guard let first = words.first else { return "what?" }
        switch (first, words.count) {
        case ("set", 4), ("set", 5):
            return set(words[1], words[2], words[3], words.count > 4 ? words[4] : nil)
        case ("get", 3): return get(words[1], words[2])
        case ("threads", 4): return threads(words[1], words[2], Int(words[3]) ?? 0)
        case ("create", 3): return create(words[1], words[2])
        case ("values", 1): return Values.differences().joined(separator: "; ")
        case ("keep", 4): return keep(words[1], words[2], words[3])
        case ("hold", 2):
            held.withLock { $0 = ItemWrapper.object(words[1], nil) }
            return "ok"
        case ("held", 3), ("held", 4):
            guard let object = held.withLock({ $0 }) else { return "nothing is held" }
            return use(object, Array(words.dropFirst()))
        default: break
        }
        guard words.count > 2, let chosen = wrapper(first) else { return "what?" }
        switch (words[1], words.count) {
        case ("save", 4): return said(chosen.save(words[2], words[3], nil))
        case ("save", 5): return said(chosen.save(words[2], words[3], NSString(string: words[4])))
        case ("load", 3):
            let (status, value) = chosen.load(words[2])
            return status == errSecSuccess ? value ?? "nothing" : said(status)
        case ("delete", 3): return said(chosen.delete(words[2]))
        default: return "what?"
        }
    }

    private static func said(_ status: OSStatus) -> String {
        status == errSecSuccess ? "ok" : "failed \(status)"
    }

    private static func set(
        _ identifier: String, _ key: String, _ value: String, _ accessible: String?
    ) -> String {
        var status = errSecSuccess
        let object = ItemWrapper.object(identifier, accessible.map { NSString(string: $0) })
        let isStored = object.setObject(value, forKey: key) { status = OSStatus($0.code) }
        return isStored == (status == errSecSuccess) ? said(status) : "contradictory"
    }

    private static func get(_ identifier: String, _ key: String) -> String {
        get(ItemWrapper.object(identifier, nil), key)
    }

    private static func get(_ object: KeychainItemWrapper, _ key: String) -> String {
        do {
            let value = try object.read(forKey: key)
            return value.map { $0 as? String == "" ? "empty" : "\($0)" } ?? "nothing"
        } catch { return said(error.status) }
    }

    private static func keep(_ user: String, _ service: String, _ password: String) -> String {
        do {
            let isStored = try SFHFKeychainUtils.storeUsername(
                user == "-" ? "" : user, andPassword: password, forServiceName: service,
                updateExisting: false)
            return isStored ? "stored" : "kept"
        } catch { return "failed \((error as NSError).code)" }
    }

    // MARK: - One object

    private static let held = Mutex<KeychainItemWrapper?>(nil)

    private static func use(_ object: KeychainItemWrapper, _ words: [String]) -> String {
        switch (words[0], words.count) {
        case ("get", 2): return get(object, words[1])
        case ("set", 3): return object.setObject(words[2], forKey: words[1]) ? "ok" : "failed"
        case ("threads", 2): return share(object, Int(words[1]) ?? 0)
        default: return "what?"
        }
    }

    /// Each thread writes and reads. Each value read was written as a whole, none of a thread's own
    /// is older than its last, and the final value is the last that one of them wrote.
    private static func share(_ object: KeychainItemWrapper, _ count: Int) -> String {
        let long = String(repeating: "x", count: 500)
        let rounds = 25
        let failures = inParallel(count) { thread in
            var failures: [String] = []
            for round in 0..<rounds {
                object.setObject("\(thread)/\(round)/\(long)", forKey: kSecValueData) {
                    failures.append("write \($0.code)")
                }
                let value = object.object(forKey: kSecValueData) as? String ?? "nothing"
                if !value.hasSuffix("/\(long)") { failures.append(value) }
                if value.hasPrefix("\(thread)/"), !value.hasPrefix("\(thread)/\(round)/") {
                    failures.append("\(value.prefix(8)) in round \(round)")
                }
            }
            return failures
        }
        guard failures.isEmpty else { return failures.joined(separator: "; ") }
        let left = object.object(forKey: kSecValueData) as? String ?? "nothing"
        let parts = left.split(separator: "/")
        return parts.count == 3 && Int(parts[1]) == rounds - 1 ? "ok" : "\(parts.prefix(2))"
    }

    // MARK: - Threads

    /// Runs a body on some threads at once and collects the errors.
    private static func inParallel(
        _ count: Int, _ body: @escaping @Sendable (Int) -> [String]
    ) -> [String] {
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: count) { number in
            let found = body(number)
            failures.withLock { $0 += found }
        }
        return failures.withLock { $0 }
    }

    /// Each thread saves and loads; each loaded value was saved as a whole.
    private static func threads(_ kind: String, _ name: String, _ count: Int) -> String {
        let long = String(repeating: "x", count: 500)
        let failures = inParallel(count) { thread in
            var failures: [String] = []
            guard let chosen = wrapper(kind) else { return ["no \(kind)"] }
            for round in 0..<25 {
                let saved = chosen.save(name, "\(thread)/\(round)/\(long)", nil)
                if saved != errSecSuccess { failures.append("save \(saved)") }
                let (status, value) = chosen.load(name)
                if status != errSecSuccess { failures.append("load \(status)") }
                if value?.hasSuffix("/\(long)") != true { failures.append("\(value ?? "")") }
            }
            return failures
        }
        return failures.isEmpty ? "ok" : failures.joined(separator: "; ")
    }

    /// Account and data, each on a separate thread, without a wait for the other.
    private static func create(_ identifier: String, _ who: String) -> String {
        let failures = inParallel(2) { thread in
            let object = KeychainItemWrapper(identifier: identifier, accessGroup: nil)
            var failures: [String] = []
            object.setObject(
                thread == 0 ? "account-\(who)" : "data-\(who)",
                forKey: thread == 0 ? kSecAttrAccount : kSecValueData
            ) { failures.append("\($0.code)") }
            return failures
        }
        return failures.isEmpty ? "ok" : failures.joined(separator: "; ")
    }
}

/// Values that JNKeychain must return unchanged.
enum Values {
    private final class Stranger {}

    static func differences() -> [String] {
        let values: [NSObject] = [
            NSString(string: "héllo"), NSString(string: ""), NSNumber(value: 42),
            NSNumber(value: -1.5), NSNumber(value: true), NSData(data: Data([0, 1, 255])),
            NSData(), NSDate(timeIntervalSinceReferenceDate: 12345.5),
            NSArray(array: ["a", 1, Data([9])] as [Any]),
            NSDictionary(dictionary: ["k": "v", "list": ["a", ["b": 2]]] as [String: Any]),
        ]
        var differences: [String] = []
        for value in values {
            if !JNKeychain.saveValue(value, forKey: "value") {
                differences.append("unsaved \(value)")
            }
            let loaded = NSArray(array: [JNKeychain.loadValueForKey("value") ?? "nothing"])
            if loaded != NSArray(array: [value]) { differences.append("\(value): \(loaded)") }
        }
        // Numbers in Swift's notation.
        if !JNKeychain.saveValue(["k": ["a", "b"]], forKey: "value")
            || JNKeychain.loadValue(forKey: "value") as? [String: [String]] != ["k": ["a", "b"]]
        {
            differences.append("a dictionary of Swift")
        }
        if JNKeychain.saveValue(Stranger(), forKey: "value") { differences.append("a stranger") }
        if JNKeychain.saveValue(nil, forKey: "value") { differences.append("nothing") }
        // A refused write doesn't change the value.
        if JNKeychain.loadValue(forKey: "value") == nil { differences.append("lost") }
        if !JNKeychain.deleteValue(forKey: "value") || JNKeychain.deleteValue(forKey: "value")
            || JNKeychain.loadValue(forKey: "value") != nil
        {
            differences.append("deleting")
        }
        return differences
    }
}

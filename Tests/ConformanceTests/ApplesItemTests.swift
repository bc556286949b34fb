// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Synchronization
import Testing

/// The assertions of Apple's own regression tests about passwords and about all classes, one test
/// for each of theirs, with its name.
@Suite struct ApplesItemTests {
    private static var inet: Entries {
        [
            "class": "inet", "srvr": "members.spamcop.net", "acct": "smith", "port": 80,
            "ptcl": "http", "atyp": "dflt", "v_Data": bytes("MySecretPassword!"),
        ]
    }
    private static var found: Entries { inet.without("v_Data") }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func si00FindNothing(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let query: Entries = ["class": item.rawValue, "r_Data": true]
            let answer = keychain.copy(query)
            #expect(answer.status == errSecItemNotFound)
            #expect(answer.object == nil)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func si10FindInternet(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.add(Self.inet) == errSecSuccess)
            #expect(keychain.add(Self.inet) == errSecDuplicateItem)
            let other = Self.inet + ["acct": "other"]
            #expect(keychain.add(other) == errSecSuccess)
            #expect(keychain.data(Self.found) == bytes("MySecretPassword!"))
            let attributes = try keychain.attributes(Self.found)
            #expect(attributes["acct"] as? String == "smith")
            #expect(attributes["port"] as? Int == 80)
            // The returned attributes can be used as a query.
            let again = attributes + ["class": "inet", "r_Data": true]
            #expect(keychain.copy(again).data == bytes("MySecretPassword!"))
            // A rename, and one to the other item's name.
            #expect(keychain.update(Self.found, ["acct": "other"]) == errSecDuplicateItem)
            #expect(keychain.find(Self.found) == errSecSuccess)
            #expect(keychain.update(Self.found, ["acct": "renamed"]) == errSecSuccess)
            #expect(keychain.find(Self.found) == errSecItemNotFound)
            #expect(keychain.delete(Self.found) == errSecItemNotFound)
            #expect(keychain.delete(Self.found + ["acct": "renamed"]) == errSecSuccess)
            #expect(keychain.delete(Self.found + ["acct": "other"]) == errSecSuccess)
            #expect(keychain.itemCount == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func si11UpdateData(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.add(Self.inet) == errSecSuccess)
            #expect(keychain.update(Self.found, ["v_Data": bytes("new")]) == errSecSuccess)
            #expect(keychain.update(Self.found, ["v_Data": NSNull()]) == errSecParam)
            #expect(keychain.update(Self.found, ["v_Data": "text"]) == errSecParam)
            #expect(keychain.data(Self.found) == bytes("new"))
            #expect(keychain.delete(Self.found) == errSecSuccess)
        }
    }

    /// The steps that si-12 makes with each of its eight items, whose primary keys differ in all attributes.
    @Test(arguments: KeychainKind.allCases)
    func si12ItemsAndTheirTombstones(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for way: Entries in [[:], ["nleg": true]] {
                for number in 0..<8 {
                    let item = Self.named(number) + way
                    for (index, step) in Self.tombstoneSteps.enumerated() {
                        let status = step.make(keychain.calls, item + step.entries)
                        #expect(status == step.status, "item \(number), step \(index + 1)")
                    }
                }
            }
            #expect(keychain.itemCount == 0)
        }
    }

    private struct TombstoneStep {
        enum Call { case add, copy, delete }

        let call: Call
        let entries: Entries
        var status = errSecSuccess

        func make(_ calls: ItemCalls, _ dictionary: Entries) -> OSStatus {
            switch call {
            case .add: unsafe calls.add(dictionary as NSDictionary, nil)
            case .copy: unsafe calls.copyMatching(dictionary as NSDictionary, nil)
            case .delete: calls.delete(dictionary as NSDictionary)
            }
        }
    }

    private static var tombstoneSteps: [TombstoneStep] {
        let sync: Entries = ["sync": true]
        let tomb: Entries = ["tomb": true]
        let leaving: Entries = ["u_Tomb": true]
        return [
            // One that synchronizes: a tombstone is left, stays, and gives way to an item.
            TombstoneStep(call: .add, entries: sync),
            TombstoneStep(call: .delete, entries: sync + leaving),
            TombstoneStep(call: .copy, entries: sync + leaving + tomb),
            TombstoneStep(call: .delete, entries: sync + leaving + tomb),
            TombstoneStep(call: .add, entries: sync + leaving),
            TombstoneStep(call: .delete, entries: sync + ["u_Tomb": false]),
            TombstoneStep(call: .copy, entries: sync + tomb, status: errSecItemNotFound),
            // A tombstone that is added, and deleted.
            TombstoneStep(call: .add, entries: tomb),
            TombstoneStep(call: .delete, entries: tomb),
            TombstoneStep(call: .copy, entries: tomb, status: errSecItemNotFound),
            TombstoneStep(call: .delete, entries: tomb, status: errSecItemNotFound),
            // One that doesn't synchronize: a tombstone is left when it is asked for.
            TombstoneStep(call: .add, entries: [:]),
            TombstoneStep(call: .delete, entries: leaving),
            TombstoneStep(call: .copy, entries: tomb),
            TombstoneStep(call: .delete, entries: tomb + leaving),
            TombstoneStep(call: .copy, entries: tomb),
            TombstoneStep(call: .delete, entries: tomb),
            TombstoneStep(call: .copy, entries: tomb, status: errSecItemNotFound),
        ]
    }

    /// An item with all attributes of its class's primary key.
    private static func named(_ number: Int) -> Entries {
        let (text, data) = ("text \(number)", bytes("data \(number)"))
        return switch number % 4 {
        case 0:
            [
                "class": "inet", "acct": text, "sdmn": text, "srvr": text, "path": text,
                "ptcl": number, "atyp": number, "port": number,
            ]
        case 1: ["class": "genp", "acct": text, "svce": text]
        case 2:
            [
                "class": "keys", "kcls": text, "klbl": data, "atag": data, "type": number,
                "bsiz": number, "esiz": number,
            ]
        default: ["class": "cert", "ctyp": number, "issr": data, "slnr": data]
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func si12ItemStress(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let all = try (0..<4).map { _ in try keychain.anotherConnection() }
            let failures = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: all.count) { worker in
                for round in 0..<25 {
                    for (step, status) in Self.stress(all[worker], "\(worker).\(round)") {
                        if status != errSecSuccess {
                            failures.withLock { $0.append("\(step): \(status)") }
                        }
                    }
                }
            }
            #expect(failures.withLock { $0 } == [])
            #expect(keychain.itemCount == 0)
        }
    }

    /// Adds, finds, changes and deletes a separate item while the other threads do the same.
    private static func stress(_ calls: ItemCalls, _ name: String) -> [(String, OSStatus)] {
        let item: NSDictionary = ["class": "inet", "acct": name, "srvr": "stress"]
        let added = mutable(item)
        added["v_Data"] = bytes(name)
        let renamed: NSDictionary = ["class": "inet", "acct": name + "'", "srvr": "stress"]
        let changes: NSDictionary = ["acct": name + "'", "labl": name]
        let query = mutable(renamed)
        query["r_Data"] = true
        var result: CFTypeRef?
        var steps = unsafe [
            ("add", calls.add(added, nil)), ("find", calls.copyMatching(item, nil)),
            ("update", calls.update(item, changes)), ("read", calls.copyMatching(query, &result)),
        ]
        if result as? Data != bytes(name) { steps.append(("compare", errSecInternalError)) }
        steps.append(("delete", calls.delete(renamed)))
        return steps
    }

    @Test func si15DeleteAccessGroup() throws {
        try ConformanceKeychain.run(.inProcess) { keychain in
            let groups = ConformanceKeychain.groups
            for group in groups {
                for item in ItemKind.stored { try item.put(into: keychain, ["agrp": group]) }
            }
            for item in ItemKind.stored {
                let query: Entries = ["class": item.rawValue, "agrp": groups[1]]
                #expect(keychain.delete(query) == errSecSuccess)
            }
            for item in ItemKind.stored {
                for group in [groups[0], groups[2]] {
                    #expect(keychain.count(["class": item.rawValue, "agrp": group]) == 1)
                }
                #expect(keychain.count(["class": item.rawValue, "agrp": groups[1]]) == 0)
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func si43Persistent(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let added = keychain.added(item.sample(1) + ["r_PersistentRef": true])
            let first = try #require(added.data)
            try item.put(2, into: keychain)
            let second = try keychain.reference(item.query(2))
            #expect(first != second)
            #expect(try keychain.reference(item.query(1)) == first)
            let byFirst: Entries = ["v_PersistentRef": first]
            #expect(keychain.data(byFirst) == item.secret(1))
            #expect(keychain.update(byFirst, ["labl": "new"]) == errSecSuccess)
            #expect(try keychain.reference(item.query(1)) == first)
            #expect(keychain.attribute("labl", byFirst) as? String == "new")
            #expect(keychain.attribute("labl", item.query(2)) as? String != "new")
            #expect(keychain.delete(byFirst) == errSecSuccess)
            #expect(keychain.copy(byFirst).status == errSecItemNotFound)
            #expect(keychain.delete(byFirst) == errSecItemNotFound)
            #expect(keychain.data(["v_PersistentRef": second]) == item.secret(2))
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func si72SyncableItems(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let synced = item.query() + ["sync": true]
            try item.put(into: keychain, ["sync": true])
            #expect(keychain.find(item.query()) == errSecItemNotFound)
            #expect(keychain.find(synced) == errSecSuccess)
            #expect(keychain.find(item.query() + ["sync": "syna"]) == errSecSuccess)
            #expect(keychain.update(synced, ["labl": "x"]) == errSecSuccess)
            #expect(keychain.delete(item.query()) == errSecItemNotFound)
            #expect(keychain.delete(synced) == errSecSuccess)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func si78QueryAttributes(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.add(Self.inet) == errSecSuccess)
            let all = Self.found + ["m_Limit": "m_LimitAll"]
            let three: Entries = ["r_Attributes": true, "r_Data": true, "r_PersistentRef": true]
            let full = try #require(keychain.copy(all + three).dictionaries)
            #expect(full.count == 1)
            #expect(full[0]["v_Data"] as? Data == bytes("MySecretPassword!"))
            #expect((full[0]["v_PersistentRef"] as? Data)?.count == 20)
            #expect(full[0]["acct"] as? String == "smith")
            let data = keychain.copy(all + ["r_Data": true]).object as? [Data]
            #expect(data == [bytes("MySecretPassword!")])
            let attributes = try #require(keychain.copy(all + ["r_Attributes": true]).dictionaries)
            #expect(attributes.count == 1)
            #expect(attributes[0]["v_Data"] == nil)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func si80EmptyData(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.add(item.query()) == errSecSuccess)
            let query = item.query() + ["r_Data": true, "r_Attributes": true]
            let found = try #require(
                keychain.copy(query + ["m_Limit": "m_LimitAll"]).dictionaries)
            #expect(found.count == 1)
            #expect(found[0]["v_Data"] == nil)
            #expect(keychain.delete(item.query()) == errSecSuccess)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func si82TokenAccessGroup(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let token: Entries = ["agrp": "com.apple.token"]
            #expect(keychain.added(item.sample() + token).status == errSecMissingEntitlement)
            // The group isn't implied while there is no support for tokens.
            let answer = keychain.copy(item.query() + token)
            #expect(answer.status == errSecMissingEntitlement)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func secd01Items(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try keychain.setPasscode()
            try keychain.lock()
            #expect(keychain.added(Self.inet).status == errSecInteractionNotAllowed)
            try keychain.unlock()
            #expect(keychain.add(Self.inet) == errSecSuccess)
            #expect(keychain.add(Self.inet) == errSecDuplicateItem)
            try keychain.lock()
            #expect(keychain.added(Self.inet).status == errSecInteractionNotAllowed)
            let data = Self.found + ["r_Data": true]
            #expect(keychain.copy(data).status == errSecInteractionNotAllowed)
            try keychain.unlock()
            #expect(keychain.copy(data).data == bytes("MySecretPassword!"))
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func secd81ItemsThatNeedAPasscodeAndWrongAccessControls(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let item = Self.inet + ["pdmn": "akpu"]
            #expect(keychain.added(item).status == errSecNotAvailable)
            try keychain.setPasscode()
            #expect(keychain.add(item) == errSecSuccess)
            #expect(keychain.data(Self.found) == bytes("MySecretPassword!"))
            try keychain.removePasscode()
            #expect(keychain.copy(Self.found + ["r_Data": true]).status == errSecItemNotFound)
            #expect(keychain.added(Self.inet + ["accc": "ak"]).status == errSecParam)
            #expect(keychain.added(Self.inet + ["u_AuthUI": "u_AuthUIS"]).status == errSecParam)
            #expect(keychain.delete(Self.found + ["u_AuthUI": "u_AuthUIS"]) == errSecParam)
            #expect(keychain.add(Self.inet) == errSecSuccess)
            let changes: Entries = ["u_AuthCtx": "x", "v_Data": Data()]
            #expect(keychain.update(Self.found, changes) == errSecNoSuchAttr)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func secd82PersistentReferences(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for number in 1...3 { try item.put(number, into: keychain) }
            let all: Entries = ["class": item.rawValue, "m_Limit": "m_LimitAll"]
            let returns: Entries = ["r_PersistentRef": true, "r_Attributes": true]
            let found = try #require(keychain.copy(all + returns).dictionaries)
            let references = found.compactMap { $0["v_PersistentRef"] as? Data }
            #expect(references.count == 3)
            #expect(Set(references).count == 3)
            for reference in references {
                #expect(keychain.find(["v_PersistentRef": reference]) == errSecSuccess)
            }
        }
    }

    // MARK: - KeychainAPITests

    @Test(arguments: KeychainKind.allCases)
    func returnKeysInAnUpdateChangeNothing(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.add(Self.inet) == errSecSuccess)
            for flag in ReturnFlag.allCases {
                // In the query they have no effect (our choice; Apple's result depends on the
                // platform), in the changes they are refused.
                let query = Self.found + [flag.rawValue: true]
                #expect(keychain.update(query, ["labl": "x"]) == errSecSuccess, "\(flag)")
                let changes: Entries = [flag.rawValue: true]
                #expect(keychain.update(Self.found, changes) == errSecNoSuchAttr, "\(flag)")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func testBadTypeInParams(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for key in ["class", "acct", "v_Data", "labl", "nleg", "u_OpPrompt", "feature"] {
                let query = Self.inet + [key: NSObject()]
                #expect(keychain.all(query) == every(errSecParam), "\(key)")
            }
            #expect(keychain.update(Self.found, ["labl": NSObject()]) == errSecParam)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func textsGivenAsDataAreUnderstood(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let item = Self.inet + ["agrp": bytes(keychain.defaultGroup), "pdmn": bytes("ck")]
            #expect(keychain.add(item) == errSecSuccess)
            let attributes = try keychain.attributes(Self.found)
            #expect(attributes["agrp"] as? String == keychain.defaultGroup)
            #expect(attributes["pdmn"] as? String == "ck")
            #expect(keychain.find(Self.found + ["pdmn": bytes("ck")]) == errSecSuccess)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func theServicesOwnColumnsAreRefusedAndNeverReturned(
        _ kind: KeychainKind, _ item: ItemKind
    ) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for key in ["persistref", "rowid", "clip", "data"] {
                #expect(keychain.all(item.sample() + [key: Data([1])]) == every(errSecParam))
            }
            let returns = ReturnFlags(ReturnFlag.allCases).entries
            let added = try #require(keychain.added(item.sample() + returns).dictionary)
            let copied = try #require(keychain.copy(item.query() + returns).dictionary)
            for found in [added, copied] {
                for key in ["persistref", "rowid", "UUID"] { #expect(found[key] == nil, "\(key)") }
            }
        }
    }

    // MARK: - KeychainCryptoTests

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func attributesFirstAndTheSecretAfterwards(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain, ["labl": "x"])
            let attributes = try keychain.attributes(item.query())
            #expect(attributes["labl"] as? String == "x")
            #expect(attributes["v_Data"] == nil)
            let reference = try keychain.reference(item.query())
            #expect(keychain.data(["v_PersistentRef": reference]) == item.secret())
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func noKeyIsKeptOverALock(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try keychain.setPasscode()
            try item.put(into: keychain, ["pdmn": "ak"])
            #expect(keychain.data(item.query()) == item.secret())
            for _ in 0..<3 {
                try keychain.lock()
                let data = item.query() + ["r_Data": true]
                #expect(keychain.copy(data).status == errSecInteractionNotAllowed)
                #expect(keychain.find(item.query()) == errSecInteractionNotAllowed)
                try keychain.unlock()
                #expect(keychain.data(item.query()) == item.secret())
            }
        }
    }

    // MARK: - SecItemTests

    @Test(arguments: KeychainKind.allCases)
    func genericPasswordsCollideAndAreRenamed(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let item: Entries = ["class": "genp", "acct": "a", "svce": "s", "v_Data": Data([1])]
            let found = item.without("v_Data")
            #expect(keychain.add(item) == errSecSuccess)
            #expect(keychain.add(item) == errSecDuplicateItem)
            #expect(keychain.update(found, ["svce": "t"]) == errSecSuccess)
            #expect(keychain.add(item) == errSecSuccess)
            #expect(keychain.update(found, ["svce": "t"]) == errSecDuplicateItem)
            #expect(keychain.count(["class": "genp", "acct": "a"]) == 2)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func anInternetPasswordsPortMayBeEmpty(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.add(Self.inet + ["port": ""]) == errSecSuccess)
            let found = try keychain.attributes(Self.found + ["port": ""])
            #expect(found["port"] as? String == "")
        }
    }
}

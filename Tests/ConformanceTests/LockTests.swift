// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// The results of the calls while keys are unavailable. Each line of the table is tested twice: for
/// rows of the when-unlocked classes while the device is locked, and for the after-first-unlock
/// classes before the first unlock. Source of each claim: Apple's SecItem, as observed.
@Suite struct LockTests {
    /// Why a row's key is unavailable.
    enum Situation: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case whenUnlocked = "ak"
        case whenUnlockedThisDevice = "aku"
        case whenPasscodeSet = "akpu"
        case afterFirstUnlock = "ck"
        case afterFirstUnlockThisDevice = "cku"

        var testDescription: String { rawValue }
        /// Whether it takes a restart, not a lock.
        var needsRestart: Bool { rawValue.hasPrefix("ck") }
        /// An accessibility whose items can be read meanwhile.
        var readable: String { needsRestart ? "dk" : "ck" }
    }

    /// Runs with a passcode and the items that `prepare` adds while unlocked, then locked.
    private func run(
        _ kind: KeychainKind, _ situation: Situation,
        _ prepare: (ConformanceKeychain, _ item: (ItemKind, Int) throws -> Void) throws -> Void = {
            _, _ in
        },
        locked: (ConformanceKeychain) throws -> Void,
        unlocked: (ConformanceKeychain) throws -> Void = { _ in }
    ) throws {
        try ConformanceKeychain.run(kind, restarts: situation.needsRestart) { keychain in
            try keychain.setPasscode()
            try prepare(keychain) { item, number in
                try item.put(number, into: keychain, ["pdmn": situation.rawValue])
            }
            try situation.needsRestart ? keychain.restart() : keychain.lock()
            try locked(keychain)
            try keychain.unlock()
            try unlocked(keychain)
        }
    }

    // MARK: - Add

    @Test(arguments: KeychainKind.allCases, Situation.allCases)
    func addIsRefusedAndNothingIsStored(_ kind: KeychainKind, _ situation: Situation) throws {
        try run(kind, situation) { keychain in
            for item in ItemKind.stored {
                let new = item.sample() + ["pdmn": situation.rawValue, "r_Data": true]
                #expect(keychain.added(new).status == errSecInteractionNotAllowed, "\(item)")
            }
        } unlocked: { keychain in
            #expect(keychain.itemCount == 0)
            for item in ItemKind.stored {
                try item.put(into: keychain, ["pdmn": situation.rawValue])
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, Situation.allCases)
    func addOfADuplicateIsRefusedAsLocked(_ kind: KeychainKind, _ situation: Situation) throws {
        try run(kind, situation) { _, put in
            for item in ItemKind.stored { try put(item, 1) }
        } locked: { keychain in
            for item in ItemKind.stored {
                let new = item.sample() + ["pdmn": situation.rawValue]
                #expect(keychain.added(new).status == errSecInteractionNotAllowed, "\(item)")
            }
        } unlocked: { keychain in
            for item in ItemKind.stored {
                #expect(keychain.add(item.sample()) == errSecDuplicateItem, "\(item)")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, Situation.allCases)
    func addOfAnotherClassWorks(_ kind: KeychainKind, _ situation: Situation) throws {
        try run(kind, situation) { keychain in
            for item in ItemKind.stored {
                try item.put(into: keychain, ["pdmn": situation.readable])
                #expect(keychain.data(item.query()) == item.secret(), "\(item)")
            }
        }
    }

    // MARK: - Copy

    @Test(arguments: KeychainKind.allCases, Situation.allCases)
    func copyIsRefusedWhateverIsAskedFor(_ kind: KeychainKind, _ situation: Situation) throws {
        try run(kind, situation) { _, put in
            for item in ItemKind.stored { try put(item, 1) }
        } locked: { keychain in
            for item in ItemKind.stored {
                for flags in ReturnFlags.combinations {
                    for limit in ["m_LimitOne", "m_LimitAll"] {
                        let query = item.query() + flags.entries + ["m_Limit": limit]
                        let status = keychain.copy(query).status
                        #expect(status == errSecInteractionNotAllowed, "\(item) \(flags) \(limit)")
                    }
                }
            }
        } unlocked: { keychain in
            for item in ItemKind.stored {
                #expect(keychain.data(item.query()) == item.secret(), "\(item)")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, Situation.allCases)
    func aLockedIdentityIsRefused(_ kind: KeychainKind, _ situation: Situation) throws {
        try run(kind, situation) { keychain, _ in
            // The certificate stays readable, but its key doesn't.
            let certificate = try CertificateSample.anna.reference()
            let key = try KeySample.anna.reference()
            #expect(keychain.add(["v_Ref": certificate]) == errSecSuccess)
            let more: Entries = ["v_Ref": key, "pdmn": situation.rawValue]
            #expect(keychain.add(more) == errSecSuccess)
        } locked: { keychain in
            #expect(keychain.data(["class": "cert"]) == CertificateSample.anna.der)
            for flags in ReturnFlags.combinations {
                let status = keychain.copy(["class": "idnt"] + flags.entries).status
                #expect(status == errSecInteractionNotAllowed, "\(flags)")
            }
        } unlocked: { keychain in
            let answer = keychain.copy(["class": "idnt", "r_Ref": true])
            #expect(ItemKind.identity.isReference(answer.object))
        }
    }

    @Test(arguments: KeychainKind.allCases, Situation.allCases)
    func copyOfAllHasNoPartialResult(_ kind: KeychainKind, _ situation: Situation) throws {
        try run(kind, situation) { keychain, put in
            for item in ItemKind.stored {
                try item.put(1, into: keychain, ["pdmn": situation.readable])
                try put(item, 2)
                try item.put(3, into: keychain, ["pdmn": situation.readable])
            }
        } locked: { keychain in
            for item in ItemKind.stored {
                let all: Entries = ["class": item.rawValue, "m_Limit": "m_LimitAll"]
                for flags in ReturnFlags.combinations {
                    let status = keychain.copy(all + flags.entries).status
                    #expect(status == errSecInteractionNotAllowed, "\(item) \(flags)")
                }
                #expect(keychain.data(item.query(1)) == item.secret(1))
                #expect(keychain.data(item.query(3)) == item.secret(3))
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, Situation.allCases)
    func copyOfOneDependsOnTheOldest(_ kind: KeychainKind, _ situation: Situation) throws {
        try run(kind, situation) { keychain, put in
            try ItemKind.genericPassword.put(1, into: keychain, ["pdmn": situation.readable])
            try put(.genericPassword, 2)
            try put(.internetPassword, 1)
            try ItemKind.internetPassword.put(2, into: keychain, ["pdmn": situation.readable])
        } locked: { keychain in
            let first = keychain.copy(["class": "genp", "r_Data": true])
            #expect(first.data == ItemKind.genericPassword.secret(1))
            let second = keychain.copy(["class": "inet", "r_Data": true])
            #expect(second.status == errSecInteractionNotAllowed)
        }
    }

    @Test(arguments: KeychainKind.allCases, Situation.allCases)
    func whatIsNotThereIsNotFoundAllTheSame(_ kind: KeychainKind, _ situation: Situation) throws {
        try run(kind, situation) { _, put in
            for item in ItemKind.stored { try put(item, 1) }
        } locked: { keychain in
            for item in ItemKind.stored {
                #expect(keychain.find(item.query(2)) == errSecItemNotFound, "\(item)")
                let data = item.query(2) + ["r_Data": true]
                #expect(keychain.copy(data).status == errSecItemNotFound, "\(item)")
                let other = item.query(1) + ["pdmn": situation.readable]
                #expect(keychain.find(other) == errSecItemNotFound, "\(item)")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, Situation.allCases)
    func skippedAuthenticationDoesNotSkipLockedRows(
        _ kind: KeychainKind, _ situation: Situation
    ) throws {
        try run(kind, situation) { _, put in
            for item in ItemKind.stored { try put(item, 1) }
        } locked: { keychain in
            for item in ItemKind.stored {
                for limit in ["m_LimitOne", "m_LimitAll"] {
                    let query = item.query() + ["u_AuthUI": "u_AuthUIS", "m_Limit": limit]
                    #expect(keychain.copy(query).status == errSecInteractionNotAllowed, "\(item)")
                }
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, Situation.allCases)
    func aPersistentReferenceOpensNothing(_ kind: KeychainKind, _ situation: Situation) throws {
        var references: [Data] = []
        try run(kind, situation) { keychain, put in
            for item in ItemKind.stored {
                try put(item, 1)
                references.append(try keychain.reference(item.query()))
            }
        } locked: { keychain in
            for reference in references {
                let query: Entries = ["v_PersistentRef": reference]
                #expect(keychain.copy(query).status == errSecInteractionNotAllowed)
            }
        }
    }

    // MARK: - Update

    @Test(arguments: KeychainKind.allCases, Situation.allCases)
    func updateIsRefusedAndUndone(_ kind: KeychainKind, _ situation: Situation) throws {
        try run(kind, situation) { keychain, put in
            for item in ItemKind.stored {
                try item.put(1, into: keychain, ["pdmn": situation.readable])
                try put(item, 2)
            }
        } locked: { keychain in
            for item in ItemKind.stored {
                for changes: Entries in [["labl": "x"], ["v_Data": Data([1])], [:]] {
                    for query in [item.query(2), ["class": item.rawValue]] {
                        let status = keychain.update(query, changes)
                        #expect(status == errSecInteractionNotAllowed, "\(item) \(changes)")
                    }
                }
                #expect(keychain.attribute("labl", item.query(1)) as? String != "x")
                #expect(keychain.data(item.query(1)) == item.secret(1))
                #expect(keychain.update(item.query(3), ["labl": "x"]) == errSecItemNotFound)
                #expect(keychain.update(item.query(1), ["labl": "x"]) == errSecSuccess)
            }
        } unlocked: { keychain in
            for item in ItemKind.stored {
                #expect(keychain.attribute("labl", item.query(2)) as? String != "x")
                #expect(keychain.data(item.query(2)) == item.secret(2))
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, Situation.allCases)
    func noItemMovesIntoALockedClass(_ kind: KeychainKind, _ situation: Situation) throws {
        try run(kind, situation) { keychain, _ in
            for item in ItemKind.stored {
                try item.put(1, into: keychain, ["pdmn": situation.readable])
            }
        } locked: { keychain in
            for item in ItemKind.stored {
                let changes: Entries = ["pdmn": situation.rawValue]
                #expect(keychain.update(item.query(), changes) == errSecInteractionNotAllowed)
                let found = try keychain.attributes(item.query())
                #expect(found["pdmn"] as? String == situation.readable)
                #expect(keychain.data(item.query()) == item.secret())
            }
        }
    }

    // MARK: - Delete

    @Test(arguments: KeychainKind.allCases, Situation.allCases)
    func deleteWorks(_ kind: KeychainKind, _ situation: Situation) throws {
        try run(kind, situation) { keychain, put in
            for item in ItemKind.stored {
                try put(item, 1)
                try put(item, 2)
            }
        } locked: { keychain in
            for item in ItemKind.stored {
                #expect(keychain.delete(item.query(1)) == errSecSuccess, "\(item)")
                #expect(keychain.delete(item.query(1)) == errSecItemNotFound, "\(item)")
            }
        } unlocked: { keychain in
            for item in ItemKind.stored {
                #expect(keychain.find(item.query(1)) == errSecItemNotFound, "\(item)")
                #expect(keychain.data(item.query(2)) == item.secret(2), "\(item)")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, Situation.allCases)
    func deleteWorksByClassAndByReference(_ kind: KeychainKind, _ situation: Situation) throws {
        var references: [Data] = []
        try run(kind, situation) { keychain, put in
            for item in ItemKind.stored {
                for number in 1...3 { try put(item, number) }
                references.append(try keychain.reference(item.query(2)))
            }
        } locked: { keychain in
            for (item, reference) in zip(ItemKind.stored, references) {
                let query: Entries = ["v_PersistentRef": reference]
                #expect(keychain.delete(query) == errSecSuccess, "\(item)")
                #expect(keychain.delete(query) == errSecItemNotFound, "\(item)")
                #expect(keychain.find(item.query(1)) == errSecInteractionNotAllowed, "\(item)")
            }
            for item in ItemKind.stored {
                #expect(keychain.delete(["class": item.rawValue]) == errSecSuccess, "\(item)")
                #expect(keychain.delete(["class": item.rawValue]) == errSecItemNotFound, "\(item)")
            }
        } unlocked: { keychain in
            #expect(keychain.itemCount == 0)
        }
    }

    // MARK: - Around it

    @Test(arguments: KeychainKind.allCases)
    func aChangedAccessibilityHoldsWhileLocked(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try keychain.setPasscode()
            for item in ItemKind.stored {
                try item.put(1, into: keychain, ["pdmn": "ak"])
                try item.put(2, into: keychain, ["pdmn": "ck"])
                try item.put(3, into: keychain, ["pdmn": "ak"])
                #expect(keychain.update(item.query(1), ["pdmn": "ck"]) == errSecSuccess)
                #expect(keychain.update(item.query(2), ["pdmn": "aku"]) == errSecSuccess)
                let access = try accessControl("cku")
                #expect(keychain.update(item.query(3), ["accc": access]) == errSecSuccess)
            }
            try keychain.lock()
            for item in ItemKind.stored {
                #expect(keychain.data(item.query(1)) == item.secret(1), "\(item)")
                let second = keychain.copy(item.query(2) + ["r_Data": true])
                #expect(second.status == errSecInteractionNotAllowed, "\(item)")
                #expect(keychain.data(item.query(3)) == item.secret(3), "\(item)")
            }
            try keychain.unlock()
            for item in ItemKind.stored {
                #expect(keychain.data(item.query(2)) == item.secret(2), "\(item)")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func lockedOutOfOneClassIsNotLockedOutOfOthers(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind, restarts: true) { keychain in
            try keychain.setPasscode()
            let codes = ["ak", "aku", "akpu", "ck", "cku", "dk", "dku"]
            for item in ItemKind.stored {
                for (number, code) in codes.enumerated() {
                    let name = item == .certificate ? "issr" : item == .key ? "klbl" : "acct"
                    let new: Entries = ["class": item.rawValue, name: Data([UInt8(number)])]
                    #expect(keychain.add(new + ["pdmn": code, "v_Data": bytes(code)]) == 0)
                }
            }
            func readable() -> [[String]] {
                ItemKind.stored.map { item in
                    codes.filter { code in
                        let query: Entries = ["class": item.rawValue, "pdmn": code, "r_Data": true]
                        let answer = keychain.copy(query)
                        let isOpen = answer.data == bytes(code)
                        #expect(isOpen || answer.status == errSecInteractionNotAllowed)
                        return isOpen
                    }
                }
            }
            let classes = ItemKind.stored.count
            #expect(readable() == Array(repeating: codes, count: classes))
            try keychain.lock()
            let locked = Array(repeating: ["ck", "cku", "dk", "dku"], count: classes)
            #expect(readable() == locked)
            try keychain.unlock()
            #expect(readable() == Array(repeating: codes, count: classes))
            try keychain.restart()
            #expect(readable() == Array(repeating: ["dk", "dku"], count: classes))
            try keychain.unlock()
            #expect(readable() == Array(repeating: codes, count: classes))
            try keychain.lock()
            #expect(readable() == locked)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func withoutAPasscodeLockingHasNoEffect(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for item in ItemKind.stored { try item.put(into: keychain) }
            try keychain.lock()
            for item in ItemKind.stored {
                #expect(keychain.data(item.query()) == item.secret(), "\(item)")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func withThePasscodeTheItemsThatNeedItAreGone(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try keychain.setPasscode()
            for item in ItemKind.stored {
                try item.put(1, into: keychain, ["pdmn": "akpu"])
                try item.put(2, into: keychain)
            }
            try keychain.removePasscode()
            for item in ItemKind.stored {
                let query = item.query(1) + ["r_Data": true]
                #expect(keychain.copy(query).status == errSecItemNotFound, "\(item)")
                #expect(keychain.find(item.query(1)) == errSecItemNotFound, "\(item)")
                #expect(keychain.data(item.query(2)) == item.secret(2), "\(item)")
                let all: Entries = ["class": item.rawValue]
                #expect(keychain.count(all) == 1, "\(item)")
                #expect(keychain.update(item.query(1), ["labl": "x"]) == errSecItemNotFound)
                // Their primary keys are free.
                try item.put(1, into: keychain)
                #expect(keychain.data(item.query(1)) == item.secret(1), "\(item)")
            }
            // A new passcode doesn't bring them back.
            try keychain.setPasscode()
            for item in ItemKind.stored {
                #expect(keychain.find(item.query() + ["pdmn": "akpu"]) == errSecItemNotFound)
            }
        }
    }
}

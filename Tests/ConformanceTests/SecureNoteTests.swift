// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// Secure notes: generic passwords of the type `note`, as macOS stores them.
@Suite struct SecureNoteTests {
    /// `note` as a number.
    private static let noteType = 0x6e6f_7465

    private static func note(_ title: String) -> Entries {
        ["class": "genp", "type": noteType, "svce": title, "labl": title, "desc": "secure note"]
    }

    @Test(arguments: KeychainKind.allCases)
    func aNoteIsStoredAndRead(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let text = bytes("Zeile 1\nZeile 2\u{0}Ende 📝")
            #expect(keychain.add(Self.note("A") + ["v_Data": text]) == errSecSuccess)
            let query: Entries = ["class": "genp", "type": Self.noteType, "svce": "A"]
            #expect(keychain.data(query) == text)
            let found = try keychain.attributes(query)
            #expect(found["type"] as? Int == Self.noteType)
            #expect(found["labl"] as? String == "A")
            #expect(found["acct"] as? String == "")
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func notesAreListedApartFromPasswords(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for title in ["A", "B"] { #expect(keychain.add(Self.note(title)) == errSecSuccess) }
            try ItemKind.genericPassword.put(into: keychain)
            let list: Entries = [
                "class": "genp", "type": Self.noteType, "m_Limit": "m_LimitAll",
                "r_Attributes": true,
            ]
            let found = keychain.copy(list).dictionaries ?? []
            #expect(Set(found.compactMap { $0["svce"] as? String }) == ["A", "B"])
            #expect(keychain.count(["class": "genp"]) == 3)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aNoteAndAPasswordOfOneNameCollide(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.add(Self.note("A")) == errSecSuccess)
            let password: Entries = ["class": "genp", "svce": "A"]
            #expect(keychain.added(password).status == errSecDuplicateItem)
            #expect(keychain.delete(["class": "genp", "type": Self.noteType]) == errSecSuccess)
            #expect(keychain.add(password) == errSecSuccess)
        }
    }
}

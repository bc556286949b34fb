// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire
import Foundation
import Testing

/// Bitwarden's JSON, in clear and protected.
@Suite struct BitwardenTests {
    private static let protected = ["bitwarden-pbkdf2.json", "bitwarden-argon2id.json"]

    private static let items = [
        [
            "login Bank", "favorite", "address https://bank.example/login",
            "address https://b.example", "user anna", "password p<ä>&\"ss",
            "notes line 1\nline 2", "otp JBSWY3DPEHPK3PXP", "folder [\"Work\", \"Deep\"]",
            "part match 1=3", "part reprompt=1", "hidden PIN=1234", "boolean On=true",
            "linked Link=100",
        ], ["note Note", "notes \u{1F511} only"],
        [
            "card Card", "part brand=Visa", "part cardholderName=Anna", "hiddenPart code=123",
            "part expMonth=1", "part expYear=2030", "hiddenPart number=4111",
        ], ["identity Me", "part firstName=Anna", "hiddenPart ssn=078", "part title=Dr"],
        [
            "sshKey Key", "part keyFingerprint=SHA256:x", "hiddenPart privateKey=-----BEGIN",
            "part publicKey=ssh-ed25519 A",
        ],
    ]

    private func check(_ list: RecordList) {
        #expect(list.records.map(ConversionSamples.lines) == Self.items)
        #expect(list.records.map(\.number) == [1, 2, 3, 4, 5])
        #expect(list.leftOutLines == ["history 1 Bank", "passkey 1 Bank"])
        #expect(list.records[0].created == 1_577_934_245_678)
        #expect(list.records[0].modified == 1_609_556_645_000)
    }

    @Test func everyItemIsRead() throws {
        let list = try ConversionSamples.read(ConversionSamples.bytes("bitwarden.json"))
        #expect(list.format == .bitwardenJSON)
        check(list)
    }

    @Test(arguments: protected) func aProtectedFileHasTheSameItems(_ name: String) throws {
        let file = try ConversionSamples.bytes(name)
        let list = try ConversionSamples.read(file)
        #expect(list.format == .bitwardenEncryptedJSON)
        check(list)
        #expect(ConversionSamples.failure(file, password: "Secret")?.reason == .passwordWrong)
        #expect(ConversionSamples.failure(file, password: nil)?.reason == .passwordNeeded)
    }

    /// Salt and rounds can't be told from the password. All else is damage, and never other items.
    @Test(arguments: protected) func aChangedByteIsFound(_ name: String) throws {
        let file = try ConversionSamples.bytes(name)
        let text = String(decoding: file, as: UTF8.self)
        let start = try #require(text.utf8.firstRange(of: "\"encKey".utf8)?.lowerBound)
        let first = text.utf8.distance(from: text.startIndex, to: start)
        var reasons: [ConversionFailure.Reason: Int] = [:]
        for place in file.indices {
            var changed = file
            changed[place] ^= 1
            guard let failure = ConversionSamples.failure(changed) else {
                // White space for another, or a bit of base 64 that says nothing.
                let list = try ConversionSamples.read(changed)
                check(list)
                continue
            }
            reasons[failure.reason, default: 0] += 1
            if place > first { #expect(failure.reason != .passwordWrong, "\(place)") }
        }
        #expect(reasons[.damaged] ?? 0 > 1000)
        for count in stride(from: 0, to: file.count, by: 7) {
            #expect(ConversionSamples.failure(Array(file[..<count])) != nil)
        }
    }

    @Test(arguments: [ConversionFormat.bitwardenJSON, .bitwardenEncryptedJSON])
    func whatIsWrittenIsReadTheSame(_ format: ConversionFormat) throws {
        let first = try ConversionSamples.read(ConversionSamples.bytes("bitwarden.json")).records
        let (file, leftOut) = try ConversionSamples.write(first, format)
        #expect(leftOut.isEmpty)
        let list = try ConversionSamples.read(file)
        #expect(list.format == format)
        #expect(list.records.map { Set(ConversionSamples.lines($0)) } == Self.items.map(Set.init))
        #expect(list.records.map(\.created) == first.map(\.created))
        #expect(list.records.map(\.modified) == first.map(\.modified))
        let (mixed, _) = try ConversionSamples.write(ConversionSamples.mixed, format)
        let again = try ConversionSamples.read(mixed).records.map(ConversionSamples.lines)
        #expect(
            again.map(Set.init) == ConversionSamples.mixed.map { Set(ConversionSamples.lines($0)) })
    }

    @Test func aProtectedFileIsNotWrittenWithoutAPassword() {
        #expect(throws: ConversionFailure(.passwordNeeded)) {
            try ConversionSamples.write([], .bitwardenEncryptedJSON, password: nil)
        }
    }

    @Test func encryptionOfAnAccountIsNotSupported() {
        let text = #"{"encrypted": true, "encKeyValidation_DO_NOT_EDIT": "2.a|b|c", "items": []}"#
        #expect(ConversionSamples.failure(text: text)?.reason == .unsupported)
    }

    @Test func workOverALimitIsRefusedAtOnce() throws {
        let file = String(decoding: try ConversionSamples.bytes(Self.protected[1]), as: UTF8.self)
        for (old, new, limit) in [
            ("\"kdfMemory\": 1", "\"kdfMemory\": 1025", ConversionLimit.derivationMemory),
            ("\"kdfMemory\": 1", "\"kdfMemory\": 9223372036854775807", .derivationMemory),
            ("\"kdfIterations\": 2", "\"kdfIterations\": 4000000000", .derivationWork),
            ("\"kdfParallelism\": 2", "\"kdfParallelism\": 65", .derivationLanes),
        ] {
            let changed = file.replacingOccurrences(of: old, with: new)
            #expect(changed != file)
            #expect(ConversionSamples.failure(text: changed) == ConversionFailure(over: limit))
        }
        let other = String(decoding: try ConversionSamples.bytes(Self.protected[0]), as: UTF8.self)
        let changed = other.replacingOccurrences(of: ": 10,", with: ": 10000001,")
        #expect(ConversionSamples.failure(text: changed) == ConversionFailure(over: .hashRounds))
    }

    // MARK: - JSON

    @Test func levelsAreCountedUpToTheirLimit() {
        for (count, failure) in [(15, nil), (16, ConversionFailure(over: .depth, line: 1))] {
            let text =
                "{\"items\": [], \"x\": " + String(repeating: "[", count: count)
                + String(repeating: "]", count: count) + "}"
            #expect(ConversionSamples.failure(text: text) == failure)
        }
        let deep = "{\"items\": " + String(repeating: "[", count: 1_000_000)
        #expect(ConversionSamples.failure(text: deep) == ConversionFailure(over: .depth, line: 1))
    }

    @Test func otherTextThanJSONIsDamaged() {
        for text in [
            "{", "{\"items\"", "{\"items\": [}", "{\"items\": []", "{\"items\": []} x",
            "{\"items\": [],}", "{\"items\": [1]}", "{'items': []}", "{\"items\": [{\"a\": 01}]}",
            "{\"items\": [{\"a\": .5}]}", "{\"items\": [{\"a\": \"\\x\"}]}",
            "{\"items\": [{\"a\": \"\\u12\"}]}", "{\"items\": [{\"a\": \"\n\"}]}",
            "{\"items\": [{\"a\": tru}]}",
        ] {
            #expect(ConversionSamples.failure(text: text)?.reason == .damaged, "\(text)")
        }
        #expect(ConversionSamples.failure(text: "{}")?.reason == .unknownFormat)
        #expect(
            ConversionSamples.failure(text: "{\"items\":\n\n[x]}")
                == ConversionFailure(.damaged, line: 3))
    }

    @Test func escapesBecomeTheirCharacters() throws {
        let list = try ConversionSamples.read(
            text: #"{"items": [{"type": 1, "name": "\"\\\/\b\f\n\r\té\ud83d\ude00\ud83dx"}]}"#)
        #expect(list.records.first?.title == "\"\\/\u{8}\u{C}\n\r\té\u{1F600}\u{FFFD}x")
        #expect(
            ConversionSamples.failure(text: #"{"items": [{"name": "\u0000"}]}"#)?.reason
                == .invalidText)
    }

    @Test func anItemOfCountlessValuesIsRefused() {
        let text = "{\"items\": [{\"a\": [0" + String(repeating: ",0", count: 200_000) + "]}]}"
        #expect(ConversionSamples.failure(text: text)?.limit == .partCount)
    }

    @Test func foldersMayFollowTheirItemsOrBeMissing() throws {
        let list = try ConversionSamples.read(
            text: """
                {"items": [{"type": 1, "name": "A", "folderId": "f"}, {"type": 9, "name": "B",
                "folderId": "g", "future": {"secret": "s"}}], "folders": [{"id": "f", "name": "F"}]}
                """)
        #expect(
            list.records.map(ConversionSamples.lines) == [
                ["login A", "folder [\"F\"]"], ["other B", "hiddenPart future.secret=s"],
            ])
        let none = try ConversionSamples.read(text: #"{"items": [], "folders": null}"#)
        #expect(none.records.isEmpty)
    }
}

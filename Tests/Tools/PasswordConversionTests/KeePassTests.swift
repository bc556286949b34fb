// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire
import Testing

@testable import PasswordConversion

/// KeePass's files, as keepassxc-cli and pykeepass write them.
@Suite struct KeePassTests {
    private static let version4 = [
        "pykeepass-argon2d-aes.kdbx", "pykeepass-argon2id-chacha20.kdbx", "keepassxc-4.kdbx",
    ]
    /// With one round of key derivation.
    private static let cheap = version4 + ["pykeepass-3.1.kdbx"]

    private static let bank = [
        "login Bank", "address https://bank.example/login", "user anna", "password p<ä>&\"ss2",
        "notes line 1\nline 2", "otp otpauth://totp/Bank:anna?secret=JBSWY3DPEHPK3PXP",
        "tags [\"home\", \"money\"]", "text PIN=1234",
    ]

    @Test(arguments: version4) func everyEntryOfVersion4IsRead(_ name: String) throws {
        let list = try ConversionSamples.read(ConversionSamples.bytes(name))
        #expect(list.format == .keePass)
        var found: [String: [String]] = [:]
        for record in list.records {
            var record = record
            record.tags.sort()
            found[record.title] = ConversionSamples.lines(record)
        }
        #expect(found["Bank"] == Self.bank)
        #expect(
            found["Mail 日本"] == [
                "login Mail 日本", "address imaps://mail.example", "user b@example.org",
                "password " + String(repeating: "x", count: 300), "folder [\"Work\"]",
            ])
        #expect(
            found["Note only"] == [
                "note Note only", "notes only a note", "folder [\"Work\", \"Deep / Group\"]",
            ])
        #expect(
            found["Gone"] == [
                "login Gone", "deleted", "address https://gone.example", "user old",
                "password gone", "folder [\"Recycle Bin\"]",
            ])
        #expect((found["Added"] != nil) == (name == "keepassxc-4.kdbx"))
        #expect(found.count == list.records.count)
        let kinds = list.leftOut.filter { $0.name == "Bank" || $0.name == "letter.txt" }.map(\.kind)
        #expect(Set(kinds) == [.attachment, .history])
        let bank = try #require(list.records.first { $0.title == "Bank" })
        #expect(bank.created == 1_577_934_245_000)
        #expect(bank.modified ?? 0 > 1_700_000_000_000)
    }

    @Test(arguments: ["keepassxc-3.1.kdbx", "pykeepass-3.1.kdbx"])
    func everyEntryOfVersion3IsRead(_ name: String) throws {
        let list = try ConversionSamples.read(ConversionSamples.bytes(name))
        let found = Dictionary(
            uniqueKeysWithValues: list.records.map { ($0.title, ConversionSamples.lines($0)) })
        #expect(
            found["Bank"] == [
                "login Bank", "address https://bank.example/login", "user anna",
                "password ümlaut-anna", "notes a note",
            ])
        #expect(
            found["Mail"] == [
                "login Mail", "address imaps://mail.example", "user b@example.org",
                "password ümlaut-b@example.org", "folder [\"Work\"]",
            ])
        #expect((found["Third"] != nil) == (name == "pykeepass-3.1.kdbx"))
        #expect(list.records[0].created ?? 0 > 1_700_000_000_000)
    }

    @Test(arguments: cheap + ["keepassxc-3.1.kdbx"])
    func anotherPasswordIsToldFromDamage(_ name: String) throws {
        let file = try ConversionSamples.bytes(name)
        for password in ["Secret", "", "secret "] {
            #expect(ConversionSamples.failure(file, password: password)?.reason == .passwordWrong)
        }
        #expect(ConversionSamples.failure(file, password: nil)?.reason == .passwordNeeded)
    }

    @Test func aKeyFileOpensItsDatabase() throws {
        let file = try ConversionSamples.bytes("pykeepass-keyfile.kdbx")
        let key = (0..<32).map { UInt8($0) }
        let digits = Array(key.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined().utf8)
        for keyFile in [
            try ConversionSamples.bytes("key.keyx"), try ConversionSamples.bytes("key.key"), key,
            digits,
        ] {
            let list = try ConversionSamples.read(file, keyFile: keyFile)
            #expect(
                list.records.map(ConversionSamples.lines) == [
                    ["login With key", "user anna", "password keyed"]
                ])
        }
        #expect(ConversionSamples.failure(file)?.reason == .passwordWrong)
        #expect(throws: ConversionFailure(.passwordWrong)) {
            try ConversionSamples.read(file, keyFile: Array("another file".utf8))
        }
    }

    // MARK: - Damage

    /// Version 4 knows of each byte whether it was changed.
    @Test(arguments: version4) func everyChangedByteOfVersion4IsDamage(_ name: String) throws {
        let file = try ConversionSamples.bytes(name)
        for place in file.indices {
            var changed = file
            changed[place] ^= 0x55
            let reason = ConversionSamples.failure(changed)?.reason
            let expected: Set<ConversionFailure.Reason?> =
                place < 8
                ? [.unknownFormat, .invalidText]
                : place < 12
                    ? [.unsupported, .damaged] : [.damaged, .unsupported, .overLimit]
            #expect(expected.contains(reason), "\(place): \(String(describing: reason))")
        }
    }

    /// Version 3.1 can't tell its salts and rounds from the password.
    @Test func everyChangedByteOfVersion3IsFound() throws {
        let file = try ConversionSamples.bytes("pykeepass-3.1.kdbx")
        let whole = try ConversionSamples.read(file).records.map(ConversionSamples.lines)
        var damageCount = 0
        for place in file.indices {
            var changed = file
            changed[place] ^= 0x05
            do throws(ConversionFailure) {
                let list = try ConversionSamples.read(changed)
                // Its head has no digest: a comment, a cipher's unused byte.
                #expect(list.records.count == whole.count, "\(place)")
            } catch { if error.reason == .damaged { damageCount += 1 } }
        }
        #expect(damageCount > file.count / 2)
    }

    @Test(arguments: cheap) func everyBeginningIsRefused(_ name: String) throws {
        let file = try ConversionSamples.bytes(name)
        for count in 0..<file.count {
            #expect(ConversionSamples.failure(Array(file[..<count])) != nil, "\(count)")
        }
        #expect(ConversionSamples.failure(file + [0]) != nil)
    }

    @Test func fieldsOfFourGigabytesAllocateNothing() throws {
        let file = try ConversionSamples.bytes("pykeepass-argon2d-aes.kdbx")
        var changed = file
        changed.replaceSubrange(13..<17, with: [255, 255, 255, 255])
        #expect(ConversionSamples.failure(changed)?.reason == .damaged)
        let header = try KeePassHeader(file)
        changed = file
        let size = header.byteCount + 64 + 32
        changed.replaceSubrange(size..<size + 4, with: [255, 255, 255, 255])
        #expect(ConversionSamples.failure(changed)?.reason == .damaged)
    }

    @Test func olderVersionsAreNotSupported() throws {
        var file = try ConversionSamples.bytes("pykeepass-3.1.kdbx")
        file[10] = 2
        #expect(ConversionSamples.failure(file)?.reason == .unsupported)
        file[4] = 0x65
        #expect(ConversionSamples.failure(file)?.reason == .unknownFormat)
    }

    // MARK: - Writing

    @Test func whatIsWrittenIsReadTheSame() throws {
        let (file, leftOut) = try ConversionSamples.write(ConversionSamples.mixed, .keePass)
        #expect(leftOut.isEmpty)
        let header = try KeePassHeader(file)
        guard case .argon2(let parameters) = header.derivation else {
            Issue.record("the key derivation isn't Argon2")
            return
        }
        #expect(header.version == 4 && parameters.kind == .id)
        let list = try ConversionSamples.read(file)
        #expect(list.leftOut.isEmpty)
        let found = Dictionary(
            uniqueKeysWithValues: list.records.map { ($0.title, ConversionSamples.lines($0)) })
        for record in ConversionSamples.mixed {
            #expect(found[record.title] == ConversionSamples.lines(record))
        }
        let login = try #require(list.records.first { $0.title == "=SUM(A1)" })
        #expect(login.created == 1_577_934_245_000 && login.modified == 1_609_556_645_000)
        #expect(ConversionSamples.failure(file, password: "other")?.reason == .passwordWrong)
    }

    @Test func fieldsWithOneNameStayApart() throws {
        var record = ConvertedRecord(.login, number: 1)
        record.title = "T"
        record.isDeleted = true
        record.folder = (1...20).map { "\($0)" }
        record.fields = [
            .init("Title", ConversionSamples.secret("a")),
            .init("x", ConversionSamples.secret("b")), .init("x", ConversionSamples.secret("c")),
        ]
        let list = try ConversionSamples.read(ConversionSamples.write([record], .keePass).file)
        let again = try #require(list.records.first)
        #expect(again.title == "T" && again.isDeleted)
        #expect(again.fields.map(\.name) == ["Title (2)", "x", "x (2)"])
        #expect(again.fields.map { ConversionSamples.text($0.value) } == ["a", "b", "c"])
    }

    // MARK: - XML

    private func failure(_ xml: String) -> ConversionFailure? {
        do throws(ConversionFailure) {
            _ = try records(xml)
            return nil
        } catch { return error }
    }

    private func records(_ xml: String) throws(ConversionFailure) -> [ConvertedRecord] {
        let list = RecordList()
        try KeePassDocument(MemorySource(xml.utf8), nil, list).read()
        return list.records
    }

    private func document(_ content: String, _ prolog: String = "") -> String {
        prolog + "<KeePassFile><Root><Group>\(content)</Group></Root></KeePassFile>"
    }

    private func entry(_ title: String) -> String {
        "<Entry><String><Key>Title</Key><Value>\(title)</Value></String></Entry>"
    }

    @Test func documentTypesAndEntitiesAreRefused() {
        for xml in [
            document("", "<!DOCTYPE x>"),
            document("", "<!DOCTYPE x [<!ENTITY a \"aaaa\">]>"),
            document(entry("&a;")), document(entry("&nbsp;")),
            document("", "<?xml version=\"1.0\"?><!DOCTYPE k SYSTEM \"file:///etc/passwd\">"),
        ] {
            #expect(failure(xml)?.reason == .entity, "\(xml)")
        }
    }

    @Test func textIsReadAsXMLHasIt() throws {
        let mark = "\u{FEFF}<?xml version=\"1.0\" encoding=\"UTF-8\" ?>\n<!-- - -- -->"
        let xml = document(
            entry("a&lt;&#65;&#x1F600;&amp;<![CDATA[<&]]]>]]>b\r\nc\rd&#13;") + "<!-- x -->"
                + "<Entry />", mark)
        let records = try records(xml + "\n<!-- end -->\n")
        #expect(records.map(\.title) == ["a<A\u{1F600}&<&]]]>b\nc\nd\r", ""])
    }

    @Test func otherTextThanXMLIsDamaged() {
        for xml in [
            "", "x", "<KeePassFile>", "<KeePassFile></Other>", "<Other></Other>",
            document("") + "<x/>", document("") + "x", document("<Entry></Group>"),
            document("<Entry a></Entry>"), document("<Entry a='1></Entry>"),
            document("<1/>"), document(entry("&#0;")), document(entry("&#xD800;")),
            document(entry("<b/>")), document("<Group><Entry/></Group>"),
        ] {
            #expect(failure(xml)?.reason == .damaged, "\(xml)")
        }
        #expect(
            failure(document("", "<?xml version='1.0' encoding='utf-16'?>"))?.reason
                == .unsupported)
    }

    @Test func levelsAreCountedUpToTheirLimit() {
        for (count, failure) in [(13, nil), (14, ConversionFailure(over: .depth))] {
            let xml = document(
                String(repeating: "<x>", count: count) + String(repeating: "</x>", count: count))
            #expect(self.failure(xml) == failure)
        }
    }

    @Test func aValueMayHaveItsLimitAndNoMore() {
        for (count, failure) in [
            (ConversionLimits.fieldByteCount, nil),
            (ConversionLimits.fieldByteCount + 1, ConversionFailure(over: .fieldByteCount)),
        ] {
            #expect(
                self.failure(document(entry(String(repeating: "a", count: count)))) == failure)
        }
        // What nothing needs may be larger: an attachment of version 3.1.
        let large = String(repeating: "QUJD", count: ConversionLimits.fieldByteCount)
        #expect(failure(document("<Other Protected=\"True\">\(large)</Other>")) == nil)
    }

    /// A stream goes on over values of other elements, in the document's order.
    @Test func protectedValuesAreDecryptedInTheirOrder() throws {
        var stream = KeyStream(innerSalsa20: [5])
        func protected(_ text: String) throws -> String {
            var bytes = Array(text.utf8)
            try stream.apply(to: &bytes)
            return String(decoding: Base64.encoded(bytes), as: UTF8.self)
        }
        let skipped = try protected("attachment")
        let earlier = try protected("first password")
        let password = try protected("second")
        let xml = """
            <KeePassFile><Meta><Binaries><Binary Protected="True">\(skipped)</Binary></Binaries>
            </Meta><Root><Group><Entry><History><Entry><String><Key>Password</Key>
            <Value Protected="True">\(earlier)</Value></String></Entry></History>
            <String><Key>Password</Key><Value Protected="True">\(password)</Value></String></Entry>
            </Group></Root></KeePassFile>
            """
        let list = RecordList()
        try KeePassDocument(MemorySource(xml.utf8), KeyStream(innerSalsa20: [5]), list).read()
        #expect(list.records.map { ConversionSamples.text($0.password) } == ["second"])
        #expect(list.leftOutLines == ["history 1 "])
    }

    /// zlib can hold the end of its output back when all of its input is taken.
    @Test func unpackingEndsWhereTheBytesEnd() throws {
        for count in [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000, 262_144, 262_145] {
            for step in [0, 1, 37] {
                let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* step) }
                let packed = try Deflater.gzip(bytes)
                // gzip's head has 10 bytes here, and its end 8.
                for (source, wrapping) in [
                    (packed, Inflater.Wrapping.gzip), (Array(packed[10..<packed.count - 8]), .none),
                ] {
                    let inflater = try Inflater(MemorySource(source), wrapping)
                    var result: [UInt8] = []
                    while let chunk = try inflater.nextChunk() { result += chunk }
                    #expect(result == bytes)
                }
            }
        }
    }

    @Test func aGzipBombIsRefused() throws {
        let packed = try Deflater.gzip([UInt8](repeating: 32, count: 8 << 20))
        #expect(packed.count < 20_000)
        #expect(throws: ConversionFailure(over: .unpackingRatio)) {
            let inflater = try Inflater(MemorySource(packed), .gzip)
            while try inflater.nextChunk() != nil {}
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire
import Testing

/// Tables of browsers and managers.
@Suite struct CSVTests {
    private func lines(_ text: String) throws -> [[String]] {
        try ConversionSamples.read(text: text).records.map(ConversionSamples.lines)
    }

    @Test func eachTableIsKnownByItsHead() throws {
        for (head, format) in [
            ("name,url,username,password,note", ConversionFormat.chromeCSV),
            ("name,url,username,password", .chromeCSV),
            (
                """
                "url","username","password","httpRealm","formActionOrigin","guid","timeCreated",\
                "timeLastUsed","timePasswordChanged"
                """, .firefoxCSV
            ), ("Title,URL,Username,Password,Notes,OTPAuth", .appleCSV),
            (
                "Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes",
                .onePasswordCSV
            ),
            (
                """
                folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,\
                login_password,login_totp
                """, .bitwardenCSV
            ),
        ] {
            let list = try ConversionSamples.read(text: head + "\r\n")
            #expect(list.format == format && list.records.isEmpty)
        }
        for head in ["", "\n", "name,url", "just text", "url,username,password"] {
            #expect(ConversionSamples.failure(text: head)?.reason == .unknownFormat, "\(head)")
        }
    }

    @Test func chromesLoginsHaveTheirValues() throws {
        let text = """
            name,url,username,password,note\r
            Bank,https://bank.example/login,anna,"p,""w\r
            2",a note\r
            ,android://x@com.example/,,,\r

            """
        #expect(
            try lines(text) == [
                [
                    "login Bank", "address https://bank.example/login", "user anna",
                    "password p,\"w\r\n2", "notes a note",
                ], ["login ", "address android://x@com.example/"],
            ])
        let records = try ConversionSamples.read(text: text).records
        #expect(records.map(\.number) == [2, 4])
    }

    @Test func firefoxLoginsHaveTheirTimesAndRealm() throws {
        let text = """
            "url","username","password","httpRealm","formActionOrigin","guid","timeCreated",\
            "timeLastUsed","timePasswordChanged"
            "https://a.example","u","p","Realm",,"{1}","1577934245000","1609556645001","3"
            """
        let list = try ConversionSamples.read(text: text)
        let record = try #require(list.records.first)
        #expect(record.created == 1_577_934_245_000 && record.used == 1_609_556_645_001)
        #expect(record.modified == 3)
        #expect(
            ConversionSamples.lines(record).suffix(2) == ["part httpRealm=Realm", "part guid={1}"])
    }

    @Test func onePasswordsMarksAndTagsAreKept() throws {
        #expect(
            try lines(
                """
                Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes
                A,https://a.example,u,p,otpauth://totp/a,true,false,one;two words,n
                """) == [
                    [
                        "login A", "favorite", "address https://a.example", "user u",
                        "password p", "notes n", "otp otpauth://totp/a",
                        "tags [\"one\", \"two words\"]",
                    ]
                ])
    }

    @Test func bitwardensFoldersNotesAndFieldsAreKept() throws {
        #expect(
            try lines(
                """
                folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,\
                login_password,login_totp
                Work/Deep,1,login,A,,"PIN: 12:34
                Memo: first
                second",1,"https://a.example/?x=1,2,https://b.example",u,p,JBSW
                ,,note,N,text,,0,,,,
                """) == [
                    [
                        "login A", "favorite", "address https://a.example/?x=1,2",
                        "address https://b.example", "user u", "password p", "otp JBSW",
                        "folder [\"Work\", \"Deep\"]", "text PIN=12:34",
                        "text Memo=first\nsecond", "part reprompt=1",
                    ], ["note N", "notes text"],
                ])
    }

    @Test func columnsMayComeInAnyOrderAndMoreOfThem() throws {
        #expect(
            try lines("\u{FEFF}Password,extra,USERNAME,url,name\np,x,u,https://a.example,A\n") == [
                ["login A", "address https://a.example", "user u", "password p", "text extra=x"]
            ])
    }

    @Test func badLinesAreRefusedWithTheirNumber() {
        let head = "name,url,username,password\n"
        for (text, reason, line) in [
            ("a,b,c\n", ConversionFailure.Reason.wrongColumnCount, 2),
            ("a,b,c,d\na,b,c,d,e\n", .wrongColumnCount, 3),
            ("a,b,c,\"d\n1\"\n\na,b\n", .wrongColumnCount, 5),
            ("a,b\"x,c,d\n", .badQuote, 2), ("a,\"b\"x,c,d\n", .badQuote, 2),
            ("a,b,c,d\na,b,c,\"d\n\n", .badQuote, 3), ("a,b,c,d\ra,b,c,d\n", .badQuote, 2),
            ("a,b,c,d\u{0}\n", .invalidText, 2),
        ] {
            #expect(
                ConversionSamples.failure(text: head + text)
                    == ConversionFailure(reason, line: line), "\(text)")
        }
        #expect(
            ConversionSamples.failure(text: "name,url,username,password,Name\n")
                == ConversionFailure(.columnTwice, line: 1))
    }

    @Test func anotherEncodingIsRefusedWithItsLine() {
        let latin =
            Array("name,url,username,password\nA,u,anna,p\nB,u,J".utf8) + [0xFC]
            + Array("rg,p\n".utf8)
        #expect(ConversionSamples.failure(latin) == ConversionFailure(.invalidText, line: 3))
        // UTF-16 begins with a mark of its own.
        #expect(ConversionSamples.failure([0xFF, 0xFE, 0x6E, 0])?.reason == .invalidText)
        for bytes: [UInt8] in [
            [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80],
        ] {
            let file = Array("name,url,username,password\nA,u,".utf8) + bytes + Array(",p\n".utf8)
            #expect(ConversionSamples.failure(file)?.reason == .invalidText, "\(bytes)")
        }
    }

    @Test func aValueMayHaveItsLimitAndNoMore() {
        for isQuoted in [false, true] {
            let quote = isQuoted ? "\"" : ""
            for (count, failure) in [
                (ConversionLimits.fieldByteCount, nil),
                (
                    ConversionLimits.fieldByteCount + 1,
                    ConversionFailure(over: .fieldByteCount, line: 2)
                ),
            ] {
                let value = quote + String(repeating: "a", count: count) + quote
                let text = "name,url,username,password\nA,u,anna,\(value)\n"
                #expect(ConversionSamples.failure(text: text) == failure)
            }
        }
    }

    @Test func anotherFormatThanAskedForIsRefused() {
        let text = Array("name,url,username,password\n".utf8)
        #expect(ConversionSamples.failure(text, .chromeCSV) == nil)
        for format in ConversionFormat.allCases where format != .any && format != .chromeCSV {
            #expect(ConversionSamples.failure(text, format)?.reason == .unknownFormat)
        }
    }

    // MARK: - Writing

    @Test(arguments: [ConversionFormat.chromeCSV, .appleCSV, .onePasswordCSV])
    func whatIsWrittenIsReadTheSame(_ format: ConversionFormat) throws {
        let (file, leftOut) = try ConversionSamples.write(ConversionSamples.mixed, format)
        let list = try ConversionSamples.read(file)
        #expect(list.format == format)
        // A line for each address.
        try #require(list.records.count == 3)
        let login = ConversionSamples.mixed[0]
        for (record, address) in zip(list.records, login.addresses) {
            #expect(record.title == "=SUM(A1)" && record.addresses == [address])
            #expect(record.userName == login.userName)
            #expect(
                ConversionSamples.text(record.password) == ConversionSamples.text(login.password))
            #expect(ConversionSamples.text(record.notes) == ConversionSamples.text(login.notes))
            #expect((record.oneTimePassword != nil) == (format != .chromeCSV))
            #expect(record.isFavorite == (format == .onePasswordCSV))
        }
        let kinds = leftOut.map(\.kind)
        #expect(kinds.filter { $0 == .record }.count == 2)
        #expect(kinds.filter { $0 == .field }.count == 2)
        #expect(kinds.contains(.label))
        #expect(kinds.contains(.oneTimePassword) == (format == .chromeCSV))
    }
}

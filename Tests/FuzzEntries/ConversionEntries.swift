// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire
import Foundation
import PasswordConversion
import SecretBytes

/// Files of other password managers, and what a tool and its converter say to each other.
enum ConversionEntries {
    private static let vectors = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Vectors/passwords")

    /// What is decoded is encoded to the same bytes.
    static func message(_ data: Data) {
        unsafe data.withUnsafeBytes { bytes in
            guard let message = unsafe try? ConversionMessage(decoding: bytes) else { return }
            let again = message.encoded()
            precondition(
                unsafe again.bytes.withUnsafeBytes { unsafe $0.elementsEqual(bytes) })
        }
    }

    /// A file, without a password: a changed one could ask for the longest derivation.
    static func file(_ data: Data) {
        let list = CheckedRecords()
        let count = try? PasswordConversion.read(
            [UInt8](data), ConversionRequest(.read), into: list)
        precondition(count.map { Int($0) == list.count } ?? true)
    }

    /// The first byte chooses the version.
    static func keePassContent(_ data: Data) {
        let version = (data.first ?? 0) & 1 == 0 ? 4 : 3
        try? PasswordConversion.readKeePassContent(
            [UInt8](data.dropFirst()), version: version, into: CheckedRecords())
    }

    /// A record that its receiver refuses would be an import that ends without a reason.
    private final class CheckedRecords: RecordSink {
        private(set) var count = 0

        func recognize(_ format: ConversionFormat) { check(.recognized(format)) }

        func take(_ record: ConvertedRecord) {
            count += 1
            check(.record(record))
        }

        func leaveOut(_ leftOut: LeftOut) { check(.leftOut(leftOut)) }

        private func check(_ message: ConversionMessage) {
            let bytes = message.encoded()
            let again = unsafe bytes.bytes.withUnsafeBytes {
                unsafe try? ConversionMessage(decoding: $0)
            }
            precondition(again != nil)
        }
    }

    // MARK: - Seeds

    static func samples(_ names: [String]) -> [Data] {
        names.compactMap { try? Data(contentsOf: vectors.appendingPathComponent($0)) }
    }

    static var tables: [Data] {
        let texts = [
            "name,url,username,password,note\r\nA,https://a.example,u,\"p\"\"w\r\n2\",n\r\n",
            """
            url,username,password,httpRealm,formActionOrigin,guid,timeCreated,timeLastUsed,\
            timePasswordChanged
            https://a.example,u,p,r,,{1},1,2,3
            """, "Title,URL,Username,Password,Notes,OTPAuth\nA,https://a.example,u,p,n,otpauth:x\n",
            """
            Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes
            A,https://a.example,u,p,o,true,false,a;b,n
            """,
            """
            folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,\
            login_password,login_totp
            W/D,1,login,A,n,"a: b",1,"https://a.example,https://b.example",u,p,t
            """,
        ]
        return texts.map { Data($0.utf8) }
    }

    static var keePassContents: [Data] {
        let xml = """
            <?xml version="1.0" encoding="utf-8"?>
            <KeePassFile><Meta><RecycleBinUUID>AAAAAAAAAAAAAAAAAAAAAQ==</RecycleBinUUID></Meta>
            <Root><Group><UUID>AAAAAAAAAAAAAAAAAAAAAg==</UUID><Name>R</Name><Group><Name>G</Name>
            <Entry><Tags>a;b</Tags><Times><CreationTime>2020-01-02T03:04:05Z</CreationTime></Times>
            <String><Key>Title</Key><Value>T&amp;&#65;</Value></String><String><Key>Password</Key>
            <Value Protected="True">QUJD</Value></String><Binary><Key>f</Key><Value Ref="0"/></Binary>
            <CustomData><Item><Key>k</Key><Value>v</Value></Item></CustomData><History><Entry/>
            </History></Entry></Group></Group></Root></KeePassFile>
            """
        let text = Data(xml.utf8)
        let head: [UInt8] = [1, 4, 0, 0, 0, 3, 0, 0, 0, 2, 2, 0, 0, 0, 7, 7, 0, 0, 0, 0, 0]
        let count = unsafe withUnsafeBytes(of: UInt32(text.count).littleEndian) { unsafe Data($0) }
        // The digest isn't right; a fuzzer that finds it would find more.
        let blocks = Data([1, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 32)) + count + text
        return [Data([0]) + Data(head) + text, blocks]
    }

    static var messages: [Data] {
        func secret(_ text: String) -> Secret {
            unsafe Array(text.utf8).withUnsafeBytes {
                Secret(unsafe SecretBytes(copying: $0))
            }
        }
        var record = ConvertedRecord(.login, number: 2)
        record.title = "é"
        record.addresses = ["https://a.example"]
        record.password = secret("p")
        record.folder = ["a"]
        record.fields = [.init("n", secret("v"), .hidden)]
        let messages: [ConversionMessage] = [
            .request(ConversionRequest(.write, .keePass, password: secret("p"))),
            .recognized(.chromeCSV), .record(record),
            .leftOut(LeftOut(.history, number: 1, name: "n")), .end(1),
            .failed(ConversionFailure(over: .depth, line: 3)),
        ]
        return messages.map { message in
            unsafe message.encoded().bytes.withUnsafeBytes { unsafe Data($0) }
        }
    }
}

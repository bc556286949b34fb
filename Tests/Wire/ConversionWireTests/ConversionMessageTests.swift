// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire
import Glibc
import SecretBytes
import Testing

/// The fixed layout between a tool and its converter.
@Suite struct ConversionMessageTests {
    private func secret(_ text: String) -> Secret { secret(Array(text.utf8)) }

    private func secret(_ bytes: [UInt8]) -> Secret {
        unsafe bytes.withUnsafeBytes { Secret(unsafe SecretBytes(copying: $0)) }
    }

    private func bytes(_ secret: Secret) -> [UInt8] {
        unsafe secret.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
    }

    private func decoded(_ bytes: [UInt8]) -> ConversionMessage? {
        unsafe bytes.withUnsafeBytes { unsafe try? ConversionMessage(decoding: $0) }
    }

    private var record: ConvertedRecord {
        var record = ConvertedRecord(.card, number: 7)
        record.isFavorite = true
        record.isDeleted = true
        record.created = -5
        record.used = 1_700_000_000_000
        record.title = "Tïtle"
        record.addresses = ["https://a.example", ""]
        record.userName = "user"
        record.password = secret("p\u{0}w")
        record.oneTimePassword = secret("")
        record.folder = ["a", "b/c"]
        record.tags = ["t"]
        record.fields = [.init("number", secret("1"), .hiddenPart), .init("", secret(""))]
        return record
    }

    private var messages: [ConversionMessage] {
        [
            .request(ConversionRequest(.read, .any)),
            .request(
                ConversionRequest(
                    .write, .keePass, password: secret("pass"), keyFile: secret([0, 255]))),
            .recognized(.onePasswordArchive), .record(record),
            .leftOut(LeftOut(.passkey, number: 9, name: "näme")), .end(3),
            .failed(ConversionFailure(.wrongColumnCount, line: 12)),
            .failed(ConversionFailure(over: .depth)),
        ]
    }

    @Test func everyMessageComesBackTheSame() throws {
        for message in messages {
            let encoded = bytes(message.encoded())
            let again = try #require(decoded(encoded))
            #expect(bytes(again.encoded()) == encoded)
        }
    }

    @Test func aRecordKeepsEveryValue() throws {
        guard case .record(let again) = decoded(bytes(ConversionMessage.record(record).encoded()))
        else { throw Missing() }
        #expect(again.kind == .card && again.number == 7)
        #expect(again.isFavorite && again.isDeleted && !again.isArchived)
        #expect(again.created == -5 && again.modified == nil && again.used == 1_700_000_000_000)
        #expect(again.title == "Tïtle" && again.userName == "user")
        #expect(again.addresses == ["https://a.example", ""])
        #expect(again.folder == ["a", "b/c"] && again.tags == ["t"])
        #expect(again.password.map(bytes) == Array("p\u{0}w".utf8))
        #expect(again.oneTimePassword.map(bytes) == [] && again.notes == nil)
        #expect(again.fields.map(\.name) == ["number", ""])
        #expect(again.fields.map(\.kind) == [.hiddenPart, .text])
    }

    private struct Missing: Error {}

    @Test func everyBeginningAndEveryLongerOneIsRefused() {
        for message in messages {
            let encoded = bytes(message.encoded())
            for count in 0..<encoded.count { #expect(decoded(Array(encoded[..<count])) == nil) }
            #expect(decoded(encoded + [0]) == nil)
        }
    }

    @Test func aFormatWithoutAWriterIsNoRequestToWrite() {
        for format in ConversionFormat.allCases {
            let encoded = bytes(
                ConversionMessage.request(ConversionRequest(.write, format)).encoded())
            #expect((decoded(encoded) != nil) == format.isWritten)
        }
    }

    @Test func aFieldMayHaveItsLimitAndNoMore() {
        for (count, isFine) in [
            (ConversionLimits.fieldByteCount, true), (ConversionLimits.fieldByteCount + 1, false),
        ] {
            var record = ConvertedRecord(.note, number: 1)
            record.notes = secret([UInt8](repeating: 65, count: count))
            #expect((record.limit == nil) == isFine)
            #expect((decoded(bytes(ConversionMessage.record(record).encoded())) != nil) == isFine)
        }
    }

    @Test func aRecordMayHaveItsLimitOfPartsAndNoMore() {
        for (count, isFine) in [
            (ConversionLimits.partCount, true), (ConversionLimits.partCount + 1, false),
        ] {
            var record = ConvertedRecord(.note, number: 1)
            record.tags = [String](repeating: "t", count: count)
            #expect((record.limit == nil) == isFine)
            #expect((decoded(bytes(ConversionMessage.record(record).encoded())) != nil) == isFine)
        }
    }

    @Test func aCountOfFourGigabytesAllocatesNothing() {
        // A record's title that claims to be as long as u32 can say.
        var encoded = bytes(ConversionMessage.record(record).encoded())
        encoded.replaceSubrange(31..<35, with: [255, 255, 255, 255])
        #expect(decoded(encoded) == nil)
    }

    // MARK: - Pipes

    @Test func messagesComeThroughAPipeInTheirOrder() throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        defer { close(ends[0]) }
        let output = ConversionOutput(ends[1])
        for message in messages { #expect(output.send(message)) }
        #expect(output.flush())
        close(ends[1])
        let input = ConversionInput(ends[0])
        for message in messages {
            guard case .message(let again) = input.next() else { throw Missing() }
            #expect(bytes(again.encoded()) == bytes(message.encoded()))
        }
        guard case .ended = input.next() else { throw Missing() }
    }

    @Test(arguments: [[1, 0, 0], [255, 255, 255, 255, 0], [2, 0, 0, 0, 5], [1, 0, 0, 0, 99]])
    func otherBytesAreNoMessage(_ sent: [UInt8]) throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        defer { close(ends[0]) }
        #expect(unsafe write(ends[1], sent, sent.count) == sent.count)
        close(ends[1])
        guard case .invalid = ConversionInput(ends[0]).next() else { throw Missing() }
    }
}

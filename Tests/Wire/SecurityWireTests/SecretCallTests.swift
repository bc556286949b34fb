// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecretBytes
import SecurityWire
import TestSupport
import Testing

/// Messages between a front and securityd.
@Suite struct SecretCallTests {
    private static let reference = [UInt8](1...16)
    private static let write = WriteIdentity(
        requestID: [UInt8](repeating: 9, count: 16), isRepeated: true)

    private static func pairs(_ pairs: [(String, String)]) throws -> SecretPairs {
        try SecretPairs(pairs.map { SecretPairs.Pair($0.0, $0.1) })
    }

    private static func calls() throws -> [SecretCall] {
        let pairs = try pairs([("user", "émile"), ("xdg:schema", "org.example"), ("", "")])
        let fields = try #require(
            SecretFields(pairs, collection: "login", contentType: "text/plain"))
        var new = NewSecret(fields, Secret(text: "secret"))
        new.label = "a label"
        new.replaces = true
        var record = new
        (record.group, record.created, record.modified) = ("secrets:portal", 1.5, 2)
        record.accessibility = .always
        var change = SecretChange(reference)
        change.label = ""
        change.pairs = SecretPairs()
        change.contentType = "x"
        change.collection = "other"
        change.secret = Secret(text: "")
        var query = SecretQuery()
        query.pairs = pairs
        query.collection = "login"
        (query.seeksForeign, query.wantsSecrets, query.limit) = (true, true, 7)
        var named = SecretQuery()
        named.references = [reference, reference]
        named.wantsAttributes = true
        return [
            .find(query, cursor: .max), .find(named, cursor: 0), .add(new, write),
            .add(record, write), .update(change, write), .update(SecretChange(reference), write),
            .delete(reference, write), .deleteCollection("login", write), .lockState(.ask),
            .lockState(.lock), .lockState(.unlock),
        ]
    }

    private static func decode(
        _ kind: FrameKind, _ message: [UInt8], secret: [UInt8] = []
    ) throws(WireError) -> ClientRequest {
        try unsafe message.withUnsafeBytes { message in
            unsafe secret.withUnsafeBytes { secret in
                Result { () throws(WireError) in
                    try unsafe ClientRequest(decoding: kind, message: message, secret: secret)
                }
            }
        }.get()
    }

    private static func secret(of call: SecretCall) -> [UInt8] {
        switch call {
        case .add(let new, _): new.secret.testBytes
        case .update(let change, _): change.secret?.testBytes ?? []
        default: []
        }
    }

    @Test func everyCallSurvivesTheWay() throws {
        for call in try Self.calls() {
            let bytes = call.encoded
            let secret = Self.secret(of: call)
            guard
                case .secrets(let decoded) = try Self.decode(.secrets, bytes, secret: secret)
            else {
                Issue.record("\(call)")
                continue
            }
            #expect(decoded.encoded == bytes)
            #expect(Self.secret(of: decoded) == secret)
        }
    }

    @Test func nothingButTheWholeCallIsOne() throws {
        for call in try Self.calls() {
            let bytes = call.encoded
            let secret = Self.secret(of: call)
            for count in 0..<bytes.count {
                #expect(throws: WireError.malformed) {
                    try Self.decode(.secrets, Array(bytes[..<count]), secret: secret)
                }
            }
            #expect(throws: WireError.malformed) {
                try Self.decode(.secrets, bytes + [0], secret: secret)
            }
        }
        // A secret where none belongs.
        let ask = SecretCall.lockState(.ask).encoded
        #expect(throws: WireError.malformed) { try Self.decode(.secrets, ask, secret: [1]) }
        for bytes in [[2, 6, 1], [1, 6, 0], [1, 6, 4], [1, 0], [1, 7]] as [[UInt8]] {
            #expect(throws: WireError.malformed) { try Self.decode(.secrets, bytes) }
        }
    }

    @Test func everyReplySurvivesTheWay() throws {
        let fields = try #require(
            SecretFields(try Self.pairs([("a", "b")]), collection: "c", contentType: ""))
        var row = SecretRow(Self.reference)
        row.attributes = SecretRow.Attributes(fields)
        row.attributes?.label = "l"
        row.attributes?.created = 3.5
        row.secret = Secret(text: "one")
        var other = SecretRow(Self.reference)
        other.state = .foreign
        var third = row
        third.secret = Secret(text: "")
        let replies: [SecretReply] = [
            .found([row, other, third], nextCursor: 5), .found([], nextCursor: 0),
            .added(Self.reference, wasReplaced: true, other),
            .added(Self.reference, wasReplaced: false, nil), .updated(nil), .updated(other),
            .deleted(count: 1), .deletedCollection(count: .max), .lockState(isLocked: true),
        ]
        for reply in replies {
            let frame = try ServiceReply.secrets(reply).encoded(sequence: 1)
            let message = Array(frame.bytes.dropFirst(FrameHeader.byteCount))
            let secrets = frame.secrets.flatMap(\.testBytes)
            let answer = RawConnection.Answer.frame(
                .secretsReply, message: message, secret: secrets)
            guard case .secrets(let decoded)? = answer.reply else {
                Issue.record("\(reply)")
                continue
            }
            #expect(decoded.encoded == message)
            for count in 2..<message.count {
                let part = RawConnection.Answer.frame(
                    .secretsReply, message: Array(message[..<count]), secret: secrets)
                // What may be missing at the end.
                if case .secrets(.added(_, _, nil))? = part.reply { continue }
                if case .secrets(.updated(nil))? = part.reply { continue }
                #expect(part.reply == nil)
            }
        }
    }

    // MARK: - Pairs

    @Test func pairsAreSortedAndByteExact() throws {
        let pairs = try Self.pairs([("b", "2"), ("a", "1"), ("é", "x"), ("e\u{301}", "y")])
        #expect(pairs.pairs.map(\.name).first == [UInt8]("a".utf8))
        // Two forms of one letter are two names.
        #expect(pairs.pairs.count == 4 && pairs["é"] == [UInt8]("x".utf8))
        let bytes = pairs.encoded
        let decoded = unsafe bytes.withUnsafeBytes { try? unsafe SecretPairs(decoding: $0) }
        #expect(decoded == pairs)
        #expect(pairs.contains(try Self.pairs([("a", "1"), ("é", "x")])))
        #expect(!pairs.contains(try Self.pairs([("a", "2")])))
        #expect(!pairs.contains(try Self.pairs([("c", "1")])))
        #expect(pairs.contains(SecretPairs()))
    }

    @Test func pairsHaveTheirLimits() throws {
        let most = (0..<SecretPairs.countLimit).map { ("n\($0)", "") }
        #expect(try Self.pairs(most).pairs.count == SecretPairs.countLimit)
        #expect(throws: WireError.tooLarge) { try Self.pairs(most + [("more", "")]) }
        let value = String(repeating: "v", count: SecretPairs.byteLimit - 1)
        #expect(throws: Never.self) { try Self.pairs([("n", value)]) }
        #expect(throws: WireError.tooLarge) { try Self.pairs([("n", value + "v")]) }
        #expect(throws: WireError.malformed) { try Self.pairs([("n", "1"), ("n", "2")]) }
        #expect(throws: WireError.malformed) { try Self.pairs([("n\0", "1")]) }
    }

    @Test func tooManyPairsAreNoBrokenMessage() throws {
        var writer: [UInt8] = [1, 1, 0, 0]
        writer += [0, 0, 0, 0] + [UInt8](repeating: 0, count: 8) + [0, 0] + [0]
        var pairs: [UInt8] = [UInt8(SecretPairs.countLimit + 1)]
        for number in 0...SecretPairs.countLimit {
            pairs += [1, 0, 0, 0, UInt8(33 + number), 0, 0, 0, 0]
        }
        let count = UInt32(pairs.count)
        writer += [UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: count >> 8), 0, 0]
        #expect(throws: WireError.tooLarge) { try Self.decode(.secrets, writer + pairs) }
    }

    // MARK: - Attributes

    @Test func theFieldsOfASecretAreInNoOtherMessage() throws {
        var item = NewItem.password("a")
        let fields = try #require(
            SecretFields(try Self.pairs([("a", "b")]), collection: "c", contentType: "d"))
        item.attributes.secrets = fields
        let stored = try ItemAttributes(serialized: item.attributes.serialized())
        #expect(stored == item.attributes && stored.secrets == fields)
        let frame = try ClientRequest.add(item, Self.write).encoded(sequence: 1)
        let message = Array(frame.bytes.dropFirst(FrameHeader.byteCount))
        #expect(throws: WireError.malformed) { try Self.decode(.add, message) }
        var query = ItemQuery(.genericPassword)
        query.attributes.secrets = fields
        let find = try ClientRequest.find(query, cursor: 0).encoded(sequence: 1)
        #expect(throws: WireError.malformed) {
            try Self.decode(.find, Array(find.bytes.dropFirst(FrameHeader.byteCount)))
        }
    }

    // MARK: - Fronts

    @Test func messagesOfFrontsSurviveTheWay() throws {
        var who = Representation()
        (who.owner, who.groups, who.isSandboxed) = ("path:/a", ["secrets:own:path:/a"], true)
        (who.reasons, who.isIsolationOff) = (["because"], true)
        for reply in [ServiceReply.represented(who), .busOwner(who)] {
            let frame = try reply.encoded(sequence: 1)
            let message = Array(frame.bytes.dropFirst(FrameHeader.byteCount))
            var expected = who
            var kind = FrameKind.busOwnerReply
            if case .represented = reply {
                expected.reasons = []
                kind = .representReply
            }
            let answer = RawConnection.Answer.frame(kind, message: message, secret: [])
            guard case .represented(let decoded)? = answer.reply else {
                Issue.record("\(reply)")
                continue
            }
            #expect(decoded == expected)
        }
        #expect(throws: Never.self) { try Self.decode(.front, [1, 1]) }
        for message in [[], [1], [1, 0], [1, 2], [2, 1], [1, 1, 0]] as [[UInt8]] {
            #expect(throws: WireError.malformed) { try Self.decode(.front, message) }
        }
        #expect(throws: WireError.malformed) { try Self.decode(.represent, [1, 3]) }
        #expect(throws: WireError.malformed) { try Self.decode(.busOwner, [1, 1]) }
    }
}

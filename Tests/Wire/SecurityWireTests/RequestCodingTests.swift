// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import SecretBytes
import SecurityWire
import Testing

/// A frame's bytes, secrets included.
private func bytes(_ frame: EncodedFrame) -> [UInt8] {
    frame.secrets.reduce(into: frame.bytes) { bytes, secret in
        unsafe secret.bytes.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }
}

private func secret(_ text: String) -> Secret {
    let bytes = Array(text.utf8)
    return Secret(unsafe SecretBytes(byteCount: bytes.count) { unsafe $0.copyBytes(from: bytes) })
}

private func decodeRequest(_ bytes: [UInt8]) throws -> ClientRequest {
    try unsafe bytes.withUnsafeBytes { bytes in
        guard bytes.count >= FrameHeader.byteCount else { throw WireError.malformed }
        let header = try unsafe FrameHeader(
            decoding: UnsafeRawBufferPointer(rebasing: bytes[..<FrameHeader.byteCount]))
        guard bytes.count == FrameHeader.byteCount + header.bodyByteCount else {
            throw WireError.malformed
        }
        let body = unsafe UnsafeRawBufferPointer(rebasing: bytes[FrameHeader.byteCount...])
        let split = header.messageByteCount
        return try unsafe ClientRequest(
            decoding: header.kind, message: UnsafeRawBufferPointer(rebasing: body[..<split]),
            secret: UnsafeRawBufferPointer(rebasing: body[split...]))
    }
}

private let identity = WriteIdentity(requestID: Array(1...16), isRepeated: true)

private func sampleItem() -> NewItem {
    var item = NewItem(.genericPassword)
    item.attributes[.account] = .text("zoë")
    item.attributes[.service] = .data([0, 255, 1])
    item.attributes[.generic] = .integer(-7)
    item.attributes[.creator] = .integer(1_633_771_873)
    item.attributes[.accessible] = .text("cku")
    item.attributes[.synchronizable] = .integer(1)
    item.attributes[.creationDate] = .date(12.5)
    item.attributes[.comment] = .real(0.5)
    item.secret = secret("hunter2")
    item.returning = [.data, .persistentReference]
    return item
}

@Suite struct RequestCodingTests {
    @Test func addSurvivesTheWire() throws {
        let item = sampleItem()
        let frame = try ClientRequest.add(item, identity).encoded(sequence: 9)
        guard case .add(let decoded, let name) = try decodeRequest(bytes(frame)) else {
            Issue.record("not an add")
            return
        }
        #expect(decoded.itemClass == .genericPassword)
        #expect(decoded.returning == item.returning)
        #expect(name.requestID == identity.requestID)
        #expect(name.isRepeated)
        #expect(try #require(decoded.secret).bytes.isEqual(to: secret("hunter2").bytes))
        for attribute in Attribute.allCases {
            #expect(decoded.attributes[attribute] == item.attributes[attribute], "\(attribute)")
        }
    }

    @Test func whatAWriteMeansBesidesSurvivesTheWire() throws {
        var query = ItemQuery(.certificate)
        query.besides = [ItemQuery(.key), ItemQuery(.genericPassword)]
        query.besides[0].attributes[.label] = .text("a key")
        query.besides[1].tombstones = .never
        let update = ClientRequest.update(query, ItemChanges(), identity)
        let delete = ClientRequest.delete(query, identity)
        for request in [update, delete] {
            let decoded: ItemQuery
            switch try decodeRequest(bytes(request.encoded(sequence: 1))) {
            case .update(let query, _, _), .delete(let query, _): decoded = query
            default: throw WireError.malformed
            }
            #expect(decoded.itemClass == .certificate)
            #expect(decoded.besides.map(\.itemClass) == [.key, .genericPassword])
            #expect(decoded.besides.first?.attributes[.label] == .text("a key"))
            #expect(decoded.besides.map(\.tombstones) == [.ofSynchronizable, .never])
        }
    }

    @Test func aReplacementSurvivesTheWireAndMustNameSomething() throws {
        var item = NewItem(.genericPassword)
        item.attributes[.service] = .text("new")
        var filter = ItemAttributes()
        filter[.generic] = .text("identifier")
        var changes = ItemAttributes()
        changes[.account] = .text("anna")
        changes.accessibility = .afterFirstUnlock
        let identity = WriteIdentity(requestID: [UInt8](0..<16), isRepeated: false)
        func decoded(_ replacement: ItemReplacement?) throws -> ItemReplacement? {
            item.replacement = replacement
            let frame = try ClientRequest.add(item, identity).encoded(sequence: 1)
            guard case .add(let decoded, _) = try decodeRequest(bytes(frame)) else {
                Issue.record("not an add")
                return nil
            }
            #expect(decoded.attributes == item.attributes)
            return decoded.replacement
        }
        let replacement = ItemReplacement(of: filter, changes: changes)
        #expect(try decoded(replacement) == replacement)
        let unchanging = ItemReplacement(of: filter, changes: ItemAttributes())
        #expect(try decoded(unchanging) == unchanging)
        #expect(try decoded(nil) == nil)
        // A filter that every item would pass.
        #expect(throws: WireError.malformed) {
            _ = try decoded(ItemReplacement(of: ItemAttributes(), changes: changes))
        }
    }

    @Test func findSurvivesTheWire() throws {
        var query = ItemQuery(.genericPassword)
        query.attributes[.service] = .text("example.com")
        query.synchronizable = .any
        query.limit = nil
        query.returning = [.attributes]
        query.persistentReference = PersistentReference(bytes: Array("genp".utf8) + Array(0..<16))
        let frame = try ClientRequest.find(query, cursor: 77).encoded(sequence: 1)
        guard case .find(let decoded, let cursor) = try decodeRequest(bytes(frame)) else {
            Issue.record("not a find")
            return
        }
        #expect(cursor == 77)
        #expect(decoded.limit == nil)
        #expect(decoded.synchronizable == .any)
        #expect(decoded.persistentReference == query.persistentReference)
        #expect(decoded.attributes[.service] == .text("example.com"))
    }

    @Test func locksAndAssertionsSurviveTheWire() throws {
        for mode in DeviceLockMode.allCases {
            for waits in [false, true] {
                let frame = try ClientRequest.lock(mode, waits: waits).encoded(sequence: 1)
                guard case .lock(mode, waits, .caller) = try decodeRequest(bytes(frame)) else {
                    Issue.record("not a lock \(mode) that waits \(waits)")
                    return
                }
            }
        }
        for subject: LockSubject in [.user(0), .user(1000), .user(.max - 1), .everybody] {
            let frame = try ClientRequest.lock(.now, waits: false, of: subject)
                .encoded(sequence: 1)
            guard case .lock(.now, false, subject) = try decodeRequest(bytes(frame)) else {
                Issue.record("not a lock of \(subject)")
                return
            }
        }
        for seconds: UInt16 in [1, 60] {
            let frame = try ClientRequest.assertion(seconds: seconds).encoded(sequence: 1)
            guard case .assertion(seconds) = try decodeRequest(bytes(frame)) else {
                Issue.record("not an assertion of \(seconds) s")
                return
            }
        }
    }

    @Test func locksAndAssertionsBeyondTheirBoundsAreMalformed() throws {
        for seconds: UInt16 in [0, 61, 0xFFFF] {
            let frame = try ClientRequest.assertion(seconds: seconds).encoded(sequence: 1)
            #expect(throws: WireError.malformed) { _ = try decodeRequest(bytes(frame)) }
        }
        // Field 1, a number: 3 isn't a valid mode.
        var lock = bytes(try ClientRequest.lock(.logOut, waits: true).encoded(sequence: 1))
        #expect(lock.suffix(2) == [0x08, 0x02])
        lock[lock.count - 1] = 3
        #expect(throws: WireError.malformed) { _ = try decodeRequest(lock) }
        // An empty message is a lock now.
        lock = bytes(try ClientRequest.lock(.now, waits: true).encoded(sequence: 1))
        #expect(lock.count == FrameHeader.byteCount)
    }

    @Test func emptySecretIsNotNoSecret() throws {
        var item = NewItem(.genericPassword)
        item.secret = secret("")
        let frame = try ClientRequest.add(item, identity).encoded(sequence: 1)
        guard case .add(let decoded, _) = try decodeRequest(bytes(frame)) else {
            Issue.record("not an add")
            return
        }
        #expect(decoded.secret?.bytes.byteCount == 0)
    }

    @Test func everyTruncationIsRefused() throws {
        let whole = bytes(try ClientRequest.add(sampleItem(), identity).encoded(sequence: 1))
        for count in 0..<whole.count {
            #expect(throws: WireError.self) { _ = try decodeRequest(Array(whole[..<count])) }
        }
    }

    @Test func everyChangedBitDecodesOrIsRefused() throws {
        let whole = bytes(try ClientRequest.add(sampleItem(), identity).encoded(sequence: 1))
        for index in whole.indices {
            for bit in 0..<8 {
                var changed = whole
                changed[index] ^= 1 << UInt8(bit)
                // Either result is right; a trap would end the test.
                _ = try? decodeRequest(changed)
            }
        }
    }

    @Test func randomBytesNeverTrap() {
        var generator = SplitMix(state: 20_260_102)
        for _ in 0..<20_000 {
            let count = Int(generator.next() % 200)
            var noise = (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
            if count >= 16, generator.next() % 2 == 0 {
                // A plausible header, so that the message is decoded.
                var writer = ByteWriter()
                FrameHeader(
                    kind: FrameKind(rawValue: UInt16(1 + generator.next() % 8)) ?? .find,
                    messageByteCount: count - 16, secretByteCount: 0, sequence: 1
                ).encode(into: &writer)
                noise.replaceSubrange(0..<16, with: writer.bytes)
            }
            _ = try? decodeRequest(noise)
        }
    }

    @Test func secretOverTheLimitIsTooLargeAndAtTheLimitIsNot() throws {
        for (extra, isAccepted) in [(0, true), (1, false)] {
            var item = NewItem(.genericPassword)
            item.secret = Secret(SecretBytes(byteCount: ItemLimits.secretByteCount + extra))
            let whole = bytes(try ClientRequest.add(item, identity).encoded(sequence: 1))
            if isAccepted {
                _ = try decodeRequest(whole)
            } else {
                #expect(throws: WireError.tooLarge) { _ = try decodeRequest(whole) }
            }
        }
    }

    @Test func frameOverSixteenMebibytesIsTooLarge() throws {
        for (extra, isAccepted) in [(0, true), (1, false)] {
            var writer = ByteWriter()
            FrameHeader(
                kind: .add, messageByteCount: 100,
                secretByteCount: FrameHeader.maximumBodyByteCount - 100 + extra, sequence: 1
            ).encode(into: &writer)
            unsafe writer.bytes.withUnsafeBytes { bytes in
                if isAccepted {
                    #expect(throws: Never.self) { _ = try unsafe FrameHeader(decoding: bytes) }
                } else {
                    #expect(throws: WireError.tooLarge) {
                        _ = try unsafe FrameHeader(decoding: bytes)
                    }
                }
            }
        }
    }

    @Test func replyKindsAreNoRequests() throws {
        let frame = try ServiceReply.updated(nil, count: 1).encoded(sequence: 1)
        #expect(throws: WireError.malformed) { _ = try decodeRequest(frame.bytes) }
    }

    @Test func queryWithoutClassOrReferenceIsRefused() throws {
        let frame = try ClientRequest.find(ItemQuery(nil), cursor: 0).encoded(sequence: 1)
        #expect(throws: WireError.malformed) { _ = try decodeRequest(bytes(frame)) }
    }
}

@Suite struct ReplyCodingTests {
    private func decode(_ frame: EncodedFrame) throws -> ReceivedReply {
        let whole = bytes(frame)
        return try unsafe whole.withUnsafeBytes { bytes in
            let header = try unsafe FrameHeader(
                decoding: UnsafeRawBufferPointer(rebasing: bytes[..<FrameHeader.byteCount]))
            let body = unsafe UnsafeRawBufferPointer(rebasing: bytes[FrameHeader.byteCount...])
            let split = header.messageByteCount
            return try unsafe ReceivedReply(
                decoding: header.kind, message: UnsafeRawBufferPointer(rebasing: body[..<split]),
                secret: UnsafeRawBufferPointer(rebasing: body[split...]))
        }
    }

    @Test func eachRowGetsItsOwnSecret() throws {
        var attributes = ItemAttributes()
        attributes[.account] = .text("a")
        var rows: [OutgoingRow] = []
        for text in ["one", "", "three"] {
            var row = OutgoingRow(itemClass: .genericPassword)
            row.attributes = attributes.serialized()
            row.secret = secret(text)
            rows.append(row)
        }
        rows.append(OutgoingRow(itemClass: .genericPassword))
        let reply = try decode(
            ServiceReply.found(OutgoingRows(rows), nextCursor: 5, openedRowCount: 9).encoded(
                sequence: 1))
        guard case .found(let items, let cursor, let openedRowCount) = reply else {
            Issue.record("not a find's reply")
            return
        }
        #expect(cursor == 5)
        #expect(openedRowCount == 9)
        #expect(items.count == 4)
        #expect(items[0].secret?.bytes.isEqual(to: secret("one").bytes) == true)
        #expect(items[1].secret?.bytes.byteCount == 0)
        #expect(items[2].secret?.bytes.isEqual(to: secret("three").bytes) == true)
        #expect(items[3].secret == nil)
        #expect(items[0].attributes[.account] == .text("a"))
        #expect(items[3].attributes.isEmpty)
    }

    @Test func failureKeepsStatusAndReason() throws {
        let failure = Failure(-25293, .throttled, retryAfterSeconds: 60)
        let reply = try decode(ServiceReply.failed(failure).encoded(sequence: 1))
        guard case .failed(let decoded) = reply else {
            Issue.record("not a failure")
            return
        }
        #expect(decoded == failure)
    }

    @Test func rowThatClaimsMoreSecretThanThereIsIsRefused() throws {
        var row = OutgoingRow(itemClass: .genericPassword)
        row.secret = secret("abc")
        var frame = try ServiceReply.found(OutgoingRows([row]), nextCursor: 0, openedRowCount: 1)
            .encoded(sequence: 1)
        frame.secrets = []
        // The header still claims 3 bytes of secrets, for which the message has no row.
        var head = frame.bytes
        head[4] = 0
        #expect(throws: WireError.self) {
            _ = try unsafe head.withUnsafeBytes { bytes in
                try unsafe ReceivedReply(
                    decoding: .findReply,
                    message: UnsafeRawBufferPointer(rebasing: bytes[FrameHeader.byteCount...]),
                    secret: UnsafeRawBufferPointer(start: nil, count: 0))
            }
        }
    }
}

/// A small generator with a seed, so that a failure can be reproduced.
struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

@Suite struct FurtherCodingTests {
    private func decode(_ reply: ServiceReply) throws -> ReceivedReply {
        let whole = bytes(try reply.encoded(sequence: 1))
        return try unsafe whole.withUnsafeBytes { bytes in
            let header = try unsafe FrameHeader(
                decoding: UnsafeRawBufferPointer(rebasing: bytes[..<FrameHeader.byteCount]))
            let body = unsafe UnsafeRawBufferPointer(rebasing: bytes[FrameHeader.byteCount...])
            return try unsafe ReceivedReply(
                decoding: header.kind,
                message: UnsafeRawBufferPointer(rebasing: body[..<header.messageByteCount]),
                secret: UnsafeRawBufferPointer(rebasing: body[header.messageByteCount...]))
        }
    }

    @Test func identityKeepsItsHalvesApart() throws {
        var key = ItemAttributes()
        key[.applicationTag] = .text("tag")
        var certificate = ItemAttributes()
        certificate[.label] = .text("label")
        var row = OutgoingRow(itemClass: .identity)
        row.attributes = key.serialized()
        row.uuid = Array(1...16)
        row.secret = secret("key")
        row.certificate = (certificate.serialized(), secret("certificate"))
        let reply = try decode(.found(OutgoingRows([row]), nextCursor: 0, openedRowCount: 2))
        guard case .found(let items, _, _) = reply, let item = items.first else {
            Issue.record("not a find's reply")
            return
        }
        #expect(item.itemClass == .identity)
        #expect(item.attributes == key)
        #expect(item.secret?.bytes.isEqual(to: secret("key").bytes) == true)
        #expect(item.certificate?.attributes == certificate)
        #expect(item.certificate?.data?.bytes.isEqual(to: secret("certificate").bytes) == true)
    }

    @Test func conditionsSurviveTheWire() throws {
        var query = ItemQuery(.internetPassword)
        query.generation = ItemGeneration(uuid: Array(0..<16), number: 7)
        query.rowNumber = 12
        query.tombstones = .never
        let frame = try ClientRequest.delete(query, identity).encoded(sequence: 1)
        guard case .delete(let decoded, _) = try decodeRequest(bytes(frame)) else {
            Issue.record("not a delete")
            return
        }
        #expect(decoded.generation == query.generation)
        #expect(decoded.rowNumber == 12)
        #expect(decoded.tombstones == .never)
        // A reference to one item finds it whether it synchronizes or not.
        #expect(decoded.synchronizable == .any)
    }

    @Test func aRowNumberIsANumberOrNone() throws {
        for number: Int64? in [nil, 0, 1, -1, .max, .min] {
            var query = ItemQuery(.key)
            query.rowNumber = number
            let frame = try ClientRequest.find(query, cursor: 0).encoded(sequence: 1)
            guard case .find(let decoded, _) = try decodeRequest(bytes(frame)) else {
                Issue.record("not a find")
                return
            }
            #expect(decoded.rowNumber == number)
        }
    }

    @Test func changesSurviveTheWire() throws {
        let change = try #require(
            ItemChange(kind: .deleted, itemClass: .key, uuid: Array(0..<16), generation: 3))
        guard
            case .changes(let changes, let missedSome) = try decode(
                .changes([change], missedSome: true))
        else {
            Issue.record("not changes")
            return
        }
        #expect(changes == [change])
        #expect(missedSome)
    }

    @Test func proofsAndIdentitiesSurviveTheWire() throws {
        let nonce = Array(0..<32).map { UInt8($0) }
        let frame = try ClientRequest.prove(nonce).encoded(sequence: 1)
        guard case .prove(nonce) = try decodeRequest(bytes(frame)) else {
            Issue.record("not a proof")
            return
        }
        for count in [0, 31, 33] {
            let wrong = ClientRequest.prove(Array(nonce.prefix(count)) + (count > 32 ? [1] : []))
            #expect(throws: WireError.malformed) {
                try decodeRequest(bytes(wrong.encoded(sequence: 1)))
            }
        }
        guard case .prove(nonce) = try decode(.prove(nonce)),
            case .prove([]) = try decode(.prove([])),
            case .identity = try decodeRequest(bytes(ClientRequest.identity.encoded(sequence: 1)))
        else {
            Issue.record("not a proof")
            return
        }
        let identity = CallerIdentity(
            grade: "S", userID: 7, application: "TEAM.a", accessGroups: ["TEAM.b", "TEAM.a"],
            reasons: ["x"])
        guard case .identity(identity) = try decode(.identity(identity)) else {
            Issue.record("not an identity")
            return
        }
        let named = CallerIdentity(
            grade: "S", userID: 7, application: "TEAM.a", accessGroups: ["TEAM.a", "group.x"],
            storedGroups: ["TEAM.a", "TEAM.group.x"], reasons: [])
        guard case .identity(named) = try decode(.identity(named)) else {
            Issue.record("not an identity with two names of a group")
            return
        }
    }

    @Test func movesAndGroupsSurviveTheWire() throws {
        let move = ItemMove(from: "A", to: "B", itemClasses: [.key, .genericPassword])
        let frame = bytes(try ClientRequest.move(move, identity).encoded(sequence: 1))
        guard case .move(move, let name) = try decodeRequest(frame),
            name.requestID == identity.requestID, name.isRepeated
        else {
            Issue.record("not a move")
            return
        }
        let long = String(repeating: "x", count: 4097)
        for wrong in [
            ItemMove(from: "", to: "B", itemClasses: [.key]),
            ItemMove(from: "A", to: long, itemClasses: [.key]),
            ItemMove(from: "A", to: "B", itemClasses: []),
            ItemMove(from: "A", to: "B", itemClasses: [.identity]),
            ItemMove(from: "A", to: "B", itemClasses: [.key, .key]),
        ] {
            #expect(throws: WireError.malformed) {
                try decodeRequest(bytes(ClientRequest.move(wrong, identity).encoded(sequence: 1)))
            }
        }
        let opening = ClientRequest.openGroup("A", sealed: [1, 2])
        guard case .openGroup("A", [1, 2]) = try decodeRequest(bytes(opening.encoded(sequence: 1)))
        else {
            Issue.record("not an opening")
            return
        }
        for group in ["", long] {
            let wrong = ClientRequest.openGroup(group, sealed: [])
            #expect(throws: WireError.malformed) {
                try decodeRequest(bytes(wrong.encoded(sequence: 1)))
            }
        }
    }

    @Test func leasesSurviveTheWireAndKeepTheirBounds() throws {
        func take(
            _ name: Int, for milliseconds: UInt32 = 1, waiting: UInt32 = 0
        ) -> LeaseRequest {
            .take(
                name: [UInt8](repeating: 1, count: name), accessGroup: "A",
                milliseconds: milliseconds, waitMilliseconds: waiting)
        }
        let token = try #require(LeaseToken(.max))
        let good = [
            take(1), take(256), take(1, for: 600_000), take(1, waiting: 60_000),
            .renew(token, milliseconds: 600_000), .giveBack(token),
        ]
        for request in good {
            let frame = try ClientRequest.lease(request).encoded(sequence: 1)
            guard case .lease(request) = try decodeRequest(bytes(frame)) else {
                Issue.record("\(request)")
                continue
            }
        }
        let bad = [
            take(0), take(257), take(1, for: 0), take(1, for: 600_001),
            take(1, waiting: 60_001), .renew(token, milliseconds: 0),
        ]
        for request in bad {
            #expect(throws: WireError.malformed) {
                try decodeRequest(bytes(ClientRequest.lease(request).encoded(sequence: 1)))
            }
        }
        for count in [15, 17] {
            let request = ClientRequest.revoke(requestID: [UInt8](repeating: 1, count: count))
            #expect(throws: WireError.malformed) {
                try decodeRequest(bytes(request.encoded(sequence: 1)))
            }
        }
    }

    @Test func writesCarryTheirLease() throws {
        let identity = WriteIdentity(
            requestID: [UInt8](repeating: 1, count: 16), isRepeated: false)
        let token = try #require(LeaseToken(7))
        var item = NewItem(.genericPassword)
        item.lease = token
        var query = ItemQuery(.genericPassword)
        query.lease = token
        let requests: [ClientRequest] = [
            .add(item, identity), .update(query, ItemChanges(), identity),
            .delete(query, identity),
        ]
        for request in requests {
            switch try decodeRequest(bytes(request.encoded(sequence: 1))) {
            case .add(let item, _): #expect(item.lease == token)
            case .update(let query, _, _), .delete(let query, _): #expect(query.lease == token)
            default: Issue.record("another request")
            }
        }
    }

    @Test func entitlementsSurviveTheWire() throws {
        let asking = ClientRequest.entitlements(["a", "b"])
        guard
            case .entitlements(["a", "b"]) = try decodeRequest(bytes(asking.encoded(sequence: 1)))
        else {
            Issue.record("not a question")
            return
        }
        for count in [0, 65] {
            let wrong = ClientRequest.entitlements([String](repeating: "a", count: count))
            #expect(throws: WireError.malformed) {
                try decodeRequest(bytes(wrong.encoded(sequence: 1)))
            }
        }
        let values: [String: EntitlementValue] = [
            "text": .text(""), "texts": .texts(["x", ""]), "none": .texts([]), "flag": .flag(false),
        ]
        guard case .entitlements(values) = try decode(.entitlements(values)) else {
            Issue.record("not the values")
            return
        }
    }
}

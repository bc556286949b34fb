// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// Limits of sizes and counts, at n and n + 1.
    @Suite struct Limits {
        private static let mebibyte = 1024 * 1024

        @Test func limitCapsTheResultInTheOrderOfStoring() throws {
            try TestService.run { service in
                for number in 0..<7 {
                    try service.keychain.add(.password("\(number)", secret: "\(number)"))
                }
                func secrets(_ limit: Int?) throws -> [String?] {
                    try service.keychain.find(.password(limit: limit)).map { $0.secret?.testText }
                }
                #expect(try secrets(1) == ["0"])
                #expect(try secrets(3) == ["0", "1", "2"])
                #expect(try secrets(7).count == 7)
                #expect(try secrets(1000).count == 7)
                #expect(try secrets(nil) == (0..<7).map { "\($0)" })
                #expect(reason { try service.keychain.find(.password(limit: 0)) } == .absent)
            }
        }

        /// A search that opens many rows and finds nothing lets other requests run in between.
        @Test func aPageEndsAfterTwoThousandOpenedRows() throws {
            try TestService.run { service in
                try service.keychain.add(.password("first", secret: "1"))
                for number in 0..<2100 {
                    try service.keychain.add(.password("\(number)", secret: "s"))
                }
                try service.keychain.add(.password("last", secret: "2"))
                let last = try service.keychain.find(.password("last", returning: [.attributes]))
                // No column has it: each row is opened for it.
                var query = ItemQuery.password(limit: nil)
                let stored = try #require(last.first).attributes.serializedBytes()
                query.attributes[.sha1] = .data(Array(Insecure.SHA1.hash(data: stored)))
                let page = try service.keychain.findPage(query)
                #expect(page.items.isEmpty)
                #expect(page.openedRowCount == 2000)
                #expect(page.nextCursor != 0)
                #expect(try service.keychain.find(query).map { $0.secret?.testText } == ["2"])
                query.limit = 1
                #expect(try service.keychain.find(query).count == 1)
                query.attributes[.sha1] = .data([UInt8](repeating: 0, count: 20))
                #expect(reason { try service.keychain.find(query) } == .absent)
                #expect(try service.keychain.findPage(query).items.isEmpty)
            }
        }

        @Test func resultsOverAPageComeWholeAndOnce() throws {
            try TestService.run { service in
                let count = 60
                for number in 0..<count {
                    try service.keychain.add(
                        Self.item("\(number)", Self.bytes(150_000 + number, seed: number)))
                }
                let found = try service.keychain.find(
                    .password(limit: nil, returning: [.data, .attributes]))
                #expect(found.map { $0.attributes[.account] } == (0..<count).map { .text("\($0)") })
                for (number, item) in found.enumerated() {
                    #expect(
                        item.secret?.testBytes == Self.bytes(150_000 + number, seed: number))
                }
                // A limit inside a later page.
                let some = try service.keychain.find(
                    .password(limit: 37, returning: [.attributes, .data]))
                #expect(some.count == 37)
                #expect(some.last?.attributes[.account] == .text("36"))
            }
        }

        @Test func manySmallResultsComeWholeAndOnce() throws {
            try TestService.run { service in
                let comment = String(repeating: "c", count: 8000)
                for number in 0..<400 {
                    var item = NewItem.password("\(number)", secret: "\(number)")
                    item.attributes[.comment] = .text(comment)
                    try service.keychain.add(item)
                }
                let found = try service.keychain.find(
                    .password(limit: nil, returning: [.data, .attributes]))
                #expect(found.map { $0.secret?.testText } == (0..<400).map { "\($0)" })
            }
        }

        @Test func otherThreadsCallsDoNotDisturbALongList() throws {
            try TestService.run { service in
                let keychain = service.keychain
                let count = 60
                for number in 0..<count {
                    var item = NewItem.password("\(number)", secret: "\(number)")
                    item.attributes[.comment] = .text(String(repeating: "c", count: 60_000))
                    try keychain.add(item)
                }
                let accounts = (0..<count).map { AttributeValue.text("\($0)") }
                // Two repeatedly list five pages each, one adds and one reads between them: all
                // over one connection.
                let failures = InParallel.run(4) { thread in
                    for round in 0..<12 {
                        if thread < 2 {
                            let found = try keychain.find(
                                .password(limit: nil, returning: .attributes))
                            let own = found.compactMap { $0.attributes[.account] }
                            guard own.prefix(count).elementsEqual(accounts) else {
                                throw TestFailure("\(own.count) items, not the \(count)")
                            }
                        } else if thread == 2 {
                            try keychain.add(.password("more \(round)", secret: "s"))
                        } else {
                            let name = "\(round)"
                            let found = try keychain.find(.password(name)).first
                            guard found?.secret?.testText == name else {
                                throw TestFailure("\(name) came back as another's secret")
                            }
                        }
                    }
                }
                #expect(failures.isEmpty, "\(failures)")
            }
        }

        @Test func secretOfOneMebibyteIsKeptAndOneByteMoreRefused() throws {
            try TestService.run { service in
                let secret = Self.bytes(Self.mebibyte, seed: 1)
                try service.keychain.add(Self.item("fits", secret))
                #expect(try one(service, "fits").secret?.testBytes == secret)
                let tooLarge = Self.item("too large", secret + [0])
                #expect(reason { try service.keychain.add(tooLarge) } == .tooLarge)
                #expect(status { try service.keychain.add(tooLarge) } == -25302)
                #expect(reason { try service.keychain.find(.password("too large")) } == .absent)

                var changes = ItemChanges()
                changes.secret = tooLarge.secret
                #expect(
                    reason { try service.keychain.update(.password("fits"), applying: changes) }
                        == .tooLarge)
                #expect(try one(service, "fits").secret?.testBytes == secret)
                // Over the limit of a frame.
                let huge = Self.item("huge", Self.bytes(17 * Self.mebibyte, seed: 2))
                #expect(reason { try service.keychain.add(huge) } == .tooLarge)
                #expect(try one(service, "fits").secret?.testBytes == secret)
            }
        }

        @Test func severalSecretsOfOneMebibyteAreReadTogether() throws {
            try TestService.run { service in
                for number in 0..<5 {
                    try service.keychain.add(
                        Self.item("\(number)", Self.bytes(Self.mebibyte, seed: number)))
                }
                let found = try service.keychain.find(.password(limit: nil))
                #expect(found.count == 5)
                for (number, item) in found.enumerated() {
                    #expect(item.secret?.testBytes == Self.bytes(Self.mebibyte, seed: number))
                }
            }
        }

        @Test(arguments: [
            ItemLimits.attributesByteCount + 1, 2 * mebibyte, 20 * mebibyte,
        ])
        func attributesOverTheLimitAreRefused(byteCount: Int) throws {
            try TestService.run { service in
                var item = NewItem.password("large")
                item.attributes[.comment] = .text(String(repeating: "c", count: byteCount))
                #expect(reason { try service.keychain.add(item) } == .tooLarge)
                #expect(reason { try service.keychain.find(.password("large")) } == .absent)
                try service.keychain.add(.password("small"))
                #expect(
                    reason {
                        var changes = ItemChanges()
                        changes.attributes[.comment] = item.attributes[.comment]
                        try service.keychain.update(.password("small"), applying: changes)
                    } == .tooLarge)
                #expect(try one(service, "small").attributes[.comment] == nil)
            }
        }

        @Test func attributesJustBelowTheLimitAreKept() throws {
            try TestService.run { service in
                let comment = String(repeating: "c", count: ItemLimits.attributesByteCount - 1024)
                var item = NewItem.password("large", secret: "secret")
                item.attributes[.comment] = .text(comment)
                try service.keychain.add(item)
                #expect(try one(service, "large").attributes[.comment] == .text(comment))
            }
        }

        @Test func emptySecretIsNotNoSecret() throws {
            try TestService.run { service in
                try service.keychain.add(.password("empty", secret: ""))
                try service.keychain.add(.password("none", secret: nil))
                #expect(try one(service, "empty").secret?.testBytes == [])
                #expect(try one(service, "none").secret == nil)
                try service.keychain.update(.password("none"), applying: .setting(secret: ""))
                #expect(try one(service, "none").secret?.testBytes == [])
                // An update without a secret doesn't change the secret.
                try service.keychain.update(
                    .password("empty"), applying: .setting([.label: .text("label")]))
                #expect(try one(service, "empty").secret?.testBytes == [])
            }
        }

        private static func item(_ account: String, _ secret: [UInt8]) -> NewItem {
            var item = NewItem.password(account, secret: nil)
            item.secret = Secret(bytes: secret)
            return item
        }

        /// Bytes that depend on the seed and on the position.
        static func bytes(_ count: Int, seed: Int) -> [UInt8] {
            var generator = SeededGenerator(seed: UInt64(seed) &+ 1)
            let block = (0..<4099).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
            return (0..<count).map { block[$0 % block.count] ^ UInt8(truncatingIfNeeded: $0 >> 12) }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecurityWire
import Testing

@Suite struct VocabularyTests {
    @Test func attributeNamesAreApplesFourLetters() {
        for attribute in Attribute.allCases { #expect(attribute.rawValue.utf8.count == 4) }
    }

    @Test func accessibilityCodesRoundTrip() {
        for accessibility in Accessibility.allCases {
            #expect(Accessibility(code: accessibility.code) == accessibility)
        }
        #expect(Accessibility(code: "f") == nil)
        #expect(Accessibility(code: "") == nil)
    }

    @Test func wrongKindOfValueClearsTheAttribute() {
        var attributes = ItemAttributes()
        attributes[.accessGroup] = .text("g")
        attributes[.accessGroup] = .integer(1)
        #expect(attributes[.accessGroup] == nil)
        attributes[.creationDate] = .text("yesterday")
        #expect(attributes[.creationDate] == nil)
        #expect(attributes.isEmpty)
    }

    @Test func textAndDataOfTheSameBytesHaveOneIndexedContent() {
        var text = ItemAttributes()
        var data = ItemAttributes()
        text[.account] = .text("abc")
        data[.account] = .data([97, 98, 99])
        #expect(text.indexedContent(.account) == data.indexedContent(.account))
        #expect(text[.account] != data[.account])
    }

    @Test func mergeSetsWhatIsGivenAndLeavesTheRest() {
        var attributes = ItemAttributes()
        attributes[.account] = .text("a")
        attributes[.label] = .text("old")
        var changes = ItemAttributes()
        changes[.label] = .data([1])
        attributes.merge(changes)
        #expect(attributes[.account] == .text("a"))
        #expect(attributes[.label] == .data([1]))
    }

    @Test func persistentReferenceIsClassAndUUID() throws {
        let bytes = Array("genp".utf8) + Array(1...16)
        let reference = try #require(PersistentReference(bytes: bytes))
        #expect(reference.bytes == bytes)
        #expect(PersistentReference(bytes: Array(bytes.dropLast())) == nil)
        #expect(PersistentReference(bytes: Array("xxxx".utf8) + Array(1...16)) == nil)
    }

    @Test func storedFormRoundTripsEveryAttribute() throws {
        var attributes = ItemAttributes()
        for attribute in Attribute.allCases {
            switch attribute.valueKind {
            case .blob: attributes[attribute] = .text("v \(attribute.rawValue)")
            case .data:
                let count = attribute == .sha1 ? 20 : 16
                attributes[attribute] = .data([UInt8](repeating: 3, count: count))
            case .text:
                attributes[attribute] = .text(attribute == .accessible ? "ak" : "t")
            case .number: attributes[attribute] = .integer(1)
            case .date: attributes[attribute] = .date(1.25)
            }
        }
        let decoded = try ItemAttributes(serialized: attributes.serialized())
        for attribute in Attribute.allCases {
            #expect(decoded[attribute] != nil, "\(attribute)")
            #expect(decoded[attribute] == attributes[attribute], "\(attribute)")
        }
    }
}

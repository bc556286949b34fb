// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import SecurityWire
import SwiftProtobuf
import TestSupport
import Testing

private func randomValue(
    for attribute: Attribute, using numbers: inout SeededGenerator
) -> AttributeValue {
    let bytes = (0..<Int.random(in: 0...40, using: &numbers)).map { _ in
        UInt8.random(in: 0...255, using: &numbers)
    }
    let text = AttributeValue.text(String(decoding: bytes, as: UTF8.self))
    let integer = AttributeValue.integer(
        Int64(bitPattern: numbers.next()) >> Int64.random(in: 0...63, using: &numbers))
    switch attribute {
    case .accessible:
        return .text(Accessibility.allCases.randomElement(using: &numbers)?.code ?? "ak")
    case .synchronizable, .tombstone: return integer
    case .multiUser: return .data(Bool.random(using: &numbers) ? [] : Array(0..<16))
    case .sha1: return .data(Array(0..<20))
    default: break
    }
    switch attribute.valueKind {
    case .data: return .data(bytes)
    case .text: return text
    case .date: return .date(Double.random(in: -1e9...1e9, using: &numbers))
    case .number: return Bool.random(using: &numbers) ? integer : text
    case .blob: return [text, .data(bytes), integer, .real(0.5)].randomElement() ?? text
    }
}

private func randomAttributes(using numbers: inout SeededGenerator) -> ItemAttributes {
    var attributes = ItemAttributes()
    for attribute in Attribute.allCases where Int.random(in: 0..<4, using: &numbers) == 0 {
        attributes[attribute] = randomValue(for: attribute, using: &numbers)
    }
    attributes.hasSecret = Bool.random(using: &numbers)
    if Bool.random(using: &numbers) { attributes.grants = randomGrants(using: &numbers) }
    return attributes
}

/// Never empty: those aren't stored.
private func randomGrants(using numbers: inout SeededGenerator) -> ItemGrants {
    var grants = ItemGrants()
    grants.withholdsFromGroup = true
    grants.admitsAll = Bool.random(using: &numbers)
    grants.applications = (0..<Int.random(in: 0...3, using: &numbers)).map { "path:/a/\($0)" }
    grants.partitions = (0..<Int.random(in: 0...3, using: &numbers)).map { "teamid:\($0)" }
    return grants
}

@Suite struct AttributeCodingTests {
    private static let seed: UInt64 = 0x11A7E20

    @Test func encodedAttributesAreTheProtobufMessage() throws {
        var numbers = SeededGenerator(seed: Self.seed)
        for round in 0..<3000 {
            let attributes = randomAttributes(using: &numbers)
            let encoded = attributes.serialized()
            let message = try WireAttributes(serializedBytes: encoded)
            #expect(message.unknownFields.data.isEmpty, "round \(round)")
            #expect(try message.serializedData() == encoded, "round \(round)")
            #expect(try ItemAttributes(serialized: encoded) == attributes, "round \(round)")
        }
    }

    @Test func everyAttributeHasAFieldOfItsName() throws {
        for attribute in Attribute.allCases {
            var numbers = SeededGenerator(seed: 1)
            var attributes = ItemAttributes()
            attributes[attribute] = randomValue(for: attribute, using: &numbers)
            let message = try WireAttributes(serializedBytes: attributes.serialized())
            let name = attribute == .uuid ? "uuid" : attribute.rawValue
            #expect(message.textFormatString().hasPrefix(name + ":"), "\(attribute)")
        }
    }

    @Test func whatIsReadIsTheOnlyEncodingOfItsContent() throws {
        var numbers = SeededGenerator(seed: Self.seed)
        var accepted = 0
        // To make attributes takes longer than to change and to read them.
        var message: [UInt8] = []
        for round in 0..<60_000 {
            if round % 20 == 0 { message = randomAttributes(using: &numbers).serializedBytes() }
            var bytes = message
            guard !bytes.isEmpty else { continue }
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                let offset = Int.random(in: 0..<bytes.count, using: &numbers)
                switch Int.random(in: 0..<4, using: &numbers) {
                case 0: bytes[offset] = UInt8.random(in: 0...255, using: &numbers)
                case 1: bytes[offset] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
                case 2 where bytes.count > 1: bytes.remove(at: offset)
                default: bytes.removeSubrange(max(1, offset)...)
                }
            }
            guard let read = try? ItemAttributes(serialized: Data(bytes)) else { continue }
            accepted += 1
            if read.serializedBytes() != bytes { Issue.record("\(bytes)") }
        }
        #expect(accepted > 1000)
    }

    @Test func fieldsOutOfOrderAreMalformed() {
        // svce before acct, each the text "".
        #expect(throws: WireError.malformed) {
            try ItemAttributes(serialized: Data([0x12, 1, 0x54, 0x0A, 1, 0x54]))
        }
    }

    @Test func fieldsThatComeTwiceAreMalformed() {
        #expect(throws: WireError.malformed) {
            try ItemAttributes(serialized: Data([0x0A, 1, 0x54, 0x0A, 1, 0x54]))
        }
    }

    @Test func numbersWithNeedlessBytesAreMalformed() {
        #expect(throws: WireError.malformed) {
            try ItemAttributes(serialized: Data([0x0A, 0x81, 0x00, 0x54]))
        }
    }

    /// Field 25 says that there is a secret; without one it is left out.
    @Test func aFlagThatIsFalseIsMalformed() throws {
        #expect(try ItemAttributes(serialized: Data([0xC8, 0x01, 1])).hasSecret)
        for value: UInt8 in [0, 2] {
            #expect(throws: WireError.malformed) {
                try ItemAttributes(serialized: Data([0xC8, 0x01, value]))
            }
        }
    }

    @Test func unknownFieldsAreMalformed() {
        #expect(throws: WireError.malformed) {
            try ItemAttributes(serialized: Data([0xFA, 0x04, 0]))
        }
        #expect(throws: WireError.malformed) {
            // Field 63, the first one that no attribute has.
            try ItemAttributes(serialized: Data([0xFA, 0x03, 1, 0x54]))
        }
    }

    @Test func countsBeyondTheEndAreMalformed() {
        for count: UInt8 in [2, 3, 0x7F] {
            #expect(throws: WireError.malformed) {
                try ItemAttributes(serialized: Data([0x0A, count, 0x54]))
            }
        }
        #expect(throws: WireError.malformed) {
            try ItemAttributes(
                serialized: Data([0x0A] + [UInt8](repeating: 0xFF, count: 9) + [1]))
        }
    }

    @Test func anAttributeTakesNoValueOfAnotherType() {
        var attributes = ItemAttributes()
        attributes[.issuer] = .text("no")
        attributes[.creationDate] = .integer(1)
        attributes[.accessible] = .text("xx")
        attributes[.sha1] = .data([1])
        attributes[.multiUser] = .data([1])
        attributes[.synchronizable] = .text("1")
        #expect(attributes.isEmpty)
    }
}

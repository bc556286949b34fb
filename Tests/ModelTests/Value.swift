// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation

/// A value of a dictionary in the model.
indirect enum Value: Hashable, Sendable {
    case string(String)
    case data(Data)
    case number(Int64)
    case boolean(Bool)
    /// Seconds since 2001.
    case date(Double)
    case null
    case array([Value])
    /// An object that no dictionary can contain.
    case object
    /// An access control without constraints, for an accessibility.
    case accessControl(String)
    /// A sample.
    case certificate(Int)
    /// A sample.
    case key(Int)
    /// A sample of a certificate with its key.
    case identity(Int, Int)
    /// A persistent reference to an item of the model.
    case reference(Reference)

    static func bytes(_ bytes: UInt8...) -> Value { .data(Data(bytes)) }
}

/// A persistent reference: its item and its form.
struct Reference: Hashable, Sendable {
    enum Form: Hashable, Sendable {
        /// Class and UUID.
        case long
        /// Class and row number.
        case short
    }
    /// The item, identified by the step that added it; nil for an item that never existed.
    var item: ItemName?
    var form = Form.long
    /// The class that the reference names.
    var itemClass: ItemClass
}

/// Identifies an item by the step that added it, and by how often a fault gave it a new reference.
struct ItemName: Hashable, Sendable {
    var step: Int
    var renewals = 0
    /// The step added an identity, and this is its key.
    var isKeyOfIdentity = false
}

/// An item class of the specification.
enum ItemClass: String, CaseIterable, Sendable {
    case genericPassword = "genp"
    case internetPassword = "inet"
    case certificate = "cert"
    case key = "keys"
    case identity = "idnt"

    static let stored: [ItemClass] = [.genericPassword, .internetPassword, .certificate, .key]
}

/// A key of a dictionary.
enum Name: Hashable, Sendable, ExpressibleByStringLiteral {
    case text(String)
    case number(Int)
    case data

    init(stringLiteral value: String) { self = .text(value) }

    var text: String? { if case .text(let text) = self { text } else { nil } }
}

typealias Entries = [Name: Value]

/// One call of the interface.
struct Call: Sendable {
    enum Operation: String, Sendable { case add, copy, update, delete, lock, unlock }

    var operation: Operation
    /// The item to add, or the query.
    var query: Entries = [:]
    /// The changes of an update.
    var changes: Entries = [:]
    /// The step, which identifies the item that the call adds.
    var step = 0
    /// The caller passes no address for a result.
    var ignoresResult = false
}

extension Value: CustomStringConvertible {
    var description: String {
        switch self {
        // Escaped: a NUL would end the printed trace.
        case .string(let text): text.debugDescription
        case .data(let data):
            data.count > 24
                ? "<\(data.count) bytes \(data.base64EncodedString().prefix(12))…>"
                : "<" + data.map { String(format: "%02x", $0) }.joined() + ">"
        case .number(let number): "\(number)"
        case .boolean(let flag): "\(flag)"
        case .date(let seconds): "@\(seconds)"
        case .null: "null"
        case .array(let values): "\(values)"
        case .object: "object()"
        case .accessControl(let accessible): "accessControl(\(accessible))"
        case .certificate(let number): "certificate(\(number))"
        case .key(let number): "key(\(number))"
        case .identity(let certificate, let key): "identity(\(certificate), \(key))"
        case .reference(let reference): "\(reference)"
        }
    }
}

extension Reference: CustomStringConvertible {
    var description: String {
        "reference(\(itemClass.rawValue), \(item.map { "of step \($0.step)" } ?? "dead"), \(form))"
    }
}

extension Call: CustomStringConvertible {
    static func describe(_ entries: Entries) -> String {
        let words = entries.map { key, value in
            switch key {
            case .text(let text): "\(text): \(value)"
            case .number(let number): "(number \(number)): \(value)"
            case .data: "(data): \(value)"
            }
        }
        return "{" + words.sorted().joined(separator: ", ") + "}"
    }

    var description: String {
        let more = operation == .update ? " → \(Self.describe(changes))" : ""
        return "\(step): \(operation) \(Self.describe(query))\(more)"
    }
}

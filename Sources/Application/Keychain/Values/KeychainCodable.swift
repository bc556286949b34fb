// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials
public import SecretBytes

/// A type of your own, whose values are stored in items as versioned JSON.
///
/// If the type changes so that it can't decode stored values any more, raise ``keychainShape``. A
/// value of another shape then throws ``FailureReason/undecodable`` with both numbers in
/// ``KeychainError/detail``, and isn't changed. To migrate, declare the old type under another
/// name, read it, and save the converted value.
public protocol KeychainCodable: KeychainValue, Codable {
    /// The version of the type; 1 unless it is declared.
    static var keychainShape: Int { get }
}

extension KeychainCodable {
    /// 1.
    public static var keychainShape: Int { 1 }

    /// Decodes what ``keychainSecret()`` encoded.
    public init(keychainSecret secret: Secret) throws(KeychainError) {
        let body = try CodableEnvelope.body(of: secret, shape: Self.keychainShape)
        do { self = try JSONDecoder().decode(Self.self, from: body) } catch {
            throw .undecodable(CodableEnvelope.words(error))
        }
    }

    /// The value as JSON, preceded by its shape.
    public func keychainSecret() throws(KeychainError) -> Secret {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            let head = Data(CodableEnvelope.head(shape: Self.keychainShape).utf8)
            return Secret(copying: head + (try encoder.encode(self)))
        } catch { throw .undecodable("The value can't be encoded.") }
    }
}

/// The line before a value's JSON: `llavero-value FORMAT SHAPE`.
enum CodableEnvelope {
    private static let name = "llavero-value"
    private static let format = 1
    /// A longer line isn't ours.
    private static let headByteCount = 64

    static func head(shape: Int) -> String { "\(name) \(format) \(shape)\n" }

    /// The JSON of a secret.
    static func body(of secret: Secret, shape: Int) throws(KeychainError) -> Data {
        let data = Data(keychainSecret: secret)
        guard let end = data.prefix(headByteCount).firstIndex(of: UInt8(ascii: "\n")) else {
            throw .undecodable("The item wasn't saved as a value of a Codable type.")
        }
        let words = String(decoding: data[..<end], as: UTF8.self).split(separator: " ")
        guard words.count == 3, words[0] == name, let stored = Int(words[1]),
            let storedShape = Int(words[2])
        else { throw .undecodable("The item wasn't saved as a value of a Codable type.") }
        guard stored == format else {
            throw .undecodable("A newer version of the library saved the item.")
        }
        guard storedShape == shape else {
            throw .undecodable("The stored value has shape \(storedShape), the type \(shape).")
        }
        return data[(end + 1)...]
    }

    /// What went wrong and where, without any part of the value: it omits keys of dictionaries.
    static func words(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "The value can't be decoded." }
        switch error {
        case .keyNotFound(let key, let context):
            return "There is no value at \(path(context.codingPath + [key]))."
        case .valueNotFound(let type, let context):
            return "There is null instead of \(type) at \(path(context.codingPath))."
        case .typeMismatch(let type, let context):
            return "There is no \(type) at \(path(context.codingPath))."
        case .dataCorrupted(let context):
            return "The data isn't as it must be at \(path(context.codingPath))."
        @unknown default: return "The value can't be decoded."
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        guard !keys.isEmpty else { return "the top" }
        return keys.map { key in
            if let index = key.intValue { return "\(index)" }
            // A dictionary's key is data, a property's name isn't.
            return "\(type(of: key))".contains("CodingKeys") ? key.stringValue : "…"
        }.joined(separator: ".")
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials

/// A value of a property list, read and written unchanged.
///
/// PropertyListSerialization can't write in a program that contains its own Foundation: it then
/// recognizes the type of no object (swift-corelibs-foundation, Swift 6.3).
enum PropertyListValue: Codable {
    case text(String)
    case flag(Bool)
    case integer(Int64)
    case real(Double)
    case bytes(Data)
    case date(Date)
    case list([PropertyListValue])
    case dictionary([String: PropertyListValue])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let flag = try? value.decode(Bool.self) {
            self = .flag(flag)
        } else if let integer = try? value.decode(Int64.self) {
            self = .integer(integer)
        } else if let real = try? value.decode(Double.self) {
            self = .real(real)
        } else if let bytes = try? value.decode(Data.self) {
            self = .bytes(bytes)
        } else if let date = try? value.decode(Date.self) {
            self = .date(date)
        } else if let list = try? value.decode([PropertyListValue].self) {
            self = .list(list)
        } else {
            self = .dictionary(try value.decode([String: PropertyListValue].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .text(let text): try value.encode(text)
        case .flag(let flag): try value.encode(flag)
        case .integer(let integer): try value.encode(integer)
        case .real(let real): try value.encode(real)
        case .bytes(let bytes): try value.encode(bytes)
        case .date(let date): try value.encode(date)
        case .list(let list): try value.encode(list)
        case .dictionary(let dictionary): try value.encode(dictionary)
        }
    }

    /// The texts of a list; nil for anything else.
    var texts: [String]? {
        guard case .list(let list) = self else { return nil }
        let texts = list.compactMap { value -> String? in
            if case .text(let text) = value { text } else { nil }
        }
        return texts.count == list.count ? texts : nil
    }
}

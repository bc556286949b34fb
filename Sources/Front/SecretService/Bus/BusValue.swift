// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CSystemdBus
import SecretBytes

/// A secret in a message: the session that it is for, and what kind of text or data it is.
package struct TransferredSecret: Sendable {
    /// The path of the session.
    package var session: String
    /// The secret as the session has it.
    package var sealed: SecretSession.Sealed
    /// What kind of text or data it is.
    package var contentType: String

    /// A secret in a message.
    package init(session: String, sealed: SecretSession.Sealed, contentType: String) {
        self.session = session
        self.sealed = sealed
        self.contentType = contentType
    }
}

/// A value of a message that this process sends.
package enum BusValue: Sendable {
    case string(String)
    case path(String)
    case flag(Bool)
    case number(UInt64)
    case shortNumber(UInt32)
    case bytes([UInt8])
    case strings([String])
    case paths([String])
    case attributes(SecretAttributes)
    case secret(TransferredSecret)
    case secrets([(path: String, secret: TransferredSecret)])
    case properties([(name: String, value: BusValue)])
    indirect case variant(BusValue)

    private static let secretFields = "oayays"

    var signature: String {
        switch self {
        case .string: "s"
        case .path: "o"
        case .flag: "b"
        case .number: "t"
        case .shortNumber: "u"
        case .bytes: "ay"
        case .strings: "as"
        case .paths: "ao"
        case .attributes: "a{ss}"
        case .secret: "(\(Self.secretFields))"
        case .secrets: "a{o(\(Self.secretFields))}"
        case .properties: "a{sv}"
        case .variant: "v"
        }
    }

    /// About how many bytes it has.
    var byteCount: Int {
        switch self {
        case .string(let text), .path(let text): text.utf8.count
        case .flag, .number, .shortNumber: 8
        case .bytes(let bytes): bytes.count
        case .strings(let texts), .paths(let texts): texts.reduce(0) { $0 + $1.utf8.count + 8 }
        case .attributes(let attributes): attributes.byteCount
        case .secret(let secret): secret.byteCount
        case .secrets(let secrets):
            secrets.reduce(0) { $0 + $1.path.utf8.count + $1.secret.byteCount }
        case .properties(let properties):
            properties.reduce(0) { $0 + $1.name.utf8.count + $1.value.byteCount }
        case .variant(let value): value.byteCount
        }
    }

    var hasSecret: Bool {
        switch self {
        case .secret, .secrets: true
        default: false
        }
    }

    /// Appends the value.
    /// - Returns: Whether the library has taken all of it: it refuses a message over 128 MiB.
    func append(to message: OpaquePointer) -> Bool {
        switch self {
        case .string(let text): unsafe Self.append(text, "s", message)
        case .path(let path): unsafe Self.append(path, "o", message)
        case .flag(let flag):
            unsafe withUnsafePointer(to: Int32(flag ? 1 : 0)) {
                unsafe sd_bus_message_append_basic(message, ReceivedMessage.code("b"), $0) >= 0
            }
        case .number(let number):
            unsafe withUnsafePointer(to: number) {
                unsafe sd_bus_message_append_basic(message, ReceivedMessage.code("t"), $0) >= 0
            }
        case .shortNumber(let number):
            unsafe withUnsafePointer(to: number) {
                unsafe sd_bus_message_append_basic(message, ReceivedMessage.code("u"), $0) >= 0
            }
        case .bytes(let bytes): unsafe Self.append(bytes, message)
        case .strings(let texts):
            unsafe Self.container(message, "a", "s") {
                texts.allSatisfy { unsafe Self.append($0, "s", message) }
            }
        case .paths(let paths):
            unsafe Self.container(message, "a", "o") {
                paths.allSatisfy { unsafe Self.append($0, "o", message) }
            }
        case .attributes(let attributes):
            unsafe Self.container(message, "a", "{ss}") {
                attributes.pairs.allSatisfy { unsafe Self.append($0, message) }
            }
        case .secret(let secret): unsafe Self.append(secret, message)
        case .secrets(let secrets):
            unsafe Self.container(message, "a", "{o(\(Self.secretFields))}") {
                secrets.allSatisfy { unsafe Self.append($0.path, $0.secret, message) }
            }
        case .properties(let properties):
            unsafe Self.container(message, "a", "{sv}") {
                properties.allSatisfy { unsafe Self.append($0.name, $0.value, message) }
            }
        case .variant(let value):
            unsafe Self.container(message, "v", value.signature) {
                unsafe value.append(to: message)
            }
        }
    }

    // MARK: - Parts

    private static func container(
        _ message: OpaquePointer, _ type: Character, _ contents: String, _ body: () -> Bool
    ) -> Bool {
        guard
            unsafe sd_bus_message_open_container(message, ReceivedMessage.code(type), contents)
                >= 0,
            body()
        else { return false }
        return unsafe sd_bus_message_close_container(message) >= 0
    }

    private static func append(_ text: String, _ type: Character, _ message: OpaquePointer) -> Bool
    {
        unsafe text.withCString {
            unsafe sd_bus_message_append_basic(message, ReceivedMessage.code(type), $0) >= 0
        }
    }

    private static func append(_ bytes: [UInt8], _ message: OpaquePointer) -> Bool {
        unsafe bytes.withUnsafeBytes {
            unsafe sd_bus_message_append_array(
                message, ReceivedMessage.code("y"), $0.baseAddress, $0.count) >= 0
        }
    }

    private static func append(_ pair: SecretAttributes.Pair, _ message: OpaquePointer) -> Bool {
        unsafe container(message, "e", "ss") {
            unsafe append(String(decoding: pair.name, as: UTF8.self), "s", message)
                && append(String(decoding: pair.value, as: UTF8.self), "s", message)
        }
    }

    private static func append(_ secret: TransferredSecret, _ message: OpaquePointer) -> Bool {
        unsafe container(message, "r", secretFields) {
            unsafe append(secret.session, "o", message)
                && append(secret.sealed.parameters, message)
                && secret.sealed.value.bytes.withUnsafeBytes {
                    unsafe sd_bus_message_append_array(
                        message, ReceivedMessage.code("y"), $0.baseAddress, $0.count) >= 0
                }
                && append(secret.contentType, "s", message)
        }
    }

    private static func append(
        _ path: String, _ secret: TransferredSecret, _ message: OpaquePointer
    ) -> Bool {
        unsafe container(message, "e", "o(\(secretFields))") {
            unsafe append(path, "o", message) && append(secret, message)
        }
    }

    private static func append(
        _ name: String, _ value: BusValue, _ message: OpaquePointer
    ) -> Bool {
        unsafe container(message, "e", "sv") {
            unsafe append(name, "s", message) && BusValue.variant(value).append(to: message)
        }
    }
}

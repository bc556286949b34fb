// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecretBytes

/// A call of a client, taken out of its message.
struct BusCall: Sendable {
    /// Ours: the message is kept under it until the answer is sent.
    var number: UInt64
    var path: String
    var object: ObjectPath
    var request: BusRequest
}

/// What a client wants.
enum BusRequest: Sendable {
    case openSession(algorithm: String, SessionInput)
    case createCollection(label: String, alias: String)
    case searchItems(SecretAttributes)
    case unlock([String])
    case lock([String])
    case getSecrets([String], session: String)
    case readAlias(String)
    case setAlias(String, collection: String)
    case delete
    case createItem(NewItemArguments)
    case getSecret(session: String)
    case setSecret(TransferredSecret)
    case closeSession
    case prompt(window: String)
    case dismiss
    case getProperty(interface: String, String)
    case getProperties(interface: String)
    case setProperty(interface: String, String, PropertyInput)
    case introspect
    case retrieveSecret(PortalRequest)
    case closeRequest

    /// What a client offers for a session.
    enum SessionInput: Sendable {
        case text
        case bytes([UInt8])
        case other
    }

    /// The new value of a property.
    enum PropertyInput: Sendable {
        case text(String)
        case attributes(SecretAttributes)
        case other

        fileprivate var byteCount: Int {
            switch self {
            case .text(let text): text.utf8.count
            case .attributes(let attributes): attributes.byteCount
            case .other: 0
            }
        }
    }

    /// The arguments of CreateItem.
    struct NewItemArguments: Sendable {
        var label: String
        var attributes: SecretAttributes
        var secret: TransferredSecret
        var replaces: Bool
    }

    /// About how much memory it needs while it waits.
    var byteCount: Int {
        Self.baseByteCount + contentByteCount
    }

    /// A call without arguments, with its message.
    private static let baseByteCount = 256

    private var contentByteCount: Int {
        switch self {
        case .openSession(let algorithm, .bytes(let bytes)): algorithm.utf8.count + bytes.count
        case .openSession(let algorithm, _): algorithm.utf8.count
        case .createCollection(let label, let alias): label.utf8.count + alias.utf8.count
        case .readAlias(let alias): alias.utf8.count
        case .setAlias(let alias, let path): alias.utf8.count + path.utf8.count
        case .getSecret(let session): session.utf8.count
        case .getProperty(let interface, let name): interface.utf8.count + name.utf8.count
        case .getProperties(let interface): interface.utf8.count
        case .retrieveSecret(let request):
            request.handle.utf8.count + request.application.utf8.count
        case .searchItems(let attributes): attributes.byteCount
        case .unlock(let paths), .lock(let paths): Self.byteCount(paths)
        case .getSecrets(let paths, let session): Self.byteCount(paths) + session.utf8.count
        case .createItem(let item):
            item.label.utf8.count + item.attributes.byteCount + item.secret.byteCount
        case .setSecret(let secret): secret.byteCount
        case .setProperty(let interface, let name, let input):
            interface.utf8.count + name.utf8.count + input.byteCount
        case .delete, .closeSession, .prompt, .dismiss, .introspect, .closeRequest: 0
        }
    }

    private static func byteCount(_ paths: [String]) -> Int {
        paths.reduce(0) { $0 + $1.utf8.count }
    }
}

extension TransferredSecret {
    var byteCount: Int {
        session.utf8.count + sealed.value.bytes.byteCount + contentType.utf8.count
    }
}

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
        switch self {
        case .searchItems(let attributes): attributes.byteCount
        case .unlock(let paths), .lock(let paths), .getSecrets(let paths, _):
            paths.reduce(0) { $0 + $1.utf8.count }
        case .createItem(let item):
            item.label.utf8.count + item.attributes.byteCount + item.secret.byteCount
        case .setSecret(let secret): secret.byteCount
        case .setProperty(_, _, .attributes(let attributes)): attributes.byteCount
        case .setProperty(_, _, .text(let text)): text.utf8.count
        default: 0
        }
    }
}

extension TransferredSecret {
    var byteCount: Int { sealed.value.bytes.byteCount + contentType.utf8.count }
}

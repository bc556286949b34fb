// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import SecretBytes

extension BusRequest {
    /// How many paths one call may name: libsecret loads what a search has found in one call.
    static let pathCountLimit = 16_384
    /// The longest label, content type, alias, path or name of a property.
    static let textByteCountLimit = 16 * 1024
    /// How many entries a dictionary of properties may have: two are known.
    static let entryCountLimit = 64

    private static let label = "org.freedesktop.Secret.Item.Label"
    private static let attributes = "org.freedesktop.Secret.Item.Attributes"
    private static let collectionLabel = "org.freedesktop.Secret.Collection.Label"

    /// Takes a call apart.
    /// - Throws: what the caller is told when it is no call of this object.
    init(_ message: ReceivedMessage, _ object: ObjectPath) throws(BusError) {
        let member = message.member ?? ""
        guard object != .unknown else { throw .noObject(message.path ?? "") }
        guard
            let (interface, method) = Interfaces.method(
                object, interface: message.interface, member)
        else { throw .unknownMethod(member) }
        let signature = method.inputs.map(\.type).joined()
        guard message.hasSignature(signature) else {
            throw .invalidArguments("The arguments of \(member) must have the types “\(signature)”")
        }
        switch interface {
        case Interfaces.service: self = try Self.service(member, message)
        case Interfaces.collection: self = try Self.collection(member, message)
        case Interfaces.item: self = try Self.item(member, message)
        case Interfaces.session: self = .closeSession
        case Interfaces.prompt:
            self = member == "Prompt" ? .prompt(window: try Self.text(message)) : .dismiss
        case Interfaces.portal: self = try Self.portal(message)
        case Interfaces.portalRequest: self = .closeRequest
        case Interfaces.properties: self = try Self.property(member, message)
        default: self = .introspect
        }
    }

    // MARK: - Interfaces

    private static func service(
        _ member: String, _ message: ReceivedMessage
    ) throws(BusError) -> BusRequest {
        switch member {
        case "OpenSession":
            .openSession(algorithm: try text(message), try sessionInput(message))
        case "CreateCollection": try createCollection(message)
        case "SearchItems": .searchItems(try attributes(message))
        case "Unlock": .unlock(try paths(message))
        case "Lock": .lock(try paths(message))
        case "GetSecrets": .getSecrets(try paths(message), session: try text(message, "o"))
        case "ReadAlias": .readAlias(try text(message))
        default: .setAlias(try text(message), collection: try text(message, "o"))
        }
    }

    private static func collection(
        _ member: String, _ message: ReceivedMessage
    ) throws(BusError) -> BusRequest {
        switch member {
        case "Delete": .delete
        case "SearchItems": .searchItems(try attributes(message))
        default: try createItem(message)
        }
    }

    private static func item(
        _ member: String, _ message: ReceivedMessage
    ) throws(BusError) -> BusRequest {
        switch member {
        case "Delete": .delete
        case "GetSecret": .getSecret(session: try text(message, "o"))
        default: .setSecret(try secret(message))
        }
    }

    private static func property(
        _ member: String, _ message: ReceivedMessage
    ) throws(BusError) -> BusRequest {
        let interface = try text(message)
        switch member {
        case "Get": return .getProperty(interface: interface, try text(message))
        case "GetAll": return .getProperties(interface: interface)
        default:
            let name = try text(message)
            return .setProperty(interface: interface, name, try propertyInput(message))
        }
    }

    private static func portal(_ message: ReceivedMessage) throws(BusError) -> BusRequest {
        let handle = try text(message, "o")
        let application = try text(message)
        let target = message.readDescriptor()
        guard target >= 0 else { throw malformed }
        try entries(message) { _ in false }
        return .retrieveSecret(
            PortalRequest(
                handle: handle, application: application,
                target: SentDescriptor(Descriptor(owning: target))))
    }

    // MARK: - Calls with dictionaries

    private static func createCollection(
        _ message: ReceivedMessage
    ) throws(BusError) -> BusRequest {
        var label = ""
        try entries(message) { (name) throws(BusError) in
            guard name == collectionLabel else { return false }
            label = try variant(message, "s") { () throws(BusError) in try text(message) }
            return true
        }
        return .createCollection(label: label, alias: try text(message))
    }

    private static func createItem(_ message: ReceivedMessage) throws(BusError) -> BusRequest {
        var label = ""
        var found = SecretAttributes()
        message.markSensitive()
        try entries(message) { (name) throws(BusError) in
            switch name {
            case Self.label:
                label = try variant(message, "s") { () throws(BusError) in try text(message) }
            case Self.attributes:
                found = try variant(message, "a{ss}") { () throws(BusError) in
                    try attributes(message)
                }
            default: return false
            }
            return true
        }
        let secret = try secret(message)
        guard let replaces = message.readFlag() else { throw malformed }
        return .createItem(
            NewItemArguments(
                label: label, attributes: found, secret: secret, replaces: replaces))
    }

    /// Reads a dictionary of variants: `body` reads the value of a name that it knows, or returns false.
    /// The message stays as long as the call waits, so others have limits as well.
    private static func entries(
        _ message: ReceivedMessage, _ body: (String) throws(BusError) -> Bool
    ) throws(BusError) {
        let isRead: Void? = try message.enter("a", "{sv}") { () throws(BusError) in
            for count in 0... {
                let isEntry: Void? = try message.enter("e", "sv") { () throws(BusError) in
                    guard count < entryCountLimit else {
                        throw .limit("There may be \(entryCountLimit) properties")
                    }
                    if !(try body(try text(message))) { try ignore(message) }
                }
                if isEntry == nil { return }
            }
        }
        guard isRead != nil else { throw malformed }
    }

    private static func variant<R>(
        _ message: ReceivedMessage, _ type: String, _ body: () throws(BusError) -> R
    ) throws(BusError) -> R {
        guard let value = try message.enter("v", type, body) else {
            throw .invalidArguments("A property must have the type “\(type)”")
        }
        return value
    }

    /// Leaves out a variant that nobody reads: a number, or a text of the usual length.
    private static func ignore(_ message: ReceivedMessage) throws(BusError) {
        let type = message.peek()?.contents ?? ""
        switch type {
        case "s", "o", "g":
            let code: Character = type.first ?? "s"
            _ = try variant(message, type) { () throws(BusError) in try text(message, code) }
        case "y", "b", "n", "q", "i", "u", "x", "t", "d": message.skip()
        default: throw .invalidArguments("A property can't have the type “\(type.prefix(64))”")
        }
    }

    // MARK: - Values

    private static let malformed = BusError.invalidArguments("The message is malformed")

    private static func text(
        _ message: ReceivedMessage, _ type: Character = "s"
    ) throws(BusError) -> String {
        guard let text = message.readText(type) else { throw malformed }
        guard text.utf8.count <= textByteCountLimit else {
            throw .limit("A text may have \(textByteCountLimit) bytes")
        }
        return text
    }

    private static func sessionInput(
        _ message: ReceivedMessage
    ) throws(BusError) -> SessionInput {
        switch message.peek()?.contents {
        case "s":
            _ = try variant(message, "s") { () throws(BusError) in try text(message) }
            return .text
        case "ay":
            let bytes = message.enter("v", "ay") {
                message.readBytes(limit: OakleyGroup.longestPublicKey)
            }
            guard let bytes, let bytes else {
                throw .invalidArguments("The public key is too long")
            }
            return .bytes(bytes)
        default:
            try ignore(message)
            return .other
        }
    }

    private static func propertyInput(
        _ message: ReceivedMessage
    ) throws(BusError) -> PropertyInput {
        switch message.peek()?.contents {
        case "s":
            return .text(try variant(message, "s") { () throws(BusError) in try text(message) })
        case "a{ss}":
            return .attributes(
                try variant(message, "a{ss}") { () throws(BusError) in try attributes(message) })
        default:
            try ignore(message)
            return .other
        }
    }

    private static func attributes(_ message: ReceivedMessage) throws(BusError) -> SecretAttributes
    {
        var pairs: [SecretAttributes.Pair] = []
        var byteCount = 0
        let isRead: Void? = try message.enter("a", "{ss}") { () throws(BusError) in
            while true {
                let pair = message.enter("e", "ss") {
                    () -> SecretAttributes.Pair? in
                    guard let name = message.readTextBytes(), let value = message.readTextBytes()
                    else { return nil }
                    return SecretAttributes.Pair(name: name, value: value)
                }
                guard let pair, let pair else { return }
                pairs.append(pair)
                byteCount += pair.name.count + pair.value.count
                guard pairs.count <= SecretAttributes.countLimit,
                    byteCount <= SecretAttributes.byteCountLimit
                else {
                    throw .limit(
                        "There may be \(SecretAttributes.countLimit) attributes, and "
                            + "\(SecretAttributes.byteCountLimit) bytes in all of them")
                }
            }
        }
        guard isRead != nil else { throw malformed }
        return SecretAttributes(pairs)
    }

    private static func paths(_ message: ReceivedMessage) throws(BusError) -> [String] {
        var paths: [String] = []
        let isRead: Void? = try message.enter("a", "o") { () throws(BusError) in
            while let path = message.readText("o") {
                paths.append(path)
                guard paths.count <= pathCountLimit else {
                    throw .limit("A call may name \(pathCountLimit) objects")
                }
            }
        }
        guard isRead != nil else { throw malformed }
        return paths
    }

    private static func secret(_ message: ReceivedMessage) throws(BusError) -> TransferredSecret {
        message.markSensitive()
        let secret = try message.enter("r", "oayays") { () throws(BusError) in
            let session = try text(message, "o")
            guard let parameters = message.readBytes(limit: 1024) else {
                throw .invalidArguments("The parameters of the secret are too long")
            }
            let limit = SecretSession.secretByteCountLimit + 16
            let value = unsafe message.readBytes { bytes in
                bytes.count <= limit ? unsafe Secret(SecretBytes(copying: bytes)) : nil
            }
            guard let value else { throw malformed }
            guard let value else {
                throw .limit("A secret may have \(SecretSession.secretByteCountLimit) bytes")
            }
            return TransferredSecret(
                session: session,
                sealed: SecretSession.Sealed(parameters: parameters, value: value),
                contentType: try text(message))
        }
        guard let secret else { throw malformed }
        return secret
    }
}

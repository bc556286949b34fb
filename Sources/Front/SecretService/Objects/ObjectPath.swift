// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// What a path of the bus names. Whether it exists is another question.
enum ObjectPath: Hashable, Sendable {
    case service
    case collection(CollectionName)
    case item(collection: String, SecretID)
    case session(String)
    case prompt(String)
    /// The portal's backend.
    case portal
    /// A request to it that is under way.
    case portalRequest(String)
    /// A part of the path of others.
    case folder(String)
    case unknown

    /// How a path names a collection.
    enum CollectionName: Hashable, Sendable {
        case id(String)
        case alias(String)
    }

    static let root = "/org/freedesktop/secrets"
    static let portalRoot = "/org/freedesktop/portal/desktop"
    private static let collections = "/collection/"
    private static let aliases = "/aliases/"
    private static let sessions = "/session/"
    private static let prompts = "/prompt/"
    private static let folders: Set<String> = [
        "/", "/org", "/org/freedesktop", root + "/collection", root + "/aliases",
        root + "/session", root + "/prompt",
    ]

    /// Takes a path apart.
    init(_ path: String) {
        self = Self.folders.contains(path) ? .folder(path) : .unknown
        if path == Self.portalRoot { self = .portal }
        if path.hasPrefix(Self.portalRoot + "/request/") { self = .portalRequest(path) }
        guard path.hasPrefix(Self.root) else { return }
        let rest = path.dropFirst(Self.root.count)
        if rest.isEmpty {
            self = .service
        } else if rest.hasPrefix(Self.collections) {
            self.init(belowCollections: rest.dropFirst(Self.collections.count))
        } else if rest.hasPrefix(Self.aliases) {
            let name = rest.dropFirst(Self.aliases.count)
            if Self.isElement(name) { self = .collection(.alias(String(name))) }
        } else if rest.hasPrefix(Self.sessions) {
            if Self.isElement(rest.dropFirst(Self.sessions.count)) { self = .session(path) }
        } else if rest.hasPrefix(Self.prompts) {
            if Self.isElement(rest.dropFirst(Self.prompts.count)) { self = .prompt(path) }
        }
    }

    private init(belowCollections rest: Substring) {
        self = .unknown
        let parts = rest.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.first, Self.isElement(name) else { return }
        if parts.count == 1 { self = .collection(.id(String(name))) }
        if parts.count == 2, let id = SecretID(hexadecimal: parts[1]) {
            self = .item(collection: String(name), id)
        }
    }

    private static func isElement(_ text: Substring) -> Bool {
        !text.isEmpty && !text.contains("/")
    }

    // MARK: - Making paths

    static func path(collection: String) -> String { root + collections + collection }

    static func path(collection: String, _ item: SecretID) -> String {
        path(collection: collection) + "/" + item.hexadecimal
    }

    static func path(_ item: StoredItem) -> String { path(collection: item.collection, item.id) }

    static func path(session number: UInt64) -> String { root + sessions + "s\(number)" }

    static func path(prompt number: UInt64) -> String { root + prompts + "p\(number)" }
}

/// The identifiers of collections.
package enum CollectionID {
    /// The collection that always exists.
    package static let login = "login"
    /// The collection in the memory of this process.
    package static let session = "session"

    /// The longest identifier: what securityd stores.
    package static let byteCountLimit = 255

    /// The identifier that a label gives, as gnome-keyring makes it: bytes other than letters and digits
    /// become `_` and two hexadecimal digits.
    /// - Parameters:
    ///   - label: The label.
    ///   - isTaken: Whether there is a collection with an identifier. A number then follows.
    /// - Returns: An identifier that isn't taken.
    package static func derived(from label: String, isTaken: (String) -> Bool) -> String {
        var text = ""
        for byte in label.utf8 {
            let isPlain =
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            if isPlain {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16)
                text += "_" + (digits.count == 1 ? "0" : "") + digits
            }
            if text.utf8.count > byteCountLimit - 24 { break }
        }
        if text.isEmpty { text = "collection" }
        var result = text
        var number: UInt64 = 1
        while isTaken(result) {
            number += 1
            result = text + "_\(number)"
        }
        return result
    }
}

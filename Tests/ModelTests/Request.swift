// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import FuzzEntries

/// The model's status codes.
enum Status {
    static let unimplemented: Int32 = -4
    static let parameter: Int32 = -50
    static let notAvailable: Int32 = -25291
    static let dataTooLarge: Int32 = -25302
    static let duplicateItem: Int32 = -25299
    static let itemNotFound: Int32 = -25300
    static let noSuchAttribute: Int32 = -25303
    static let noSuchClass: Int32 = -25306
    static let interactionNotAllowed: Int32 = -25308
    static let internalError: Int32 = -26276
    static let locked = interactionNotAllowed
    static let missingEntitlement: Int32 = -34018
}

/// A dictionary parsed by section 3.1 of the specification, with all its errors: it isn't specified
/// which of several errors takes precedence.
struct Request {
    enum Role { case add, copy, update, delete, changes }
    enum Limit: Equatable {
        case one, all
        case count(Int)
    }

    let role: Role
    var itemClass: ItemClass?
    /// Converted attributes, without access control and synchronizability.
    var attributes: [String: Value] = [:]
    /// Nil: the caller set nothing. The number is 0 or 1.
    var synchronizable: Value?
    /// The caller set "synchronizable or not".
    var takesAnySynchronizable = false
    var accessControl: String?
    var data: Data?
    var returns: Set<String> = []
    var limit: Limit?
    var matches: [String: Value] = [:]
    var reference: Reference?
    var tombstone: Bool?
    var errors: Set<Int32> = []

    /// Whether a list of items has references, which mean items that synchronize as well.
    var listsReferences: Bool {
        guard case .array(let list)? = matches["m_ItemList"] else { return false }
        return list.contains { if case .reference = $0 { true } else { false } }
    }

    /// Whether it means tombstones instead of items.
    var meansTombstones: Bool { attributes["tomb"] == .number(1) }

    /// An update makes no tombstones, nor items of them. A decision of ours.
    func tombstoneErrors(of changes: Request) -> Set<Int32> {
        guard let value = changes.attributes["tomb"] else { return [] }
        return (value != .number(0)) == meansTombstones ? [] : [Status.parameter]
    }

    private let defect: Defect?

    init(_ entries: Entries, _ role: Role, _ defect: Defect?, itemClass: ItemClass? = nil) {
        self.role = role
        self.defect = defect
        self.itemClass = itemClass
        if role != .changes { readClass(entries) }
        for (name, value) in entries { read(name, value) }
        if role != .changes { expandSample(entries["v_Ref"]) }
        checkCombinations()
    }

    /// The class and the reference contradict each other: the specification doesn't say which
    /// attributes are known.
    private var hasTwoClasses = false

    private mutating func fail(_ status: Int32) { errors.insert(status) }

    // MARK: - The class

    private mutating func readClass(_ entries: Entries) {
        if case .identity? = entries["v_Ref"] {
            // The caller's class is replaced.
            itemClass = .identity
            return
        }
        switch entries["class"] {
        case .string(let text)?:
            itemClass = ItemClass(rawValue: text)
            if itemClass == nil { fail(Status.noSuchClass) }
        case nil:
            switch (entries["v_Ref"], entries["v_PersistentRef"]) {
            case (.certificate?, _): itemClass = .certificate
            case (.key?, _): itemClass = .key
            case (_, .reference(let reference)?): itemClass = reference.itemClass
            default: fail(Status.parameter)
            }
        default: fail(Status.parameter)
        }
    }

    // MARK: - Entries

    private mutating func read(_ name: Name, _ value: Value) {
        guard case .text(let text) = name else {
            if case .number = name {
                fail(Status.noSuchAttribute)
            } else {
                fail(Status.parameter)
            }
            return
        }
        if ["clip", "data", "v_pk"].contains(text) {
            fail(Status.parameter)
        } else if text.utf16.count == 4 {
            readAttribute(text, value)
        } else if text.count < 2 {
            fail(Status.parameter)
        } else {
            readOther(text, value)
        }
    }

    private mutating func readOther(_ text: String, _ value: Value) {
        if role == .changes {
            switch text {
            case "v_Data": readData(value)
            case _ where text == "class" || "rmu".contains(text.prefix(1)):
                fail(Status.noSuchAttribute)
            case "v_Ref", "v_PersistentRef": fail(Status.noSuchAttribute)
            case _ where text.hasPrefix("f"): break
            default: fail(Status.parameter)
            }
            return
        }
        switch text.prefix(1) {
        case "c": if text != "class" { fail(Status.parameter) }
        case "f": break
        case "m": readMatch(text, value)
        case "r": readReturn(text, value)
        case "u": readUse(text, value)
        case "v": readValue(text, value)
        default: fail(Status.parameter)
        }
    }

    private mutating func readAttribute(_ name: String, _ value: Value) {
        if name == "nleg" { return }
        if Column.privileged.contains(name) {
            fail(Status.missingEntitlement)
            if name == "ggrp" { fail(Status.parameter) }
            return
        }
        if Column.privilegedOfInternet.contains(name) {
            fail(Status.missingEntitlement)
            if itemClass != .internetPassword { fail(Status.noSuchAttribute) }
            return
        }
        let kind = itemClass.map { Column.kind(of: name, in: $0) } ?? Column.anyKind(of: name)
        guard let kind else {
            // It isn't specified whether its type is checked at all.
            if let other = Column.anyKind(of: name), Column.convert(value, to: other) == nil {
                fail(Status.parameter)
            }
            return fail(Status.noSuchAttribute)
        }
        if name == "sync", value == .string("syna") {
            takesAnySynchronizable = true
            return
        }
        guard let converted = Column.convert(value, to: kind, defect) else {
            return fail(Status.parameter)
        }
        switch name {
        case "accc":
            if case .accessControl(let accessible) = converted { accessControl = accessible }
        case "sync": synchronizable = converted
        case "pdmn":
            let known = ["ak", "ck", "dk", "aku", "cku", "dku", "akpu"].map { Value.string($0) }
            if known.contains(converted) {
                attributes[name] = converted
            } else {
                fail(Status.parameter)
            }
        default: attributes[name] = converted
        }
    }

    private mutating func readData(_ value: Value) {
        guard case .data(let data) = value else { return fail(Status.parameter) }
        self.data = data
        let isStored = role == .add || role == .changes
        if isStored, data.count > Self.dataLimit { fail(Status.dataTooLarge) }
    }

    /// A decision of ours.
    private static let dataLimit = 1 << 20

    private mutating func readReturn(_ text: String, _ value: Value) {
        guard ["r_Data", "r_Attributes", "r_Ref", "r_PersistentRef"].contains(text),
            case .boolean(let flag) = value
        else { return fail(Status.parameter) }
        if flag { returns.insert(text) }
    }

    private mutating func readUse(_ text: String, _ value: Value) {
        switch (text, value) {
        case ("u_AuthUI", .string(let choice)):
            if choice == "u_AuthUIS", role != .copy { fail(Status.parameter) }
        case ("u_NoAuthUI", .boolean), ("u_OpPrompt", .string): break
        case ("u_ItemList", _): if role != .delete { fail(Status.parameter) }
        case ("u_Tomb", .boolean(let flag)): tombstone = flag
        case ("u_Tomb", .number(let number)): tombstone = number != 0
        default: fail(Status.parameter)
        }
    }

    private mutating func readValue(_ text: String, _ value: Value) {
        switch (text, value) {
        case ("v_Data", _): readData(value)
        case ("v_Ref", .certificate), ("v_Ref", .key): break
        case ("v_Ref", .identity): if role != .add { fail(Status.parameter) }
        case ("v_PersistentRef", .reference(let reference)):
            if role == .add { return fail(Status.parameter) }
            self.reference = reference
            if let itemClass, itemClass != reference.itemClass {
                fail(Status.noSuchClass)
                hasTwoClasses = true
            }
        default: fail(Status.parameter)
        }
    }

    // MARK: - Match keys

    private mutating func readMatch(_ text: String, _ value: Value) {
        guard role == .copy else {
            if role == .add || text != "m_Limit" || value != .string("m_LimitAll") {
                fail(Status.parameter)
            }
            if text == "m_Limit" { limit = .all }
            return
        }
        let hasCertificates = itemClass == .certificate || itemClass == .identity
        switch text {
        case "m_Limit": readLimit(value)
        case "m_Policy":
            // No value of the model is a policy.
            fail(Status.parameter)
        case "m_Issuers":
            if !hasCertificates { fail(Status.unimplemented) }
            matches[text] = value
        case "m_HostOrSubdomainOfHost":
            if itemClass != .internetPassword { fail(Status.unimplemented) }
            if case .string = value { matches[text] = value } else { fail(Status.parameter) }
        // Of these the type counts for each class, and the value for certificates alone.
        case "m_EmailAddressIfPresent":
            guard case .string = value else { return fail(Status.parameter) }
            if hasCertificates || itemClass == nil { matches[text] = value }
        case "m_TrustedOnly":
            guard case .boolean(false) = value else { return fail(Status.parameter) }
        case "m_ValidOnDate":
            switch value {
            case .date, .null: if hasCertificates || itemClass == nil { matches[text] = value }
            default: fail(Status.parameter)
            }
        case _ where ModelMatchFilter.subjectKeys.contains(text):
            guard hasCertificates || itemClass == nil else { return }
            if case .string = value { matches[text] = value } else { fail(Status.parameter) }
        case _ where ModelMatchFilter.subjectFlags.contains(text):
            guard hasCertificates || itemClass == nil else { return }
            if case .boolean = value { matches[text] = value } else { fail(Status.parameter) }
        default: matches[text] = value
        }
    }

    private mutating func readLimit(_ value: Value) {
        switch value {
        case .string("m_LimitOne"), .number(1): limit = .one
        case .string("m_LimitAll"), .number(-1): limit = .all
        case .number(let number): limit = .count(Int(number))
        default: fail(Status.parameter)
        }
    }

    // MARK: - Samples

    /// Adds attributes that are derived from a certificate or a key; the caller's own values take
    /// precedence.
    private mutating func expandSample(_ value: Value?) {
        let derived: [String: Value]
        switch value {
        case .certificate(let number)?:
            derived = Derived.attributes(ofCertificate: number)
            if role == .add { data = data ?? Derived.certificate(number) }
            if role == .add, attributes["labl"] == nil, itemClass == .certificate {
                attributes["labl"] = .string(CertificateSample.all[number].summary)
            }
        case .key(let number)?:
            derived = Derived.attributes(ofKey: number, forQuery: role != .add)
            if role == .add { data = data ?? Derived.key(number) }
        default: return
        }
        guard let itemClass else { return }
        for (name, value) in derived where attributes[name] == nil {
            if Column.kind(of: name, in: itemClass) == nil {
                fail(Status.noSuchAttribute)
            } else {
                attributes[name] = value
            }
        }
    }

    // MARK: - Combinations

    private mutating func checkCombinations() {
        if let accessControl {
            if attributes["pdmn"] != nil { fail(Status.parameter) }
            if role == .add || role == .changes, synchronizable == .number(1) {
                fail(Status.parameter)
            }
            _ = accessControl
        }
        if hasTwoClasses { errors.formUnion([Status.noSuchAttribute, Status.parameter]) }
        guard let reference else { return }
        let hasAttributes =
            !attributes.isEmpty || synchronizable != nil || takesAnySynchronizable
        if hasAttributes, role == .copy || reference.form == .short { fail(Status.parameter) }
    }
}

/// The attributes derived from a sample (sections 2.5 and 2.6).
enum Derived {
    static func bytes(_ text: String) -> Data { Data(base64Encoded: text) ?? Data() }

    static func certificate(_ number: Int) -> Data { certificates[number] }
    static func key(_ number: Int) -> Data { keys[number] }

    static let certificates = CertificateSample.all.map { bytes($0.der) }
    static let keys = KeySample.all.map { bytes($0.data) }
    /// The texts of each certificate's subject.
    static let subjectTexts: [[String]] = CertificateSample.all.map {
        texts(of: [UInt8](bytes($0.subjectName)))
    }

    /// Certificates with their private keys.
    static let identities: [(Int, Int)] = CertificateSample.all.indices.flatMap { certificate in
        KeySample.all.indices.filter { key in
            let sample = KeySample.all[key]
            return sample.isPrivate
                && sample.publicKeyHash == CertificateSample.all[certificate].publicKeyHash
        }.map { (certificate, $0) }
    }

    /// The bytes after the object identifiers of a short name's parts: a tag, a length, the text.
    private static func texts(of name: [UInt8]) -> [String] {
        name.indices.dropLast(7).filter { name[$0..<$0 + 4] == [0x06, 0x03, 0x55, 0x04] }.map {
            String(decoding: name[$0 + 7..<$0 + 7 + Int(name[$0 + 6])], as: UTF8.self)
        }
    }

    static func attributes(ofCertificate number: Int) -> [String: Value] {
        let sample = CertificateSample.all[number]
        var result: [String: Value] = [
            "ctyp": .number(sample.version), "cenc": .number(3),
            "subj": .data(bytes(sample.subject)), "issr": .data(bytes(sample.issuer)),
            "slnr": .data(bytes(sample.serialNumber)), "pkhh": .data(bytes(sample.publicKeyHash)),
        ]
        if let identifier = sample.subjectKeyID { result["skid"] = .data(bytes(identifier)) }
        return result
    }

    static func attributes(ofKey number: Int, forQuery: Bool) -> [String: Value] {
        let key = KeySample.all[number]
        let (isPrivate, isPublic): (Int64, Int64) = key.isPrivate ? (1, 0) : (0, 1)
        var result: [String: Value] = [
            "kcls": .number(isPrivate), "klbl": .data(bytes(key.publicKeyHash)),
            "type": .number(key.isRSA ? 42 : 73), "bsiz": .number(key.sizeInBits),
            "esiz": .number(key.sizeInBits), "priv": .number(1), "modi": .number(1),
            "sens": .number(0), "asen": .number(0), "extr": .number(1), "next": .number(0),
        ]
        if forQuery { return result }
        result["perm"] = .number(1)
        for name in ["encr", "vrfy", "wrap"] { result[name] = .number(isPublic) }
        for name in ["decr", "sign", "unwp"] { result[name] = .number(isPrivate) }
        if key.isRSA, !key.isPrivate { result["decr"] = .number(1) }
        result["drve"] = .number(key.isPrivate && !key.isRSA ? 1 : 0)
        for name in ["snrc", "vyrc"] { result[name] = .number(0) }
        return result
    }
}

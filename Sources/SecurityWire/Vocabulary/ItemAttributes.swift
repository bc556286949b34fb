// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import FoundationEssentials
import SwiftProtobuf

/// Attributes of one item, or the values that a query asks for.
public struct ItemAttributes: Sendable {
    var message: WireAttributes

    /// No attributes.
    public init() { message = WireAttributes() }

    init(message: WireAttributes) { self.message = message }

    /// The value of one attribute; nil when it isn't set. A value of the wrong type for the
    /// attribute's ``Attribute/valueKind`` is not stored: setting it clears the attribute.
    public subscript(attribute: Attribute) -> AttributeValue? {
        get {
            switch attribute {
            case .account: message.hasAcct ? AttributeValue(tagged: message.acct) : nil
            case .service: message.hasSvce ? AttributeValue(tagged: message.svce) : nil
            case .generic: message.hasGena ? AttributeValue(tagged: message.gena) : nil
            case .label: message.hasLabl ? AttributeValue(tagged: message.labl) : nil
            case .description: message.hasDesc ? AttributeValue(tagged: message.desc) : nil
            case .comment: message.hasIcmt ? AttributeValue(tagged: message.icmt) : nil
            case .alias: message.hasAlis ? AttributeValue(tagged: message.alis) : nil
            case .protocolName: message.hasProt ? AttributeValue(tagged: message.prot) : nil
            case .creator: message.hasCrtr ? AttributeValue(tagged: message.crtr) : nil
            case .type: message.hasType ? AttributeValue(tagged: message.type) : nil
            case .scriptCode: message.hasScrp ? AttributeValue(tagged: message.scrp) : nil
            case .isInvisible: message.hasInvi ? AttributeValue(tagged: message.invi) : nil
            case .isNegative: message.hasNega ? AttributeValue(tagged: message.nega) : nil
            case .hasCustomIcon: message.hasCusi ? AttributeValue(tagged: message.cusi) : nil
            case .accessGroup: message.hasAgrp ? .text(message.agrp) : nil
            case .accessible: accessibility.map { .text($0.code) }
            case .synchronizable: message.hasSync ? .integer(message.sync) : nil
            case .creationDate: message.hasCdat ? .date(message.cdat) : nil
            case .modificationDate: message.hasMdat ? .date(message.mdat) : nil
            case .tokenID: message.hasTkid ? .text(message.tkid) : nil
            case .syncViewHint: message.hasVwht ? .text(message.vwht) : nil
            case .sha1: message.hasSha1 ? .data([UInt8](message.sha1)) : nil
            case .tombstone: message.hasTomb ? .integer(message.tomb) : nil
            case .multiUser: message.hasMusr ? .data([UInt8](message.musr)) : nil
            }
        }
        set {
            switch attribute.valueKind {
            case .blob, .number: setTagged(attribute, newValue)
            case .text: setText(attribute, newValue)
            case .data: setData(attribute, newValue)
            case .date: setDate(attribute, newValue)
            }
        }
    }

    /// Whether no attribute is set.
    public var isEmpty: Bool { Attribute.allCases.allSatisfy { self[$0] == nil } }

    /// Calls `body` for each attribute that is set, in the order of ``Attribute``.
    public func forEach(_ body: (Attribute, AttributeValue) -> Void) {
        for attribute in Attribute.allCases {
            if let value = self[attribute] { body(attribute, value) }
        }
    }

    /// Sets each attribute that `changes` has.
    public mutating func merge(_ changes: ItemAttributes) {
        for attribute in Attribute.allCases {
            if let value = changes[attribute] { self[attribute] = value }
        }
    }

    /// The protection class; nil when not set or unknown.
    public var accessibility: Accessibility? {
        get { message.hasPdmn ? UInt8(exactly: message.pdmn).flatMap(Accessibility.init) : nil }
        set {
            if let newValue {
                message.pdmn = UInt32(newValue.rawValue)
            } else {
                message.clearPdmn()
            }
        }
    }

    /// In stored metadata: whether the item has a secret, empty or not.
    package var hasSecret: Bool {
        get { message.hasSecret_p }
        set { message.hasSecret_p = newValue }
    }
}

// MARK: - Setting by kind of value

extension ItemAttributes {
    private mutating func setTagged(_ attribute: Attribute, _ value: AttributeValue?) {
        if attribute == .synchronizable || attribute == .tombstone {
            setInteger(attribute, value)
            return
        }
        let path: WritableKeyPath<WireAttributes, Data>
        switch attribute {
        case .account: path = \.acct
        case .service: path = \.svce
        case .generic: path = \.gena
        case .label: path = \.labl
        case .description: path = \.desc
        case .comment: path = \.icmt
        case .alias: path = \.alis
        case .protocolName: path = \.prot
        case .creator: path = \.crtr
        case .type: path = \.type
        case .scriptCode: path = \.scrp
        case .isInvisible: path = \.invi
        case .isNegative: path = \.nega
        case .hasCustomIcon: path = \.cusi
        case .accessible, .accessGroup, .synchronizable, .creationDate, .modificationDate,
            .tokenID, .syncViewHint, .tombstone, .multiUser, .sha1:
            return
        }
        guard let value else {
            clear(attribute)
            return
        }
        message[keyPath: path] = value.tagged
    }

    private mutating func setInteger(_ attribute: Attribute, _ value: AttributeValue?) {
        guard case .integer(let number)? = value else {
            clear(attribute)
            return
        }
        if attribute == .synchronizable { message.sync = number } else { message.tomb = number }
    }

    private mutating func setText(_ attribute: Attribute, _ value: AttributeValue?) {
        guard case .text(let text)? = value else {
            clear(attribute)
            return
        }
        switch attribute {
        case .accessible: accessibility = Accessibility(code: text)
        case .accessGroup: message.agrp = text
        case .tokenID: message.tkid = text
        default: message.vwht = text
        }
    }

    private mutating func setData(_ attribute: Attribute, _ value: AttributeValue?) {
        guard case .data(let bytes)? = value else {
            clear(attribute)
            return
        }
        if attribute == .sha1 { message.sha1 = Data(bytes) } else { message.musr = Data(bytes) }
    }

    private mutating func setDate(_ attribute: Attribute, _ value: AttributeValue?) {
        guard case .date(let seconds)? = value else {
            clear(attribute)
            return
        }
        if attribute == .creationDate { message.cdat = seconds } else { message.mdat = seconds }
    }

    private mutating func clear(_ attribute: Attribute) {
        switch attribute {
        case .account: message.clearAcct()
        case .service: message.clearSvce()
        case .generic: message.clearGena()
        case .label: message.clearLabl()
        case .description: message.clearDesc()
        case .comment: message.clearIcmt()
        case .alias: message.clearAlis()
        case .protocolName: message.clearProt()
        case .creator: message.clearCrtr()
        case .type: message.clearType()
        case .scriptCode: message.clearScrp()
        case .isInvisible: message.clearInvi()
        case .isNegative: message.clearNega()
        case .hasCustomIcon: message.clearCusi()
        case .accessGroup: message.clearAgrp()
        case .accessible: message.clearPdmn()
        case .synchronizable: message.clearSync()
        case .creationDate: message.clearCdat()
        case .modificationDate: message.clearMdat()
        case .tokenID: message.clearTkid()
        case .syncViewHint: message.clearVwht()
        case .sha1: message.clearSha1()
        case .tombstone: message.clearTomb()
        case .multiUser: message.clearMusr()
        }
    }
}

// MARK: - Stored and indexed forms

extension ItemAttributes {
    /// The stored form: a serialized `Attributes` message.
    package func serialized() throws(WireError) -> Data {
        do { return try message.serializedData() } catch { throw .malformed }
    }

    /// Reads the stored form.
    package init(serialized: Data) throws(WireError) {
        do { message = try WireAttributes(serializedBytes: serialized) } catch { throw .malformed }
    }

    /// The content by which two values count as equal: bytes without their type, so that the text
    /// "abc" and the data "abc" are the same account. Nil when the attribute isn't set.
    package func indexedContent(_ attribute: Attribute) -> Data? {
        switch attribute {
        case .account: message.hasAcct ? message.acct.dropFirst() : nil
        case .service: message.hasSvce ? message.svce.dropFirst() : nil
        case .generic: message.hasGena ? message.gena.dropFirst() : nil
        case .label: message.hasLabl ? message.labl.dropFirst() : nil
        case .description: message.hasDesc ? message.desc.dropFirst() : nil
        case .comment: message.hasIcmt ? message.icmt.dropFirst() : nil
        case .alias: message.hasAlis ? message.alis.dropFirst() : nil
        case .protocolName: message.hasProt ? message.prot.dropFirst() : nil
        case .creator: message.hasCrtr ? message.crtr.dropFirst() : nil
        case .type: message.hasType ? message.type.dropFirst() : nil
        case .scriptCode, .isInvisible, .isNegative, .hasCustomIcon, .accessible, .synchronizable,
            .creationDate, .modificationDate, .tombstone:
            self[attribute].map(\.indexedContent)
        case .accessGroup: message.hasAgrp ? Data(message.agrp.utf8) : nil
        case .tokenID: message.hasTkid ? Data(message.tkid.utf8) : nil
        case .syncViewHint: message.hasVwht ? Data(message.vwht.utf8) : nil
        case .sha1: message.hasSha1 ? message.sha1 : nil
        case .multiUser: message.hasMusr ? message.musr : nil
        }
    }

    /// Whether every value on the wire has a known type byte and fits its attribute.
    var isWellFormed: Bool {
        func fits(_ isSet: Bool, _ value: @autoclosure () -> Data) -> Bool {
            !isSet || AttributeValue.isWellFormed(tagged: value())
        }
        guard fits(message.hasAcct, message.acct), fits(message.hasSvce, message.svce),
            fits(message.hasGena, message.gena), fits(message.hasLabl, message.labl),
            fits(message.hasDesc, message.desc), fits(message.hasIcmt, message.icmt),
            fits(message.hasAlis, message.alis), fits(message.hasProt, message.prot),
            fits(message.hasCrtr, message.crtr), fits(message.hasType, message.type),
            fits(message.hasScrp, message.scrp), fits(message.hasInvi, message.invi),
            fits(message.hasNega, message.nega), fits(message.hasCusi, message.cusi)
        else { return false }
        guard !message.hasPdmn || accessibility != nil else { return false }
        guard !message.hasMusr || [0, 16].contains(message.musr.count) else { return false }
        return !message.hasSha1 || message.sha1.count == 20
    }
}

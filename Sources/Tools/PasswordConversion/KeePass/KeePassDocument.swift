// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire
import SecretBytes

/// The XML of a KDBX file. Protected values are decrypted in the order of the document, also those
/// that nothing needs.
struct KeePassDocument {
    private var xml: XMLReader
    private var stream: KeyStream?
    private let sink: any RecordSink
    /// Version 3.1: what the document must say of the head.
    private let headerDigest: [UInt8]?
    private var recycleBin: [UInt8] = []
    private var number = 0

    init(
        _ source: any ChunkSource, _ stream: KeyStream?, _ sink: any RecordSink,
        headerDigest: [UInt8]? = nil
    ) {
        xml = XMLReader(source)
        self.stream = stream
        self.sink = sink
        self.headerDigest = headerDigest
    }

    /// Reads all of it.
    func read() throws(ConversionFailure) {
        var reader = self
        try reader.readAll()
    }

    private mutating func readAll() throws(ConversionFailure) {
        guard try xml.root().name == "KeePassFile" else { throw ConversionFailure(.damaged) }
        while let part = try xml.child() {
            switch part.name {
            case "Meta": try readMeta()
            case "Root":
                while let child = try xml.child() {
                    if child.name == "Group" {
                        try readGroup(nil, isDeleted: false)
                    } else {
                        try skip(child)
                    }
                }
            default: try skip(part)
            }
        }
        try xml.finish()
    }

    private mutating func readMeta() throws(ConversionFailure) {
        while let part = try xml.child() {
            switch part.name {
            case "HeaderHash":
                let digest = Base64.decoded(try xml.text()) ?? []
                if let headerDigest, !digest.isEmpty, !isEqual(digest, headerDigest) {
                    throw ConversionFailure(.damaged)
                }
            case "RecycleBinUUID":
                let id = Base64.decoded(try xml.text()) ?? []
                recycleBin = id.allSatisfy { $0 == 0 } ? [] : id
            default: try skip(part)
            }
        }
    }

    // MARK: - Groups

    /// - Parameters:
    ///   - parent: The names of the groups around it; nil for the outermost one, which has no name.
    ///   - isDeleted: Whether it is in the recycle bin.
    /// - Throws: for damaged bytes and what is over a limit.
    private mutating func readGroup(
        _ parent: [String]?, isDeleted: Bool
    ) throws(ConversionFailure) {
        var path = parent == nil ? [] : parent
        var hasName = parent == nil
        var isDeleted = isDeleted
        while let part = try xml.child() {
            switch part.name {
            case "UUID":
                let id = Base64.decoded(try xml.text()) ?? []
                if !recycleBin.isEmpty, id == recycleBin { isDeleted = true }
            case "Name":
                let name = try text(part)
                if let parent { path = parent + [name] }
                hasName = true
            case "Notes":
                if try !value(part).isEmpty {
                    try sink.leaveOut(LeftOut(.notes, number: 0, name: path?.last ?? ""))
                }
            // Every program writes a group's name before what is in it.
            case "Entry":
                guard hasName else { throw ConversionFailure(.damaged) }
                try readEntry(path ?? [], isDeleted)
            case "Group":
                guard hasName else { throw ConversionFailure(.damaged) }
                try readGroup(path ?? [], isDeleted: isDeleted)
            default: try skip(part)
            }
        }
    }

    // MARK: - Entries

    private mutating func readEntry(
        _ path: [String], _ isDeleted: Bool
    ) throws(ConversionFailure) {
        number += 1
        var entry = KeePassEntry(number: number)
        entry.record.folder = path
        entry.record.isDeleted = isDeleted
        while let part = try xml.child() {
            switch part.name {
            case "String":
                if let (key, bytes, isProtected) = try readPair() {
                    try entry.add(key, bytes, isProtected)
                }
            case "Binary":
                if let (key, _, _) = try readPair() { entry.leftOut.append((.attachment, key)) }
            case "Tags": entry.setTags(try text(part))
            case "Times":
                while let time = try xml.child() { entry.setTime(time.name, try text(time)) }
            case "CustomIconUUID":
                if try !value(part).isEmpty { entry.leftOut.append((.icon, "")) }
            case "CustomData":
                while let item = try xml.child() {
                    guard item.name == "Item" else {
                        try skip(item)
                        continue
                    }
                    if let (key, bytes, _) = try readPair() { entry.setCustom(key, bytes) }
                }
            case "AutoType":
                while let rule = try xml.child() {
                    if rule.name == "Association" { entry.leftOut.append((.automaticTyping, "")) }
                    try skip(rule)
                }
            case "History":
                while let version = try xml.child() {
                    if version.name == "Entry" { entry.leftOut.append((.history, "")) }
                    try skip(version)
                }
            default: try skip(part)
            }
            guard entry.leftOut.count <= ConversionLimits.recordCount else {
                throw ConversionFailure(over: .recordCount)
            }
        }
        let record = entry.finished()
        try sink.take(record)
        for (kind, name) in entry.leftOut {
            let named = name.isEmpty ? record.title : name
            try sink.leaveOut(LeftOut(kind, number: record.number, name: named))
        }
    }

    /// A key and a value; nil without a key. A value without one would have no meaning.
    private mutating func readPair()
        throws(ConversionFailure) -> (key: String, value: [UInt8], isProtected: Bool)?
    {
        var key: String?
        var bytes: [UInt8] = []
        var isProtected = false
        while let part = try xml.child() {
            switch part.name {
            case "Key": key = try text(part)
            case "Value":
                isProtected = part.isTrue("Protected") || part.isTrue("ProtectInMemory")
                bytes = try value(part)
            default: try skip(part)
            }
        }
        return key.map { ($0, bytes, isProtected) }
    }

    // MARK: - Values

    private mutating func text(_ tag: XMLTag) throws(ConversionFailure) -> String {
        guard let text = String(validating: try value(tag), as: UTF8.self) else {
            throw ConversionFailure(.invalidText)
        }
        return text
    }

    /// The text of an element, decrypted if it is protected.
    private mutating func value(_ tag: XMLTag) throws(ConversionFailure) -> [UInt8] {
        let text = try xml.text()
        guard tag.isTrue("Protected") else { return text }
        guard var bytes = Base64.decoded(text) else { throw ConversionFailure(.damaged) }
        try stream?.apply(to: &bytes)
        return bytes
    }

    /// Reads over an element. The stream goes on over what is protected in it.
    private mutating func skip(_ tag: XMLTag) throws(ConversionFailure) {
        if tag.isTrue("Protected") {
            let count = try xml.skipBase64()
            stream?.skip(count)
        } else {
            while let child = try xml.child() { try skip(child) }
        }
    }
}

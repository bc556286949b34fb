// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire
import SecretBytes

/// 1Password's archive (1PUX): JSON in a ZIP archive, and files beside it.
struct OnePasswordArchive {
    private static let content = "export.data"
    private static let files = "files/"

    private let archive: ZIPArchive

    init(_ file: [UInt8]) throws(ConversionFailure) { archive = try ZIPArchive(file) }

    func read(into sink: any RecordSink) throws(ConversionFailure) {
        guard let entry = archive.entries.first(where: { $0.name == Self.content }) else {
            throw ConversionFailure(.unknownFormat)
        }
        let text = try CheckedText.checked(archive.content(entry))
        var reader = JSONReader(text)
        var items = Items(sink)
        try reader.members("accounts") { reader throws(ConversionFailure) in
            try reader.members("vaults") { reader throws(ConversionFailure) in
                try items.readVault(&reader)
            }
        }
        try reader.finish()
        for file in archive.entries where file.name.hasPrefix(Self.files) {
            let name = file.name.dropFirst(Self.files.count)
            // An item has named its own ones.
            let id = String(name.split(separator: "_").first ?? name)
            guard !items.files.contains(id) else { continue }
            try sink.leaveOut(LeftOut(.attachment, number: 0, name: String(name)))
        }
    }

    /// Reads the items of one vault after another.
    private struct Items {
        private let sink: any RecordSink
        private var number = 0
        /// Identifiers of the files that items have.
        private(set) var files: Set<String> = []

        init(_ sink: any RecordSink) { self.sink = sink }

        mutating func readVault(_ reader: inout JSONReader) throws(ConversionFailure) {
            var name = ""
            // A vault's name may come after its items, which would then be read again.
            var start: JSONReader?
            try reader.object { reader, member throws(ConversionFailure) in
                switch member {
                case "attrs":
                    let attributes = try reader.value()
                    name = attributes["name"].text ?? ""
                case "items":
                    start = reader
                    try reader.skip()
                default: try reader.skip()
                }
            }
            guard var items = start, items.isArray() else { return }
            try items.array { reader throws(ConversionFailure) in
                number += 1
                guard number <= ConversionLimits.recordCount else {
                    throw ConversionFailure(over: .recordCount)
                }
                let value = try reader.value()
                // Older archives have one more level.
                if case .object = value["item"] {
                    try read(value["item"], name)
                } else {
                    try read(value, name)
                }
            }
        }

        private mutating func read(
            _ item: JSONValue, _ vault: String
        ) throws(ConversionFailure) {
            let parsed = OnePasswordItem(item, vault: vault, number: number)
            try sink.take(parsed.record)
            for (kind, name) in parsed.leftOut {
                try sink.leaveOut(LeftOut(kind, number: parsed.record.number, name: name))
            }
            for id in parsed.files { files.insert(id) }
        }
    }
}

extension JSONReader {
    /// Reads an object, and in it the array of this name; other members are skipped.
    fileprivate mutating func members(
        _ name: String, _ element: (inout JSONReader) throws(ConversionFailure) -> Void
    ) throws(ConversionFailure) {
        try object { reader, member throws(ConversionFailure) in
            if member == name, reader.isArray() {
                try reader.array(element)
            } else {
                try reader.skip()
            }
        }
    }
}

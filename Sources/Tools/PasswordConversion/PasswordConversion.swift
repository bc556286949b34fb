// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import ConversionWire
import SecretBytes

/// Receives what a file has, in its order. The file is only right when ``PasswordConversion/read``
/// has returned.
package protocol RecordSink: AnyObject {
    /// The format of the file, before anything else.
    func recognize(_ format: ConversionFormat) throws(ConversionFailure)
    /// A record within the limits.
    func take(_ record: ConvertedRecord) throws(ConversionFailure)
    /// Something that isn't in a record.
    func leaveOut(_ leftOut: LeftOut) throws(ConversionFailure)
}

/// Reads and writes files of other password managers. No input or output: bytes in, bytes out.
package enum PasswordConversion {
    /// Reads a file.
    /// - Parameters:
    ///   - file: All of its bytes.
    ///   - request: The expected format, password and key file.
    ///   - sink: Receives what is in it.
    /// - Returns: How many records there are.
    /// - Throws: why it isn't read; some records may have been given to the sink before.
    package static func read(
        _ file: [UInt8], _ request: ConversionRequest, into sink: any RecordSink
    ) throws(ConversionFailure) -> UInt32 {
        guard file.count <= ConversionLimits.fileByteCount else {
            throw ConversionFailure(over: .fileByteCount)
        }
        let counter = CheckedSink(sink)
        let wanted = request.format
        switch FileHead(file) {
        case .keePass:
            try expect(.keePass, wanted)
            try counter.recognize(.keePass)
            try KeePassFile(file, request).read(into: counter)
        case .archive:
            try expect(.onePasswordArchive, wanted)
            try counter.recognize(.onePasswordArchive)
            try OnePasswordArchive(file).read(into: counter)
        case .json:
            try BitwardenFile(file, request).read(into: counter)
        case .text:
            try CSVFile(file, wanted).read(into: counter)
        case .unknown:
            throw ConversionFailure(.unknownFormat)
        }
        return counter.count
    }

    /// Writes records to a file.
    /// - Parameters:
    ///   - records: The records.
    ///   - request: The format and the password.
    ///   - leaveOut: Hears of what this format can't keep.
    /// - Returns: The bytes of the file.
    /// - Throws: why it can't be written.
    package static func write(
        _ records: [ConvertedRecord], _ request: ConversionRequest,
        leaveOut: (LeftOut) -> Void
    ) throws(ConversionFailure) -> [UInt8] {
        if request.format.isEncrypted, request.password == nil, request.keyFile == nil {
            throw ConversionFailure(.passwordNeeded)
        }
        let file =
            switch request.format {
            case .chromeCSV, .appleCSV, .onePasswordCSV:
                CSVWriter(request.format).file(records, leaveOut)
            case .bitwardenJSON: BitwardenWriter.file(records, leaveOut)
            case .bitwardenEncryptedJSON:
                try BitwardenProtection.file(
                    BitwardenWriter.file(records, leaveOut), password: request.password)
            case .keePass: try KeePassWriter(request).file(records, leaveOut)
            case .any, .firefoxCSV, .bitwardenCSV, .onePasswordArchive:
                throw ConversionFailure(.unsupported)
            }
        guard file.count <= ConversionLimits.fileByteCount else {
            throw ConversionFailure(over: .fileByteCount)
        }
        return file
    }

    /// Reads the content of a KeePass file as it is below the encryption. A fuzzer can't make a file
    /// whose MACs are right.
    /// - Parameters:
    ///   - content: Version 4: its inner head, and XML. Version 3: blocks with digests.
    ///   - version: 3 or 4.
    ///   - sink: Receives what is in it.
    /// - Throws: why it isn't read.
    package static func readKeePassContent(
        _ content: [UInt8], version: Int, into sink: any RecordSink
    ) throws(ConversionFailure) {
        try KeePassFile.read(content: content, version: version, into: CheckedSink(sink))
    }

    static func expect(
        _ found: ConversionFormat, _ wanted: ConversionFormat
    ) throws(ConversionFailure) {
        guard wanted == .any || wanted == found else { throw ConversionFailure(.unknownFormat) }
    }
}

/// Holds the limits before a record goes on.
private final class CheckedSink: RecordSink {
    private let next: any RecordSink
    private(set) var count: UInt32 = 0
    private var leftOutCount = 0

    init(_ next: any RecordSink) { self.next = next }

    func recognize(_ format: ConversionFormat) throws(ConversionFailure) {
        try next.recognize(format)
    }

    func take(_ record: ConvertedRecord) throws(ConversionFailure) {
        if let limit = record.limit {
            throw ConversionFailure(over: limit, line: Int(record.number))
        }
        guard count < ConversionLimits.recordCount else {
            throw ConversionFailure(over: .recordCount)
        }
        count += 1
        try next.take(record)
    }

    func leaveOut(_ leftOut: LeftOut) throws(ConversionFailure) {
        guard leftOutCount < ConversionLimits.recordCount else {
            throw ConversionFailure(over: .recordCount)
        }
        leftOutCount += 1
        try next.leaveOut(leftOut)
    }
}

/// What the first bytes of a file say.
enum FileHead {
    case keePass
    case archive
    case json
    case text
    case unknown

    private static let keePassMark: [UInt8] = [0x03, 0xD9, 0xA2, 0x9A]
    private static let archiveMark: [UInt8] = [0x50, 0x4B, 0x03, 0x04]
    static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    init(_ file: [UInt8]) {
        if file.starts(with: Self.keePassMark) {
            self = .keePass
        } else if file.starts(with: Self.archiveMark) {
            self = .archive
        } else {
            let text = file.dropFirst(file.starts(with: Self.mark) ? Self.mark.count : 0)
            let first = text.first { !ASCII.isSpace($0) }
            self = first == nil ? .unknown : first == ASCII.openBrace ? .json : .text
        }
    }
}

extension Secret {
    /// The bytes of a text.
    convenience init(text: String) { self.init(bytes: Array(text.utf8)) }

    /// A copy of bytes.
    convenience init(bytes: [UInt8]) {
        self.init(
            unsafe SecretBytes(byteCount: bytes.count) { unsafe $0.copyBytes(from: bytes) })
    }

    /// A copy. This process has no core file, and its freed memory is overwritten.
    var array: [UInt8] { unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) } }

    /// As text.
    var text: String { String(decoding: array, as: UTF8.self) }
}

extension ConvertedRecord {
    /// Adds a value unless it is empty.
    mutating func add(_ name: String, _ value: String, _ kind: Field.Kind) {
        if !value.isEmpty { fields.append(Field(name, Secret(text: value), kind)) }
    }

    /// The value of a part; nil for none.
    func part(_ name: String) -> Secret? {
        fields.first { $0.name == name && $0.isPart }?.value
    }
}

extension ConvertedRecord.Field {
    /// Whether the format names it, not its owner.
    var isPart: Bool { kind == .part || kind == .hiddenPart }
    /// Whether it isn't shown.
    var isHidden: Bool { kind == .hidden || kind == .hiddenPart }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC
package import SecretBytes

/// A format of another password manager. The numbers are on the wire.
package enum ConversionFormat: UInt8, CaseIterable, Sendable {
    /// Found by the file's head; for reading alone.
    case any = 0
    /// Chrome's, Edge's and other relatives'.
    case chromeCSV = 1
    /// Firefox's; read only.
    case firefoxCSV = 2
    /// Apple Passwords' and Safari's.
    case appleCSV = 3
    /// 1Password's.
    case onePasswordCSV = 4
    /// Bitwarden's; read only.
    case bitwardenCSV = 5
    /// Bitwarden's, in clear.
    case bitwardenJSON = 6
    /// Bitwarden's, protected by a password.
    case bitwardenEncryptedJSON = 7
    /// 1Password's archive (1PUX); read only.
    case onePasswordArchive = 8
    /// KeePass's, 3.1 and 4; written as 4.
    case keePass = 9

    /// Whether there is a writer.
    package var isWritten: Bool {
        switch self {
        case .any, .firefoxCSV, .bitwardenCSV, .onePasswordArchive: false
        case .chromeCSV, .appleCSV, .onePasswordCSV, .bitwardenJSON, .bitwardenEncryptedJSON,
            .keePass:
            true
        }
    }

    /// Whether a file of this format is encrypted.
    package var isEncrypted: Bool { self == .bitwardenEncryptedJSON || self == .keePass }
}

/// What a converter is asked to do.
package struct ConversionRequest: Sendable {
    /// The direction. The numbers are on the wire.
    package enum Operation: UInt8, Sendable {
        /// A file becomes records.
        case read = 1
        /// Records become a file.
        case write = 2
    }

    package var operation: Operation
    package var format: ConversionFormat
    /// UTF-8; nil for none.
    package var password: Secret?
    /// The bytes of a key file (KeePass); nil for none.
    package var keyFile: Secret?

    /// A request.
    package init(
        _ operation: Operation, _ format: ConversionFormat = .any, password: Secret? = nil,
        keyFile: Secret? = nil
    ) {
        self.operation = operation
        self.format = format
        self.password = password
        self.keyFile = keyFile
    }
}

/// Something of a file that isn't in a record, or something of a record that isn't in a file.
package struct LeftOut: Equatable, Sendable {
    /// What it is. The numbers are on the wire.
    package enum Kind: UInt8, CaseIterable, Sendable {
        /// A file beside a record.
        case attachment = 1
        /// A passkey.
        case passkey = 2
        /// Earlier passwords or versions.
        case history = 3
        /// A whole record: its kind can't be written.
        case record = 4
        /// A further field.
        case field = 5
        /// A one-time password.
        case oneTimePassword = 6
        /// A folder, a tag, a favorite or an archived record.
        case label = 7
        /// A picture of a record's own.
        case icon = 8
        /// Rules of automatic typing.
        case automaticTyping = 9
        /// Notes.
        case notes = 10
    }

    /// The longest name; a longer one is cut.
    package static let nameByteCount = 1024

    package let kind: Kind
    /// The record's line or number, as in the record.
    package let number: UInt32
    /// The record's title, or the name of a file or field.
    package let name: String

    /// Something that is left out.
    package init(_ kind: Kind, number: UInt32, name: String) {
        self.kind = kind
        self.number = number
        self.name =
            name.utf8.count <= Self.nameByteCount
            ? name : String(name.unicodeScalars.prefix(Self.nameByteCount / 4))
    }
}

/// A message between a tool and its converter (Documentation/PROTOCOL.md, "Conversion").
package enum ConversionMessage: Sendable {
    /// From the tool, first.
    case request(ConversionRequest)
    /// From the converter: the format that a file has, before anything else of it.
    case recognized(ConversionFormat)
    /// A record, in either direction.
    case record(ConvertedRecord)
    /// From the converter.
    case leftOut(LeftOut)
    /// There are no further records; with their number. The converter's means that all went well.
    case end(UInt32)
    /// From the converter, last.
    case failed(ConversionFailure)
}

private enum MessageCode {
    static let version: UInt8 = 1
    static let request: UInt8 = 1
    static let recognized: UInt8 = 2
    static let record: UInt8 = 3
    static let leftOut: UInt8 = 4
    static let end: UInt8 = 5
    static let failed: UInt8 = 6
}

extension ConversionMessage {
    /// The bytes of the message.
    package func encoded() -> Secret { LayoutWriter.secret { encode(into: &$0) } }

    private func encode(into writer: inout LayoutWriter) {
        switch self {
        case .request(let request):
            writer.u8(MessageCode.request)
            writer.u8(MessageCode.version)
            writer.u8(request.operation.rawValue)
            writer.u8(request.format.rawValue)
            writer.optional(request.password)
            writer.optional(request.keyFile)
        case .recognized(let format):
            writer.u8(MessageCode.recognized)
            writer.u8(format.rawValue)
        case .record(let record):
            writer.u8(MessageCode.record)
            record.encode(into: &writer)
        case .leftOut(let leftOut):
            writer.u8(MessageCode.leftOut)
            writer.u8(leftOut.kind.rawValue)
            writer.u32(leftOut.number)
            writer.text(leftOut.name)
        case .end(let count):
            writer.u8(MessageCode.end)
            writer.u32(count)
        case .failed(let failure):
            writer.u8(MessageCode.failed)
            writer.u8(failure.reason.rawValue)
            writer.u32(failure.line)
            writer.u8(failure.limit?.rawValue ?? 0)
        }
    }

    /// Reads a message.
    /// - Throws: for another layout, an unknown number, and what is over a limit.
    package init(decoding bytes: UnsafeRawBufferPointer) throws(DecodingFailure) {
        guard bytes.count <= ConversionLimits.messageByteCount else { throw DecodingFailure() }
        var reader = unsafe ByteReader(bytes)
        switch try unsafe reader.u8() {
        case MessageCode.request: self = .request(try unsafe ConversionRequest(&reader))
        case MessageCode.recognized:
            self = .recognized(try unsafe reader.number(ConversionFormat.init(rawValue:)))
        case MessageCode.record: self = .record(try unsafe ConvertedRecord(&reader))
        case MessageCode.leftOut:
            let kind = try unsafe reader.number(LeftOut.Kind.init(rawValue:))
            let number = try unsafe reader.u32()
            let name = try unsafe reader.text()
            guard name.utf8.count <= LeftOut.nameByteCount else { throw DecodingFailure() }
            self = .leftOut(LeftOut(kind, number: number, name: name))
        case MessageCode.end: self = .end(try unsafe reader.u32())
        case MessageCode.failed: self = .failed(try unsafe ConversionFailure(&reader))
        default: throw DecodingFailure()
        }
        try unsafe reader.finish()
    }
}

extension ConversionRequest {
    fileprivate init(_ reader: inout ByteReader) throws(DecodingFailure) {
        guard try unsafe reader.u8() == MessageCode.version else { throw DecodingFailure() }
        operation = try unsafe reader.number(Operation.init(rawValue:))
        format = try unsafe reader.number(ConversionFormat.init(rawValue:))
        password = try unsafe reader.optional()
        keyFile = try unsafe reader.optional()
        guard operation == .read || format.isWritten,
            password?.bytes.byteCount ?? 0 <= ConversionLimits.passwordByteCount,
            keyFile?.bytes.byteCount ?? 0 <= ConversionLimits.keyFileByteCount
        else { throw DecodingFailure() }
    }
}

extension ConversionFailure {
    fileprivate init(_ reader: inout ByteReader) throws(DecodingFailure) {
        reason = try unsafe reader.number(Reason.init(rawValue:))
        line = try unsafe reader.u32()
        let number = try unsafe reader.u8()
        limit = ConversionLimit(rawValue: number)
        guard (limit != nil) == (reason == .overLimit), limit != nil || number == 0 else {
            throw DecodingFailure()
        }
    }
}

extension ByteReader {
    /// One byte that is a number of a list.
    fileprivate mutating func number<Value>(
        _ make: (UInt8) -> Value?
    ) throws(DecodingFailure) -> Value {
        guard let value = make(try unsafe u8()) else { throw DecodingFailure() }
        return value
    }
}

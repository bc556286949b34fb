// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC
package import SecretBytes

/// Limits of one request.
package enum TranscodingLimits {
    /// A whole request.
    package static let requestByteCount = 8 << 20
    /// A whole reply.
    package static let replyByteCount = 12 << 20
    /// Objects in a file.
    package static let objectCount = 1000
    /// A passphrase.
    package static let passphraseByteCount = 1024
    /// Rounds of key derivation when a file is read, all together.
    package static let readingRounds: UInt64 = 10_000_000
    /// Rounds of the derivation of an encrypted PKCS #8 file that is written.
    package static let keyRounds: UInt32 = 600_000
    /// Rounds of each derivation of a PKCS #12 file that is written. .NET refuses very high counts.
    package static let fileRounds: UInt32 = 100_000
    /// Rounds that a writer may ask for.
    package static let writingRounds: ClosedRange<UInt32> = 2048...10_000_000
}

/// What a client asks of `transcoder` (Documentation/PROTOCOL.md, "Import and export").
package enum TranscodingRequest: Sendable {
    /// Read a file's bytes.
    case read(Reading)
    /// Write objects.
    case write(Writing)

    /// A file to read.
    package struct Reading: Sendable {
        /// The file.
        package var bytes: Secret
        /// The expected format; ``CodingFormat/unknown`` for any.
        package var format: CodingFormat
        /// Whether the bytes are a symmetric key when they are no known format.
        package var isSymmetric = false
        /// UTF-8; nil for none.
        package var passphrase: Secret?

        /// A file, of any format or of one.
        package init(_ bytes: Secret, format: CodingFormat = .unknown, passphrase: Secret? = nil) {
            self.bytes = bytes
            self.format = format
            self.passphrase = passphrase
        }
    }

    /// Objects to write.
    package struct Writing: Sendable {
        /// The objects.
        package var objects: [TranscodedObject]
        /// The file's format.
        package var format: CodingFormat
        /// Whether DER is put into text.
        package var isText: Bool
        /// UTF-8; nil for none.
        package var passphrase: Secret?
        /// 0 is the usual number.
        package var rounds: UInt32 = 0

        /// Objects for a file, with the usual number of rounds.
        package init(
            _ objects: [TranscodedObject], format: CodingFormat, isText: Bool = false,
            passphrase: Secret? = nil
        ) {
            self.objects = objects
            self.format = format
            self.isText = isText
            self.passphrase = passphrase
        }
    }
}

private enum RequestCode {
    static let version: UInt8 = 1
    static let read: UInt8 = 1
    static let write: UInt8 = 2
}

extension TranscodingRequest {
    /// The bytes of the request.
    package func encoded() -> Secret {
        var parts = SecretParts()
        parts.u8(RequestCode.version)
        switch self {
        case .read(let reading):
            parts.u8(RequestCode.read)
            parts.u8(reading.format.rawValue)
            parts.u8(reading.isSymmetric ? 1 : 0)
            parts.passphrase(reading.passphrase)
            parts.object(reading.bytes)
        case .write(let writing):
            parts.u8(RequestCode.write)
            parts.u8(writing.format.rawValue)
            parts.u8(writing.isText ? 1 : 0)
            parts.u32(writing.rounds)
            parts.passphrase(writing.passphrase)
            parts.objects(writing.objects)
        }
        return parts.joined()
    }

    /// Reads a request.
    /// - Throws: for another layout, an unknown number, and what is over a limit.
    package init(decoding bytes: UnsafeRawBufferPointer) throws(DecodingFailure) {
        guard bytes.count <= TranscodingLimits.requestByteCount else { throw DecodingFailure() }
        var reader = unsafe ByteReader(bytes)
        guard try unsafe reader.u8() == RequestCode.version else { throw DecodingFailure() }
        let code = try unsafe reader.u8()
        guard let format = CodingFormat(rawValue: try unsafe reader.u8()) else {
            throw DecodingFailure()
        }
        let flag = try unsafe reader.flag()
        switch code {
        case RequestCode.read:
            let passphrase = try unsafe reader.passphrase()
            var reading = Reading(
                try unsafe reader.secretObject(), format: format, passphrase: passphrase)
            reading.isSymmetric = flag
            self = .read(reading)
        case RequestCode.write:
            let rounds = try unsafe reader.u32()
            guard rounds == 0 || TranscodingLimits.writingRounds.contains(rounds) else {
                throw DecodingFailure()
            }
            let passphrase = try unsafe reader.passphrase()
            var writing = Writing(
                try unsafe reader.objects(), format: format, isText: flag, passphrase: passphrase)
            writing.rounds = rounds
            self = .write(writing)
        default: throw DecodingFailure()
        }
        try unsafe reader.finish()
    }
}

/// What `transcoder` answers.
package enum TranscodingReply: Sendable {
    /// The objects of a file, in its order, and its format.
    case objects([TranscodedObject], CodingFormat, isText: Bool)
    /// A file.
    case file(Secret)
    /// Why there is neither.
    case failed(TranscodingFailure)
}

/// Why a file isn't read or written. The numbers are on the wire.
package enum TranscodingFailure: UInt8, Error, Sendable {
    /// It is encrypted, and there is no passphrase.
    case passphraseNeeded = 1
    /// The passphrase is another one.
    case passphraseWrong = 2
    /// It has no known format.
    case unknownFormat = 3
    /// An algorithm, a kind of key or a combination that isn't supported.
    case unsupported = 4
    /// It needs too much work or memory.
    case tooMuch = 5
    /// It failed for no fault of the file.
    case failed = 6
    /// A private key of OpenSSH with a passphrase; `ssh-keygen -p` removes that.
    case encryptedSSH = 7
}

private enum ReplyCode {
    static let version: UInt8 = 1
    static let objects: UInt8 = 1
    static let file: UInt8 = 2
    static let failed: UInt8 = 3
}

extension TranscodingReply {
    /// The bytes of the reply.
    package func encoded() -> Secret {
        var parts = SecretParts()
        parts.u8(ReplyCode.version)
        switch self {
        case .objects(let objects, let format, let isText):
            parts.u8(ReplyCode.objects)
            parts.u8(format.rawValue)
            parts.u8(isText ? 1 : 0)
            parts.objects(objects)
        case .file(let bytes):
            parts.u8(ReplyCode.file)
            parts.object(bytes)
        case .failed(let failure):
            parts.u8(ReplyCode.failed)
            parts.u8(failure.rawValue)
        }
        return parts.joined()
    }

    /// Reads a reply.
    /// - Throws: for another layout, an unknown number, and what is over a limit.
    package init(decoding bytes: UnsafeRawBufferPointer) throws(DecodingFailure) {
        var reader = unsafe ByteReader(bytes)
        guard try unsafe reader.u8() == ReplyCode.version else { throw DecodingFailure() }
        switch try unsafe reader.u8() {
        case ReplyCode.objects:
            guard let format = CodingFormat(rawValue: try unsafe reader.u8()) else {
                throw DecodingFailure()
            }
            let isText = try unsafe reader.flag()
            self = .objects(try unsafe reader.objects(), format, isText: isText)
        case ReplyCode.file: self = .file(try unsafe reader.secretObject())
        case ReplyCode.failed:
            guard let failure = TranscodingFailure(rawValue: try unsafe reader.u8()) else {
                throw DecodingFailure()
            }
            self = .failed(failure)
        default: throw DecodingFailure()
        }
        try unsafe reader.finish()
    }
}

extension SecretParts {
    fileprivate mutating func passphrase(_ passphrase: Secret?) {
        u8(passphrase == nil ? 0 : 1)
        if let passphrase { object(passphrase) }
    }

    fileprivate mutating func objects(_ objects: [TranscodedObject]) {
        u32(UInt32(clamping: objects.count))
        for object in objects { object.encode(into: &self) }
    }
}

extension ByteReader {
    fileprivate mutating func flag() throws(DecodingFailure) -> Bool {
        let value = try unsafe u8()
        guard value <= 1 else { throw DecodingFailure() }
        return value == 1
    }

    fileprivate mutating func passphrase() throws(DecodingFailure) -> Secret? {
        guard try unsafe flag() else { return nil }
        let secret = try unsafe secretObject()
        // libcrypto's calls take texts that end with a zero byte.
        let hasZero = unsafe secret.bytes.withUnsafeBytes { unsafe $0.contains(0) }
        guard secret.bytes.byteCount <= TranscodingLimits.passphraseByteCount, !hasZero else {
            throw DecodingFailure()
        }
        return secret
    }

    fileprivate mutating func objects() throws(DecodingFailure) -> [TranscodedObject] {
        let count = Int(try unsafe u32())
        guard count <= TranscodingLimits.objectCount else { throw DecodingFailure() }
        var objects: [TranscodedObject] = []
        for _ in 0..<count { objects.append(try unsafe TranscodedObject(&self)) }
        return objects
    }
}

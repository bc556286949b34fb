// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire
import Crypto

/// A KDBX file of version 3.1 or 4: from its bytes to its XML.
struct KeePassFile {
    private static let digestByteCount = 32

    private let file: [UInt8]
    private let header: KeePassHeader
    private let request: ConversionRequest

    init(_ file: [UInt8], _ request: ConversionRequest) throws(ConversionFailure) {
        self.file = file
        self.request = request
        header = try KeePassHeader(file)
    }

    func read(into sink: any RecordSink) throws(ConversionFailure) {
        if header.version == 4 {
            try readVersion4(into: sink)
        } else {
            try readVersion3(into: sink)
        }
    }

    private var headerDigest: [UInt8] {
        Array(SHA256.hash(data: file[..<header.byteCount]))
    }

    private func keys() throws(ConversionFailure) -> KeePassKeys {
        try KeePassKeys(
            request, masterSeed: header.masterSeed, derivation: header.derivation)
    }

    private func unpacked(_ source: any ChunkSource) throws(ConversionFailure) -> any ChunkSource {
        header.isCompressed ? try Inflater(source, .gzip) : source
    }

    /// Reads what is below a file's encryption and packing, for tests of the parsers alone.
    static func read(
        content: [UInt8], version: Int, into sink: any RecordSink
    ) throws(ConversionFailure) {
        let source = MemorySource(content)
        guard version == 4 else {
            let blocks = DigestBlocks(source, start: [])
            return try KeePassDocument(blocks, KeyStream(innerSalsa20: []), sink).read()
        }
        let inner = InnerHeaderSource(source)
        let stream = try inner.readHeader()
        try KeePassDocument(inner, stream, sink).read()
    }

    // MARK: - Version 4

    private func readVersion4(into sink: any RecordSink) throws(ConversionFailure) {
        let start = header.byteCount
        let count = Self.digestByteCount
        guard file.count >= start + 2 * count,
            isEqual(headerDigest, file[start..<start + count])
        else { throw ConversionFailure(.damaged) }
        let keys = try keys()
        let blocks = MACBlocks(file, at: start + 2 * count, keys)
        let isRight = isEqual(
            keys.mac(header: file[..<start]), file[start + count..<start + 2 * count])
        guard isRight else {
            // If the key opens the first block, the head's MAC was changed.
            let opensBlock = (try? blocks.nextChunk()) != nil
            throw ConversionFailure(opensBlock ? .damaged : .passwordWrong)
        }
        let content = try unpacked(DecryptedBlocks(blocks, header, keys))
        let inner = InnerHeaderSource(content)
        let stream = try inner.readHeader()
        try KeePassDocument(inner, stream, sink).read()
    }

    // MARK: - Version 3.1

    private func readVersion3(into sink: any RecordSink) throws(ConversionFailure) {
        let content = file[header.byteCount...]
        guard !content.isEmpty,
            content.count % AESChain.blockByteCount == 0 || header.cipher != .aes
        else { throw ConversionFailure(.damaged) }
        let decrypted = try DecryptedBlocks(MemorySource(content), header, keys())
        var start: [UInt8] = []
        while start.count < Self.digestByteCount {
            guard
                let chunk = try wrongKey({ () throws(ConversionFailure) in
                    try decrypted.nextChunk()
                })
            else { throw ConversionFailure(.passwordWrong) }
            start += chunk
        }
        let rest = Array(start[Self.digestByteCount...])
        let isRight = isEqual(start[..<Self.digestByteCount], header.startBytes)
        let blocks = DigestBlocks(decrypted, start: rest)
        guard isRight else {
            // If the first block has its digest, only the bytes for the comparison were changed.
            let opensBlock = (try? blocks.nextChunk()) != nil
            throw ConversionFailure(opensBlock ? .damaged : .passwordWrong)
        }
        let stream: KeyStream? =
            switch header.innerCipher {
            case .none: nil
            case .salsa20: KeyStream(innerSalsa20: header.innerKey)
            case .chaCha20: try KeyStream(innerChaCha20: header.innerKey)
            }
        try KeePassDocument(unpacked(blocks), stream, sink, headerDigest: headerDigest).read()
    }

    /// What a wrong key decrypts ends with no padding.
    private func wrongKey<Value>(
        _ body: () throws(ConversionFailure) -> Value
    ) throws(ConversionFailure) -> Value {
        do { return try body() } catch {
            throw error.reason == .damaged ? ConversionFailure(.passwordWrong) : error
        }
    }
}

/// The head of version 4 below the encryption; what follows is XML.
private final class InnerHeaderSource: ChunkSource {
    private enum FieldID {
        static let end: UInt8 = 0
        static let cipher: UInt8 = 1
        static let key: UInt8 = 2
        /// An attachment, which an entry names.
        static let file: UInt8 = 3
    }

    private let source: any ChunkSource
    private var chunk: [UInt8] = []
    private var index = 0

    init(_ source: any ChunkSource) { self.source = source }

    /// Reads the head.
    /// - Returns: The cipher of protected values; nil for none.
    func readHeader() throws(ConversionFailure) -> KeyStream? {
        var cipher = KeePassHeader.InnerCipher.none
        var key: [UInt8] = []
        while true {
            let head = try take(5)
            let count = Int(LittleEndian.number(head[1..<5]))
            switch head[0] {
            case FieldID.end:
                _ = try take(bounded(count))
                switch cipher {
                case .none: return nil
                case .salsa20: return KeyStream(innerSalsa20: key)
                case .chaCha20: return try KeyStream(innerChaCha20: key)
                }
            case FieldID.cipher:
                cipher = try KeePassHeader.innerCipher(take(bounded(count)))
            case FieldID.key: key = try take(bounded(count))
            case FieldID.file: try skip(count)
            default: throw ConversionFailure(.damaged)
            }
        }
    }

    func nextChunk() throws(ConversionFailure) -> [UInt8]? {
        guard index < chunk.count else { return try source.nextChunk() }
        defer { index = chunk.count }
        return Array(chunk[index...])
    }

    private func bounded(_ count: Int) throws(ConversionFailure) -> Int {
        guard count <= 1024 else { throw ConversionFailure(.damaged) }
        return count
    }

    private func take(_ count: Int) throws(ConversionFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            try load()
            let part = chunk[index..<min(index + count - bytes.count, chunk.count)]
            bytes += part
            index += part.count
        }
        return bytes
    }

    private func skip(_ count: Int) throws(ConversionFailure) {
        var left = count
        while left > 0 {
            try load()
            let part = min(left, chunk.count - index)
            index += part
            left -= part
        }
    }

    private func load() throws(ConversionFailure) {
        guard index == chunk.count else { return }
        guard let more = try source.nextChunk() else { throw ConversionFailure(.damaged) }
        chunk = more
        index = 0
    }
}

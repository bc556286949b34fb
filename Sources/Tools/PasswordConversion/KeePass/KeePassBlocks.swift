// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire

/// The blocks of version 4; each has a MAC, which is checked before its bytes are used.
final class MACBlocks: ChunkSource {
    private static let headByteCount = 36

    private let file: [UInt8]
    private var place: Int
    private let keys: KeePassKeys
    private var number: UInt64 = 0
    private var isAtEnd = false

    init(_ file: [UInt8], at place: Int, _ keys: KeePassKeys) {
        self.file = file
        self.place = place
        self.keys = keys
    }

    func nextChunk() throws(ConversionFailure) -> [UInt8]? {
        guard !isAtEnd else { return nil }
        let start = place + Self.headByteCount
        guard start <= file.count else { throw ConversionFailure(.damaged) }
        let count = Int(LittleEndian.number(file[place + 32..<start]))
        guard count <= file.count - start else { throw ConversionFailure(.damaged) }
        let block = file[start..<start + count]
        guard isEqual(keys.mac(block: block, number), file[place..<place + 32]) else {
            throw ConversionFailure(.damaged)
        }
        place = start + count
        number += 1
        guard block.isEmpty else { return Array(block) }
        isAtEnd = true
        guard place == file.count else { throw ConversionFailure(.damaged) }
        return nil
    }
}

/// The blocks of version 3.1: number, digest, byte count and bytes, below the encryption.
final class DigestBlocks: ChunkSource {
    /// A block is collected before it is checked.
    private static let blockByteCount = 64 << 20

    private let source: any ChunkSource
    private var buffer: [UInt8]
    private var offset = 0
    private var number: UInt64 = 0
    private var isAtEnd = false

    /// - Parameters:
    ///   - source: The decrypted bytes.
    ///   - start: The first of them, which were taken from the source before.
    init(_ source: any ChunkSource, start: [UInt8]) {
        self.source = source
        buffer = start
    }

    func nextChunk() throws(ConversionFailure) -> [UInt8]? {
        guard !isAtEnd else { return nil }
        let head = try take(40)
        let count = Int(LittleEndian.number(head[36..<40]))
        guard LittleEndian.number(head[0..<4]) == number else { throw ConversionFailure(.damaged) }
        guard count <= Self.blockByteCount else { throw ConversionFailure(over: .fileByteCount) }
        number += 1
        let digest = head[4..<36]
        if count == 0 {
            isAtEnd = true
            guard digest.allSatisfy({ $0 == 0 }), offset == buffer.count,
                try source.nextChunk() == nil
            else { throw ConversionFailure(.damaged) }
            return nil
        }
        let block = try take(count)
        guard isEqual(Digests.sha256(block), digest) else { throw ConversionFailure(.damaged) }
        return block
    }

    private func take(_ count: Int) throws(ConversionFailure) -> [UInt8] {
        while buffer.count - offset < count {
            guard let more = try source.nextChunk() else { throw ConversionFailure(.damaged) }
            // Only here, so that small blocks don't move the rest each time.
            buffer.removeFirst(offset)
            offset = 0
            buffer += more
        }
        defer { offset += count }
        return Array(buffer[offset..<offset + count])
    }
}

/// Decrypts blocks, and removes the padding at their end.
final class DecryptedBlocks: ChunkSource {
    private enum State {
        case aes(AESChain)
        case chaCha20(KeyStream)
    }

    private let source: any ChunkSource
    private var state: State
    /// What isn't a whole block of AES, and the last block, which has the padding.
    private var held: [UInt8] = []
    private var isAtEnd = false

    init(
        _ source: any ChunkSource, _ header: KeePassHeader, _ keys: KeePassKeys
    ) throws(ConversionFailure) {
        self.source = source
        state =
            switch header.cipher {
            case .aes: .aes(try AESChain(key: keys.cipherKey, vector: header.vector))
            case .chaCha20:
                .chaCha20(try KeyStream(chaCha20: keys.cipherKey, nonce: header.vector))
            }
    }

    func nextChunk() throws(ConversionFailure) -> [UInt8]? {
        while !isAtEnd {
            let chunk = try source.nextChunk()
            isAtEnd = chunk == nil
            let result = try decrypted(chunk)
            if !result.isEmpty { return result }
        }
        return nil
    }

    private func decrypted(_ chunk: [UInt8]?) throws(ConversionFailure) -> [UInt8] {
        switch state {
        case .chaCha20(var stream):
            guard var bytes = chunk else { return [] }
            try stream.apply(to: &bytes)
            state = .chaCha20(stream)
            return bytes
        case .aes(var chain):
            held += chunk ?? []
            let size = AESChain.blockByteCount
            guard chunk == nil else {
                // At least one byte stays, so that the last block is known at the end.
                let count = max(held.count - 1, 0) / size * size
                let bytes = try chain.decrypt(held[..<count])
                held.removeFirst(count)
                state = .aes(chain)
                return bytes
            }
            var last = try chain.decrypt(held[...])
            guard let padding = AESChain.paddingCount(last) else {
                throw ConversionFailure(.damaged)
            }
            last.removeLast(padding)
            return last
        }
    }
}

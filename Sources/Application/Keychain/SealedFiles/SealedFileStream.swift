// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecretBytes

/// Reads a sealed file from start to end, in pieces of up to 1 MiB.
///
/// Each returned piece is authentic, but only the nil of ``next()`` proves that nothing is missing.
/// A program that copies the pieces must not treat the copy as complete before.
public struct SealedFileStream: ~Copyable {
    static let pieceByteCount = 1 << 20

    private enum Source {
        case file(SealedFile, position: UInt64)
        case descriptor(SealedFilePipe)
    }

    private var source: Source

    /// For a file: how long a request to the keychain may take.
    private var bounds = CallBounds()

    init(_ file: SealedFile, from offset: UInt64, _ bounds: CallBounds = CallBounds()) {
        source = .file(file, position: offset)
        self.bounds = bounds
    }

    init(_ descriptor: Int32, _ items: SealedFileKeyItems) throws(SealedFileError) {
        source = .descriptor(try SealedFilePipe(descriptor, items))
    }

    /// The next piece.
    /// - Returns: Nil at the end of the file, which is authentic.
    /// - Throws: as ``SealedFile/read(at:count:)``.
    public mutating func next() throws(SealedFileError) -> [UInt8]? {
        switch source {
        case .file(let file, let position):
            let piece = try file.read(at: position, count: Self.pieceByteCount, bounds)
            source = .file(file, position: position + UInt64(piece.count))
            return piece.isEmpty ? nil : piece
        case .descriptor(var pipe):
            defer { source = .descriptor(pipe) }
            return try pipe.next(Self.pieceByteCount)
        }
    }
}

/// A sealed file that can only be read from start to end.
private struct SealedFilePipe {
    private let descriptor: Int32
    private var access: SealedFileAccess
    /// Room for a nonce, a chunk, its tag, and one byte that shows whether another chunk follows.
    private var buffer: [UInt8]
    private var hasFirstByte = false
    private var index: UInt64 = 0
    private var hasEnded = false

    init(_ descriptor: Int32, _ items: SealedFileKeyItems) throws(SealedFileError) {
        self.descriptor = descriptor
        var bytes = [UInt8](repeating: 0, count: SealedFileHeader.byteCount)
        let count = try unsafe bytes.lendMutable { bytes throws(SealedFileError) in
            try unsafe FileBytes.read(descriptor, at: nil, into: bytes)
        }
        let header = try SealedFileHeader(decoding: bytes[..<count])
        access = try SealedFileAccess(opening: header, items, CallBounds())
        let overhead = SealedFileKeys.nonceByteCount + SealedFileKeys.tagByteCount
        buffer = [UInt8](repeating: 0, count: overhead + header.chunkByteCount + 1)
    }

    mutating func next(_ byteLimit: Int) throws(SealedFileError) -> [UInt8]? {
        try access.checkProcess()
        guard !hasEnded else { return nil }
        let keys = try access.keys(CallBounds())
        var piece: [UInt8] = []
        piece.reserveCapacity(byteLimit)
        repeat {
            try readChunk(keys, &piece)
        } while !hasEnded
            && piece.count + access.header.chunkByteCount <= byteLimit
        return piece.isEmpty ? nil : piece
    }

    private mutating func readChunk(
        _ keys: SealedFileKeys, _ piece: inout [UInt8]
    ) throws(SealedFileError) {
        let nonce = SealedFileKeys.nonceByteCount
        let overhead = nonce + SealedFileKeys.tagByteCount
        let kept = hasFirstByte ? 1 : 0
        let (raw, index) = (descriptor, index)
        let start = piece.count
        let outcome: (isLast: Bool, isAuthentic: Bool) = try unsafe buffer.lendMutable {
            bytes throws(SealedFileError) in
            let room = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[(nonce + kept)...])
            let filled = try unsafe nonce + kept + FileBytes.read(raw, at: nil, into: room)
            let isLast = filled < bytes.count
            let end = isLast ? filled : filled - 1
            let count = end - overhead
            guard count >= 0, count > 0 || index == 0 else { return (isLast, false) }
            piece.append(contentsOf: repeatElement(0, count: count))
            let isAuthentic = unsafe piece.withUnsafeMutableBytes { target in
                unsafe keys.open(
                    UnsafeMutableRawBufferPointer(rebasing: bytes[..<end]), index: index,
                    isLast: isLast,
                    into: UnsafeMutableRawBufferPointer(rebasing: target[start...]))
            }
            if !isLast { unsafe bytes[nonce] = bytes[end] }
            return (isLast, isAuthentic)
        }
        guard outcome.isAuthentic else {
            hasEnded = true
            throw .damaged(outcome.isLast ? .end : .chunk(index))
        }
        hasFirstByte = !outcome.isLast
        hasEnded = outcome.isLast
        self.index += 1
    }
}

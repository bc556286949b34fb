// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CZlib
import ConversionWire

/// Bytes that come in parts.
protocol ChunkSource: AnyObject {
    /// The next part, which isn't empty; nil at the end.
    func nextChunk() throws(ConversionFailure) -> [UInt8]?
}

/// Bytes that are in memory.
final class MemorySource: ChunkSource {
    private static let partByteCount = 64 << 10
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) { rest = ArraySlice(bytes) }

    func nextChunk() -> [UInt8]? {
        guard !rest.isEmpty else { return nil }
        defer { rest = rest.dropFirst(Self.partByteCount) }
        return Array(rest.prefix(Self.partByteCount))
    }
}

/// Unpacks deflate's bytes, with or without gzip's head. It stops at the limits of
/// ``ConversionLimits``, so that a small file can't fill the memory.
@safe final class Inflater: ChunkSource {
    /// What is around the packed bytes.
    enum Wrapping: Int32 {
        /// Nothing (ZIP).
        case none = -15
        /// gzip, with its sum.
        case gzip = 31
    }

    private static let partByteCount = 64 << 10

    private let source: any ChunkSource
    /// zlib remembers its address.
    private let stream: UnsafeMutablePointer<z_stream>
    private var input: [UInt8] = []
    private var offset = 0
    private var buffer = [UInt8](repeating: 0, count: partByteCount)
    private var inputByteCount = 0
    private var outputByteCount = 0
    private var isAtEnd = false
    /// Whether zlib may have more output without more input.
    private var isOutputFull = false

    init(_ source: any ChunkSource, _ wrapping: Wrapping) throws(ConversionFailure) {
        self.source = source
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let status = unsafe inflateInit2_(
            stream, wrapping.rawValue, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { throw ConversionFailure(.failed) }
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    func nextChunk() throws(ConversionFailure) -> [UInt8]? {
        while !isAtEnd {
            if offset == input.count, !isOutputFull {
                guard let next = try source.nextChunk() else {
                    throw ConversionFailure(.damaged)
                }
                input = next
                offset = 0
                inputByteCount += next.count
            }
            let output = try inflated()
            if !output.isEmpty { return output }
        }
        guard offset == input.count, try source.nextChunk() == nil else {
            throw ConversionFailure(.damaged)
        }
        return nil
    }

    private func inflated() throws(ConversionFailure) -> [UInt8] {
        let given = input.count - offset
        let status = unsafe input.withUnsafeMutableBufferPointer { source in
            unsafe buffer.withUnsafeMutableBufferPointer { target in
                unsafe stream.pointee.next_in = source.baseAddress.map { unsafe $0 + offset }
                unsafe stream.pointee.avail_in = UInt32(source.count - offset)
                unsafe stream.pointee.next_out = target.baseAddress
                unsafe stream.pointee.avail_out = UInt32(target.count)
                return unsafe inflate(stream, Z_NO_FLUSH)
            }
        }
        let left = Int(unsafe stream.pointee.avail_in)
        offset = input.count - left
        isOutputFull = unsafe stream.pointee.avail_out == 0
        let output = Array(buffer[..<(buffer.count - Int(unsafe stream.pointee.avail_out))])
        outputByteCount += output.count
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR,
            status == Z_STREAM_END || !output.isEmpty || left < given || given == 0
        else { throw ConversionFailure(.damaged) }
        isAtEnd = status == Z_STREAM_END
        try Self.check(unpacked: outputByteCount, packed: inputByteCount)
        return output
    }

    /// Whether so many unpacked bytes are within the limits.
    static func check(unpacked: Int, packed: Int) throws(ConversionFailure) {
        guard unpacked <= ConversionLimits.fileByteCount else {
            throw ConversionFailure(over: .fileByteCount)
        }
        guard
            unpacked <= ConversionLimits.unpackingFloor
                || unpacked / ConversionLimits.unpackingRatio <= packed
        else { throw ConversionFailure(over: .unpackingRatio) }
    }
}

/// Packs bytes with gzip's head.
enum Deflater {
    private static let level: Int32 = 6
    private static let windowBits: Int32 = 31
    private static let memoryLevel: Int32 = 8

    static func gzip(_ bytes: [UInt8]) throws(ConversionFailure) -> [UInt8] {
        var stream = unsafe z_stream()
        let status = unsafe deflateInit2_(
            &stream, level, Z_DEFLATED, windowBits, memoryLevel, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { throw ConversionFailure(.failed) }
        defer { unsafe deflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](
            repeating: 0, count: Int(unsafe deflateBound(&stream, UInt(bytes.count))) + 64)
        let result = unsafe input.withUnsafeMutableBufferPointer { source in
            unsafe output.withUnsafeMutableBufferPointer { target in
                unsafe stream.next_in = source.baseAddress
                unsafe stream.avail_in = UInt32(source.count)
                unsafe stream.next_out = target.baseAddress
                unsafe stream.avail_out = UInt32(target.count)
                return unsafe deflate(&stream, Z_FINISH)
            }
        }
        guard result == Z_STREAM_END else { throw ConversionFailure(.failed) }
        output.removeLast(Int(unsafe stream.avail_out))
        return output
    }
}

/// zlib's sum of a ZIP entry.
enum CRC32 {
    static func of(_ bytes: [UInt8]) -> UInt32 {
        let sum = unsafe bytes.withUnsafeBufferPointer {
            unsafe crc32(0, $0.baseAddress, UInt32($0.count))
        }
        return bytes.isEmpty ? 0 : UInt32(sum)
    }
}

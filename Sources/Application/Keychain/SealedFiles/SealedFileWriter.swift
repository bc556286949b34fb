// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecretBytes

/// Writes a new sealed file from start to end. The target's name exists only after ``finish()``:
/// the file is complete or absent, also after a crash.
///
/// A child made by `fork` can't continue it: its calls throw ``SealedFileError/otherProcess``, and
/// the parent's file doesn't change.
public struct SealedFileWriter: ~Copyable {
    private var access: SealedFileAccess
    /// Nil when the output is a descriptor of the caller's.
    private var file: PendingFile?
    private let descriptor: Int32
    /// Bytes that aren't sealed yet: they may be the last chunk.
    private var pending: SecretBytes
    private var pendingCount = 0
    private var nextIndex: UInt64 = 0
    private var hasEnded = false

    init(_ access: SealedFileAccess, _ file: consuming PendingFile) throws(SealedFileError) {
        self.access = access
        descriptor = file.descriptor
        self.file = consume file
        pending = SecretBytes(byteCount: access.header.chunkByteCount)
        try writeHeader()
    }

    init(_ access: SealedFileAccess, descriptor: Int32) throws(SealedFileError) {
        self.access = access
        self.descriptor = descriptor
        file = nil
        pending = SecretBytes(byteCount: access.header.chunkByteCount)
        try writeHeader()
    }

    /// The file's class.
    public var protection: FileProtection { access.header.protection }

    /// Adds bytes.
    /// - Throws: ``SealedFileError/keychain(_:)`` with ``FailureReason/locked`` when the class
    ///   doesn't allow writes any more: nothing was written, and the same call can be retried after
    ///   an unlock. After any other error the file can't be finished.
    public mutating func write(_ bytes: [UInt8]) throws(SealedFileError) {
        try unsafe bytes.lend { bytes throws(SealedFileError) in
            try unsafe write(bytes)
        }
    }

    /// Adds bytes.
    /// - Throws: as ``write(_:)-([UInt8])``.
    public mutating func write(_ bytes: UnsafeRawBufferPointer) throws(SealedFileError) {
        try unsafe write(bytes, CallBounds())
    }

    /// The bounds end only the wait for the keychain; a write that has begun is completed.
    mutating func write(
        _ bytes: UnsafeRawBufferPointer, _ bounds: CallBounds
    ) throws(SealedFileError) {
        try access.checkProcess()
        guard !hasEnded else { throw .ended }
        let chunk = pending.byteCount
        guard pendingCount + bytes.count > chunk else {
            unsafe keep(bytes)
            return
        }
        let keys = try access.keys(bounds)
        do throws(SealedFileError) {
            var rest = unsafe bytes
            while unsafe !rest.isEmpty {
                if pendingCount == chunk { try sealPending(keys, isLast: false) }
                let isWhole = pendingCount == 0 && rest.count > chunk
                let count = min(chunk - pendingCount, rest.count)
                let part = unsafe UnsafeRawBufferPointer(rebasing: rest[..<count])
                if isWhole { try unsafe seal(part, keys, isLast: false) } else { unsafe keep(part) }
                unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        } catch {
            hasEnded = true
            throw error
        }
    }

    /// Seals the end, makes the file durable and gives it its name.
    /// - Throws: ``SealedFileError/exists`` when a file has its name by now; as
    ///   ``write(_:)-([UInt8])``.
    public mutating func finish() throws(SealedFileError) { try finish(CallBounds()) }

    mutating func finish(_ bounds: CallBounds) throws(SealedFileError) {
        try access.checkProcess()
        guard !hasEnded else { throw .ended }
        let keys = try access.keys(bounds)
        try SealedFileError.keychain(bounds.check)
        hasEnded = true
        try sealPending(keys, isLast: true)
        try file?.publish()
    }

    private func writeHeader() throws(SealedFileError) {
        try unsafe access.header.bytes.lend { bytes throws(SealedFileError) in
            try unsafe FileBytes.write(bytes, to: descriptor)
        }
    }

    private mutating func keep(_ bytes: UnsafeRawBufferPointer) {
        let start = pendingCount
        unsafe pending.withUnsafeMutableBytes { room in
            let room = unsafe UnsafeMutableRawBufferPointer(rebasing: room[start...])
            unsafe room.copyMemory(from: bytes)
        }
        pendingCount += bytes.count
    }

    private mutating func sealPending(
        _ keys: SealedFileKeys, isLast: Bool
    ) throws(SealedFileError) {
        let count = pendingCount
        let (index, descriptor) = (nextIndex, descriptor)
        try unsafe pending.withUnsafeBytes { bytes throws(SealedFileError) in
            let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<count])
            try unsafe keys.seal(part, index: index, isLast: isLast) {
                sealed throws(SealedFileError) in
                try unsafe FileBytes.write(sealed, to: descriptor)
            }
        }
        nextIndex += 1
        pendingCount = 0
    }

    private mutating func seal(
        _ plaintext: UnsafeRawBufferPointer, _ keys: SealedFileKeys, isLast: Bool
    ) throws(SealedFileError) {
        let descriptor = descriptor
        try unsafe keys.seal(plaintext, index: nextIndex, isLast: isLast) {
            sealed throws(SealedFileError) in
            try unsafe FileBytes.write(sealed, to: descriptor)
        }
        nextIndex += 1
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import SecretBytes
import Synchronization

/// A sealed file that is open for random-access reading. Any number of threads may use it, but only
/// in the process that opened it: in a child made by `fork` reads throw
/// ``SealedFileError/otherProcess``.
///
/// Opening authenticates its first and its last chunk, and so its size; each read authenticates the
/// chunks that it needs. It returns no byte of a chunk before the whole chunk is authenticated.
public final class SealedFile: Sendable {
    /// The plaintext's byte count.
    public let size: UInt64
    /// The file's class.
    public let protection: FileProtection
    private let chunkByteCount: UInt64
    private let layout: SealedFileLayout
    private let state: Mutex<State>
    /// Checked before the lock, which another thread may have held at the `fork`.
    private let maker = ProcessMark()
    /// The threads of ``async``, made when it is used.
    let tasks = SealedFileTasks()

    private struct State: ~Copyable {
        let file: Descriptor
        var access: SealedFileAccess
        /// Room for a nonce, a chunk and its tag.
        var sealed: [UInt8]
        /// The plaintext of the last chunk that was read partly.
        var chunk: SecretBytes
        var chunkIndex: UInt64?

        mutating func forget() {
            chunkIndex = nil
            unsafe chunk.withUnsafeMutableBytes { unsafe SecretMemory.wipe($0) }
        }
    }

    init(
        _ path: String, _ items: SealedFileKeyItems, _ bounds: CallBounds
    ) throws(SealedFileError) {
        let file = try FileBytes.open(path)
        let byteCount = try FileBytes.byteCount(file)
        var bytes = [UInt8](repeating: 0, count: SealedFileHeader.byteCount)
        let count = try unsafe bytes.lendMutable { bytes throws(SealedFileError) in
            try unsafe FileBytes.read(file.rawValue, at: 0, into: bytes)
        }
        let header = try SealedFileHeader(decoding: bytes[..<count])
        layout = try SealedFileLayout(fileByteCount: byteCount, header: header)
        let access = try SealedFileAccess(opening: header, items, bounds)
        size = layout.size
        protection = header.protection
        chunkByteCount = UInt64(header.chunkByteCount)
        let chunkByteCount = Int(min(chunkByteCount, layout.size))
        let overhead = SealedFileKeys.nonceByteCount + SealedFileKeys.tagByteCount
        state = Mutex(
            State(
                file: file, access: access,
                sealed: [UInt8](repeating: 0, count: overhead + chunkByteCount),
                chunk: SecretBytes(byteCount: chunkByteCount)))
        try authenticateEnd(bounds)
    }

    /// A truncated file ends with a chunk that isn't marked as the last.
    private func authenticateEnd(_ bounds: CallBounds) throws(SealedFileError) {
        let last = layout.chunkCount - 1
        do throws(SealedFileError) {
            try state.withLock { state throws(SealedFileError) in
                try load(last, try state.access.keys(bounds), &state)
            }
        } catch { throw error == .damaged(.chunk(last)) ? .damaged(.end) : error }
    }

    /// Reads bytes.
    /// - Parameters:
    ///   - offset: Where.
    ///   - count: How many; fewer at the end of the file, and zero beyond it.
    /// - Returns: The bytes.
    /// - Throws: ``SealedFileError/damaged(_:)``; ``SealedFileError/keychain(_:)`` with
    ///   ``FailureReason/locked`` when the class doesn't allow reads now: the handle stays valid,
    ///   and reads again after an unlock.
    public func read(at offset: UInt64, count: Int) throws(SealedFileError) -> [UInt8] {
        try read(at: offset, count: count, CallBounds())
    }

    func read(
        at offset: UInt64, count: Int, _ bounds: CallBounds
    ) throws(SealedFileError) -> [UInt8] {
        let rest = offset < size ? size - offset : 0
        var bytes = [UInt8](repeating: 0, count: Int(min(UInt64(max(count, 0)), rest)))
        _ = try unsafe bytes.lendMutable { target throws(SealedFileError) in
            try unsafe read(at: offset, into: target, bounds)
        }
        return bytes
    }

    /// Reads bytes into the caller's memory.
    /// - Returns: How many; less than the buffer's size only at the end of the file.
    /// - Throws: as ``read(at:count:)``; the memory then contains some of the file's bytes or its
    ///   old content.
    public func read(
        at offset: UInt64, into target: UnsafeMutableRawBufferPointer
    ) throws(SealedFileError) -> Int {
        try unsafe read(at: offset, into: target, CallBounds())
    }

    private func read(
        at offset: UInt64, into target: UnsafeMutableRawBufferPointer, _ bounds: CallBounds
    ) throws(SealedFileError) -> Int {
        guard maker.isThisProcess else { throw .otherProcess }
        guard offset < size, unsafe !target.isEmpty else { return 0 }
        return try state.withLock { state throws(SealedFileError) in
            let keys: SealedFileKeys
            do throws(SealedFileError) { keys = try state.access.keys(bounds) } catch {
                state.forget()
                throw error
            }
            return try unsafe read(at: offset, into: target, keys, &state, bounds)
        }
    }

    /// Reads from start to end.
    public func stream(from offset: UInt64 = 0) -> SealedFileStream {
        SealedFileStream(self, from: offset)
    }

    private func read(
        at offset: UInt64, into target: UnsafeMutableRawBufferPointer, _ keys: SealedFileKeys,
        _ state: inout State, _ bounds: CallBounds
    ) throws(SealedFileError) -> Int {
        let total = Int(min(UInt64(target.count), size - offset))
        var done = 0
        while done < total {
            try SealedFileError.keychain(bounds.check)
            let position = offset + UInt64(done)
            let index = position / chunkByteCount
            let start = Int(position % chunkByteCount)
            let available = layout.byteCount(of: index)
            let count = min(available - start, total - done)
            let part = unsafe UnsafeMutableRawBufferPointer(rebasing: target[done..<done + count])
            if count == available, state.chunkIndex != index {
                try unsafe open(index, keys, &state, into: part)
            } else {
                try load(index, keys, &state)
                unsafe state.chunk.withUnsafeBytes { bytes in
                    unsafe part.copyMemory(
                        from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]))
                }
            }
            done += count
        }
        return total
    }

    /// Loads a chunk, of which only a part is needed.
    private func load(
        _ index: UInt64, _ keys: SealedFileKeys, _ state: inout State
    ) throws(SealedFileError) {
        guard state.chunkIndex != index else { return }
        state.chunkIndex = nil
        let count = layout.byteCount(of: index)
        var chunk = SecretBytes(byteCount: 0)
        swap(&chunk, &state.chunk)
        let result: Result<Void, SealedFileError> = unsafe chunk.withUnsafeMutableBytes { bytes in
            do throws(SealedFileError) {
                try unsafe open(
                    index, keys, &state,
                    into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<count]))
                return .success(())
            } catch { return .failure(error) }
        }
        swap(&chunk, &state.chunk)
        try result.get()
        state.chunkIndex = index
    }

    private func open(
        _ index: UInt64, _ keys: SealedFileKeys, _ state: inout State,
        into target: UnsafeMutableRawBufferPointer
    ) throws(SealedFileError) {
        let file = state.file.rawValue
        let nonce = SealedFileKeys.nonceByteCount
        let byteCount = nonce + target.count + SealedFileKeys.tagByteCount
        let isAuthentic = try unsafe state.sealed.lendMutable {
            bytes throws(SealedFileError) in
            let sealed = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[..<byteCount])
            let body = unsafe UnsafeMutableRawBufferPointer(rebasing: sealed[nonce...])
            let count = try unsafe FileBytes.read(file, at: layout.offset(of: index), into: body)
            return unsafe count == body.count
                && keys.open(sealed, index: index, isLast: layout.isLast(index), into: target)
        }
        guard isAuthentic else { throw .damaged(.chunk(index)) }
    }
}

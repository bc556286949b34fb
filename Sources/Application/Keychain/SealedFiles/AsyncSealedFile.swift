// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import SecretBytes
import Synchronization

extension SealedFile {
    /// The same file for tasks, without blocking their threads.
    public var async: AsyncSealedFile { AsyncSealedFile(file: self) }
}

/// A ``SealedFile`` whose calls don't block their thread. The file has one thread, which exists
/// while there is work and carries the calls out in order. A call ends at once when its task is
/// cancelled or its deadline passes.
///
/// Without a deadline a read takes as long as the file does. A request to the service has 5 s for
/// its reply, or the value of `LLAVERO_DEADLINE_MS`.
public struct AsyncSealedFile: Sendable {
    let file: SealedFile

    /// The plaintext's byte count.
    public var size: UInt64 { file.size }
    /// The file's class.
    public var protection: FileProtection { file.protection }

    /// Reads bytes.
    /// - Parameters:
    ///   - offset: Where.
    ///   - count: How many; fewer at the end of the file, and zero beyond it.
    ///   - duration: The deadline.
    /// - Returns: The bytes.
    /// - Throws: as ``SealedFile/read(at:count:)``; ``FailureReason/cancelled``;
    ///   ``FailureReason/timedOut``.
    public func read(
        at offset: UInt64, count: Int, within duration: Duration? = nil
    ) async throws(SealedFileError) -> [UInt8] {
        let file = file
        return try await file.tasks.make(.read, within: duration) {
            (bounds) throws(SealedFileError) in
            try file.read(at: offset, count: count, bounds)
        }
    }

    /// Reads from start to end, in pieces of up to 1 MiB.
    /// - Parameters:
    ///   - offset: Where the first one begins.
    ///   - duration: The deadline of each piece.
    /// - Returns: The pieces.
    public func stream(
        from offset: UInt64 = 0, within duration: Duration? = nil
    ) -> AsyncSealedFileStream {
        AsyncSealedFileStream(file: self, offset: offset, duration: duration)
    }
}

/// The content of a sealed file, piece by piece. Each piece is read when it is requested, and none
/// is prefetched. Each is authentic, but a copy that was made of them is complete only after the
/// end.
public struct AsyncSealedFileStream: AsyncSequence, Sendable {
    /// Up to 1 MiB.
    public typealias Element = [UInt8]
    /// Why the sequence ended.
    public typealias Failure = SealedFileError

    let file: AsyncSealedFile
    let offset: UInt64
    let duration: Duration?

    /// Reads the pieces in order; ends early when its task is cancelled.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let file: AsyncSealedFile
        var position: UInt64
        let duration: Duration?

        /// Reads the next piece.
        /// - Returns: Nil at the end of the file, which is authentic.
        /// - Throws: as ``AsyncSealedFile/read(at:count:within:)``; the same piece can be requested
        ///   again.
        public mutating func next() async throws(SealedFileError) -> [UInt8]? {
            let piece = try await file.read(
                at: position, count: SealedFileStream.pieceByteCount, within: duration)
            position += UInt64(piece.count)
            return piece.isEmpty ? nil : piece
        }

        /// Reads the next piece.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(SealedFileError) -> [UInt8]? {
            try await next()
        }
    }

    /// From the first piece on.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(file: file, position: offset, duration: duration)
    }
}

/// A ``SealedFileWriter`` for tasks: its calls don't block their thread. The file's own thread
/// carries them out in order.
///
/// A call that throws ``FailureReason/cancelled`` or ``FailureReason/timedOut`` has done nothing
/// and can be retried. A writer that is dropped leaves no file.
public final class AsyncSealedFileWriter: Sendable {
    /// The file's class.
    public let protection: FileProtection
    private let writer: Mutex<SealedFileWriter>
    private let tasks = SealedFileTasks()

    init(_ writer: consuming sending SealedFileWriter) {
        protection = writer.protection
        self.writer = Mutex(writer)
    }

    /// Adds bytes.
    /// - Throws: as ``SealedFileWriter/write(_:)-([UInt8])``; ``FailureReason/cancelled``;
    ///   ``FailureReason/timedOut``.
    public func write(
        _ bytes: [UInt8], within duration: Duration? = nil
    ) async throws(SealedFileError) {
        try await tasks.make(.write, within: duration) { [self] (bounds) throws(SealedFileError) in
            try writer.withLock { writer throws(SealedFileError) in
                try SealedFileError.keychain(bounds.check)
                try unsafe bytes.lend { bytes throws(SealedFileError) in
                    try unsafe writer.write(bytes, bounds)
                }
            }
        }
    }

    /// Seals the end, makes the file durable and gives it its name.
    /// - Throws: as ``SealedFileWriter/finish()``; ``FailureReason/cancelled``;
    ///   ``FailureReason/timedOut``.
    public func finish(within duration: Duration? = nil) async throws(SealedFileError) {
        try await tasks.make(.write, within: duration) { [self] (bounds) throws(SealedFileError) in
            try writer.withLock { writer throws(SealedFileError) in try writer.finish(bounds) }
        }
    }
}

/// The calls of one file's tasks.
final class SealedFileTasks: Sendable {
    /// Nil until the first call: most files are used without tasks.
    private let calls = Mutex<AsyncCalls?>(nil)
    /// A child process doesn't have this thread, so a call would wait for it forever.
    private let maker = ProcessMark()

    /// Makes a call.
    func make<R: Sendable>(
        _ kind: AsyncCalls.Kind, within duration: Duration?,
        _ body: @escaping @Sendable (CallBounds) throws(SealedFileError) -> R
    ) async throws(SealedFileError) -> R {
        guard maker.isThisProcess else { throw .otherProcess }
        let outcome: Result<R, SealedFileError>
        let calls = try started()
        do throws(KeychainError) {
            outcome = try await calls.make(kind, within: duration) {
                (bounds) throws(KeychainError) -> Result<R, SealedFileError> in
                Result { () throws(SealedFileError) -> R in try body(bounds) }
            }
        } catch { throw .keychain(error) }
        return try outcome.get()
    }

    private func started() throws(SealedFileError) -> AsyncCalls {
        try calls.withLock { calls throws(SealedFileError) in
            if let calls { return calls }
            do throws(SystemError) {
                let new = try AsyncCalls()
                calls = new
                return new
            } catch { throw .system(error.errno) }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC

/// Large data, sealed in files beside the keychain. The key of each class of files is an item, so
/// access groups, locks and backups apply to the files, too.
public struct SealedFiles: Sendable {
    /// The suffix of a sealed file's name, after the source's name.
    public static let suffix = ".sealed"

    private let items: SealedFileKeyItems
    private let chunkBits: UInt8

    /// Sealed files under the keys of an access group.
    /// - Parameters:
    ///   - connection: To the keychain.
    ///   - accessGroup: The only group in which keys are looked for and made; nil is the caller's
    ///     default group, the first of its own. To open a file that was sealed with a key of a
    ///     shared group, name that group.
    ///   - keyName: Distinguishes several keys of a class, so that deleting one affects only its
    ///     files.
    public init(
        _ connection: KeychainConnection, accessGroup: String? = nil, keyName: String = ""
    ) {
        self.init(
            connection, accessGroup: accessGroup, keyName: keyName,
            chunkBits: SealedFileHeader.defaultChunkBits)
    }

    /// With another chunk size, for benchmarks and tests.
    package init(
        _ connection: KeychainConnection, accessGroup: String? = nil, keyName: String = "",
        chunkBits: UInt8
    ) {
        items = SealedFileKeyItems(
            connection: connection, accessGroup: accessGroup, name: keyName)
        self.chunkBits = chunkBits
    }

    // MARK: - Handles

    /// Begins a new sealed file.
    /// - Parameters:
    ///   - path: Its name, which it gets when it is finished.
    ///   - protection: Its class.
    ///   - replacing: Whether to replace a file of this name then.
    /// - Returns: The writer.
    /// - Throws: ``SealedFileError/exists``; ``SealedFileError/notRegularFile``;
    ///   ``SealedFileError/keychain(_:)``; ``SealedFileError/system(_:)``.
    public func create(
        _ path: String, protection: FileProtection = .completeUntilFirstUserAuthentication,
        replacing: Bool = false
    ) throws(SealedFileError) -> SealedFileWriter {
        try create(path, protection: protection, replacing: replacing, CallBounds())
    }

    func create(
        _ path: String, protection: FileProtection, replacing: Bool, _ bounds: CallBounds
    ) throws(SealedFileError) -> SealedFileWriter {
        let file = try PendingFile.beside(path, replaces: replacing)
        let access = try SealedFileAccess(
            creating: protection, chunkBits: chunkBits, items, bounds)
        return try SealedFileWriter(access, file)
    }

    /// Begins a sealed file that is written to a descriptor, which stays open.
    public func create(
        descriptor: Int32, protection: FileProtection = .completeUntilFirstUserAuthentication
    ) throws(SealedFileError) -> SealedFileWriter {
        let access = try SealedFileAccess(
            creating: protection, chunkBits: chunkBits, items, CallBounds())
        return try SealedFileWriter(access, descriptor: descriptor)
    }

    /// Opens a sealed file for random-access reading.
    /// - Throws: ``SealedFileError/notSealed``; ``SealedFileError/newerVersion(_:)``;
    ///   ``SealedFileError/damaged(_:)``; ``SealedFileError/keychain(_:)``;
    ///   ``SealedFileError/notRegularFile``; ``SealedFileError/system(_:)``.
    public func open(_ path: String) throws(SealedFileError) -> SealedFile {
        try open(path, CallBounds())
    }

    func open(_ path: String, _ bounds: CallBounds) throws(SealedFileError) -> SealedFile {
        try SealedFile(path, items, bounds)
    }

    /// Reads a sealed file from a descriptor, a pipe for example, which stays open.
    /// - Throws: as ``open(_:)``.
    public func stream(descriptor: Int32) throws(SealedFileError) -> SealedFileStream {
        try SealedFileStream(descriptor, items)
    }

    // MARK: - Whole files

    /// Seals a file. The original stays.
    /// - Parameters:
    ///   - source: What to seal.
    ///   - target: The sealed file; nil is the source's name with ``suffix``.
    ///   - protection: Its class.
    ///   - replacing: Whether to replace a file at the target, once the new one is complete.
    ///   - progress: Called from time to time with the bytes done so far; when it throws, no file
    ///     is left.
    /// - Throws: as ``create(_:protection:replacing:)``.
    public func seal(
        file source: String, to target: String? = nil,
        protection: FileProtection = .completeUntilFirstUserAuthentication,
        replacing: Bool = false, progress: (UInt64) throws(SealedFileError) -> Void = { _ in }
    ) throws(SealedFileError) {
        try seal(
            file: source, to: target, protection: protection, replacing: replacing, CallBounds(),
            progress)
    }

    func seal(
        file source: String, to target: String?, protection: FileProtection, replacing: Bool,
        _ bounds: CallBounds, _ progress: (UInt64) throws(SealedFileError) -> Void
    ) throws(SealedFileError) {
        let input = try SealedFileInput(source)
        var writer = try create(
            target ?? source + Self.suffix, protection: protection, replacing: replacing, bounds)
        try writer.writeAll(of: input, bounds, progress)
        try writer.finish(bounds)
    }

    /// Decrypts a sealed file into a new file, which is complete or absent. The sealed one stays.
    /// - Parameters:
    ///   - source: The sealed file.
    ///   - target: The new file, which only its owner can read.
    ///   - replacing: Whether to replace a file at the target, once the new one is complete.
    ///   - progress: Called from time to time with the bytes done so far; when it throws, no file
    ///     is left.
    /// - Throws: as ``open(_:)``; ``SealedFileError/exists``.
    public func unseal(
        file source: String, to target: String, replacing: Bool = false,
        progress: (UInt64) throws(SealedFileError) -> Void = { _ in }
    ) throws(SealedFileError) {
        try unseal(file: source, to: target, replacing: replacing, CallBounds(), progress)
    }

    func unseal(
        file source: String, to target: String, replacing: Bool, _ bounds: CallBounds,
        _ progress: (UInt64) throws(SealedFileError) -> Void
    ) throws(SealedFileError) {
        let stream = SealedFileStream(try open(source, bounds), from: 0, bounds)
        try Self.write(stream, to: target, replacing: replacing, progress)
    }

    /// Writes the whole stream to a new file.
    package static func write(
        _ stream: consuming SealedFileStream, to target: String, replacing: Bool,
        _ progress: (UInt64) throws(SealedFileError) -> Void
    ) throws(SealedFileError) {
        var output = try PendingFile.beside(target, replaces: replacing)
        try write(&stream, to: output.descriptor, progress)
        try output.publish()
    }

    /// Writes the whole stream to a descriptor.
    package static func write(
        _ stream: inout SealedFileStream, to descriptor: Int32,
        _ progress: (UInt64) throws(SealedFileError) -> Void
    ) throws(SealedFileError) {
        var done: UInt64 = 0
        while let piece = try stream.next() {
            try unsafe piece.lend { bytes throws(SealedFileError) in
                try unsafe FileBytes.write(bytes, to: descriptor)
            }
            done += UInt64(piece.count)
            try progress(done)
        }
    }

    // MARK: - Keys

    /// Makes the key of a class if there is none. Call it at a program's first start: the pair of
    /// ``FileProtection/completeUnlessOpen`` can't be made while the device is locked.
    /// - Throws: ``SealedFileError/keychain(_:)``.
    public func prepare(_ protection: FileProtection) throws(SealedFileError) {
        _ = try items.keyForSealing(protection, CallBounds())
    }

    /// Deletes the key of a class permanently: files that were sealed with it can't be opened any
    /// more.
    /// - Throws: ``FailureReason/absent``.
    public func removeKey(of protection: FileProtection) throws(KeychainError) {
        try items.remove(protection)
    }
}

/// A file to seal.
package struct SealedFileInput: ~Copyable {
    fileprivate let file: Descriptor

    /// Opens it.
    /// - Throws: ``SealedFileError/notRegularFile``; ``SealedFileError/system(_:)``.
    package init(_ path: String) throws(SealedFileError) { file = try FileBytes.open(path) }
}

extension SealedFileWriter {
    private static let pieceByteCount = 1 << 20

    /// Adds the content of a file, and closes the file afterwards.
    package mutating func writeAll(
        of input: borrowing SealedFileInput, _ progress: (UInt64) throws(SealedFileError) -> Void
    ) throws(SealedFileError) {
        try writeAll(of: input, CallBounds(), progress)
    }

    fileprivate mutating func writeAll(
        of input: borrowing SealedFileInput, _ bounds: CallBounds,
        _ progress: (UInt64) throws(SealedFileError) -> Void
    ) throws(SealedFileError) {
        try writeAll(ofDescriptor: input.file.rawValue, bounds, progress)
    }

    /// Adds all bytes of a descriptor.
    package mutating func writeAll(
        ofDescriptor descriptor: Int32, _ progress: (UInt64) throws(SealedFileError) -> Void
    ) throws(SealedFileError) {
        try writeAll(ofDescriptor: descriptor, CallBounds(), progress)
    }

    private mutating func writeAll(
        ofDescriptor descriptor: Int32, _ bounds: CallBounds,
        _ progress: (UInt64) throws(SealedFileError) -> Void
    ) throws(SealedFileError) {
        var piece = [UInt8](repeating: 0, count: Self.pieceByteCount)
        var done: UInt64 = 0
        var count: Int
        repeat {
            count = try unsafe piece.lendMutable { room throws(SealedFileError) in
                let count = try unsafe FileBytes.read(descriptor, at: nil, into: room)
                try unsafe write(UnsafeRawBufferPointer(rebasing: room[..<count]), bounds)
                return count
            }
            done += UInt64(count)
            try progress(done)
        } while count == piece.count
    }
}

extension KeychainConnection {
    /// Seals a file; see ``SealedFiles/seal(file:to:protection:replacing:progress:)``.
    public func seal(
        file source: String, to target: String? = nil,
        protection: FileProtection = .completeUntilFirstUserAuthentication,
        replacing: Bool = false
    ) throws(SealedFileError) {
        try SealedFiles(self).seal(
            file: source, to: target, protection: protection, replacing: replacing)
    }

    /// Opens a sealed file; see ``SealedFiles/open(_:)``.
    public func openSealed(file path: String) throws(SealedFileError) -> SealedFile {
        try SealedFiles(self).open(path)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC

/// Complete reads and writes of descriptors.
enum FileBytes {
    /// Opens a regular file for reading. It follows a link, and doesn't wait for a pipe.
    static func open(_ path: String) throws(SealedFileError) -> Descriptor {
        guard !path.utf8.contains(0) else { throw .system(ENOENT) }
        let raw = unsafe llavero_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0)
        guard raw >= 0 else {
            // A socket, or a device that doesn't exist.
            throw errno == ENXIO ? .notRegularFile : .lastSystemError
        }
        let descriptor = Descriptor(owning: raw)
        _ = try byteCount(descriptor)
        return descriptor
    }

    /// The byte count of a file.
    static func byteCount(_ descriptor: borrowing Descriptor) throws(SealedFileError) -> UInt64 {
        var status = stat()
        guard unsafe fstat(descriptor.rawValue, &status) == 0 else { throw .lastSystemError }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegularFile }
        return UInt64(status.st_size)
    }

    /// Writes all bytes.
    static func write(
        _ bytes: UnsafeRawBufferPointer, to descriptor: Int32
    ) throws(SealedFileError) {
        var done = 0
        while done < bytes.count {
            let count = unsafe Glibc.write(
                descriptor, bytes.baseAddress.map { unsafe $0 + done }, bytes.count - done)
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                throw .lastSystemError
            }
            done += count
        }
    }

    /// Reads until the buffer is full or the end.
    /// - Parameters:
    ///   - descriptor: The file.
    ///   - offset: Where in the file; nil continues after the last read.
    ///   - buffer: For the bytes.
    /// - Returns: How many bytes.
    /// - Throws: ``SealedFileError/system(_:)``.
    static func read(
        _ descriptor: Int32, at offset: UInt64?, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SealedFileError) -> Int {
        var done = 0
        while done < buffer.count {
            let target = unsafe buffer.baseAddress.map { unsafe $0 + done }
            let room = buffer.count - done
            let count: Int
            if let offset {
                count = unsafe pread(descriptor, target, room, off_t(offset) + off_t(done))
            } else {
                count = unsafe Glibc.read(descriptor, target, room)
            }
            guard count != 0 else { break }
            if count > 0 { done += count } else if errno != EINTR { throw .lastSystemError }
        }
        return done
    }
}

// The standard library's methods don't pass a typed error on.
extension [UInt8] {
    /// Lends the bytes.
    func lend<R>(
        _ body: (UnsafeRawBufferPointer) throws(SealedFileError) -> R
    ) throws(SealedFileError) -> R {
        let result: Result<R, SealedFileError> = unsafe withUnsafeBytes { bytes in
            do throws(SealedFileError) { return .success(try unsafe body(bytes)) } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Lends the bytes for writing.
    mutating func lendMutable<R>(
        _ body: (UnsafeMutableRawBufferPointer) throws(SealedFileError) -> R
    ) throws(SealedFileError) -> R {
        let result: Result<R, SealedFileError> = unsafe withUnsafeMutableBytes { bytes in
            do throws(SealedFileError) { return .success(try unsafe body(bytes)) } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

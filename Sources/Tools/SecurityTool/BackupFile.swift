// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import BackupArchive
import CLinuxSupport
import Glibc

/// An archive in a directory.
struct BackupFile {
    static let suffix = ".llavero-backup"

    let path: String
    let head: ArchiveHead

    /// The name of a new one: its number first, so that a listing is in order.
    static func name(_ head: ArchiveHead) -> String {
        let number = String(head.number)
        let padded = String(repeating: "0", count: max(0, 6 - number.count)) + number
        return "\(padded)-\(CivilTime(sinceEpoch: Int64(clamping: head.date)).compact)\(suffix)"
    }

    /// The archives of a directory, the newest last; and the files that have the name of one and aren't.
    static func all(
        in directory: String
    ) throws(BackupProblem) -> (files: [BackupFile], damaged: [(String, ArchiveError)]) {
        guard let handle = unsafe opendir(directory) else {
            throw .file(directory, errno)
        }
        defer { unsafe closedir(handle) }
        var names: [String] = []
        while let entry = unsafe readdir(handle) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(suffix), !name.hasPrefix(".") { names.append(name) }
        }
        var files: [BackupFile] = []
        var damaged: [(String, ArchiveError)] = []
        for name in names.sorted() {
            let path = "\(directory)/\(name)"
            let input = try BackupInput(path)
            do throws(ArchiveError) {
                files.append(BackupFile(path: path, head: try input.head()))
            } catch { damaged.append((path, error)) }
        }
        files.sort { ($0.head.date, $0.head.number) < ($1.head.date, $1.head.number) }
        return (files, damaged)
    }
}

/// Why a command about backups ended.
enum BackupProblem: Error {
    /// A file can't be read or written, and why.
    case file(String, Int32)
    /// A file is damaged, or no archive.
    case archive(String, ArchiveError)
    /// Another sentence, and the status.
    case other(String, Int32)
    case device(DeviceProblem)
}

extension ArchiveError {
    /// In words.
    var text: String {
        switch self {
        case .noArchive: "it isn't an archive of a backup"
        case .newerVersion(let version):
            "version \(version) of the format; this program reads up to \(ArchiveHead.version)"
        case .damagedHead: "damaged in its head"
        case .damagedChunk(let number): "damaged in chunk \(number)"
        case .cutOff(let number): "cut off after chunk \(number)"
        case .trailingBytes: "there are bytes behind its end"
        case .damagedRecord: "damaged: a record can't be read"
        }
    }
}

/// Reads an archive from a file or the standard input.
final class BackupInput {
    private let descriptor: Int32
    private let isOwned: Bool

    /// Opens a file; `-` is the standard input.
    init(_ path: String) throws(BackupProblem) {
        guard path != "-" else {
            descriptor = STDIN_FILENO
            isOwned = false
            return
        }
        descriptor = unsafe llavero_open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0)
        isOwned = true
        guard descriptor >= 0 else { throw .file(path, errno) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .file(path, EINVAL)
        }
    }

    deinit { if isOwned, descriptor >= 0 { close(descriptor) } }

    /// The head, which comes first.
    func head() throws(ArchiveError) -> ArchiveHead {
        let prefix = read(ArchiveHead.prefixByteCount)
        guard prefix.count == ArchiveHead.prefixByteCount else { throw .noArchive }
        let count = try ArchiveHead.byteCount(prefix: prefix)
        return try ArchiveHead(prefix + read(count - prefix.count))
    }

    /// So many bytes, or fewer at the end.
    func read(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = unsafe bytes.withUnsafeMutableBytes { room in
                unsafe Glibc.read(
                    descriptor, room.baseAddress?.advanced(by: filled), count - filled)
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { break }
            filled += got
        }
        return Array(bytes.prefix(filled))
    }
}

/// Writes an archive. It appears under its name once it is whole and on the disk.
final class BackupOutput {
    private let directory: String?
    private let name: String
    private let descriptor: Int32
    private var isDone = false

    private var unfinished: String { "\(directory ?? "")/.\(name).new" }

    /// Begins a file in a directory; nil is the standard output.
    init(_ directory: String?, _ name: String) throws(BackupProblem) {
        self.directory = directory
        self.name = name
        guard let directory else {
            descriptor = STDOUT_FILENO
            isDone = true
            return
        }
        let path = "\(directory)/.\(name).new"
        // What another one has put there would keep its owner and its mode.
        _ = unsafe unlink(path)
        descriptor = unsafe llavero_open(
            path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            isDone = true
            throw .file(path, errno)
        }
    }

    deinit {
        guard directory != nil else { return }
        if descriptor >= 0 { close(descriptor) }
        if !isDone { _ = unsafe unlink(unfinished) }
    }

    func write(_ bytes: [UInt8]) throws(BackupProblem) {
        var offset = 0
        while offset < bytes.count {
            let written = unsafe bytes.withUnsafeBytes { source in
                unsafe Glibc.write(
                    descriptor, source.baseAddress?.advanced(by: offset), bytes.count - offset)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw .file(directory ?? "standard output", errno) }
            offset += written
        }
    }

    /// Gives the file its name.
    func finish() throws(BackupProblem) -> String {
        guard let directory else { return "-" }
        let path = "\(directory)/\(name)"
        guard fsync(descriptor) == 0, unsafe rename(unfinished, path) == 0 else {
            throw .file(path, errno)
        }
        isDone = true
        let folder = unsafe llavero_open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
        return path
    }
}

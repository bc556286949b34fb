// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import TestSupport
import Testing

extension ServiceTests {
    /// Files that have changed since they were sealed, and paths that aren't files.
    @Suite struct SealedFileDamage {
        private static let chunk = 4096
        private static let header = 168
        private static var stride: Int { chunk + 16 }

        @Test func aFileCutAnywhereIsRefused() throws {
            try SealedFolder.run { service, folder in
                let files = SealedFiles.small(service.keychain)
                for size in [0, 40, Self.chunk + 40] {
                    try folder.seal(
                        SealedFolder.bytes(size), "whole", files, .none, replacing: true)
                    let whole = try folder.read("whole")
                    for count in Self.places(whole.count) {
                        try Self.expectRefused(whole.prefix(count), files, folder, "\(count)")
                    }
                }
            }
        }

        @Test func eachByteIsAuthenticated() throws {
            try SealedFolder.run { service, folder in
                let files = SealedFiles.small(service.keychain)
                for size in [0, 100, Self.chunk + 40] {
                    try folder.seal(
                        SealedFolder.bytes(size), "whole", files, .none, replacing: true)
                    let whole = try folder.read("whole")
                    for place in Self.places(whole.count) {
                        var bytes = whole
                        bytes[place] ^= 1 << UInt8(place % 8)
                        try Self.expectRefused(bytes, files, folder, "byte \(place) of \(size)")
                    }
                }
            }
        }

        @Test func bytesBehindTheEndAreRefused() throws {
            try SealedFolder.run { service, folder in
                let files = SealedFiles.small(service.keychain)
                for size in [0, 40, Self.chunk, 2 * Self.chunk + 40] {
                    try folder.seal(
                        SealedFolder.bytes(size), "whole", files, .none, replacing: true)
                    let whole = try folder.read("whole")
                    for count in [1, 15, 16, 17, Self.stride - 1, Self.stride, Self.stride + 1] {
                        let more = whole + [UInt8](repeating: 0, count: count)
                        try Self.expectRefused(more, files, folder, "\(size) and \(count)")
                    }
                    let lastByteCount = (whole.count - Self.header - 1) % Self.stride + 1
                    let twice = whole + whole.suffix(lastByteCount)
                    try Self.expectRefused(twice, files, folder, "\(size) and its last chunk")
                }
            }
        }

        @Test func chunksInAnotherOrderAreRefused() throws {
            try SealedFolder.run { service, folder in
                let files = SealedFiles.small(service.keychain)
                // All chunks are equal: only their numbers distinguish them.
                let alike = [UInt8](repeating: 7, count: 5 * Self.chunk)
                try folder.seal(alike, "whole", files, .none)
                let whole = try folder.read("whole")
                let head = whole.prefix(Self.header)
                let chunks = (0..<5).map { number in
                    let start = Self.header + number * Self.stride
                    return [UInt8](whole[start..<start + Self.stride])
                }
                #expect([UInt8](head) + chunks.flatMap { $0 } == whole)
                for first in 0..<5 {
                    for second in 0..<first {
                        var moved = chunks
                        moved.swapAt(first, second)
                        try Self.expectRefused(
                            head + moved.flatMap { $0 }, files, folder, "\(first) \(second)")
                        var repeated = chunks
                        repeated.insert(chunks[second], at: first)
                        try Self.expectRefused(
                            head + repeated.flatMap { $0 }, files, folder,
                            "\(second) twice, at \(first)")
                    }
                    var left = chunks
                    left.remove(at: first)
                    try Self.expectRefused(
                        head + left.flatMap { $0 }, files, folder, "without \(first)")
                }
            }
        }

        @Test func chunksOfAnotherFileAreRefused() throws {
            try SealedFolder.run { service, folder in
                for protection in FileProtection.allCases {
                    let files = SealedFiles.small(service.keychain)
                    let bytes = SealedFolder.bytes(3 * Self.chunk)
                    // The same bytes under the same key, twice.
                    try folder.seal(bytes, "one", files, protection, replacing: true)
                    try folder.seal(bytes, "two", files, protection, replacing: true)
                    let one = try folder.read("one")
                    let two = try folder.read("two")
                    #expect(one.count == two.count)
                    for number in 0..<3 {
                        let start = Self.header + number * Self.stride
                        var spliced = one
                        spliced.replaceSubrange(
                            start..<start + Self.stride, with: two[start..<start + Self.stride])
                        try Self.expectRefused(
                            spliced, files, folder, "\(protection) chunk \(number)")
                    }
                    try Self.expectRefused(
                        two.prefix(Self.header) + one.dropFirst(Self.header), files, folder,
                        "\(protection) header")
                }
            }
        }

        @Test func aHeaderThatAsksForTooMuchIsRefused() throws {
            try SealedFolder.run { service, folder in
                let files = SealedFiles.small(service.keychain)
                try folder.seal([1, 2, 3], "whole", files, .none)
                let rest = try folder.read("whole").dropFirst(Self.header)
                for bits in [UInt8(0), 1, 11, 21, 31, 62, 63, 64, 255] {
                    let header = SealedFileHeader(
                        protection: .none, chunkBits: bits,
                        keyID: [UInt8](repeating: 1, count: 16), point: nil)
                    #expect(
                        sealedFailure { _ = try SealedFileHeader(decoding: header.bytes) }
                            == .damaged(.header))
                    try Self.expectRefused(header.bytes + rest, files, folder, "\(bits)")
                }
                // The control: a request for an existing row can be decoded.
                let header = SealedFileHeader(
                    protection: .none, chunkBits: 20, keyID: [UInt8](repeating: 1, count: 16),
                    point: nil)
                #expect(try SealedFileHeader(decoding: header.bytes) == header)
            }
        }

        @Test func whatIsNoSealedFileIsToldApart() throws {
            try SealedFolder.run { service, folder in
                let files = SealedFiles.small(service.keychain)
                try folder.write([], "empty")
                try folder.write("a text that nobody sealed".utf8, "text")
                try folder.seal([1], "newer", files)
                var newer = try folder.read("newer")
                newer[8] = 2
                try folder.write(newer, "newer")
                unsafe mkfifo(folder.file("pipe"), 0o600)
                try FileManager.default.createDirectory(
                    atPath: folder.file("folder"), withIntermediateDirectories: false)
                let expected: [(String, SealedFileError)] = [
                    ("empty", .notSealed), ("text", .notSealed), ("newer", .newerVersion(2)),
                    ("pipe", .notRegularFile), ("folder", .notRegularFile),
                    ("nothing", .system(ENOENT)), ("text/below", .system(ENOTDIR)),
                ]
                for (name, error) in expected {
                    #expect(sealedFailure { _ = try files.open(folder.file(name)) } == error)
                }
                #expect(sealedFailure { _ = try files.open("/dev/null") } == .notRegularFile)
                #expect(sealedFailure { _ = try files.open("") } == .system(ENOENT))
                for name in ["pipe", "folder"] {
                    #expect(
                        sealedFailure {
                            try files.seal(file: folder.file(name), to: folder.file("out"))
                        } == .notRegularFile)
                    #expect(
                        sealedFailure {
                            _ = try files.create(folder.file(name), replacing: true).protection
                        } == .notRegularFile)
                }
                for path in ["", "/", folder.path + "/", folder.file("."), folder.file("..")] {
                    #expect(
                        sealedFailure { _ = try files.create(path).protection }
                            == .notRegularFile, "\(path)")
                }
                #expect(
                    sealedFailure { _ = try files.create(folder.file("no/where")).protection }
                        == .system(ENOENT))
                #expect(
                    sealedFailure { _ = try files.create(folder.file("text/x")).protection }
                        == .system(ENOTDIR))
            }
        }

        /// A file that is authentic only up to a point isn't given a name: the existing file stays.
        @Test func aDamagedFileIsNeverUnsealedInPart() throws {
            try SealedFolder.run { service, folder in
                let files = SealedFiles.small(service.keychain)
                try folder.seal(SealedFolder.bytes(5 * Self.chunk), "sealed", files)
                var bytes = try folder.read("sealed")
                bytes[Self.header + 3 * Self.stride + 5] ^= 1
                try folder.write(bytes, "sealed")
                try folder.write([1, 2, 3], "plain")
                let failure = sealedFailure {
                    try files.unseal(
                        file: folder.file("sealed"), to: folder.file("plain"), replacing: true)
                }
                #expect(failure == .damaged(.chunk(3)))
                #expect(try folder.read("plain") == [1, 2, 3])
                #expect(try folder.names == ["plain", "sealed"])
                // The chunks before it are read, this one isn't, and the ones after it are.
                let file = try files.open(folder.file("sealed"))
                #expect(try file.read(at: 0, count: 3 * Self.chunk).count == 3 * Self.chunk)
                #expect(
                    sealedFailure { _ = try file.read(at: 4 * 4096 - 1, count: 1) }
                        == .damaged(.chunk(3)))
                #expect(try file.read(at: 4 * 4096, count: Self.chunk).count == Self.chunk)
            }
        }

        /// A file that is changed or truncated while a handle is open.
        @Test func aHandleNoticesWhatBecomesOfItsFile() throws {
            try SealedFolder.run { service, folder in
                let files = SealedFiles.small(service.keychain)
                let bytes = SealedFolder.bytes(5 * Self.chunk)
                try folder.seal(bytes, "sealed", files)
                let file = try files.open(folder.file("sealed"))
                let handle = try FileHandle(
                    forWritingTo: URL(fileURLWithPath: folder.file("sealed")))
                try handle.truncate(atOffset: UInt64(Self.header + 2 * Self.stride + 100))
                #expect(try file.read(at: 0, count: 2 * Self.chunk).count == 2 * Self.chunk)
                #expect(
                    sealedFailure { _ = try file.read(at: 2 * 4096, count: 1) }
                        == .damaged(.chunk(2)))
                // A replaced file is another file: the handle has the old one.
                try folder.seal(bytes, "other", files)
                let old = try files.open(folder.file("other"))
                try folder.seal([1], "other", files, replacing: true)
                #expect(try old.read(at: 0, count: bytes.count) == bytes)
                #expect(try files.open(folder.file("other")).read(at: 0, count: 9) == [1])
            }
        }

        @Test func aFullDiskIsToldAndNothingIsLeft() throws {
            try SealedFolder.run { service, folder in
                let files = SealedFiles.small(service.keychain)
                let full = unsafe open("/dev/full", O_WRONLY | O_CLOEXEC)
                try #require(full >= 0)
                defer { close(full) }
                let failure = sealedFailure {
                    _ = try files.create(descriptor: full).protection
                }
                #expect(failure == .system(ENOSPC))
                try folder.seal([1], "whole", files)
                var stream = try files.open(folder.file("whole")).stream()
                #expect(
                    sealedFailure { try SealedFiles.write(&stream, to: full) { _ in } }
                        == .system(ENOSPC))
            }
        }

        // MARK: - Helpers

        /// Every position in a small file; in a larger one the boundaries, and every seventeenth
        /// position between.
        private static func places(_ byteCount: Int) -> [Int] {
            guard byteCount > 600 else { return [Int](0..<byteCount) }
            return (0..<byteCount).filter { place in
                let inStride = (place - header) % stride
                return place < header || inStride < 20 || inStride > stride - 20
                    || place > byteCount - 60 || place % 17 == 0
            }
        }

        /// Neither as a file, nor from a pipe, nor to a new file.
        private static func expectRefused(
            _ bytes: some Collection<UInt8>, _ files: SealedFiles, _ folder: SealedFolder,
            _ what: @autoclosure () -> String
        ) throws {
            try folder.write(bytes, "damaged")
            let path = folder.file("damaged")
            let failure = sealedFailure {
                let file = try files.open(path)
                _ = try file.read(at: 0, count: Int(file.size))
            }
            #expect(failure?.isDamage == true, "\(what()): \(String(describing: failure))")
            let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
            defer { close(descriptor) }
            let streamed = sealedFailure {
                var stream = try files.stream(descriptor: descriptor)
                while try stream.next() != nil {}
            }
            #expect(streamed?.isDamage == true, "\(what()), streamed")
        }
    }
}

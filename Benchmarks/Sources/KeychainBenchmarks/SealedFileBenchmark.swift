// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation
import Keychain

/// Sealed files compared with AES-GCM alone, in memory and with the same library, in the same run.
enum SealedFileBenchmark {
    private static let fileByteCount = 256 << 20
    private static let pieceByteCount = 1 << 20
    private static let rounds = 7

    static func run(_ keychain: KeychainConnection) throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let files = SealedFiles(keychain)
        let piece = [UInt8](repeating: 7, count: pieceByteCount)
        print("| AES-GCM alone, GB/s | seal | open |")
        print("|---|---:|---:|")
        for bits in [14, 16, 18, 20] {
            let (seal, open) = try raw(1 << bits)
            print("| chunks of \(1 << (bits - 10)) KiB | \(gigabytes(seal)) | \(gigabytes(open)) |")
        }
        var figures: [[Double]] = [[], [], [], [], []]
        let path = folder + "/sealed"
        for _ in 0..<rounds {
            // Alternates them, so that other load on the machine affects all of them.
            let (seal, open) = try raw(1 << 16)
            figures[0].append(seal)
            figures[1].append(open)
            figures[2].append(try perSecond { try write(path, piece, files) })
            figures[3].append(try perSecond { try read(path, files) })
            figures[4].append(try perSecond { try copy(folder, piece) })
        }
        let medians = figures.map { $0.sorted()[rounds / 2] }
        print("\n| \(fileByteCount >> 20) MiB in memory, GB/s | | of AES-GCM |")
        print("|---|---:|---:|")
        print("| AES-GCM alone, seal | \(gigabytes(medians[0])) | |")
        print("| AES-GCM alone, open | \(gigabytes(medians[1])) | |")
        print("| a plain file written | \(gigabytes(medians[4])) | |")
        print(
            "| a sealed file written | \(gigabytes(medians[2])) | \(ratio(medians[2], medians[0])) |"
        )
        print(
            "| a sealed file read | \(gigabytes(medians[3])) | \(ratio(medians[3], medians[1])) |")

        let file = try files.open(path)
        let guarded = measure(2000) { round in
            let place = UInt64((round &* 7919) % (fileByteCount / 4096)) * 4096
            guard let bytes = try? file.read(at: place, count: 4096), bytes.count == 4096 else {
                abort()
            }
        }
        let opening = measure(500) { _ in
            guard let file = try? files.open(path), file.size == fileByteCount else { abort() }
        }
        print("\n| µs | p50 | p99 |\n|---|---:|---:|")
        for (name, samples) in [("4 KiB anywhere", guarded), ("open", opening)] {
            print(String(format: "| %@ | %.1f | %.1f |", name, samples.p50, samples.p99))
        }
    }

    // MARK: - The measured operations

    private static func write(_ path: String, _ piece: [UInt8], _ files: SealedFiles) throws {
        var writer = try files.create(path, replacing: true)
        for _ in 0..<fileByteCount / pieceByteCount { try writer.write(piece) }
        try writer.finish()
    }

    private static func read(_ path: String, _ files: SealedFiles) throws {
        let file = try files.open(path)
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceByteCount, alignment: 64)
        defer { room.deallocate() }
        for index in 0..<fileByteCount / pieceByteCount {
            let count = try file.read(at: UInt64(index * pieceByteCount), into: room)
            guard count == pieceByteCount, room[count - 1] == 7 else { abort() }
        }
    }

    /// The time that the file system alone takes.
    private static func copy(_ folder: String, _ piece: [UInt8]) throws {
        let path = folder + "/plain"
        unlink(path)
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        for _ in 0..<fileByteCount / pieceByteCount {
            guard Glibc.write(descriptor, piece, piece.count) == piece.count else { abort() }
        }
        fsync(descriptor)
    }

    /// - Returns: Bytes a second.
    private static func raw(_ chunkByteCount: Int) throws -> (seal: Double, open: Double) {
        let key = SymmetricKey(size: .bits256)
        let plaintext = [UInt8](repeating: 7, count: chunkByteCount)
        var box = try AES.GCM.seal(plaintext, using: key)
        let count = fileByteCount / chunkByteCount
        let seal = try perSecond {
            for _ in 0..<count {
                box = try AES.GCM.seal(plaintext, using: key, nonce: AES.GCM.Nonce())
            }
        }
        let open = try perSecond {
            for _ in 0..<count { _ = try AES.GCM.open(box, using: key) }
        }
        return (seal, open)
    }

    // MARK: - Helpers

    private static func makeFolder() throws -> String {
        var template = Array("/dev/shm/llavero-bench-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw CocoaError(.fileWriteUnknown) }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func perSecond(_ body: () throws -> Void) rethrows -> Double {
        let start = nanoseconds()
        try body()
        return Double(fileByteCount) / (Double(nanoseconds() - start) / 1e9)
    }

    private static func gigabytes(_ value: Double) -> String { String(format: "%.2f", value / 1e9) }

    private static func ratio(_ value: Double, _ of: Double) -> String {
        String(format: "%.2f", value / of)
    }
}

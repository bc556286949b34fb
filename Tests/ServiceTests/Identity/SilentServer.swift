// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

/// File systems that take requests and never answer: who waits for one can't even be killed.
enum SilentServer {
    /// Starts a server of a file.
    /// - Parameters:
    ///   - world: In whose directory everything is.
    ///   - file: What it serves.
    ///   - words: What it does with it, see `silentserver.c`.
    ///   - flags: How it is started.
    /// - Returns: The server.
    /// - Throws: what can't be made or started.
    static func start(
        _ world: SignedWorld, _ file: String, _ words: [String], flags: [String]
    ) throws -> TestProcess {
        let attacker = try Attackers.compile("silentserver", into: world.directory)
        let device = world.directory + "/fuse-silent"
        // A node of our own: that of the machine stays as it is.
        guard unsafe mknod(device, S_IFCHR | 0o666, dev_t(10 << 8 | 229)) == 0,
            unsafe chmod(device, 0o666) == 0
        else { throw TestFailure("The device can't be made.") }
        return try world.start(attacker, [device, file] + words, flags: flags)
    }

    /// From now on nothing is answered.
    static func silence(_ server: TestProcess) throws {
        server.write("\n")
        let line = try server.readLine()
        guard line == "silent" else { throw TestFailure(line) }
    }

    /// What a process does, in the kernel's letters.
    static func state(_ pid: Int32) throws -> Character? {
        let text = try ProcessFile.read(pid, "stat")
        return text.range(of: ") ", options: .backwards).flatMap { text[$0.upperBound...].first }
    }

    /// The service's inspectors that can't be ended.
    static func stuckInspectors(_ service: TestService) throws -> [Int32] {
        try service.inspectors().filter { (try? state($0)) == "D" }
    }
}

/// A disk image that its user serves from a file system of his own, mounted as desktops do it for him
/// (udisks): by root, in the service's namespaces. Its programs have parts that nobody reads when they
/// are run.
final class DiskImage {
    /// Copies of one program: who waits for one of them is in nobody's way who reads another.
    let programs: [String]
    private let server: TestProcess
    private let place: String
    private let mountPoint: String
    private let device: String

    /// Makes, serves and mounts one.
    /// - Parameters:
    ///   - world: In whose directory everything is.
    ///   - source: The program.
    /// - Throws: what can't be made, and where the system has no loop device.
    init(_ world: SignedWorld, _ source: String) throws {
        let content = world.directory + "/content"
        place = world.directory + "/served"
        mountPoint = world.directory + "/disk"
        for path in [content, place, mountPoint] {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false)
        }
        let names = ["one", "two", "three"]
        programs = names.map { [mountPoint] in mountPoint + "/" + $0 }
        for name in names { try Self.spread(source, to: content + "/" + name) }
        let image = world.directory + "/image"
        try Self.run(
            "mke2fs",
            ["-q", "-t", "ext4", "-b", "1024", "-O", "^has_journal", "-d", content, image, "64M"])
        server = try SilentServer.start(world, image, ["for-all", place], flags: [])
        do {
            let line = try server.readLine()
            guard line == "mounted" else { throw TestFailure(line) }
            device = try Self.run("losetup", ["-r", "-f", "--show", place + "/program"])
        } catch {
            _ = unsafe umount2(place, Int32(MNT_DETACH))
            server.end()
            throw TestFailure("This test needs a loop device, which can't be had here: \(error)")
        }
        do {
            try Self.run("mount", ["-o", "ro,nosuid,nodev", device, mountPoint])
        } catch {
            end()
            throw error
        }
    }

    /// From now on nothing is read from it any more that isn't in memory.
    func silence() throws { try SilentServer.silence(server) }

    /// Ends its server: whoever waits gets an error.
    func end() {
        server.end()
        _ = unsafe umount2(mountPoint, Int32(MNT_DETACH))
        _ = try? Self.run("losetup", ["-d", device])
        _ = unsafe umount2(place, Int32(MNT_DETACH))
    }

    /// Copies a program, with its section headers far behind what is mapped, and so many holes between
    /// that the file system needs blocks of its own to tell where it goes on.
    private static func spread(_ source: String, to target: String) throws {
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: source)))
        func number(_ offset: Int, _ count: Int) -> Int {
            bytes[offset..<(offset + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        // e_shoff, e_shentsize and e_shnum (elf(5)).
        let headers = number(40, 8)
        let headersByteCount = number(58, 2) * number(60, 2)
        let table = Data(bytes[headers..<(headers + headersByteCount)])
        let distance = 8 << 20
        for place in 0..<8 { bytes[40 + place] = UInt8(distance >> (8 * place) & 0xFF) }
        guard FileManager.default.createFile(atPath: target, contents: Data(bytes)),
            let file = FileHandle(forWritingAtPath: target)
        else { throw TestFailure(target) }
        defer { try? file.close() }
        func write(_ data: Data, at offset: Int) throws {
            try file.seek(toOffset: UInt64(offset))
            try file.write(contentsOf: data)
        }
        let piece = Data(repeating: 0x78, count: 1024)
        for offset in stride(from: 1 << 20, to: 2 << 20, by: 4096) { try write(piece, at: offset) }
        try write(Data(repeating: 0x79, count: 4 << 20), at: 2 << 20)
        for offset in stride(from: 6 << 20, to: 7 << 20, by: 4096) { try write(piece, at: offset) }
        try write(table, at: distance)
        guard unsafe chmod(target, 0o755) == 0 else { throw TestFailure(target) }
    }

    @discardableResult
    private static func run(_ program: String, _ words: [String]) throws -> String {
        let result = try TestProcess.run(program, words)
        guard result.ending == .exit(0) else {
            throw TestFailure("\(program) \(words): \(result.errors)")
        }
        return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

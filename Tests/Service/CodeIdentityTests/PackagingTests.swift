// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import CodeSigning
import Foundation
import TestSupport
import Testing

/// The effects of packaging on a signed program.
@Suite struct PackagingTests {
    /// Programs from different linkers: the system's, and this one.
    private static var programs: [String] { ["/bin/true", "/bin/tar", "/proc/self/exe"] }

    @Test(arguments: programs)
    func stripAndCopiesKeepTheSignature(_ path: String) throws {
        let directory = URL(fileURLWithPath: NSTemporaryDirectory())
            .appendingPathComponent("llsign-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let team = try TestTeam()
        let program = try TestTeam.program(path)
        let file = directory.appendingPathComponent("program")
        let signed = try team.sign(program)
        try Data(signed).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
        #expect(try inspect(signed).codeDigest == inspect(program).codeDigest)
        let steps: [[String]] = [
            ["/usr/bin/objcopy", "--add-section", ".note.x=/etc/hostname", file.path],
            ["/usr/bin/strip", "--strip-debug", file.path],
            ["/usr/bin/strip", "-s", file.path],
            ["/bin/cp", file.path, file.path + "2"],
            ["/bin/mv", file.path + "2", file.path],
        ]
        for step in steps {
            try Self.run(step)
            let packaged = [UInt8](try Data(contentsOf: file))
            #expect(try inspect(packaged).codeDigest == inspect(program).codeDigest, "\(step)")
            #expect(try admit(packaged, team.trusted).team == team.authority.root.team, "\(step)")
        }
        if path == "/bin/true" { try Self.run([file.path]) }
    }

    @Test func aPatchedProgramHasAnotherDigest() throws {
        let team = try TestTeam()
        let program = try TestTeam.program()
        let signed = try team.sign(program)
        let file = try ELFFile(ByteSource(signed))
        let code = try #require(file.segments.last { $0.type == ELFFile.SegmentType.load })
        var patched = signed
        patched[code.offset + code.byteCount / 2] ^= 1
        #expect(throws: SignatureProblem.codeChanged) { try admit(patched, team.trusted) }
    }

    @Test func anotherDynamicLinkerIsAnotherProgram() throws {
        let team = try TestTeam()
        let signed = try team.sign(try TestTeam.program())
        let file = try ELFFile(ByteSource(signed))
        let index = try #require(
            file.segments.firstIndex { $0.type == ELFFile.SegmentType.interpreter })
        // The path of another linker, appended after all loaded segments.
        var patched = signed + Array("/tmp/evil-linker-with-the-same-len\0".utf8)
        let place = file.segmentTableOffset + index * ELFFile.segmentHeaderByteCount + 8
        for byte in 0..<8 {
            patched[place + byte] = UInt8(truncatingIfNeeded: signed.count >> (8 * byte))
        }
        #expect(throws: SignatureProblem.codeChanged) { try admit(patched, team.trusted) }
    }

    private static func run(_ words: [String]) throws {
        let result = try TestProcess.run(words[0], Array(words.dropFirst()))
        #expect(result.ending == .exit(0), "\(words): \(result.errors)")
    }
}

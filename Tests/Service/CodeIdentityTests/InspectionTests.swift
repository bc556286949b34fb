// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import Testing

@Suite struct InspectionTests {
    @Test(arguments: [
        "python3.11", "python3", "perl5.36.0", "bash", "ld-linux-x86-64.so.2", "lua5.4", "node",
        "security", "qemu-x86_64", "java", "tclsh8.6", "python3.11 (deleted)", "beam.smp",
    ])
    func whatRunsScriptsIsNoIdentity(_ name: String) {
        #expect(SharedPrograms.contains(fileName: name))
    }

    @Test(arguments: ["git", "securityd", "python-build", "curlew", "mail", "shop", ""])
    func otherProgramsMayBe(_ name: String) {
        #expect(!SharedPrograms.contains(fileName: name))
    }

    @Test func aTrustFileThatOthersCanWriteOrThatIsDamagedTrustsNobody() throws {
        let directory = URL(fileURLWithPath: NSTemporaryDirectory())
            .appendingPathComponent("lltrust-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appendingPathComponent("trusted-teams").path
        let file = TrustFile(path: path)
        #expect(file.teams.teams.isEmpty)
        let team = try TestTeam()
        func write(_ bytes: [UInt8], mode: Int = 0o600) throws {
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        let bytes = try team.trusted.encoded
        try write(bytes)
        #expect(file.teams.teams.count == 1)
        for mode in [0o620, 0o602, 0o666] {
            try write(bytes, mode: mode)
            #expect(file.teams.teams.isEmpty)
        }
        try write(bytes + [0])
        #expect(file.teams.teams.isEmpty)
        try write(bytes)
        #expect(file.teams.teams.count == 1)
        let link = directory.appendingPathComponent("link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        #expect(TrustFile(path: link).teams.teams.isEmpty)
    }

    @Test func aDeviceIdentifierIsNotTheMachines() throws {
        let path = NSTemporaryDirectory() + "/llmachine-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(DeviceIdentifier.read(from: path) == nil)
        let text = "0123456789abcdef0123456789abcdef"
        try Data((text + "\n").utf8).write(to: URL(fileURLWithPath: path))
        let identifier = try #require(DeviceIdentifier.read(from: path))
        #expect(identifier.count == 32)
        #expect(!text.utf8.elementsEqual(identifier))
        try Data("short\n".utf8).write(to: URL(fileURLWithPath: path))
        #expect(DeviceIdentifier.read(from: path) == nil)
    }
}

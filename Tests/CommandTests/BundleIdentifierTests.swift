// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

/// `llavero-codesign --info-plist`: Foundation takes `Bundle.main.bundleIdentifier` from a file beside the
/// program.
@Suite struct BundleIdentifierTests {
    /// A team, and a program in a folder of its own.
    private struct Bundle {
        let path: String
        var program: String { path + "/bundle/task" }
        var information: String { path + "/bundle/Info.plist" }

        init(_ path: String) throws {
            self.path = path
            for words in [["create-team", "Team"], ["issue", "Developer"]] {
                let result = try TestProcess.run(
                    Binaries.path("llavero-developer"), words + ["--directory", path + "/teams"])
                try #require(result.ending == .exit(0), "\(result.errors)")
            }
            try FileManager.default.createDirectory(
                atPath: path + "/bundle", withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: Binaries.testTask(), toPath: program)
        }

        func sign(_ identifier: String, _ more: String...) throws -> TestProcess.Result {
            try TestProcess.run(
                Binaries.path("llavero-codesign"),
                ["-f", "-s", "Developer", "-i", identifier, "--directory", path + "/teams"]
                    + more + [program])
        }

        /// What the program takes for its bundle's identifier.
        func identifier() throws -> String {
            let result = try TestProcess.run(program, ["bundle"])
            #expect(result.ending == .exit(0), "\(result.errors)")
            return result.output
        }

        /// The files as they are: a file that is written, or replaced, is another one.
        func files() throws -> [Data?] {
            var numbers: [Data?] = []
            for file in [program, information] {
                var status = stat()
                let isThere = unsafe lstat(file, &status) == 0
                numbers.append(isThere ? Data("\(status.st_ino)".utf8) : nil)
                numbers.append(FileManager.default.contents(atPath: file))
            }
            return numbers
        }

        func write(_ text: String) throws {
            try text.write(toFile: information, atomically: false, encoding: .utf8)
        }
    }

    private static func propertyList(_ identifier: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict>
        <key>CFBundleIdentifier</key><string>\(identifier)</string>
        <key>CFBundleName</key><string>App</string>
        </dict></plist>
        """
    }

    @Test func aSignedProgramKnowsItsBundlesIdentifier() throws {
        try TemporaryDirectory.lend { path in
            let bundle = try Bundle(path)
            #expect(try bundle.identifier() == "none\n")
            #expect(try bundle.sign("org.example.app").ending == .exit(0))
            #expect(!FileManager.default.fileExists(atPath: bundle.information))
            #expect(try bundle.identifier() == "none\n")
            let signed = try bundle.sign("org.example.app", "--info-plist")
            #expect(signed.ending == .exit(0), "\(signed.errors)")
            #expect(try bundle.identifier() == "org.example.app\n")
            let text = try String(contentsOfFile: bundle.information, encoding: .utf8)
            #expect(text.contains("<key>CFBundleIdentifier</key>"))
            // Signed again it keeps the file.
            let old = try bundle.files()
            #expect(try bundle.sign("org.example.app", "--info-plist").ending == .exit(0))
            #expect(try bundle.files().suffix(2) == old.suffix(2))
        }
    }

    @Test func anApplicationsOwnInfoPlistWithTheIdentifierIsKept() throws {
        try TemporaryDirectory.lend { path in
            let bundle = try Bundle(path)
            try bundle.write(Self.propertyList("org.example.app"))
            let old = try bundle.files()
            let signed = try bundle.sign("org.example.app", "--info-plist")
            #expect(signed.ending == .exit(0), "\(signed.errors)")
            #expect(try bundle.files().suffix(2) == old.suffix(2))
            #expect(try bundle.files().prefix(2) != old.prefix(2))
            #expect(try bundle.identifier() == "org.example.app\n")
        }
    }

    @Test func anotherProgramsInfoPlistStaysAndNothingIsSigned() throws {
        try TemporaryDirectory.lend { path in
            let bundle = try Bundle(path)
            #expect(try bundle.sign("org.example.app", "--info-plist").ending == .exit(0))
            for text in [Self.propertyList("org.example.other"), "no property list", ""] {
                try bundle.write(text)
                let old = try bundle.files()
                let result = try bundle.sign("org.example.app", "--info-plist")
                #expect(result.ending == .exit(1))
                #expect(result.errors.contains("Info.plist"))
                #expect(try bundle.files() == old)
            }
        }
    }
}

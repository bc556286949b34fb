// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation

/// The paths of the programs under test.
package enum Binaries {
    /// The repository.
    package static let packageRoot: String = {
        var directory = (#filePath as NSString).deletingLastPathComponent
        while !FileManager.default.fileExists(atPath: directory + "/Package.swift") {
            directory = (directory as NSString).deletingLastPathComponent
            if directory == "/" { return "." }
        }
        return directory
    }()

    /// The folder of the released programs: `LLAVERO_BINARIES`, else the release build's.
    package static var directory: String {
        ProcessInfo.processInfo.environment["LLAVERO_BINARIES"]
            ?? packageRoot + "/.build/release"
    }

    /// A released program.
    /// - Throws: a sentence that says how to build it when it is missing.
    package static func path(_ name: String) throws -> String {
        let path = directory + "/" + name
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw TestFailure("\(path) is missing. Run `make build`, or set LLAVERO_BINARIES.")
        }
        return path
    }

    /// The helper program of the tests; it is in the folder of the program that runs the tests.
    package static func launcher() throws -> String {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = (program as NSString).deletingLastPathComponent + "/TestLauncher"
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw TestFailure("\(path) is missing. Build it: swift build --build-tests")
        }
        return path
    }

    /// The program that tests sign and run; it is in the launcher's folder.
    package static func testApplication() throws -> String {
        (try launcher() as NSString).deletingLastPathComponent + "/TestApplication"
    }

    /// The application that uses the wrapper modules; it is in the launcher's folder.
    package static func testWrappers() throws -> String {
        (try launcher() as NSString).deletingLastPathComponent + "/TestWrappers"
    }

    /// The program that runs the documentation's code; it is in the launcher's folder.
    package static func documentationSamples() throws -> String {
        (try launcher() as NSString).deletingLastPathComponent + "/DocumentationSamples"
    }

    /// The program that prints the results of `SecTask` and of the calls on items; it is in the
    /// launcher's folder.
    package static func testTask() throws -> String {
        (try launcher() as NSString).deletingLastPathComponent + "/TestTask"
    }

    /// A front without a bus; it is in the launcher's folder.
    package static func testFront() throws -> String {
        (try launcher() as NSString).deletingLastPathComponent + "/TestFront"
    }

    /// Copies the daemons to a path for a user who can't enter the build's folder.
    /// - Returns: securityd's path.
    package static func copyDaemons(to directory: String) throws -> String {
        let names = [
            "securityd", "enclaved", "peerinspector", "llavero-agent", "trustd", "transcoder",
            "trustfetcher",
        ]
        for name in names {
            let source = try path(name)
            let target = directory + "/" + name
            let original = URL(fileURLWithPath: source).resolvingSymlinksInPath().path
            if unsafe link(original, target) != 0 {
                try FileManager.default.copyItem(atPath: original, toPath: target)
            }
        }
        return directory + "/securityd"
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import SecretService
import Synchronization
import TestSupport
import Testing

/// The tests that two Python packages bring along, and libsecret's tool. `Scripts/fetch-python-clients`
/// fetches the packages.
@Suite struct PythonClientTests {
    private static let folder = Binaries.packageRoot + "/.build/python-clients"

    private static func run(
        _ bus: PrivateBus, _ arguments: [String]
    ) throws -> TestProcess.Result {
        guard FileManager.default.fileExists(atPath: folder + "/complete") else {
            throw TestFailure("\(folder) is missing. Run Scripts/fetch-python-clients.")
        }
        var options = bus.options()
        options.environment["PYTHONPATH"] = "\(folder)/secretstorage:\(folder)/keyring"
        options.environment["PYTHONDONTWRITEBYTECODE"] = "1"
        options.environment["HOME"] = "/nonexistent"
        return try TestProcess.run("/usr/bin/python3", arguments, options)
    }

    /// Six of them need the mock that SecretStorage has.
    @Test func secretStoragePasses21OfIts27Tests() throws {
        try PrivateBus.lend { bus in
            let result = try Self.run(
                bus,
                ["-m", "unittest", "discover", "-v", "-s", Self.folder + "/secretstorage/tests"])
            #expect(result.errors.contains("\nRan 27 tests"), "\(result.errors)")
            #expect(result.errors.contains("\nOK (skipped=6)"), "\(result.errors)")
            #expect(result.ending == .exit(0))
        }
    }

    @Test(arguments: ["SecretService", "libsecret"])
    func keyringPassesAllTestsOfItsBackend(_ backend: String) throws {
        try PrivateBus.lend { bus in
            let result = try Self.run(
                bus,
                [
                    "-m", "pytest", "-q", "-c", "/dev/null", "-p", "no:cacheprovider",
                    "--import-mode=importlib",
                    Self.folder + "/keyring/tests/backends/test_\(backend).py",
                ])
            #expect(result.output.contains("16 passed"), "\(result.output)")
            #expect(!result.output.contains("failed") && !result.output.contains("skipped"))
            #expect(result.ending == .exit(0))
        }
    }

    @Test func secretToolStoresLooksUpSearchesAndClears() throws {
        try PrivateBus.lend { bus in
            let name = ["service", "mail", "user", "anna"]
            let stored = try bus.run(
                "secret-tool", ["store", "--label=Mail of Anna"] + name, input: "p\u{E4}ss\nword")
            #expect(stored.ending == .exit(0) && stored.errors == "")
            let looked = try bus.run("secret-tool", ["lookup"] + name)
            #expect(looked.ending == .exit(0) && looked.output == "p\u{E4}ss\nword")
            let searched = try bus.run("secret-tool", ["search", "--all", "user", "anna"])
            #expect(searched.output.contains("label = Mail of Anna\n"))
            #expect(searched.output.contains("secret = p\u{E4}ss\nword\n"))
            #expect(searched.errors.contains("attribute.service = mail\n"))
            let replaced = try bus.run(
                "secret-tool", ["store", "--label=Other"] + name, input: "new")
            #expect(replaced.ending == .exit(0))
            #expect(try bus.run("secret-tool", ["lookup"] + name).output == "new")
            #expect(bus.store.state.withLock { $0.items.count } == 1)
            #expect(try bus.run("secret-tool", ["clear"] + name).ending == .exit(0))
            let missing = try bus.run("secret-tool", ["lookup"] + name)
            #expect(missing.ending == .exit(1) && missing.output == "")
        }
    }

    /// An error, and not an empty answer.
    @Test func secretToolSaysThatTheStoreIsUnreachable() throws {
        try PrivateBus.lend { bus in
            bus.store.state.withLock { $0.failure = .unreachable }
            let looked = try bus.run("secret-tool", ["lookup", "user", "anna"])
            #expect(looked.ending == .exit(1))
            #expect(looked.errors.contains("can't be reached"), "\(looked.errors)")
        }
    }
}

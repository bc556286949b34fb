// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

extension ServiceTests {
    /// Keychains in a container that has nothing but the programs: no D-Bus, no terminal, no
    /// capability, no user in /etc/passwd, and one directory that can be written.
    @Suite struct BareContainers {
        /// Stores an item, reads it, and prints the status.
        private static let job = """
            set -e
            security add-generic-password -a builder -s git -w s3cret 2>/dev/null
            security find-generic-password -a builder -s git -w
            security device status --json
            """
        private static let landlock = [
            "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self",
            "memfd_secret",
        ]

        /// systemd-nspawn forbids Landlock and memfd_secret with EPERM, and mlock to users without
        /// the right to it.
        @Test func ephemeralKeychainsServeEveryUser() throws {
            try ContainerRoot.lend { root in
                for user: UInt32 in [0, 12_345, 3_000_000_000] {
                    let script = """
                        set -e
                        grep_caps() { while read -r name value; do
                            case $name in CapEff:) echo "caps $value" ;; esac; done; }
                        grep_caps </proc/self/status
                        securityd --ephemeral -- sh -c "$0"
                        ls -A /tmp
                        if (echo x >/written) 2>/dev/null; then exit 5; fi
                        echo "end"
                        """
                    let result = try root.run(["sh", "-c", script, Self.job], as: user)
                    #expect(result.ending == .exit(0), "\(user): \(result.errors)")
                    let lines = result.output.split(separator: "\n")
                    #expect(lines.first == "caps 0000000000000000")
                    #expect(lines.dropFirst().first == "s3cret")
                    #expect(result.output.contains("\"landlock\": \"forbidden\""))
                    #expect(result.output.contains("\"systemCallFilter\": true"))
                    // Nothing is left in /tmp.
                    #expect(lines.suffix(2) == ["}", "end"])
                }
            }
        }

        @Test func usersKeychainServesWithoutAHomeOrARuntimeDirectory() throws {
            try ContainerRoot.lend { root in
                let script = """
                    securityd --user & daemon=$!
                    turn=0
                    until security device status >/dev/null 2>&1; do
                        turn=$((turn + 1)); test $turn -lt 200 || exit 3; sleep 0.05
                    done
                    sh -c "$0" || exit 4
                    security device doctor --json >/tmp/doctor
                    echo "doctor $?"
                    cat /tmp/doctor
                    kill $daemon; wait $daemon
                    echo "securityd $?"
                    """
                let result = try root.run(
                    ["sh", "-c", script, Self.job], as: 12_345,
                    environment: ["XDG_DATA_HOME": "/tmp/data"])
                #expect(result.ending == .exit(0), "\(result.errors)")
                #expect(result.output.hasPrefix("s3cret\n"))
                #expect(result.output.contains("\ndoctor 1\n"))
                for code in ["no-landlock", "state-in-memory"] {
                    #expect(result.output.contains("\"code\": \"\(code)\""), "\(result.output)")
                }
                #expect(!result.output.contains("\"severity\": \"broken\""), "\(result.output)")
                #expect(result.output.hasSuffix("\nsecurityd 0\n"))
            }
        }

        /// The control: the same container with the calls that the enclave would like to have.
        @Test func wallsStandWhereTheContainerAllowsThem() throws {
            let outside = try TestProcess.run(
                Binaries.path("securityd"),
                ["--ephemeral", "--", Binaries.path("security"), "device", "status", "--json"]
            ).output
            try ContainerRoot.lend { root in
                let result = try root.run(
                    ["securityd", "--ephemeral", "--", "sh", "-c", Self.job], as: 12_345,
                    allowing: Self.landlock)
                #expect(result.ending == .exit(0), "\(result.errors)")
                #expect(!result.output.contains("forbidden"))
                for name in ["landlock", "memory"] {
                    let line = try #require(
                        outside.split(separator: "\n").first { $0.contains("\"\(name)\": \"") })
                    #expect(result.output.contains(line), "\(result.output)")
                }
            }
        }

        // MARK: - The recipe

        private static let example = Binaries.packageRoot + "/Examples/Container/"

        private static func recipe() throws -> [(name: String, value: String)] {
            try String(contentsOfFile: example + "Containerfile", encoding: .utf8)
                .split(separator: "\n").filter { !$0.hasPrefix("#") }
                .map { line in
                    let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
                    try #require(parts.count == 2)
                    return (parts[0], parts[1])
                }
        }

        private static func words(_ json: String) throws -> [String] {
            let list = try JSONSerialization.jsonObject(with: Data(json.utf8))
            return try #require(list as? [String])
        }

        /// The recipe's packages hold each library that the programs need, besides the C library.
        @Test func recipeInstallsWhatTheProgramsNeed() throws {
            let run = try #require(Self.recipe().first { $0.name == "RUN" }?.value)
            let named = Set(run.split(separator: " ").map(String.init))
            let programs = try ContainerRoot.programs.map { try Binaries.path($0) }
            for library in try ContainerRoot.libraries(programs) {
                // The package may name the file by its path before the merge of /lib and /usr/lib.
                let name = (library as NSString).lastPathComponent
                let owner = try TestProcess.run("dpkg", ["-S", "*/" + name]).output
                let owners = owner.split(separator: "\n").map { String($0.prefix { $0 != ":" }) }
                let known = named.union(["libc6", "libgcc-s1"])
                #expect(owners.contains { known.contains($0) }, "\(library): \(owner)")
            }
        }

        /// The job of the recipe, as its user, in a file system that has what the recipe copies.
        @Test func recipeRunsItsJob() throws {
            try ContainerRoot.lend { root in
                var user: UInt32?
                var environment: [String: String] = [:]
                var command: [String] = []
                for (name, value) in try Self.recipe() {
                    switch name {
                    // A base image, and packages: the container has their files.
                    case "FROM", "RUN": continue
                    case "COPY" where value == "bin /usr/local/bin": continue
                    case "COPY":
                        let parts = value.split(separator: " ").map(String.init)
                        try root.install(Self.example + parts[0], as: parts[1], mode: 0o755)
                    case "ENV":
                        let parts = value.split(separator: "=").map(String.init)
                        environment[parts[0]] = parts[1]
                    case "USER": user = UInt32(value.prefix { $0 != ":" })
                    case "ENTRYPOINT": command = try Self.words(value) + command
                    case "CMD": command += try Self.words(value)
                    default: Issue.record("The test doesn't know \(name).")
                    }
                }
                let logins = "machine git.example.org login builder password s3cret\n"
                let result = try root.run(
                    command, as: #require(user), environment: environment, input: logins)
                #expect(result.ending == .exit(0), "\(result.output)\(result.errors)")
                #expect(
                    result.output.contains("job: the login of git.example.org has 6 characters\n"))
                #expect(!result.output.contains("s3cret"))
                #expect(!result.errors.contains("s3cret"))
            }
        }

        /// The same script as a job of a build server, without a container: it makes its keychain.
        @Test func jobMakesItsOwnKeychain() throws {
            try TemporaryDirectory.lend { directory in
                let logins = directory + "/logins"
                try Data("machine git.example.org login builder password s3cret\n".utf8)
                    .write(to: URL(fileURLWithPath: logins))
                var options = TestProcess.Options()
                options.environment = [
                    "PATH": Binaries.directory + ":/usr/bin:/bin", "TMPDIR": directory,
                ]
                let result = try TestProcess.run(Self.example + "job", [logins], options)
                #expect(result.ending == .exit(0), "\(result.output)\(result.errors)")
                #expect(
                    result.output.hasSuffix("job: the login of git.example.org has 6 characters\n"))
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: directory) == ["logins"])
                // A login that isn't there ends the job.
                options.environment["SERVER"] = "other.example.org"
                #expect(
                    try TestProcess.run(Self.example + "job", [logins], options).ending == .exit(44)
                )
            }
        }
    }
}

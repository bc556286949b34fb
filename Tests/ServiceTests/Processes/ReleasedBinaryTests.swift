// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

extension ServiceTests {
    /// The code that is linked into the released programs, and the code that isn't. Each check has
    /// a control: the same check of a program that has it.
    @Suite struct ReleasedBinaries {
        private static let programs = ["securityd", "enclaved", "security"]
        private static let modules = [
            "CodeIdentity", "Enclave", "EnclaveState", "EnclaveWire", "IPC", "ItemStore",
            "Keychain", "PasscodeDeriver", "Sandbox", "SecretBytes", "SecurityDaemon",
            "SecurityTool", "SecurityWire", "Supervision", "enclaved", "securityd",
        ]
        /// The program that runs the tests.
        private static var tests: String {
            get throws {
                try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            }
        }

        // MARK: - Switches

        /// Every name of one of our environment variables that a program could look for.
        @Test(arguments: programs)
        func onlyTheDocumentedVariablesAreRead(program: String) throws {
            #expect(try Self.undocumentedVariables(Binaries.path(program)) == [])
        }

        @Test func controlUndocumentedVariablesAreFound() throws {
            // LLAVERO_BINARIES and others, in the tests themselves.
            #expect(try Self.undocumentedVariables(Self.tests) != [])
            let daemon = try Data(contentsOf: URL(fileURLWithPath: Binaries.path("securityd")))
            #expect(daemon.range(of: Data("LLAVERO_".utf8)) != nil)
        }

        @Test func daemonsTakeOnlyTheDocumentedOptions() throws {
            for program in ["securityd", "enclaved", "llavero-session", "llavero-pam"] {
                let options = try Self.options(Binaries.path(program))
                #expect(options.filter { !Self.isDocumented($0) } == [], "\(program)")
            }
            // The control.
            let daemon = try Self.options(Binaries.path("securityd"))
            #expect(daemon.contains("--worker"))
            #expect(daemon.contains { "--ephemeral".hasPrefix($0) })
            #expect(try Self.options(Binaries.launcher()).contains { !Self.isDocumented($0) })
        }

        @Test(arguments: programs)
        func nothingOfOursIsNamedLikeATestSwitch(program: String) throws {
            let path = try Binaries.path(program)
            let names = try Self.symbols(path, of: Self.modules)
            #expect(names.count > 500)
            #expect(names.filter(Self.soundsLikeATestSwitch) == [])
        }

        @Test func controlTestSwitchesAreFoundByTheirNames() throws {
            FaultInjectionControl.setClock()
            let names = try Self.symbols(Self.tests, of: ["ServiceTests"])
            #expect(names.contains { $0.contains("FaultInjectionControl") })
            #expect(names.contains(where: Self.soundsLikeATestSwitch))
        }

        @Test(arguments: programs)
        func noClockCanBeSet(program: String) throws {
            let calls = Set(try Self.nm(Binaries.path(program), ".").map(Self.plainName))
            #expect(
                calls.isDisjoint(with: [
                    "clock_settime", "settimeofday", "adjtimex", "stime",
                    "clock_adjtime", "adjtime", "ntp_adjtime",
                ]))
            // The control: calls of this kind are detected.
            #expect(calls.contains("clock_gettime"))
        }

        // MARK: - Libraries

        @Test func enclavedHasNoDatabaseNoFoundationAndNoProtobuf() throws {
            let enclave = try Self.nm(Binaries.path("enclaved"), ".")
            let daemon = try Self.nm(Binaries.path("securityd"), ".")
            for (library, mark) in [
                ("SQLite", "sqlite3_"), ("Foundation", "$s10Foundation"),
                ("SwiftProtobuf", "13SwiftProtobuf"), ("GRDB", "4GRDB"),
                ("SecurityWire", "12SecurityWire"), ("swift-log", "7Logging"),
            ] {
                #expect(!enclave.contains { $0.contains(mark) }, "\(library)")
                #expect(daemon.contains { $0.contains(mark) }, "\(library): the control")
            }
            // The control for the enclave's own symbols.
            #expect(enclave.contains { $0.contains("$s7Enclave") })
            #expect(enclave.contains { $0.contains("argon2") })
        }

        @Test func securitydHasNothingThatHandlesClassKeys() throws {
            let marks = [
                "s7Enclave0", "s7EnclaveA", "12EnclaveState", "15PasscodeDeriver", "argon2",
            ]
            // Each program has a function main, so there is always a line.
            let pattern = (["^main$"] + marks).joined(separator: "|")
            #expect(Set(try Self.nm(Binaries.path("securityd"), pattern)) == ["main"])
            let enclave = try Self.nm(Binaries.path("enclaved"), pattern)
            for mark in marks {
                #expect(enclave.contains { $0.contains(mark) }, "\(mark): the control")
            }
        }

        @Test func symbolsAreBoundAtStart() throws {
            for program in ["securityd", "enclaved"] {
                let result = try TestProcess.run(
                    "readelf", ["-d", Binaries.path(program)])
                #expect(result.output.contains("BIND_NOW") || result.output.contains("NOW"))
            }
        }

        // MARK: - Helpers

        private static func nm(_ path: String, _ pattern: String) throws -> [String] {
            let result = try TestProcess.run(
                "sh",
                [
                    "-c", #"{ nm -P "$1"; nm -DP "$1"; } | cut -d' ' -f1 | grep -E "$2""#, "sh",
                    path, pattern,
                ])
            let lines = result.output.split(separator: "\n").map(String.init)
            guard !lines.isEmpty else {
                throw TestFailure("\(path) has no symbols. \(result.errors)")
            }
            return lines
        }

        /// Symbols of modules, without those that the compiler generates.
        private static func symbols(
            _ path: String, of modules: [String]
        ) throws -> [String] {
            let marks = modules.map { "\($0.count)\($0)" }.joined(separator: "|")
            let command = #"""
                nm -P "$1" | cut -d' ' -f1 | grep -E "$2" | sort -u | swift-demangle --simplified
                """#
            let result = try TestProcess.run("sh", ["-c", command, "sh", path, "^.s(\(marks))"])
            return result.output.split(separator: "\n").map(String.init)
        }

        private static func soundsLikeATestSwitch(_ name: String) -> Bool {
            var text = name.lowercased()
            for harmless in ["destructiveinjectenumtag", "default"] {
                text = text.replacingOccurrences(of: harmless, with: "")
            }
            return [
                "fault", "inject", "mock", "fake", "testing", "testhook", "failpoint", "bypass",
                "insecure", "simulat", "setclock", "weaken", "backdoor",
            ].contains { text.contains($0) }
        }

        private static func plainName(_ symbol: String) -> String {
            let name = symbol.prefix { $0 != "@" }
            return String(name.drop { $0 == "_" })
        }

        private static let documentedVariables = ["SOCKET", "DEADLINE_MS"]
        private static let headerGuards = ["CLINUXSUPPORT_H"]

        /// The part after `LLAVERO_` if it isn't a documented name.
        ///
        /// A name of up to 15 bytes isn't stored as a string: the code contains two numbers, some
        /// bytes apart (on x86-64). So the rest is searched for nearby.
        private static func undocumentedVariables(_ path: String) throws -> [String] {
            let program = try Data(contentsOf: URL(fileURLWithPath: path))
            let known = (documentedVariables + headerGuards).map { Data($0.utf8) }
            var found: [String] = []
            var rest = program[...]
            while let hit = rest.range(of: Data("LLAVERO_".utf8)) {
                let near = program[hit.upperBound..<min(hit.upperBound + 32, program.endIndex)]
                if !known.contains(where: { near.range(of: $0) != nil }) {
                    found.append(
                        String(decoding: near.prefix { $0 > 32 && $0 < 127 }, as: UTF8.self))
                }
                rest = program[hit.upperBound...]
            }
            return found
        }

        private static let documentedOptions = [
            "--ephemeral", "--user", "--system", "--worker", "--state", "--connections", "--help",
            "--device-key", "--passcode-fd", "--no-recovery-code", "--system-worker", "--root",
            "--users",
            "--permits", "--groups", "--control", "--public", "--starter",
            "--locker", "--metrics", "--socket", "--options", "--protectors",
            "--protector-credential", "--protector-key-file", "--tpm-wait",
            "--agent", "--no-agent", "--key", "--pinentry", "--roots", "--crls", "--trust-config",
            "--trust-starter", "--touch-key", "--fetch",
        ]
        /// From the Swift runtime, for the program that prints a crash.
        private static let runtimeOptions = [
            "--unwind", "--demangle", "--interactive", "--color", "--timeout", "--preset",
            "--crashinfo", "--threads", "--registers", "--images", "--limit", "--top",
            "--sanitize", "--cache", "--output-to", "--symbolicate", "--format",
        ]

        /// A short option is stored in the code as numbers, the first of 8 bytes.
        private static func isDocumented(_ option: String) -> Bool {
            runtimeOptions.contains(option)
                // A comparison has the first eight bytes in an instruction, and the two bytes of the
                // jump behind it may be letters.
                || documentedOptions.contains {
                    $0 == option || option.count <= 10 && $0.prefix(8) == option.prefix(8)
                }
        }

        /// Everything in the program that looks like a long option.
        private static func options(_ path: String) throws -> Set<String> {
            let program = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            var found: Set<String> = []
            let dash = UInt8(ascii: "-")
            for start in program.indices.dropLast(2) where program[start] == dash {
                let isFirst = start == 0 || !(32..<127).contains(program[start - 1])
                guard isFirst, program[start + 1] == dash else { continue }
                let word = program[(start + 2)...].prefix(24).prefix {
                    $0 == dash || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                }
                guard word.count > 2, word.first != dash else { continue }
                found.insert("--" + String(decoding: word, as: UTF8.self))
            }
            return found
        }
    }
}

/// Contains a name that released programs must not have.
private enum FaultInjectionControl {
    @inline(never) static func setClock() {}
}

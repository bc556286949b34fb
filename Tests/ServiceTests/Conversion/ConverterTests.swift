// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire
import Foundation
import TestSupport
import Testing

extension ServiceTests {
    /// llavero-convert as a process: what it may do, and what comes of it.
    @Suite struct Converter {
        private var reading: ConversionRequest {
            ConversionRequest(.read, password: ConverterRun.secret("secret"))
        }

        private func withFile<Value>(
            _ content: Data, _ body: (String) throws -> Value
        ) throws -> Value {
            try TemporaryDirectory.lend { directory in
                let path = directory + "/file"
                try content.write(to: URL(fileURLWithPath: path))
                return try body(path)
            }
        }

        @Test(arguments: [
            ("keepassxc-3.1.kdbx", 2), ("keepassxc-4.kdbx", 5), ("pykeepass-argon2d-aes.kdbx", 4),
            ("bitwarden.json", 5), ("bitwarden-argon2id.json", 5), ("export.1pux", 3),
        ])
        func everyFormatIsReadInTheSandbox(_ name: String, _ count: Int) throws {
            let answers = try ConverterRun.read(ConverterRun.sample(name), reading)
            #expect(ConverterRun.isComplete(answers))
            #expect(ConverterRun.records(answers).count == count)
            guard case .recognized = answers.first ?? nil else {
                Issue.record("the format isn't first")
                return
            }
        }

        @Test func theReasonOfARefusalComesLast() throws {
            let wrong = ConversionRequest(.read, password: ConverterRun.secret("other"))
            for name in ["keepassxc-3.1.kdbx", "keepassxc-4.kdbx", "bitwarden-pbkdf2.json"] {
                let answers = try ConverterRun.read(ConverterRun.sample(name), wrong)
                #expect(ConverterRun.failure(answers)?.reason == .passwordWrong)
                #expect(ConverterRun.records(answers).isEmpty)
            }
            try withFile(Data("name,url,username,password\na,b,c\n".utf8)) { path in
                let answers = try ConverterRun.read(path, ConversionRequest(.read))
                #expect(
                    ConverterRun.failure(answers)
                        == ConversionFailure(.wrongColumnCount, line: 2))
            }
        }

        @Test func aFileOverItsLimitIsRefusedUnread() throws {
            try TemporaryDirectory.lend { directory in
                let path = directory + "/large"
                #expect(FileManager.default.createFile(atPath: path, contents: nil))
                // A hole takes no room.
                let size = ConversionLimits.fileByteCount + 1
                #expect(unsafe truncate(path, size) == 0)
                let answers = try ConverterRun.read(path, reading)
                #expect(ConverterRun.failure(answers) == ConversionFailure(over: .fileByteCount))
            }
        }

        // MARK: - Writing

        /// pykeepass reads every field of what is written.
        @Test func pykeepassReadsOurKeePassFile() throws {
            try TemporaryDirectory.lend { directory in
                let path = directory + "/ours.kdbx"
                let request = ConversionRequest(
                    .write, .keePass, password: ConverterRun.secret("sécret"))
                let answers = try ConverterRun.write(Self.samples, request, to: path)
                guard case .end = answers.last ?? nil else {
                    Issue.record("it wasn't written: \(answers)")
                    return
                }
                let script = """
                    import sys, warnings
                    warnings.filterwarnings("ignore")
                    from pykeepass import PyKeePass
                    k = PyKeePass(sys.argv[1], "sécret")
                    print(k.version, k.kdf_algorithm, k.encryption_algorithm)
                    for e in k.entries:
                        print(repr([e.title, e.username, e.password, e.url, e.notes, e.otp,
                            e.path, sorted(e.tags or []), e.custom_properties, str(e.ctime)]))
                    """
                let result = try TestProcess.run("/usr/bin/python3", ["-c", script, path])
                #expect(result.ending == .exit(0), "\(result.errors)")
                let lines = result.output.split(separator: "\n").map(String.init)
                try #require(lines.count == 3)
                #expect(lines[0] == "(4, 0) argon2id aes256")
                #expect(
                    lines.contains(
                        """
                        ['Bank', 'anna', 'p<ä>&"ss', 'https://a.example', 'line 1\\nline 2', \
                        'otpauth://x', ['Work', 'Deep', 'Bank'], ['home', 'money'], \
                        {'KP2A_URL': 'https://b.example', 'PIN': '1234'}, \
                        '2020-01-02 03:04:05+00:00']
                        """))
                #expect(lines.contains { $0.hasPrefix("['日本', None, None, None, 'only', None") })
            }
        }

        private static var samples: [ConvertedRecord] {
            var login = ConvertedRecord(.login, number: 1)
            login.title = "Bank"
            login.userName = "anna"
            login.password = ConverterRun.secret("p<ä>&\"ss")
            login.addresses = ["https://a.example", "https://b.example"]
            login.notes = ConverterRun.secret("line 1\nline 2")
            login.oneTimePassword = ConverterRun.secret("otpauth://x")
            login.folder = ["Work", "Deep"]
            login.tags = ["money", "home"]
            login.created = 1_577_934_245_000
            login.fields = [.init("PIN", ConverterRun.secret("1234"), .hidden)]
            var note = ConvertedRecord(.note, number: 2)
            note.title = "日本"
            note.notes = ConverterRun.secret("only")
            return [login, note]
        }

        @Test func tenThousandEntriesComeBackAndPykeepassHasThem() throws {
            let records = (1...10_000).map { number in
                var record = ConvertedRecord(.login, number: number)
                record.title = "Title \(number)"
                record.userName = "user\(number)@example.org"
                record.password = ConverterRun.secret("pässword \(number)")
                record.addresses = ["https://host\(number).example/login"]
                record.folder = ["Group \(number % 100)"]
                record.notes = ConverterRun.secret("line 1\nline \(number)")
                return record
            }
            try TemporaryDirectory.lend { directory in
                let path = directory + "/many.kdbx"
                let request = ConversionRequest(
                    .write, .keePass, password: ConverterRun.secret("secret"))
                _ = try ConverterRun.write(records, request, to: path)
                let again = ConverterRun.records(try ConverterRun.read(path, reading))
                try #require(again.count == records.count)
                let found = Set(again.map(Self.line))
                #expect(found == Set(records.map(Self.line)))
                let script = """
                    import sys, warnings
                    warnings.filterwarnings("ignore")
                    from pykeepass import PyKeePass
                    print(len(PyKeePass(sys.argv[1], "secret").entries))
                    """
                let result = try TestProcess.run(
                    "/usr/bin/python3", ["-c", script, path], within: .seconds(60))
                #expect(result.output == "10000\n", "\(result.errors)")
            }
        }

        private static func line(_ record: ConvertedRecord) -> String {
            let secrets = [record.password, record.notes].map(ConverterRun.text)
            return ([record.title, record.userName] + record.addresses + record.folder + secrets)
                .joined(separator: "|")
        }

        @Test(arguments: ConversionFormat.allCases.filter(\.isWritten))
        func whatIsWrittenIsReadAgain(_ format: ConversionFormat) throws {
            try TemporaryDirectory.lend { directory in
                let path = directory + "/file"
                let answers = try ConverterRun.write(
                    Self.samples,
                    ConversionRequest(.write, format, password: ConverterRun.secret("secret")),
                    to: path)
                guard case .end(2) = answers.last ?? nil else {
                    Issue.record("it wasn't written")
                    return
                }
                let again = try ConverterRun.read(path, reading)
                #expect(ConverterRun.isComplete(again))
                let bank = try #require(
                    ConverterRun.records(again).first { $0.title == "Bank" })
                #expect(ConverterRun.text(bank.password) == "p<ä>&\"ss")
            }
        }

        @Test func anEndWithAnotherCountWritesNothing() throws {
            try TemporaryDirectory.lend { directory in
                let path = directory + "/file"
                let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
                defer { close(file) }
                let run = try ConverterRun(file: file)
                try run.send([
                    .request(ConversionRequest(.write, .chromeCSV)), .record(Self.samples[0]),
                    .end(2),
                ])
                #expect(ConverterRun.failure(run.answers()) == ConversionFailure(.failed))
                #expect(try Data(contentsOf: URL(fileURLWithPath: path)).isEmpty)
            }
        }

        // MARK: - Rights

        @Test func aConverterHasItsDescriptorsAndNothingElse() throws {
            let path = ConverterRun.sample("bitwarden.json")
            let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
            defer { close(file) }
            let run = try ConverterRun(file: file)
            // It waits for its request, and has given up its rights before.
            let pid = run.process.pid
            let status = try Waiting.value("a confined converter") { () -> String? in
                let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
                return status?.contains("Seccomp:\t2") == true ? status : nil
            }
            #expect(status.contains("NoNewPrivs:\t1"))
            #expect(status.contains("Threads:\t1\n"))
            let limits = try String(contentsOfFile: "/proc/\(pid)/limits", encoding: .utf8)
            #expect(limits.contains(try Regex("Max cpu time +90 +90")))
            #expect(limits.contains(try Regex("Max data size +1610612736 +1610612736")))
            #expect(limits.contains(try Regex("Max core file size +0 +0")))
            try Waiting.until("the terminal to be closed") {
                let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd")
                return Set(names) == ["3", "4", "5"]
            }
            try run.send([.request(reading)])
            #expect(ConverterRun.isComplete(run.answers()))
            #expect(try run.process.wait() == .exit(0))
        }

        /// An intruder in llavero-convert opens a file, calls out, or starts a program.
        @Test(arguments: [
            "read-outside", "make-outside", "list-outside", "socket", "local-socket", "fork",
            "thread", "program", "debug", "read-memory", "signal", "map-program",
            "make-executable", "dumpable",
        ])
        func aConverterThatIsTakenOverIsEnded(attempt: String) throws {
            try TemporaryDirectory.lend { directory in
                let result = try TestProcess.run(
                    Binaries.launcher(), ["--unprivileged", "converting", directory, attempt])
                #expect(result.output == "entered\n")
                #expect(result.ending == .signal(SIGSYS))
            }
        }

        @Test func controlMemoryCanBeMapped() throws {
            try TemporaryDirectory.lend { directory in
                let result = try TestProcess.run(
                    Binaries.launcher(), ["--unprivileged", "converting", directory, "map-memory"])
                #expect(result.output == "entered\nerror 0\n")
            }
        }

        @Test func otherArgumentsAreRefused() throws {
            for words in [[], ["--help"], ["--descriptors"], ["--descriptors", "3", "x"]] {
                let result = try TestProcess.run(Binaries.path("llavero-convert"), words)
                #expect(result.ending == .exit(1))
                #expect(result.errors == "llavero-convert: the command security starts it\n")
            }
        }

        /// Memory stays within its limit, whatever a file claims.
        @Test func aBombTakesNoMemory() throws {
            try TemporaryDirectory.lend { directory in
                let path = directory + "/bomb.1pux"
                let made = try TestProcess.run(
                    "/usr/bin/python3",
                    [
                        "-c",
                        """
                        import zipfile, sys
                        with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as z:
                            z.writestr("export.data", b"[" * (200 << 20))
                        """, path,
                    ], within: .seconds(60))
                try #require(made.ending == .exit(0))
                let answers = try ConverterRun.read(path, ConversionRequest(.read))
                #expect(ConverterRun.failure(answers) == ConversionFailure(over: .unpackingRatio))
            }
        }
    }
}

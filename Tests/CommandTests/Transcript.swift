// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import TestSupport

/// The output of a command.
struct Answer: Equatable, CustomStringConvertible {
    var status: Int32
    var output: String
    var errors: String

    init(_ status: Int32, _ output: String = "", errors: String = "") {
        self.status = status
        self.output = output
        self.errors = errors
    }

    var description: String { "status \(status)\n--- output\n\(output)--- errors\n\(errors)" }
}

/// The `security` command as scripts run it, with a separate keychain that ends with this object.
final class Transcript {
    private let service: TestService?
    private var options = TestProcess.Options()

    /// Starts a keychain.
    init() throws {
        let service = try TestService.start()
        self.service = service
        set(socket: service.socketPath)
    }

    /// The directory of the keychain's files.
    var stateDirectory: String? { service?.stateDirectory }

    /// Runs commands without a keychain: no service listens at `socket`.
    init(socket: String) {
        service = nil
        set(socket: socket)
    }

    private func set(socket: String) {
        options.environment = [
            "HOME": "/home/tester", "PATH": "/usr/bin:/bin", "LLAVERO_SOCKET": socket,
            "LLAVERO_DEADLINE_MS": "30000",
        ]
    }

    /// Runs `security` with arguments, in a session without a terminal.
    func run(_ words: String..., input: String = "") throws -> Answer {
        try run(words, input: input)
    }

    /// Runs `security` with arguments and a home directory, in a session without a terminal.
    func run(
        _ words: [String], input: String = "", home: String? = nil,
        deadlineMilliseconds: Int? = nil
    ) throws -> Answer {
        var options = options
        if let deadlineMilliseconds {
            options.environment["LLAVERO_DEADLINE_MS"] = "\(deadlineMilliseconds)"
        }
        if let home { options.environment["HOME"] = home }
        let result = try TestProcess.run(
            "/usr/bin/setsid", ["--wait", Binaries.path("security")] + words, options,
            input: input)
        return try Answer(result)
    }

    /// Runs a line of the shell.
    func shell(_ line: String) throws -> Answer {
        try Answer(TestProcess.run("/bin/sh", ["-c", line], options))
    }

    /// Starts `security`.
    func start(_ words: [String]) throws -> TestProcess {
        try TestProcess(Binaries.path("security"), words, options)
    }

    /// Runs `security` on a separate terminal.
    /// - Returns: Its output on the terminal.
    func runOnTerminal(_ words: [String], redirecting: String = "") throws -> String {
        let command = try ([Binaries.path("security")] + words).map { "'\($0)'" }
            .joined(separator: " ")
        let result = try TestProcess.run(
            "/usr/bin/script", ["-qec", "\(command) \(redirecting)", "/dev/null"], options)
        guard result.ending == .exit(0) else { throw TestFailure(result.output) }
        return result.output
    }
}

extension Answer {
    fileprivate init(_ result: TestProcess.Result) throws {
        switch result.ending {
        case .exit(let status): self.init(status, result.output, errors: result.errors)
        case .signal(let number): throw TestFailure("security ended by signal \(number)")
        }
    }
}

/// Texts that several transcripts contain.
enum Text {
    static let absent = "The specified item could not be found in the keychain."
    static let notFound = Answer(
        44, errors: "security: SecKeychainSearchCopyNext: \(absent)\n")
}

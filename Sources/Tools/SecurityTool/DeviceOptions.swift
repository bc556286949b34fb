// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import SecretBytes

/// The options of a verb of `security device`: `--name`, and `--name VALUE` or `--name=VALUE`, each
/// at most once and in any order.
struct DeviceOptions {
    private var values: [String: String] = [:]
    private var flags: Set<String> = []

    /// Parses the arguments after the verb.
    /// - Throws: ``DeviceProblem/usage`` for an unknown argument.
    init(
        _ words: [String], values names: Set<String> = [], flags flagNames: Set<String> = []
    ) throws(DeviceProblem) {
        var rest = words[...]
        while let word = rest.popFirst() {
            if flagNames.contains(word) {
                guard flags.insert(word).inserted else { throw .usage }
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts.first ?? "")
            let value = parts.count == 2 ? String(parts[1]) : rest.popFirst()
            guard names.contains(name), let value, values[name] == nil else { throw .usage }
            values[name] = value
        }
    }

    /// Whether there are none.
    var isEmpty: Bool { values.isEmpty && flags.isEmpty }

    /// Whether an option without a value is present.
    func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// The value of an option.
    func value(_ name: String) -> String? { values[name] }

    /// The value of an option that is a descriptor.
    func descriptor(_ name: String) throws(DeviceProblem) -> Int32? {
        guard let text = values[name] else { return nil }
        guard let number = Int32(text), number >= 0 else { throw .usage }
        return number
    }
}

/// The source of passcodes.
struct PasscodeSource {
    /// Nil is the terminal.
    let descriptor: Int32?

    private static let byteLimit = 1024

    /// The current passcode.
    func current(_ prompt: String) throws(DeviceProblem) -> Secret {
        try secret(prompt, option: "--passcode-fd")
    }

    /// The new passcode.
    func new() throws(DeviceProblem) -> Secret {
        if let descriptor { return try Self.line(descriptor) }
        guard PasswordPrompt.hasTerminal else { throw .noTerminal("--passcode-fd") }
        return try Self.entered(
            PasswordPrompt.twice("new passcode: ", "retype new passcode: "))
    }

    /// A line without echo; if there is no terminal, the error names `option`.
    func secret(_ prompt: String, option: String) throws(DeviceProblem) -> Secret {
        if let descriptor { return try Self.line(descriptor) }
        guard PasswordPrompt.hasTerminal else { throw .noTerminal(option) }
        return try Self.entered(PasswordPrompt.once(prompt))
    }

    private static func line(_ descriptor: Int32) throws(DeviceProblem) -> Secret {
        guard let line = Line.readSecret(from: descriptor, limit: byteLimit + 1),
            line.byteCount <= byteLimit
        else { throw .unreadable }
        return Secret(line)
    }

    private static func entered(_ answer: PasswordPrompt.Answer) throws(DeviceProblem) -> Secret {
        switch answer {
        case .entered(let secret): return secret
        case .refused: throw .refused
        case .canceled: throw .canceled
        }
    }
}

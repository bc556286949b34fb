// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC
import SecretBytes

/// Asks by a pinentry: on the terminal of the asking process, or in a window.
final class PinentryPrompt: PersonPrompt {
    private let program: String
    private let process: Int32
    private let environment: [String]
    private let terminal: String?
    private var lines: [String] = []
    private var remark: String?

    /// Errors of a pinentry (source 5 of libgpg-error).
    private static let canceled: UInt32 = 83_886_179
    private static let fullyCanceled: UInt32 = 83_886_278
    private static let notConfirmed: UInt32 = 83_886_194
    private static let timeout: UInt32 = 83_886_142

    /// Those that show a window.
    private static let windows = ["pinentry-gnome3", "pinentry-qt", "pinentry-gtk-2"]

    /// A pinentry that the owner has chosen.
    /// - Returns: Nil when the process has neither a terminal nor the agent's display.
    init?(_ program: String, of process: Int32, _ session: AgentSession) {
        terminal = ProcessTerminal(of: process)?.path
        let isOnDisplay = session.includes(process)
        guard terminal != nil || isOnDisplay else { return nil }
        self.program = program
        self.process = process
        environment = session.variables(withDisplay: isOnDisplay)
    }

    /// A window of what is installed.
    /// - Returns: Nil when the process doesn't have the agent's display.
    init?(windowFor process: Int32, _ session: AgentSession) {
        guard session.includes(process),
            let name = Self.windows.first(where: { unsafe access("/usr/bin/" + $0, X_OK) == 0 })
        else { return nil }
        program = "/usr/bin/" + name
        terminal = nil
        self.process = process
        environment = session.variables(withDisplay: true)
    }

    func begin(_ lines: [String]) { self.lines = lines }

    func wrong(_ line: String) { remark = line }

    func end(_ line: String) {}

    /// A pinentry waits for an entry alone.
    var canWait: Bool { false }

    func wait(
        for reader: FingerprintReader, _ line: String, hasPasscode: Bool,
        until end: ContinuousClock.Instant
    ) -> TouchAnswer { .otherWay }

    func read(_ prompt: String, until end: ContinuousClock.Instant) -> PromptAnswer {
        guard let pinentry = Pinentry(program, environment) else { return .impossible }
        let isWanted = { [process, terminal] in
            terminal == nil ? kill(process, 0) == 0 : ProcessTerminal(of: process) != nil
        }
        for command in [[]] + commands(prompt, until: end) {
            switch pinentry.send(command, until: end, while: isWanted) {
            case .done: continue
            // An old pinentry doesn't know each option.
            case .failed: continue
            case .timedOut: return .timedOut
            case .abandoned: return .canceled
            case .broken: return .impossible
            }
        }
        switch pinentry.send(AssuanLine.command("GETPIN"), until: end, while: isWanted) {
        case .done(let entry):
            guard let entry, (1...TerminalPrompt.entryByteCountLimit).contains(entry.byteCount)
            else { return .canceled }
            return .entry(entry)
        case .failed(let code): return Self.answer(code)
        case .timedOut: return .timedOut
        case .abandoned: return .canceled
        case .broken: return .impossible
        }
    }

    private static func answer(_ code: UInt32) -> PromptAnswer {
        switch code {
        case canceled, fullyCanceled, notConfirmed: .canceled
        case timeout: .timedOut
        default: .impossible
        }
    }

    private func commands(
        _ prompt: String, until end: ContinuousClock.Instant
    ) -> [[UInt8]] {
        let left = max(ContinuousClock.now.duration(to: end) / .seconds(1), 1)
        var commands: [[UInt8]] = []
        if let terminal {
            commands.append(AssuanLine.command("OPTION", "ttyname=\(terminal)"))
            commands.append(AssuanLine.command("OPTION", "ttytype=xterm"))
        }
        commands.append(AssuanLine.command("SETTITLE", "Keychain"))
        commands.append(AssuanLine.command("SETDESC", lines.joined(separator: "\n")))
        commands.append(AssuanLine.command("SETPROMPT", prompt))
        commands.append(AssuanLine.command("SETTIMEOUT", "\(Int(left))"))
        if let remark { commands.append(AssuanLine.command("SETERROR", remark)) }
        return commands
    }
}

/// The session that the agent belongs to.
package struct AgentSession: Sendable {
    private let environment: [String: String]

    private static let displays = ["WAYLAND_DISPLAY", "DISPLAY"]
    private static let others = [
        "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "HOME", "LANG", "LC_ALL",
        "DBUS_SYSTEM_BUS_ADDRESS",
    ]
    private static let byteCountLimit = 256 * 1024

    /// The variables that the agent passes on, and no others.
    package static var names: [String] { displays + others }

    /// - Parameter environment: The agent's own.
    package init(_ environment: [String: String]) {
        self.environment = environment.filter { Self.names.contains($0.key) }
    }

    /// Whether a process was started with the agent's display. A process of another session, or one
    /// without a display, isn't asked here.
    func includes(_ process: Int32) -> Bool {
        let given = Self.displays.compactMap { name in environment[name].map { "\(name)=\($0)" } }
        guard !given.isEmpty, let started = Self.variables(of: process) else { return false }
        return given.contains { started.contains($0) }
    }

    /// The environment of a pinentry.
    func variables(withDisplay hasDisplay: Bool) -> [String] {
        var variables = ["PATH=/usr/bin:/bin", "TERM=xterm"]
        for name in Self.names where hasDisplay || !Self.displays.contains(name) {
            if let value = environment[name] { variables.append("\(name)=\(value)") }
        }
        return variables
    }

    private static func variables(of process: Int32) -> Set<String>? {
        let raw = unsafe open("/proc/\(process)/environ", O_RDONLY | O_CLOEXEC)
        guard raw >= 0 else { return nil }
        let file = Descriptor(owning: raw)
        var bytes = [UInt8](repeating: 0, count: byteCountLimit)
        let count = unsafe Glibc.read(file.rawValue, &bytes, bytes.count)
        guard count > 0 else { return nil }
        return Set(bytes[..<count].split(separator: 0).map { String(decoding: $0, as: UTF8.self) })
    }
}

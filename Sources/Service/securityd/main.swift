// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import IPC
import Sandbox
import SecurityDaemon
import Supervision

/// Writes a line for a person.
func say(_ line: String) {
    FileHandle.standardError.write(Data("securityd: \(line)\n".utf8))
}

/// This program again, with a daemon's environment.
/// - Parameters:
///   - arguments: Additional arguments for enclaved.
///   - protectors: Keys that unlock at the start.
///   - agent: How persons are asked; nil: nobody is.
///   - environment: Of the program that starts the service: the agent opens windows of that session.
/// - Returns: How the supervisor starts it.
/// - Throws: when /proc isn't mounted.
func worker(
    _ arguments: [String], _ protectors: [ProtectorSource] = [], _ agent: AgentChoice?,
    _ environment: [String: String]
) throws -> Supervisor.WorkerProgram {
    let path = try ownPath()
    let agentProgram = agent.map { agent in
        Supervisor.AgentProgram(
            path: (path as NSString).deletingLastPathComponent + "/llavero-agent",
            arguments: agent.pinentry.map { ["--pinentry", $0] } ?? [],
            environment: environment.filter { AgentChoice.variables.contains($0.key) }
                .merging(Sandbox.hardenedEnvironment) { _, hardened in hardened })
    }
    return Supervisor.WorkerProgram(
        path: path, environment: Sandbox.hardenedEnvironment, arguments: arguments,
        protectors: protectors, agent: agentProgram)
}

/// The folder of this program; the programs that belong to it are in the same one.
/// - Throws: when /proc isn't mounted.
func ownPath() throws -> String {
    try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
}

/// The program that sets the passcode of a new keychain: the `security` tool in the same folder.
/// - Parameter descriptor: The descriptor from which it reads the passcode.
/// - Returns: How the supervisor starts it.
/// - Throws: when /proc isn't mounted.
func setPasscode(from descriptor: Int32) throws -> Supervisor.Preparation {
    let directory = (try ownPath() as NSString).deletingLastPathComponent
    return Supervisor.Preparation(
        path: directory + "/security",
        arguments: [
            "security", "device", "set-passcode", "--passcode-fd", "3", "--no-recovery-code",
        ],
        descriptor: descriptor)
}

do {
    let environment = ProcessInfo.processInfo.environment
    switch try Options(Array(CommandLine.arguments.dropFirst())) {
    case .ephemeral(let command, let enclave, let passcode, let agent, let trust):
        let supervisor = try Supervisor(
            locations: .ephemeral(in: environment["TMPDIR"] ?? "/tmp"),
            worker: worker(trust.words + enclave + ["--ephemeral"], [], agent, environment),
            say: say)
        exit(
            try supervisor.run(
                command: command, after: passcode.map(setPasscode), environment: environment))
    case .user(let enclave, let protectors, let agent):
        let supervisor = try Supervisor(
            locations: .user(environment: environment),
            worker: worker(
                TrustConfiguration.ofUser(environment).words + enclave, protectors, agent,
                environment),
            say: say)
        say("Listening at \(supervisor.socketPath)")
        exit(try supervisor.run())
    case .system(let root, let users, let enclave, let protectors):
        let systemLog = ServiceLog(program: "securityd")
        var parts = try SystemSupervisor.Parts(
            programs: (ownPath() as NSString).deletingLastPathComponent,
            environment: Sandbox.hardenedEnvironment, enclaveArguments: enclave,
            enclaveConnectionCount: SystemWorker.enclaveConnectionCount, protectors: protectors,
            say: { systemLog.write($0, $0.priority, $1) })
        parts.trustArguments = TrustConfiguration.ofMachine(below: root).arguments
        let supervisor = try SystemSupervisor(
            root: root, users: ServiceUsers(users),
            manager: ServiceManager(environment: environment), parts)
        exit(try supervisor.run())
    case .systemWorker(
        let root, let stateDirectory, let permits, let locker, let startsTrust, let user,
        let groups):
        try SystemWorker.run(
            root: root, stateDirectory: stateDirectory,
            permits: PasscodePermits(directory: permits, stateDirectory: stateDirectory),
            locker: locker, startsTrust: startsTrust, user: user, groups: groups)
    case .worker(let stateDirectory, let enclave, let agent, let trust):
        try Worker.run(
            stateDirectory: stateDirectory, enclaveArguments: enclave, agent: agent,
            trust: trust)
    case .help:
        FileHandle.standardOutput.write(Data(Options.usage.utf8))
        exit(0)
    }
} catch let problem as Options.Problem {
    say("\(problem.text)\n\(Options.usage)")
    exit(2)
} catch {
    say("\(error)")
    exit(1)
}

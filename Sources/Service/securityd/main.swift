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
/// - Returns: How the supervisor starts it.
/// - Throws: when /proc isn't mounted.
func worker(
    _ arguments: [String], _ protectors: [ProtectorSource] = []
) throws -> Supervisor.WorkerProgram {
    Supervisor.WorkerProgram(
        path: try ownPath(), environment: Sandbox.hardenedEnvironment, arguments: arguments,
        protectors: protectors)
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
    case .ephemeral(let command, let enclave, let passcode):
        let supervisor = try Supervisor(
            locations: .ephemeral(in: environment["TMPDIR"] ?? "/tmp"),
            worker: worker(enclave + ["--ephemeral"]), say: say)
        exit(
            try supervisor.run(
                command: command, after: passcode.map(setPasscode), environment: environment))
    case .user(let enclave, let protectors):
        let supervisor = try Supervisor(
            locations: .user(environment: environment), worker: worker(enclave, protectors),
            say: say)
        say("Listening at \(supervisor.socketPath)")
        exit(try supervisor.run())
    case .system(let root, let users, let enclave, let protectors):
        let systemLog = ServiceLog(program: "securityd")
        let supervisor = try SystemSupervisor(
            root: root, users: ServiceUsers(users),
            manager: ServiceManager(environment: environment),
            SystemSupervisor.Parts(
                programs: (ownPath() as NSString).deletingLastPathComponent,
                environment: Sandbox.hardenedEnvironment, enclaveArguments: enclave,
                enclaveConnectionCount: Service.enclaveConnectionCount, protectors: protectors,
                say: { systemLog.write($0, $0.priority, $1) }))
        exit(try supervisor.run())
    case .systemWorker(
        let root, let stateDirectory, let permits, let locker, let user, let groups):
        try SystemWorker.run(
            root: root, stateDirectory: stateDirectory,
            permits: PasscodePermits(directory: permits, stateDirectory: stateDirectory),
            locker: locker, user: user, groups: groups)
    case .worker(let stateDirectory, let enclave):
        try Worker.run(stateDirectory: stateDirectory, enclaveArguments: enclave)
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

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import CodeIdentity
import Foundation
import IPC
import Sandbox
import SecurityDaemon
import Supervision
import Synchronization

/// Starts inspectors and trustd from a process that has no client's descriptor.
///
/// Until it executes its program, a new process has copies of its parent's descriptors, and closes
/// them. A client can attach a file to its proof that closes as late as its user likes (FUSE). So
/// securityd forks this process before it takes a connection. Where that has ended, or was stopped,
/// securityd starts programs itself.
final class ProgramStarter: Sendable {
    /// What can be started.
    struct Program: Sendable {
        let path: String
        let arguments: [String]
    }

    /// Starting a program takes some milliseconds, and longer on a busy machine.
    private static let patience = Duration.seconds(3)
    private static let childsSocket: Int32 = 3

    private let programs: [Program]
    private let releases: ReleaseThreads
    private let process: Int32
    /// -1 when the process is of no more use.
    private let socket: Mutex<Int32>

    /// Forks the process. The caller has no thread yet, and no secret.
    /// - Parameters:
    ///   - programs: What it can start.
    ///   - releases: Keeps descriptors of clients and a start here apart.
    /// - Throws: ``SystemError`` when there is no process or no pair of sockets.
    init(_ programs: [Program], releases: ReleaseThreads) throws(SystemError) {
        let ends = try MessageSocket.pair()
        let child = llavero_fork()
        guard child != 0 else { Self.serve(ends.1, programs) }
        close(ends.1)
        guard child > 0 else {
            close(ends.0)
            throw SystemError("fork")
        }
        UnixSocket.setTimeout(ends.0, Self.patience)
        self.programs = programs
        self.releases = releases
        process = child
        socket = Mutex(ends.0)
    }

    /// Starts a program.
    /// - Parameters:
    ///   - index: Which one.
    ///   - descriptors: Become 3, 4, … there; they stay the caller's.
    /// - Returns: Its process. It may be another one's child.
    /// - Throws: when it can't be started.
    func start(_ index: Int, _ descriptors: [Int32]) throws -> Int32 {
        let started: Int32? = socket.withLock { socket in
            guard socket >= 0 else { return nil }
            let request = StarterMessage(.start, process: Int32(index))
            if request.send(socket, descriptors),
                let (answer, files) = StarterMessage.receive(socket)
            {
                for file in files { close(file) }
                return answer.kind == .start ? answer.process : 0
            }
            // An answer that comes late would be taken for the next one's.
            kill(process, SIGKILL)
            close(socket)
            socket = -1
            return nil
        }
        if let started {
            guard started > 0 else { throw SystemError("posix_spawn", errno: EAGAIN) }
            return started
        }
        return try releases.whileStarting { try Self.spawn(programs[index], descriptors) }
    }

    // MARK: - The process

    /// Works until securityd closes its end.
    private static func serve(_ socket: Int32, _ programs: [Program]) -> Never {
        // The kernel collects children.
        signal(SIGCHLD, SIG_IGN)
        guard socket == childsSocket || dup2(socket, childsSocket) >= 0,
            llavero_close_range(UInt32(childsSocket) + 1, .max, 0) == 0
        else { _exit(1) }
        while let (request, files) = StarterMessage.receive(childsSocket) {
            var answer = StarterMessage(.failed)
            let index = Int(request.process)
            if request.kind == .start, programs.indices.contains(index),
                let child = try? spawn(programs[index], files)
            {
                answer = StarterMessage(.start, process: child)
            }
            for file in files { close(file) }
            guard answer.send(childsSocket) else { break }
        }
        _exit(0)
    }

    private static func spawn(_ program: Program, _ descriptors: [Int32]) throws -> Int32 {
        var options = ChildProcess.Options()
        options.descriptors = descriptors
        options.environment = Sandbox.hardenedEnvironment
        options.hasNoInput = true
        let name = (program.path as NSString).lastPathComponent
        return try ChildProcess.start(program.path, [name] + program.arguments, options)
    }
}

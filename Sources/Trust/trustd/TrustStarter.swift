// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC
import Sandbox

/// Starts trustd and transcoder processes for the securityd of the system's service, which is another
/// user. It has no descriptor of a client, reads nothing from clients and judges nothing:
///
///     trustd --starter --user UID --groups GID[,GID…] --roots FILE [--crls FOLDER]
final class TrustStarter {
    private struct Started {
        let process: Int32
        let descriptor: Int32
    }

    /// The supervisor's connection.
    private static let connection: Int32 = 3
    /// As many as securityd uses at most, with room for those that can't be killed at once.
    private static let processLimit = 64

    private let supervisor: ControlSocket
    /// The arguments of each trustd after its connections.
    private let arguments: [String]
    private let environment: [String]
    /// securityd's connection.
    private var client: Int32 = -1
    private var started: [Started] = []

    private init(_ arguments: [String], environment: [String]) {
        supervisor = ControlSocket(Descriptor(owning: Self.connection))
        self.arguments = arguments
        self.environment = environment
    }

    /// Becomes its user, and works until the supervisor has ended.
    /// - Parameters:
    ///   - words: The arguments after `--starter`.
    ///   - environment: The whole environment, for the processes that it starts.
    /// - Returns: The exit status; nil for arguments that aren't its own.
    static func run(_ words: [String], environment: [String]) -> Int32? {
        guard words.count == 6 || words.count == 8, words[0] == "--user",
            let user = UInt32(words[1]), user != 0, words[2] == "--groups"
        else { return nil }
        let texts = words[3].split(separator: ",", omittingEmptySubsequences: false)
        let groups = texts.compactMap { UInt32($0) }
        guard groups.count == texts.count, let group = groups.first, !groups.contains(0) else {
            return nil
        }
        guard unsafe llavero_become_user(user, group, groups, groups.count) == 0 else { return 1 }
        do throws(SandboxError) { try Sandbox.harden() } catch { return 1 }
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        // The kernel collects children.
        signal(SIGCHLD, SIG_IGN)
        signal(SIGPIPE, SIG_IGN)
        return TrustStarter(Array(words[4...]), environment: environment).serve()
    }

    private func serve() -> Int32 {
        while true {
            var entries = [
                pollfd(fd: supervisor.rawValue, events: Int16(POLLIN), revents: 0),
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
            ]
            guard unsafe poll(&entries, 2, -1) > 0 else { continue }
            if entries[0].revents != 0, !hear() {
                letGo()
                return 0
            }
            if entries[1].revents != 0, entries[1].fd == client { answer() }
        }
    }

    /// - Returns: False when the supervisor has ended.
    private func hear() -> Bool {
        switch supervisor.receive() {
        case .nothing: return true
        case .end: return false
        case .message(.ping, _): supervisor.send(.ping)
        case .message(.renew, _): letGo()
        case .message(.connections, let descriptors):
            letGo()
            client = descriptors.first ?? -1
            for descriptor in descriptors.dropFirst() { close(descriptor) }
        }
        return true
    }

    /// securityd has ended, and needs its processes no more.
    private func letGo() {
        if client >= 0 { close(client) }
        client = -1
        for entry in started {
            _ = llavero_kill_process(entry.descriptor)
            close(entry.descriptor)
        }
        started = []
    }

    private func answer() {
        guard let (message, files) = TrustStarting.receive(client) else { return letGo() }
        defer { for file in files { close(file) } }
        started.removeAll { entry in
            var state = pollfd(fd: entry.descriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&state, 1, 0) > 0 else { return false }
            close(entry.descriptor)
            return true
        }
        switch message.kind {
        case .start, .startTranscoder:
            let process = start(message.kind, files)
            let reply = TrustStarting(
                process == nil ? .failed : message.kind, process: process ?? 0)
            if !reply.send(client) { letGo() }
        case .kill:
            if let entry = started.first(where: { $0.process == message.process }) {
                _ = llavero_kill_process(entry.descriptor)
            }
        case .failed: letGo()
        }
    }

    /// - Returns: The number of the new process; nil if there is none.
    private func start(_ kind: TrustStarting.Kind, _ connections: [Int32]) -> Int32? {
        guard !connections.isEmpty, started.count < Self.processLimit else { return nil }
        let child = llavero_fork()
        if child == 0 { become(kind, connections) }
        let descriptor = child > 0 ? llavero_pidfd_open(child) : -1
        guard descriptor >= 0 else { return nil }
        started.append(Started(process: child, descriptor: descriptor))
        return child
    }

    /// In the child: its connections become descriptors 3, 4, …, and nothing else stays open.
    private func become(_ kind: TrustStarting.Kind, _ connections: [Int32]) -> Never {
        let first = Self.connection
        let end = first + Int32(connections.count)
        // First away from the places that they will have.
        let moved = connections.map { fcntl($0, F_DUPFD, end + first) }
        for (place, descriptor) in zip(first..<end, moved) {
            guard descriptor >= 0, dup2(descriptor, place) >= 0 else { _exit(1) }
        }
        guard llavero_close_range(UInt32(end), .max, 0) == 0 else { _exit(1) }
        let isTranscoder = kind == .startTranscoder
        let words =
            isTranscoder
            ? ["transcoder", "--connections", "1"]
            : ["trustd", "--connections", "\(connections.count)"] + arguments
        let program = isTranscoder ? Self.transcoder : "/proc/self/exe"
        signal(SIGCHLD, SIG_DFL)
        unsafe Self.withVector(words) { words in
            unsafe Self.withVector(environment) { environment in
                _ = unsafe llavero_execve(program, words, environment)
            }
        }
        _exit(1)
    }

    /// The program in the same folder.
    private static var transcoder: String {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe buffer.withMemoryRebound(to: CChar.self) { letters in
                unsafe letters.baseAddress.map {
                    unsafe readlink("/proc/self/exe", $0, letters.count)
                } ?? 0
            }
        }
        let own = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
        return own[..<(own.lastIndex(of: "/") ?? own.startIndex)] + "/transcoder"
    }

    private static func withVector(
        _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Void
    ) {
        var vector = unsafe texts.map { unsafe strdup($0) }
        unsafe vector.append(nil)
        unsafe vector.withUnsafeBufferPointer { buffer in
            if let start = buffer.baseAddress { unsafe body(start) }
        }
    }
}

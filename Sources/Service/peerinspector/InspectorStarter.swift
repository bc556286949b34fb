// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import CodeIdentity
import Glibc
import IPC
import Sandbox

/// Starts inspectors for securityd, which is another user and has no right to. The supervisor has
/// given that right up, so this process lasts as long as the service. It looks at no peer itself.
final class InspectorStarter {
    private struct Inspector {
        let process: Int32
        let descriptor: Int32
    }

    /// As many as securityd uses at most, with room for those that can't be killed at once.
    private static let inspectorLimit = 256

    private let supervisor: ControlSocket
    /// securityd's connection.
    private var client: Int32 = -1
    /// Whether securityd has said which version of the messages it sends.
    private var isKnown = false
    private var inspectors: [Inspector] = []
    private let inspect: (_ socket: Int32) -> Int32

    /// - Parameters:
    ///   - supervisor: The connection to the supervisor.
    ///   - inspect: What an inspector does with its connection, to its end.
    init(_ supervisor: ControlSocket, inspect: @escaping (_ socket: Int32) -> Int32) {
        self.supervisor = supervisor
        self.inspect = inspect
    }

    /// Works until the supervisor has ended.
    /// - Returns: The exit status; of a child that is an inspector, too.
    func run() -> Int32 {
        // The kernel collects children.
        signal(SIGCHLD, SIG_IGN)
        while true {
            var entries = [
                pollfd(fd: supervisor.rawValue, events: Int16(POLLIN), revents: 0),
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
            ]
            guard unsafe poll(&entries, 2, -1) > 0 else { continue }
            if entries[0].revents != 0, !hear() {
                endInspectors()
                return 0
            }
            if entries[1].revents != 0, entries[1].fd == client, let status = serve() {
                return status
            }
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

    /// securityd has ended, and needs its inspectors no more.
    private func letGo() {
        if client >= 0 { close(client) }
        client = -1
        isKnown = false
        endInspectors()
    }

    private func endInspectors() {
        for inspector in inspectors {
            _ = llavero_kill_process(inspector.descriptor)
            close(inspector.descriptor)
        }
        inspectors = []
    }

    /// - Returns: In a child, its exit status.
    private func serve() -> Int32? {
        guard let (message, files) = StarterMessage.receive(client) else {
            letGo()
            return nil
        }
        for file in files { close(file) }
        forgetEnded()
        guard isKnown || message.kind == .hello else {
            letGo()
            return nil
        }
        switch message.kind {
        case .hello:
            isKnown = message.process == StarterMessage.protocolVersion
            answer(StarterMessage(.hello, process: StarterMessage.protocolVersion))
        case .start: return start()
        case .kill:
            if let inspector = inspectors.first(where: { $0.process == message.process }) {
                _ = llavero_kill_process(inspector.descriptor)
            }
        case .failed: letGo()
        }
        return nil
    }

    private func forgetEnded() {
        inspectors.removeAll { inspector in
            var entry = pollfd(fd: inspector.descriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&entry, 1, 0) > 0 else { return false }
            close(inspector.descriptor)
            return true
        }
    }

    /// - Returns: In the child, its exit status.
    private func start() -> Int32? {
        var ends: [Int32] = [-1, -1]
        guard inspectors.count < Self.inspectorLimit, unsafe llavero_message_pair(&ends) == 0
        else {
            answer(StarterMessage(.failed))
            return nil
        }
        let child = llavero_fork()
        if child == 0 {
            // Its own connection becomes descriptor 3, and nothing else stays open.
            guard dup2(ends[1], supervisor.rawValue) >= 0,
                llavero_close_range(UInt32(supervisor.rawValue) + 1, .max, 0) == 0
            else { return 1 }
            return inspect(supervisor.rawValue)
        }
        close(ends[1])
        defer { close(ends[0]) }
        let descriptor = child > 0 ? llavero_pidfd_open(child) : -1
        guard descriptor >= 0 else {
            answer(StarterMessage(.failed))
            return nil
        }
        inspectors.append(Inspector(process: child, descriptor: descriptor))
        answer(StarterMessage(.start, process: child), [ends[0]])
        return nil
    }

    /// Never waits: a securityd that leaves answers unread is let go.
    private func answer(_ message: StarterMessage, _ descriptors: [Int32] = []) {
        if !message.send(client, descriptors, waits: false) { letGo() }
    }
}

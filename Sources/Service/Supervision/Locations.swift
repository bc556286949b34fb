// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Foundation
import IPC

/// The service's state directory and socket; checked, and locked for this process.
package struct Locations: ~Copyable {
    /// The state directory.
    package let stateDirectory: String
    /// The socket.
    package let socketPath: String
    /// Whether everything is deleted when the service ends.
    package let isEphemeral: Bool
    private let lock: Descriptor

    /// A separate state directory for one command, made in `temporaryDirectory`. It first removes
    /// the directories of services that were killed.
    package static func ephemeral(
        in temporaryDirectory: String
    ) throws(SupervisionError) -> Locations {
        let prefix = "llavero-ephemeral-\(geteuid())-"
        removeLeftovers(in: temporaryDirectory, prefix: prefix)
        for _ in 0..<Self.attempts {
            var template = Array((temporaryDirectory + "/" + prefix + "XXXXXX").utf8CString)
            guard unsafe mkdtemp(&template) != nil else {
                throw .directoryUnusable(temporaryDirectory, SystemError("mkdtemp"))
            }
            let bytes = template.dropLast().map { UInt8(bitPattern: $0) }
            let directory = String(decoding: bytes, as: UTF8.self)
            // Another service's start may take a new directory for a leftover and remove it: then
            // make another.
            guard let lock = try PrivateDirectory.lock(directory) else { continue }
            return Locations(
                stateDirectory: directory, socketPath: directory + "/securityd.sock",
                isEphemeral: true, lock: lock)
        }
        throw .directoryUnusable(temporaryDirectory, SystemError("flock"))
    }

    /// How often that may happen before the cause must be another one.
    private static let attempts = 16

    /// The state directory and the socket of the user's own service, from `XDG_DATA_HOME`,
    /// `XDG_RUNTIME_DIR` and `HOME` in `environment`.
    package static func user(
        environment: [String: String]
    ) throws(SupervisionError) -> Locations {
        let state = try userStateDirectory(environment)
        try PrivateDirectory.prepareParents(of: state)
        try PrivateDirectory.prepare(state)
        let runtime = userRuntimeDirectory(environment)
        try PrivateDirectory.prepare(runtime)
        guard let lock = try PrivateDirectory.lock(state) else { throw .alreadyRunning(state) }
        let socket = runtime + "/securityd.sock"
        // Ours is the only service of this state, so an existing socket belongs to one that has
        // ended.
        _ = unsafe unlink(socket)
        return Locations(
            stateDirectory: state, socketPath: socket, isEphemeral: false, lock: lock)
    }

    private init(
        stateDirectory: String, socketPath: String, isEphemeral: Bool, lock: consuming Descriptor
    ) {
        self.stateDirectory = stateDirectory
        self.socketPath = socketPath
        self.isEphemeral = isEphemeral
        self.lock = lock
    }

    /// Removes what must not outlive the service: the socket, and an ephemeral state.
    package borrowing func remove() {
        _ = unsafe unlink(socketPath)
        if isEphemeral { try? FileManager.default.removeItem(atPath: stateDirectory) }
    }

    private static func userStateDirectory(
        _ environment: [String: String]
    ) throws(SupervisionError) -> String {
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return data + "/llavero" }
        guard let home = environment["HOME"], home.hasPrefix("/") else { throw .noHome }
        return home + "/.local/share/llavero"
    }

    /// The path that clients use: `$XDG_RUNTIME_DIR/llavero`, else `/run/user/UID/llavero`, else
    /// `/tmp/llavero-UID`.
    private static func userRuntimeDirectory(_ environment: [String: String]) -> String {
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") {
            return runtime + "/llavero"
        }
        let runtime = "/run/user/\(getuid())"
        do {
            try PrivateDirectory.check(runtime)
            return runtime + "/llavero"
        } catch { return "/tmp/llavero-\(getuid())" }
    }

    /// Removes ephemeral states whose service has ended: their lock is free.
    private static func removeLeftovers(in directory: String, prefix: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let path = directory + "/" + name
            do { try PrivateDirectory.check(path) } catch { continue }
            guard let lock = try? PrivateDirectory.lock(path) else { continue }
            try? FileManager.default.removeItem(atPath: path)
            _ = consume lock
        }
    }
}

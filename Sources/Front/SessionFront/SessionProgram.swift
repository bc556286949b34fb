// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC
import Keychain
import Sandbox

/// The program `llavero-session`.
enum SessionProgram {
    private static let usage = """
        usage: llavero-session --system | --user [--socket PATH] [--options PATH]

          --system   Locks the keychain of each user of the machine with the user's sessions and
                     before sleep. Started by systemd as the user _llavero-session.
          --user     Locks the keychain of the user who starts it.
          --socket PATH
                     Where securityd listens.
          --options PATH
                     The file with the options, in place of /etc/llavero/session or, with --user,
                     $XDG_CONFIG_HOME/llavero/session. With --system, PATH.d has the options of
                     single users.

        """

    /// Works until a signal ends it.
    static func run(_ arguments: [String]) -> Never {
        var words = arguments[...]
        let mode = words.popFirst()
        if mode == "--help" { stop(0) }
        guard mode == "--system" || mode == "--user" else { stop(2) }
        let isSystem = mode == "--system"
        var socketPath = isSystem ? ServiceLocation.systemSocket : nil
        var optionsPath = isSystem ? "/etc/llavero/session" : usersOptions
        while let word = words.popFirst() {
            guard let argument = words.popFirst() else { stop(2) }
            switch word {
            case "--socket": socketPath = argument
            case "--options": optionsPath = argument
            default: stop(2)
            }
        }
        let log = ServiceLog(program: "llavero-session")
        signal(SIGPIPE, SIG_IGN)
        do throws(SandboxError) { try Sandbox.harden() } catch {
            log.write(nil, .error, "\(error)")
            exit(1)
        }
        let connection =
            socketPath.map { KeychainConnection(location: ServiceLocation(socketPath: $0)) }
            ?? KeychainConnection()
        var watch = SessionWatch(
            onlyUser: isSystem ? nil : getuid(),
            files: OptionFiles(
                common: optionsPath, directory: isSystem ? optionsPath + ".d" : nil, log: log),
            log: log, locks: KeychainLocks(connection, locksOthers: isSystem, log))
        watch.run()
    }

    private static var usersOptions: String {
        (variable("XDG_CONFIG_HOME") ?? (variable("HOME") ?? "") + "/.config") + "/llavero/session"
    }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    private static func stop(_ status: Int32) -> Never {
        var text = usage
        text.withUTF8 { bytes in
            let target = status == 0 ? STDOUT_FILENO : STDERR_FILENO
            _ = unsafe write(target, bytes.baseAddress, bytes.count)
        }
        exit(status)
    }
}

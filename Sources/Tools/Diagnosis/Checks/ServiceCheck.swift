// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC
import Keychain

/// Whether a service listens where clients look for it, and whose it is.
package struct ServiceCheck: Check {
    package let name = "service"
    private let places: Places

    private static let connectTime = Duration.seconds(3)

    package init(_ places: Places) { self.places = places }

    /// See ``Check/run()``.
    package func run() -> Report {
        guard let socket = places.socket else {
            return absent(places.candidates.joined(separator: " or "))
        }
        do throws(FileError) {
            let facts = try FileFacts(following: socket)
            guard facts.kind == S_IFSOCK else {
                return broken(
                    "socket-is-none", "\(socket) is not a socket.",
                    "Move it away, and start the service again.")
            }
            return connect(socket, facts)
        } catch {
            if error.isAbsence { return absent(socket) }
            return broken(
                "socket-forbidden", "\(socket) can't be looked at: \(error.text).",
                "Give the directories above it back to the user who runs this (chown, chmod).")
        }
    }

    private func connect(_ path: String, _ facts: FileFacts) -> Report {
        let connection: Descriptor
        do throws(UnixSocket.Failure) {
            connection = try UnixSocket.connect(to: path, timeout: Self.connectTime)
        } catch {
            switch error {
            case .pathTooLong(let count):
                return broken(
                    "socket-path-too-long",
                    "The socket's path has \(count) bytes, and the kernel takes "
                        + "\(UnixSocket.maximumPathByteCount): \(path).",
                    "Set LLAVERO_SOCKET or XDG_RUNTIME_DIR to a shorter path, for the service as "
                        + "well.")
            case .system(let error): return refused(path, facts, error.errno)
            }
        }
        var process: pid_t = 0
        var user: uid_t = 0
        var group: gid_t = 0
        guard
            unsafe llavero_peer_credentials(connection.rawValue, &process, &user, &group) == 0
        else { return refused(path, facts, errno) }
        guard ServiceLocation.isTrustedOwner(user) else {
            return broken(
                "socket-of-another-user",
                "User \(user) listens at \(path), who is neither root nor user \(places.user).",
                "Applications send nothing there. Find out who runs process \(process), and set "
                    + "LLAVERO_SOCKET or XDG_RUNTIME_DIR to a place of your own.")
        }
        return Report(name, "user \(user) listens at \(path)")
    }

    private func refused(_ path: String, _ facts: FileFacts, _ number: Int32) -> Report {
        switch number {
        case ECONNREFUSED:
            return broken(
                "socket-refused",
                "Nothing listens at \(path) any more: a service that was killed left it.",
                "Start the service again: `securityd --user` replaces the file.")
        case EACCES, EPERM:
            return broken(
                "socket-forbidden",
                "User \(places.user) may not connect to \(path), which belongs to user "
                    + "\(facts.owner) (mode \(facts.octal)).",
                "Run the command as the user whose keychain it is.")
        case EAGAIN, ETIMEDOUT: return Self.unanswered(path, within: Self.connectTime)
        default:
            return broken(
                "socket-unusable",
                "A connection to \(path) fails: \(FileError(number: number).text).",
                "Start the service again, and read its log.")
        }
    }

    private func absent(_ place: String) -> Report {
        broken(
            "socket-absent", "No service is there: nothing is at \(place).",
            "Start one with `securityd --user`, or run a command under a keychain of its own with "
                + "`securityd --ephemeral -- COMMAND`. If one runs, LLAVERO_SOCKET or "
                + "XDG_RUNTIME_DIR differ here.")
    }

    private func broken(_ code: String, _ what: String, _ advice: String) -> Report {
        Report(
            name, "not reachable",
            [Finding(.broken, code, what: what, why: Self.consequence, advice: advice)])
    }

    private static let consequence =
        "Every call of an application fails with -25291 (errSecNotAvailable)."

    // MARK: - The first question

    /// A service listens, and doesn't answer.
    static func unanswered(_ path: String, within time: Duration) -> Report {
        Report(
            "service", "no answer",
            [
                Finding(
                    .broken, "no-answer",
                    what: "The service at \(path) gives no answer within "
                        + "\(time).",
                    why: "Every call of an application waits for its deadline and then fails with "
                        + "-25291 (errSecNotAvailable).",
                    advice:
                        "Look whether securityd is stopped (state T in `ps`) or waits for a disk "
                        + "(state D), and start it again.")
            ])
    }

    /// A service listens, and its answer is a failure.
    static func failed(_ path: String, _ error: KeychainError, _ explanation: String) -> Report {
        Report(
            "service", "fails",
            [
                Finding(
                    .broken, "service-fails",
                    what: "The service at \(path) can't say how it is: \(explanation)",
                    why: "Calls of applications fail for the same reason (status \(error.status)).",
                    advice: "Read the service's log: the lines of securityd and enclaved say more.")
            ])
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Foundation
import Glibc
import IPC

/// Where the key of a protector is that unlocks a user's keybag at the start of the service, with
/// nobody there (decision 34).
///
/// The supervisor only opens it, and enclaved alone reads it.
package struct ProtectorSource: Equatable, Sendable {
    /// A kind of place.
    package enum Place: Equatable, Sendable {
        /// A file in the directory that systemd names in `$CREDENTIALS_DIRECTORY`.
        case credential(directory: String?, name: String)
        /// A file.
        case file(path: String)
    }

    /// The keybag's owner.
    package let userID: UInt32
    /// Where its key is.
    package let place: Place

    /// Combines the parts.
    package init(userID: UInt32, _ place: Place) {
        self.userID = userID
        self.place = place
    }

    /// Opens those that can be opened, and says what is wrong with the others: the keybags of their
    /// users stay as they are.
    /// - Returns: The owners, and the descriptors, which the caller closes.
    static func open(
        _ sources: [ProtectorSource], say: (String) -> Void
    ) -> (userIDs: [UInt32], descriptors: [Int32]) {
        var opened: (userIDs: [UInt32], descriptors: [Int32]) = ([], [])
        for source in sources {
            do throws(Problem) {
                let descriptor = try source.open()
                opened.userIDs.append(source.userID)
                opened.descriptors.append(descriptor)
            } catch {
                say("The protector's key \(source.name): \(error.text). It unlocks nothing.")
            }
        }
        return opened
    }

    /// enclaved's arguments for opened ones.
    static func arguments(_ userIDs: [UInt32]) -> [String] {
        guard !userIDs.isEmpty else { return [] }
        return ["--protectors", userIDs.map(String.init).joined(separator: ",")]
    }

    private var name: String {
        switch place {
        case .credential(_, let name): "in the credential \(name)"
        case .file(let path): "in \(path)"
        }
    }

    private struct Problem: Error {
        let text: String
    }

    /// A file of its own kind, owner and mode. Who else could read it would have the keybag, and who
    /// could write it could keep it closed.
    private func open() throws(Problem) -> Int32 {
        let path: String
        let forbidden: UInt32
        switch place {
        case .credential(nil, _):
            throw Problem(text: "systemd has set no CREDENTIALS_DIRECTORY; see LoadCredential=")
        case .credential(let directory?, let name):
            path = directory + "/" + name
            // systemd gives the service's user access by a list, whose mask shows as the group's.
            forbidden = 0o037
        case .file(let file):
            path = file
            forbidden = 0o077
        }
        let descriptor = unsafe llavero_open(
            path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0)
        guard descriptor >= 0 else {
            throw Problem(
                text: errno == ELOOP
                    ? "it is a symbolic link" : "\(SystemError("it can't be opened"))")
        }
        let file = Descriptor(owning: descriptor)
        var status = stat()
        guard unsafe fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Problem(text: "it is no file")
        }
        guard [0, geteuid()].contains(status.st_uid) else {
            throw Problem(
                text: "it belongs to user \(status.st_uid), and must be root's"
                    + (geteuid() == 0 ? "" : " or yours"))
        }
        guard status.st_mode & forbidden == 0 else {
            throw Problem(
                text: "other users may use it: its mode is "
                    + "\(String(status.st_mode & 0o7777, radix: 8)), and must be 600 or 400")
        }
        let copy = fcntl(file.rawValue, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw Problem(text: "\(SystemError("it can't be opened"))") }
        return copy
    }
}

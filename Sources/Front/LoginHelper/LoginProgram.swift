// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC
import Keychain
import Sandbox
import SecretBytes
import SessionRules

/// The program `llavero-pam`: a login, or a change of a password, hands it what was typed
/// (`pam_llavero`, or `pam_exec` with `expose_authtok`).
///
/// It reads passwords from standard input, and writes at most one line for the person to standard
/// output. Its exit status is always 0: nothing of this keeps a person out of an account.
enum LoginProgram {
    /// The kernel ends the process after this, whatever it waits for.
    private static let wholeSeconds: UInt32 = 8
    private static let inputMilliseconds: Int32 = 2000
    /// The service's part.
    private static let deadline = Duration.seconds(3)
    /// Numbers below are daemons' and root's, which work when nobody logs in.
    private static let firstPerson: UInt32 = 1000

    static func run(_ arguments: [String]) -> Never {
        alarm(wholeSeconds)
        signal(SIGPIPE, SIG_IGN)
        _ = llavero_close_range(3, .max, 0)
        do throws(SandboxError) { try Sandbox.harden() } catch { exit(0) }
        var socketPath = ServiceLocation.systemSocket
        var optionsPath = "/etc/llavero/session"
        var words = arguments[...]
        while let word = words.popFirst(), let value = words.popFirst() {
            switch word {
            case "--socket": socketPath = value
            case "--options": optionsPath = value
            default: exit(0)
            }
        }
        let changes = variable("PAM_TYPE") == "password"
        guard changes || variable("PAM_TYPE") == "auth", let name = variable("PAM_USER"),
            let person = Person(name), person.mayBeServed,
            let passwords = readPasswords(count: changes ? 2 : 1)
        else { exit(0) }
        let keychain = PersonsKeychain(
            ServiceLocation(socketPath: socketPath, deadline: deadline))
        var result =
            changes
            ? person.act { keychain.change(from: passwords[0], to: passwords[1]) }
            : person.act { keychain.unlock(with: passwords[0]) }
        if result == .noPasscode, !changes, geteuid() == 0, person.userID >= firstPerson,
            options(optionsPath, name).setsFirstPasscode,
            let permit = keychain.permit(person.userID)
        {
            result = person.act { keychain.setFirst(passwords[0], permit) }
        }
        if let line = result.line(changes: changes) { say(line) }
        exit(0)
    }

    private static func options(_ path: String, _ name: String) -> SessionOptions {
        var options = SessionOptions()
        for path in [path, path + ".d/" + name] where !name.contains("/") {
            guard let text = SmallFile.read(path, limit: SessionOptions.byteCountLimit) else {
                continue
            }
            options = SessionOptions.reading(text, over: options).options
        }
        return options
    }

    /// Reads standard input to its end, within its time.
    private static func readPasswords(count: Int) -> [Secret]? {
        let deadline = ContinuousClock.now + .milliseconds(Int(inputMilliseconds))
        var room = SecretBytes(byteCount: LoginPasswords.inputByteCount)
        return unsafe room.withUnsafeMutableBytes { bytes in
            var filled = 0
            while filled < bytes.count {
                let left = (deadline - .now) / .milliseconds(1)
                var entry = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
                guard left > 0, unsafe poll(&entry, 1, Int32(left) + 1) > 0 else { return nil }
                let got = unsafe read(
                    STDIN_FILENO, bytes.baseAddress.map { unsafe $0 + filled },
                    bytes.count - filled)
                guard got >= 0 else { return nil }
                if got == 0 { break }
                filled += got
            }
            let input = unsafe UnsafeRawBufferPointer(
                rebasing: UnsafeRawBufferPointer(bytes)[..<filled])
            return unsafe LoginPasswords.read(input, count: count)
        }
    }

    private static func say(_ line: String) {
        var line = line + "\n"
        line.withUTF8 { bytes in
            _ = unsafe write(STDOUT_FILENO, bytes.baseAddress, bytes.count)
        }
    }

    private static func variable(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import Keychain
import SecretBytes

/// Where the key of a new protector goes: a new file, a descriptor, or a credential that
/// `systemd-creds` encrypts for this machine.
struct ProtectorKeyOutput {
    private enum Place {
        case file(String)
        case descriptor(Int32)
        case credential(String)
    }

    private let place: Place
    private let name: String

    /// Exactly one of the three is there.
    init(
        file: String?, descriptor: Int32?, credential: String?, name: String
    ) throws(DeviceProblem) {
        self.name = name
        if let file {
            place = .file(file)
        } else if let credential {
            place = .credential(credential)
        } else if let descriptor {
            guard EscrowCommand.isWritable(descriptor) else {
                throw .protector("the key can't be written there; nothing was added")
            }
            place = .descriptor(descriptor)
        } else {
            throw .usage
        }
    }

    /// Writes the key; never over an existing file.
    func write(_ key: ProtectorKey) throws(DeviceProblem) {
        switch place {
        case .file(let path):
            let descriptor = try Self.create(path)
            defer { close(descriptor) }
            guard Self.put(key.file, to: descriptor), fsync(descriptor) == 0 else {
                _ = unsafe unlink(path)
                throw Self.unwritable(path)
            }
        case .descriptor(let descriptor):
            guard Self.put(key.file, to: descriptor) else { throw Self.unwritable("descriptor") }
        case .credential(let path):
            // It makes the file again; this finds out whether there is one.
            close(try Self.create(path))
            guard encrypt(key, to: path) else {
                _ = unsafe unlink(path)
                throw .protector(
                    "systemd-creds made no credential; --key-file makes a key that LoadCredential= "
                        + "takes as it is. Nothing was added")
            }
        }
    }

    /// The protector wasn't added: its key is of no use.
    func remove() {
        switch place {
        case .file(let path), .credential(let path): _ = unsafe unlink(path)
        case .descriptor: break
        }
    }

    private static func create(_ path: String) throws(DeviceProblem) -> Int32 {
        let descriptor = unsafe llavero_open(
            path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw unwritable(path) }
        return descriptor
    }

    private static func unwritable(_ path: String) -> DeviceProblem {
        let reason = unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "failed"
        return .protector("\(path): \(reason); nothing was added")
    }

    private static func put(_ file: Secret, to descriptor: Int32) -> Bool {
        unsafe file.bytes.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let count = unsafe Glibc.write(
                    descriptor, bytes.baseAddress.map { unsafe $0 + written },
                    bytes.count - written)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                written += count
            }
            return true
        }
    }

    /// The key goes through a pipe, so that it never lies on the disk as it is.
    private func encrypt(_ key: ProtectorKey, to path: String) -> Bool {
        var ends: [Int32] = [-1, -1]
        guard unsafe llavero_pipe(&ends) == 0 else { return false }
        // It fits into the pipe.
        let isWritten = Self.put(key.file, to: ends[1])
        close(ends[1])
        defer { close(ends[0]) }
        guard isWritten else { return false }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
        let words = ["systemd-creds", "encrypt", "--name=\(name)", "-", path]
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
        var child: pid_t = 0
        guard
            unsafe posix_spawnp(&child, words[0], &actions, nil, &pointers, environ) == 0
        else { return false }
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) < 0 {
            guard errno == EINTR else { return false }
        }
        var made = stat()
        guard unsafe stat(path, &made) == 0 else { return false }
        return status == 0 && made.st_size > 0
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import Keychain
import SecretBytes

/// A user's own keychain, as its daemons open it: those that run, or new ones for this command alone.
final class OldKeychain {
    /// The connection to its service.
    let connection: KeychainConnection
    private let directory: String
    /// The supervisor that this process has started, and what it has for its socket.
    private var started: (process: pid_t, runtime: String)?

    private static let startSeconds = 20
    private static let noteHead = "llavero adopted 1\n"
    private static let mebibyte = 1 << 20

    /// Opens one.
    /// - Throws: ``DeviceProblem/adoption(_:)`` when there is none, or it can't be opened.
    init(_ directory: String) throws(DeviceProblem) {
        guard directory.hasSuffix("/llavero"), directory.hasPrefix("/"),
            Self.isDirectory(directory + "/enclave")
        else {
            throw .adoption(
                "there is no keychain in \(directory): it must be a directory named llavero, with an "
                    + "absolute path")
        }
        self.directory = directory
        if let running = Self.running(directory) {
            connection = running
            return
        }
        let (process, runtime, output) = try Self.start(directory)
        defer { Glibc.close(output) }
        started = (process, runtime)
        connection = KeychainConnection(
            location: ServiceLocation(
                socketPath: runtime + "/llavero/securityd.sock", stateDirectory: directory))
        for _ in 0..<(Self.startSeconds * 20) {
            if (try? connection.deviceStatus()) != nil { return }
            var status: Int32 = 0
            if unsafe waitpid(process, &status, WNOHANG) != 0 {
                started = nil
                Self.remove(runtime)
                throw .adoption("its service ended: " + Self.said(output))
            }
            usleep(50_000)
        }
        close()
        throw .adoption("its service doesn't answer")
    }

    /// Ends the service that was started for it.
    func close() {
        guard let (process, runtime) = started else { return }
        started = nil
        kill(process, SIGTERM)
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
        Self.remove(runtime)
    }

    private static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            && status.st_uid == geteuid()
    }

    // MARK: - Its service

    /// The user's own service, if it runs with this directory.
    private static func running(_ directory: String) -> KeychainConnection? {
        let location = ServiceLocation.usersOwn
        guard location.stateDirectory == directory else { return nil }
        let connection = KeychainConnection(location: location)
        return (try? connection.deviceStatus()) != nil ? connection : nil
    }

    private static func start(
        _ directory: String
    ) throws(DeviceProblem) -> (process: pid_t, runtime: String, output: Int32) {
        var template = Array("/tmp/llavero-adopt-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else {
            throw .adoption("no directory for its socket can be made in /tmp")
        }
        let runtime = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var ends: [Int32] = [-1, -1]
        guard unsafe llavero_pipe(&ends) == 0 else {
            remove(runtime)
            throw .adoption("there are too many open files")
        }
        defer { Glibc.close(ends[1]) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
        var words = unsafe copies(["securityd", "--user"])
        defer { unsafe release(words) }
        var variables = unsafe copies([
            "XDG_DATA_HOME=" + directory.dropLast("/llavero".utf8.count),
            "XDG_RUNTIME_DIR=" + runtime, "PATH=/usr/bin:/bin",
        ])
        defer { unsafe release(variables) }
        var process: pid_t = 0
        guard unsafe posix_spawn(&process, program, &actions, nil, &words, &variables) == 0 else {
            Glibc.close(ends[0])
            remove(runtime)
            throw .adoption("\(program) can't be started")
        }
        return (process, runtime, ends[0])
    }

    /// What a service that has ended wrote, in one line.
    private static func said(_ output: Int32) -> String {
        var room = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(output, &room, room.count)
        let text = String(decoding: room.prefix(max(count, 0)), as: UTF8.self)
        return text.split(separator: "\n").joined(separator: " ")
    }

    /// securityd is beside this tool, or where the package has it.
    private static var program: String {
        var room = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &room, room.count - 1)
        let own = String(
            decoding: room.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if let slash = own.lastIndex(of: "/") {
            let beside = String(own[...slash]) + "securityd"
            if unsafe access(beside, X_OK) == 0 { return beside }
        }
        return "/usr/libexec/llavero/securityd"
    }

    private static func copies(_ words: [String]) -> [UnsafeMutablePointer<CChar>?] {
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        return unsafe pointers
    }

    private static func release(_ pointers: [UnsafeMutablePointer<CChar>?]) {
        for index in unsafe pointers.indices { unsafe free(pointers[index]) }
    }

    private static func remove(_ runtime: String) {
        _ = unsafe unlink(runtime + "/llavero/securityd.sock")
        _ = unsafe rmdir(runtime + "/llavero")
        _ = unsafe rmdir(runtime)
    }

    // MARK: - The note that it was adopted

    private var notePath: String { directory + "/adopted" }

    /// Notes the digest of what was adopted. Without the note the old keychain isn't deleted later.
    func note(_ digest: [UInt8]) {
        let text = Self.noteHead + Self.hexadecimal(digest) + "\n"
        let raw = unsafe llavero_open(
            notePath, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard raw >= 0 else { return }
        defer { Glibc.close(raw) }
        let bytes = Array(text.utf8)
        _ = unsafe write(raw, bytes, bytes.count)
        fsync(raw)
    }

    /// What was noted.
    var notedDigest: [UInt8]? {
        guard let file = try? InputFile(notePath, byteLimit: 1024) else { return nil }
        let text = unsafe file.content.bytes.withUnsafeBytes {
            unsafe String(decoding: $0, as: UTF8.self)
        }
        guard text.hasPrefix(Self.noteHead), text.hasSuffix("\n") else { return nil }
        let digits = Array(text.dropFirst(Self.noteHead.count).dropLast())
        guard digits.count == 64 else { return nil }
        let bytes = stride(from: 0, to: 64, by: 2).compactMap {
            UInt8(String(digits[$0..<$0 + 2]), radix: 16)
        }
        return bytes.count == 32 ? bytes : nil
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    // MARK: - Removing

    /// Deletes it: first the keys, overwritten, then everything else.
    /// - Throws: ``DeviceProblem/adoption(_:)`` while a service runs with it.
    func remove() throws(DeviceProblem) {
        guard started != nil else {
            throw .adoption("its service runs; stop it first (`systemctl --user stop`, or end it)")
        }
        close()
        let raw = unsafe llavero_open(
            directory + "/supervisor.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard raw >= 0 else { throw .adoption("\(directory) can't be written") }
        defer { Glibc.close(raw) }
        guard flock(raw, LOCK_EX | LOCK_NB) == 0 else {
            throw .adoption("a service runs with it")
        }
        var areGone = true
        for folder in [directory + "/enclave", directory] {
            for name in Self.names(folder) {
                let path = folder + "/" + name
                if folder.hasSuffix("/enclave") { Self.overwrite(path) }
                guard !Self.isDirectory(path) else { continue }
                areGone = unsafe unlink(path) == 0 && areGone
            }
            areGone = unsafe rmdir(folder) == 0 && areGone
        }
        guard areGone else {
            throw .adoption("its keys are deleted; other files are left in \(directory)")
        }
    }

    private static func names(_ folder: String) -> [String] {
        guard let stream = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe llavero_next_entry_name(UnsafeMutableRawPointer(stream)) {
            let name = unsafe String(cString: entry)
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// As far as the disk supports that.
    private static func overwrite(_ path: String) {
        let raw = unsafe llavero_open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0)
        guard raw >= 0 else { return }
        defer { Glibc.close(raw) }
        var status = stat()
        guard unsafe fstat(raw, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return
        }
        let zeros = [UInt8](repeating: 0, count: min(max(Int(status.st_size), 0), mebibyte))
        _ = unsafe write(raw, zeros, zeros.count)
        fsync(raw)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC
import Keychain
import Synchronization

/// An application with sealed files.
///
///     seal FILE TEXT [GROUP]     ok, or why not
///     unseal FILE [GROUP]        the text, or why not
///     prepare-key GROUP          ok, after a key for sealed files was made in a group
///     seal-fork DIRECTORY        what a forked child's calls came to, a line each, then what the
///                                parent's file is
enum Sealing {
    private static let patience: UInt32 = 60
    /// Two chunks and a half: some is sealed before the fork, some isn't.
    private static let firstBytes = [UInt8](repeating: 1, count: 160 * 1024)

    static func run(
        _ connection: KeychainConnection, _ keychain: Keychain, _ words: [String]
    ) -> Int32 {
        let groupIndex = words[0] == "prepare-key" ? 1 : words[0] == "seal" ? 3 : 2
        let group = words[0] != "seal-fork" && words.count > groupIndex ? words[groupIndex] : nil
        let files = SealedFiles(connection, accessGroup: group)
        do throws(SealedFileError) {
            switch words[0] {
            case "seal":
                var writer = try files.create(words[1])
                try writer.write(Array(words[2].utf8))
                try writer.finish()
                return Application.say("ok")
            case "unseal":
                let file = try files.open(words[1])
                let bytes = try file.read(at: 0, count: Int(file.size))
                return Application.say(String(decoding: bytes, as: UTF8.self))
            case "prepare-key":
                try files.prepare(.completeUntilFirstUserAuthentication)
                return Application.say("ok")
            default:
                return try fork(files, keychain, words[1])
            }
        } catch { return Application.say(name(error)) }
    }

    // MARK: - A forked child

    private static func fork(
        _ files: SealedFiles, _ keychain: Keychain, _ directory: String
    ) throws(SealedFileError) -> Int32 {
        let path = directory + "/sealed"
        var writer = try files.create(path)
        try writer.write(firstBytes)
        let child = llavero_fork()
        if child == 0 {
            alarm(patience)
            say("write", failure { () throws(SealedFileError) in try writer.write([9]) })
            let more = [UInt8](repeating: 9, count: 200 * 1024)
            say("write more", failure { () throws(SealedFileError) in try writer.write(more) })
            say("finish", failure { () throws(SealedFileError) in try writer.finish() })
            _exit(0)
        }
        wait(child)
        try writer.write([2, 3])
        try writer.finish()
        let file = try files.open(path)
        try read(files, file, path)
        try asynchronous(keychain, file, directory)
        let isWhole = try file.read(at: 0, count: Int(file.size)) == firstBytes + [2, 3]
        return Application.say("parent: \(isWhole ? "whole" : "other")")
    }

    private static func read(
        _ files: SealedFiles, _ file: SealedFile, _ path: String
    ) throws(SealedFileError) {
        let raw = unsafe llavero_open(path, O_RDONLY | O_CLOEXEC, 0)
        guard raw >= 0 else { throw .system(errno) }
        defer { close(raw) }
        var stream = try files.stream(descriptor: raw)
        let child = llavero_fork()
        if child == 0 {
            alarm(patience)
            say(
                "read", failure { () throws(SealedFileError) in _ = try file.read(at: 0, count: 1) }
            )
            say("stream", failure { () throws(SealedFileError) in _ = try stream.next() })
            // What a child opens itself is its own.
            say(
                "open",
                failure { () throws(SealedFileError) in
                    _ = try files.open(path).read(at: 0, count: 1)
                })
            _exit(0)
        }
        wait(child)
        guard try stream.next()?.count == firstBytes.count + 2 else { throw .notSealed }
    }

    /// No call of the child's waits for a thread that isn't there.
    private static func asynchronous(
        _ keychain: Keychain, _ file: SealedFile, _ directory: String
    ) throws(SealedFileError) {
        let outcome = Mutex<Result<Void, SealedFileError>?>(nil)
        let done: EventCounter
        do throws(SystemError) { done = try EventCounter() } catch { throw .system(error.errno) }
        Task.detached {
            do throws(SealedFileError) {
                let writer = try await keychain.createSealed(file: directory + "/async")
                try await writer.write([1])
                _ = try await file.async.read(at: 0, count: 1)
                let child = llavero_fork()
                if child == 0 {
                    alarm(patience)
                    do throws(SealedFileError) {
                        try await writer.write([9])
                        say("async write", nil)
                    } catch { say("async write", error) }
                    do throws(SealedFileError) {
                        try await writer.finish()
                        say("async finish", nil)
                    } catch { say("async finish", error) }
                    do throws(SealedFileError) {
                        _ = try await file.async.read(at: 0, count: 1)
                        say("async read", nil)
                    } catch { say("async read", error) }
                    _exit(0)
                }
                wait(child)
                try await writer.finish()
                outcome.withLock { $0 = .success(()) }
            } catch { outcome.withLock { $0 = .failure(error) } }
            done.signal()
        }
        done.wait()
        try outcome.withLock { $0 }?.get()
    }

    // MARK: - Saying

    private static func wait(_ child: Int32) {
        var status: Int32 = 0
        guard child > 0, unsafe waitpid(child, &status, 0) == child, status == 0 else {
            say("child ended with \(status)", nil)
            return
        }
    }

    private static func failure(
        _ body: () throws(SealedFileError) -> Void
    ) -> SealedFileError? {
        do throws(SealedFileError) {
            try body()
            return nil
        } catch { return error }
    }

    private static func say(_ call: String, _ error: SealedFileError?) {
        _ = Application.say("\(call): \(error.map(name) ?? "done")")
    }

    private static func name(_ error: SealedFileError) -> String {
        guard case .keychain(let failure) = error else { return "\(error)" }
        return "failed \(failure.status)"
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC
import Synchronization

/// What the files of programs say of themselves, remembered by the file and its times.
final class ProgramCache: Sendable {
    /// A program's file.
    enum Program: Sendable {
        /// It carries no signature, or isn't a program.
        case unsigned
        case signed(SignedExecutable)
    }

    private static let capacity = 512
    /// A longer file isn't read: others wait for it.
    private static let programByteLimit = 1 << 30
    private let programs = Mutex<[FileStatus.Identity: Program]>([:])
    private let detachedDirectories: [String]

    init(detachedDirectories: [String]) { self.detachedDirectories = detachedDirectories }

    /// What an open file says.
    /// - Parameters:
    ///   - file: The file.
    ///   - mayTakeLong: Whether its digest may be taken now.
    /// - Returns: Nil when the digest would have to be taken.
    func program(_ file: borrowing Descriptor, mayTakeLong: Bool) -> Program? {
        guard let before = FileStatus(descriptor: file.rawValue), before.isRegular,
            before.byteCount <= Self.programByteLimit
        else {
            return .unsigned
        }
        if let known = programs.withLock({ $0[before.identity] }), let program = present(known) {
            return program
        }
        let source = ByteSource(descriptor: file.rawValue, byteCount: before.byteCount)
        guard mayBeSigned(source) else { return remember(.unsigned, file, before) }
        guard mayTakeLong else { return nil }
        do throws(SignatureProblem) {
            let executable = try SignedExecutable(source, detached: detached)
            return remember(.signed(executable), file, before)
        } catch { return remember(.unsigned, file, before) }
    }

    /// What was remembered, with the signature that lies beside the program now; nil when its digest
    /// is needed for that and isn't known.
    private func present(_ known: Program) -> Program? {
        switch known {
        case .unsigned: hasDetached ? nil : known
        case .signed(let executable):
            executable.isEmbedded
                ? known : .signed(executable.with(detached: detached(executable.codeDigest)))
        }
    }

    private var hasDetached: Bool {
        detachedDirectories.contains { FileStatus(path: $0) != nil }
    }

    private func mayBeSigned(_ source: ByteSource) -> Bool {
        guard let file = try? ELFFile(source) else { return false }
        return hasDetached || SignedExecutable.carriesSignature(file)
    }

    /// The container apart from the file.
    private func detached(_ digest: [UInt8]) -> [UInt8]? {
        let name = SignedExecutable.detachedName(digest)
        for directory in detachedDirectories {
            if let found = ProcessFile.content(
                directory + "/" + name, limit: SignatureContainer.byteLimit)
            {
                return found
            }
        }
        return nil
    }

    /// Remembers what came of a file, unless it was changed meanwhile or just before.
    private func remember(
        _ program: Program, _ file: borrowing Descriptor, _ before: FileStatus
    ) -> Program {
        guard let after = FileStatus(descriptor: file.rawValue),
            after.identity == before.identity
        else { return .unsigned }
        guard before.settled(now: Int64(time(nil))) else { return program }
        programs.withLock { programs in
            if programs.count >= Self.capacity { programs.removeAll() }
            programs[before.identity] = program
        }
        return program
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC
import Synchronization

/// A digest that was taken of a program's file.
package struct KnownDigest: Sendable {
    /// Of which file, in which state.
    package let file: FileIdentity
    /// ``CodeDigest`` of it: 32 bytes.
    package let bytes: [UInt8]
    /// Whether the file's next change will show in its identity, so that the digest holds for later.
    package let isLasting: Bool
}

/// What the files of programs say of themselves, remembered by the file and its times.
final class ProgramCache: Sendable {
    /// A program's file.
    enum Program: Sendable {
        /// It carries no signature, or isn't a program.
        case unsigned
        /// It carries one, and is longer than what is read.
        case tooLarge
        case signed(SignedExecutable)
        /// Its digest must be taken first.
        case needsDigest
    }

    private static let capacity = 512
    /// A longer file isn't read: 256 MiB take a quarter of a second and more.
    private static let programByteLimit = 256 << 20
    /// Nil for a file that carries no signature.
    private let programs = Mutex<[FileIdentity: SignedExecutable?]>([:])
    private let detachedDirectories: [String]

    init(detachedDirectories: [String]) { self.detachedDirectories = detachedDirectories }

    /// What an open file says.
    /// - Parameters:
    ///   - file: The file.
    ///   - digests: Digests that were taken, one perhaps of it.
    /// - Returns: What it says, or that its digest isn't among them.
    func program(_ file: borrowing Descriptor, _ digests: [KnownDigest]) -> Program {
        guard let status = FileStatus(descriptor: file.rawValue), status.isRegular else {
            return .unsigned
        }
        let identity = status.identity
        switch programs.withLock({ $0[identity] }) {
        case .some(.some(let known)): return .signed(present(known))
        case .some(.none) where !hasDetached: return .unsigned
        case .some(.none), .none: break
        }
        let source = ByteSource(descriptor: file.rawValue, byteCount: status.byteCount)
        guard mayBeSigned(source) else {
            if status.settled(now: Int64(time(nil))) { remember(nil, identity) }
            return .unsigned
        }
        guard status.byteCount <= Self.programByteLimit else { return .tooLarge }
        guard let digest = digests.first(where: { $0.file == identity }) else {
            return .needsDigest
        }
        guard
            let program = try? SignedExecutable(
                source, codeDigest: digest.bytes, detached: detached)
        else { return .unsigned }
        if digest.isLasting, FileStatus(descriptor: file.rawValue)?.identity == identity {
            remember(program, identity)
        }
        return .signed(program)
    }

    /// Takes a file's digest; may take as long as reading it does.
    ///
    /// Meanwhile nobody has the file open or mapped for writing: a page that was dirty already is written
    /// without a change of the file's times, so that the digest would stand for other content later.
    /// - Returns: Nil when it isn't a program, is open for writing, or was changed meanwhile.
    func digest(_ file: borrowing Descriptor) -> KnownDigest? {
        guard let before = FileStatus(descriptor: file.rawValue), before.isRegular,
            before.byteCount <= Self.programByteLimit
        else { return nil }
        guard let lease = ReadLease(file, before) else { return nil }
        defer { lease.giveBack() }
        let source = ByteSource(descriptor: file.rawValue, byteCount: before.byteCount)
        guard let program = try? ELFFile(source), let bytes = try? CodeDigest.of(program),
            let after = FileStatus(descriptor: file.rawValue), after.identity == before.identity
        else { return nil }
        return KnownDigest(
            file: before.identity, bytes: bytes,
            isLasting: before.settled(now: Int64(time(nil))))
    }

    /// What was remembered, with the signature that lies beside the program now.
    private func present(_ known: SignedExecutable) -> SignedExecutable {
        known.isEmbedded ? known : known.with(detached: detached(known.codeDigest))
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

    private func remember(_ program: SignedExecutable?, _ identity: FileIdentity) {
        programs.withLock { programs in
            if programs.count >= Self.capacity { programs.removeAll() }
            programs[identity] = .some(program)
        }
    }
}

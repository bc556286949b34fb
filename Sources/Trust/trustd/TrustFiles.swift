// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Synchronization
import TrustEvaluation
import TrustWire

/// The root bundle and the folder of revocation lists, read again when they have changed.
final class TrustFiles: Sendable {
    /// What shows that a file is another one.
    private struct Stamp: Equatable {
        let device: UInt64
        let inode: UInt64
        let byteCount: Int
        let modified: Int
        let modifiedNanoseconds: Int

        init?(_ path: String) {
            var facts = stat()
            guard unsafe fstatat(AT_FDCWD, path, &facts, 0) == 0 else { return nil }
            device = UInt64(facts.st_dev)
            inode = UInt64(facts.st_ino)
            byteCount = Int(facts.st_size)
            modified = facts.st_mtim.tv_sec
            modifiedNanoseconds = facts.st_mtim.tv_nsec
        }
    }

    private struct State {
        var rootStamp: Stamp?
        var exportStamp: Stamp?
        var roots = RootSet(bundle: [])
        var lists: [String: (stamp: Stamp, list: RevocationList?)] = [:]
        /// Another number for other contents.
        var version = 0
    }

    /// Debian's bundle has 200 KiB.
    private static let largestBundle = 16 << 20
    /// The largest list that is read.
    private static let largestList = 20 << 20
    private static let listCount = 4096
    /// Of all lists together.
    private static let allListsByteCount = 32 << 20

    /// Where `llavero-export-trust` puts certificates, for the bundle.
    static let exports = "/usr/local/share/ca-certificates/llavero"

    private let roots: String
    private let lists: String?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - roots: The bundle.
    ///   - lists: The folder of revocation lists, DER or PEM; nil is none.
    init(roots: String, lists: String?) {
        self.roots = roots
        self.lists = lists
    }

    /// A judge with what the files have now. A bundle that can't be read has no roots, so nothing is
    /// trusted by it.
    /// - Returns: The judge, and a number that changes with what the files have.
    func judge(usesLists: Bool) -> (judge: TrustJudge, version: Int) {
        state.withLock { state in
            let stamp = Stamp(roots)
            let exportStamp = Stamp(Self.exports)
            if stamp != state.rootStamp || exportStamp != state.exportStamp || stamp == nil {
                state.rootStamp = stamp
                state.exportStamp = exportStamp
                state.version += 1
                state.roots = RootSet(
                    bundle: Self.contents(roots, Self.largestBundle) ?? [],
                    without: exportStamp == nil ? [] : Self.exported())
            }
            if usesLists { readLists(&state) }
            let judge = TrustJudge(
                roots: state.roots, lists: state.lists.values.compactMap(\.list))
            return (judge, state.version)
        }
    }

    private static func exported() -> Set<[UInt8]> {
        var found: Set<[UInt8]> = []
        for name in names(exports) {
            guard let text = contents(exports + "/" + name, largestBundle) else { continue }
            found.formUnion(PEMText.blocks("CERTIFICATE", in: text))
        }
        return found
    }

    private func readLists(_ state: inout State) {
        guard let folder = lists else { return }
        var found: [String: (stamp: Stamp, list: RevocationList?)] = [:]
        var total = 0
        for name in Self.names(folder) {
            let path = folder + "/" + name
            guard let stamp = Stamp(path) else { continue }
            total += stamp.byteCount
            guard total <= Self.allListsByteCount else { break }
            if let known = state.lists[name], known.stamp == stamp {
                found[name] = known
            } else {
                found[name] = (stamp, Self.list(path))
            }
        }
        let isSame =
            found.count == state.lists.count
            && found.allSatisfy { state.lists[$0.key]?.stamp == $0.value.stamp }
        if !isSame { state.version += 1 }
        state.lists = found
    }

    private static func list(_ path: String) -> RevocationList? {
        guard let bytes = contents(path, largestList) else { return nil }
        if let list = RevocationList(bytes) { return list }
        return PEMText.blocks("X509 CRL", in: bytes).first.flatMap(RevocationList.init)
    }

    private static func names(_ folder: String) -> [String] {
        guard let directory = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while names.count < listCount, let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// - Returns: Nil for a file that can't be read or is too large.
    private static func contents(_ path: String, _ limit: Int) -> [UInt8]? {
        let file = unsafe openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var facts = stat()
        guard unsafe fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
            facts.st_size <= limit
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(facts.st_size))
        var offset = 0
        while offset < bytes.count {
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe read(file, buffer.baseAddress?.advanced(by: offset), buffer.count - offset)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            offset += count
        }
        return Array(bytes.prefix(offset))
    }
}

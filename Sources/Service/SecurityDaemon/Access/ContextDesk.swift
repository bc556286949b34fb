// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Crypto
import EnclaveWire
import Glibc
import IPC
import KeychainVocabulary
import SecretBytes
import SecurityWire
import Synchronization

/// What a connection's failed requests were waiting for, by context. The next request of the
/// connection may have the person asked for exactly that.
final class ContextDesk: Sendable {
    /// What the person is to be asked.
    struct Waiting: Sendable {
        let question: AccessQuestion
        let proof: PersonProof
        let ways: PersonWays
    }

    /// A connection has a call under way for each of its threads at most.
    private static let limit = 32

    private let waiting = Mutex<[[UInt8]: Waiting]>([:])
    /// The process, as enclaved knows it.
    let origin: [UInt8]
    /// The application, as the person is shown it.
    let application: String

    /// Of a client whose process isn't known; no other client has the same contexts.
    static var ofNobody: ContextDesk { ContextDesk() }

    private init() {
        origin = unsafe SecretBytes.random(byteCount: AccessScope.byteCount).withUnsafeBytes {
            unsafe [UInt8]($0)
        }
        application = "an unknown program"
    }

    /// For one connection.
    init(of peer: borrowing PeerProcess, _ identity: ClientIdentity) {
        origin = Self.origin(of: peer, identity)
        application = Self.description(of: peer, identity)
    }

    /// Notes what a failed request demands.
    func note(_ demand: ApprovalDemand, _ access: ItemAccess) {
        var access = access
        access.origin = origin
        guard !access.context.isEmpty, let scope = access.scope,
            let question = AccessQuestion(
                operation: demand.operation, scope: scope, subjects: demand.subjects,
                application: application, purpose: access.purpose)
        else { return }
        let entry = Waiting(
            question: question, proof: demand.needsPerson ? .passcode : .password,
            ways: demand.ways)
        waiting.withLock { waiting in
            if waiting.count >= Self.limit { waiting = [:] }
            waiting[access.context] = entry
        }
    }

    /// The question that establishes presence alone.
    func presence(_ scope: AccessScope, _ purpose: String, _ ways: PersonWays) -> Waiting? {
        AccessQuestion(
            operation: .decrypt, scope: scope, subjects: [], application: application,
            purpose: purpose
        ).map { Waiting(question: $0, proof: .passcode, ways: ways) }
    }

    /// What is to be asked in a context; it is asked once.
    func take(_ context: [UInt8]) -> Waiting? {
        waiting.withLock { $0.removeValue(forKey: context) }
    }

    /// The kernel's number of the process and its identity. A number is used again: the start time
    /// tells such processes apart, and since Linux 6.9 the inode of the pidfd does.
    private static func origin(
        of peer: borrowing PeerProcess, _ identity: ClientIdentity
    ) -> [UInt8] {
        var status = stat()
        let inode = unsafe fstat(peer.rawPidfd, &status) == 0 ? UInt64(status.st_ino) : 0
        var bytes = [UInt8]("llavero.origin.1".utf8)
        bytes.append(littleEndian: identity.userID)
        bytes.append(littleEndian: UInt32(bitPattern: peer.pid))
        bytes.append(littleEndian: inode)
        bytes.append(littleEndian: startTime(of: peer.pid))
        bytes += Array((identity.application ?? identity.accessGroups.first ?? "").utf8)
        return Array(SHA256.hash(data: bytes))
    }

    /// When a process started, in the kernel's ticks since the machine did (proc(5)); 0 if it is
    /// over.
    private static func startTime(of process: Int32) -> UInt64 {
        let raw = unsafe open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
        guard raw >= 0 else { return 0 }
        let file = Descriptor(owning: raw)
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(file.rawValue, &bytes, bytes.count)
        guard count > 0 else { return 0 }
        // The program's name is in parentheses and may contain anything.
        let line = String(decoding: bytes[..<count], as: UTF8.self)
        guard let end = line.lastIndex(of: ")") else { return 0 }
        let fields = line[line.index(after: end)...].split(separator: " ")
        return fields.count > 19 ? UInt64(fields[19]) ?? 0 : 0
    }

    /// Name, grade and path. The path of a program without a proven identity is only what the kernel
    /// says now.
    private static func description(
        of peer: borrowing PeerProcess, _ identity: ClientIdentity
    ) -> String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = unsafe readlink("/proc/\(peer.pid)/exe", &buffer, buffer.count)
        let path =
            count > 0
            ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            : "unknown path"
        let name = identity.application ?? path.split(separator: "/").last.map(String.init) ?? path
        return "\(name) (\(path), grade \(identity.grade.rawValue))"
    }
}

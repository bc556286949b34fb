// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC

extension EnclaveLink {
    /// Sends the message in the buffer and decodes the reply; the buffer is wiped afterwards.
    mutating func reply(
        to kind: EnclaveMessageKind, milliseconds: Int? = nil
    ) throws(EnclaveCallError) -> EnclaveReply {
        let header = try exchange(milliseconds: milliseconds)
        guard header.kind == kind.rawValue else { throw broken() }
        do {
            let reply = try unsafe buffer.withUnsafeBytes { (bytes) throws(DecodingFailure) in
                try unsafe EnclaveReply.decode(
                    kind, status: header.status,
                    payload: UnsafeRawBufferPointer(rebasing: bytes[EnclaveHeader.byteCount...]))
            }
            buffer.removeAll()
            note(reply.lockCount, userID: header.userID)
            return reply
        } catch {
            throw broken()
        }
    }

    private mutating func note(_ lockCount: UInt32?, userID: UInt32) {
        guard let lockCount else { return }
        lockCounts[userID] = max(lockCounts[userID] ?? 0, lockCount)
    }

    /// The error of an unexpected reply; one of another kind ends the connection.
    mutating func unexpected(_ reply: consuming EnclaveReply) -> EnclaveCallError {
        switch consume reply {
        case .failure(let code): return EnclaveCallError(code)
        case .throttled(let seconds): return .throttled(seconds: seconds)
        case .locked: return .locked
        case .locking: return broken()
        case .lockEvent: return broken()
        case .assertion: return broken()
        case .anchored: return broken()
        case .done: return broken()
        case .status: return broken()
        case .challenge: return broken()
        case .madeTableKey: return broken()
        case .openedTableKey: return broken()
        case .sealed: return broken()
        case .opened: return broken()
        case .verified: return broken()
        case .madePrivateKey: return broken()
        case .signature: return broken()
        case .agreed: return broken()
        case .protectors: return broken()
        case .access: return broken()
        case .keychain: return broken()
        case .backup: return broken()
        }
    }
}

extension EnclaveReply {
    /// The user's lock count, in a reply that contains it.
    fileprivate var lockCount: UInt32? {
        switch self {
        case .status(let status): status.lockCount
        case .locked(let lockCount): lockCount
        case .locking(let answer): answer.lockCount
        case .opened(let rows): rows.compactMap(\.lockCount).max()
        case .failure: nil
        case .throttled: nil
        case .done: nil
        case .challenge: nil
        case .lockEvent: nil
        case .assertion: nil
        case .anchored: nil
        case .madeTableKey: nil
        case .openedTableKey: nil
        case .sealed: nil
        case .verified: nil
        case .madePrivateKey: nil
        case .signature: nil
        case .agreed: nil
        case .protectors: nil
        case .access(let reply): reply.lockCount
        case .keychain: nil
        case .backup: nil
        }
    }
}

extension AccessReply {
    fileprivate var lockCount: UInt32? {
        switch self {
        case .opened(let rows): rows.compactMap(\.lockCount).max()
        case .sealed, .judged, .done, .madeKey, .computed: nil
        }
    }
}

extension OpenedRow {
    fileprivate var lockCount: UInt32? {
        switch self {
        case .locked(let lockCount): lockCount
        case .secret, .failure: nil
        }
    }
}

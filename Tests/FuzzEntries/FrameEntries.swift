// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import SecretBytes
import SecurityWire

/// Frames between a client and securityd.
enum FrameEntries {
    /// Splits a frame at the counts of its header, as far as there are bytes.
    private static func split(
        _ data: Data,
        _ body: (FrameKind, UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
    ) {
        unsafe data.withUnsafeBytes { bytes in
            guard bytes.count >= FrameHeader.byteCount,
                let head = try? unsafe FrameHeader(
                    decoding: UnsafeRawBufferPointer(rebasing: bytes.prefix(FrameHeader.byteCount)))
            else { return }
            let rest = unsafe bytes.dropFirst(FrameHeader.byteCount)
            // Counts that don't fit don't affect the message, which is still decoded.
            let count = unsafe head.bodyByteCount == rest.count ? head.messageByteCount : rest.count
            unsafe body(
                head.kind, UnsafeRawBufferPointer(rebasing: rest.prefix(count)),
                UnsafeRawBufferPointer(rebasing: rest.dropFirst(count)))
        }
    }

    /// A decoded value can be encoded, and decoding that gives a value with the same encoding.
    static func request(_ data: Data) {
        unsafe split(data) { kind, message, secret in
            guard
                let request = try? unsafe ClientRequest(
                    decoding: kind, message: message, secret: secret)
            else { return }
            guard let first = frame(request) else { return }
            var second: Data?
            unsafe split(first) { kind, message, secret in
                let again = try? unsafe ClientRequest(
                    decoding: kind, message: message, secret: secret)
                second = again.flatMap(frame)
            }
            precondition(first == second, "a request changes when it is encoded and decoded")
        }
    }

    private static func frame(_ request: ClientRequest) -> Data? {
        guard let frame = try? request.encoded(sequence: 1) else { return nil }
        var data = Data(frame.bytes)
        for secret in frame.secrets {
            unsafe secret.bytes.withUnsafeBytes { unsafe data.append(contentsOf: $0) }
        }
        return data
    }

    static func reply(_ data: Data) {
        unsafe split(data) { kind, message, secret in
            _ = try? unsafe ReceivedReply(decoding: kind, message: message, secret: secret)
        }
    }

    // MARK: - Seeds

    private static func secret(_ bytes: [UInt8]) -> Secret {
        unsafe bytes.withUnsafeBytes { Secret(unsafe SecretBytes(copying: $0)) }
    }

    static var requests: [Data] {
        let identity = WriteIdentity(
            requestID: [UInt8](repeating: 5, count: 16), isRepeated: false)
        var item = NewItem(.genericPassword)
        item.attributes[.account] = .text("account")
        item.attributes[.label] = .data([0, 0xFF])
        item.attributes[.creator] = .integer(77)
        item.secret = secret([1, 2, 3])
        item.returning = [.data, .attributes, .persistentReference]
        var query = ItemQuery(.internetPassword)
        query.attributes[.server] = .text("example.com")
        query.attributes[.creationDate] = .date(1)
        query.limit = nil
        query.synchronizable = .any
        var byReference = ItemQuery(nil)
        byReference.persistentReference = PersistentReference(
            bytes: [UInt8]("genp0123456789abcdef".utf8))
        var byRow = ItemQuery(.key)
        byRow.rowNumber = 7
        var changes = ItemChanges()
        changes.attributes[.comment] = .text("comment")
        changes.secret = secret([])
        let all: [ClientRequest] = [
            .find(query, cursor: 0), .find(byReference, cursor: 3), .find(byRow, cursor: 0),
            .add(item, identity), .update(query, changes, identity), .delete(query, identity),
            .deviceStatus, .challenge, .lock(.now, waits: true), .lock(.logOut, waits: false),
            .lock(.now, waits: false, of: .user(1000)), .lock(.now, waits: false, of: .everybody),
            .assertion(seconds: 60), .watch,
            .passcode(operation: 2, sealed: [UInt8](repeating: 9, count: 100)),
            .entitlements(["keychain-access-groups"]),
            .move(ItemMove(from: "A", to: "B", itemClasses: [.key]), identity),
            .openGroup("A", sealed: [UInt8](repeating: 9, count: 100)),
            .lease(
                .take(name: [1], accessGroup: "A", milliseconds: 1000, waitMilliseconds: 10)),
            .revoke(requestID: [UInt8](repeating: 5, count: 16)),
            .protectors(.list(userID: 5)), .protectors(.challenge(userID: nil)),
            .protectors(
                .send(
                    operation: 13, sealed: [UInt8](repeating: 9, count: 100), name: "boot",
                    userID: 1)),
            .access(.supply(context: [UInt8](repeating: 6, count: 32), sealed: [9, 9])),
            .access(
                .establish(context: [UInt8](repeating: 6, count: 32), purpose: "p", by: .biometry)),
            .trust([1, 2]), .protectors(.renameUser(5)),
            .adoption(.export(cursor: [1, 2])), .keychains(.lock(nil)),
            .keychains(.list(after: .login)), .keychains(.setSearchList([.login])),
            .adoption(.adopt(AdoptedItems([item, item], skipsExisting: true), identity)),
        ]
        return all.compactMap(frame)
    }

    static var replies: [Data] {
        let heads: [(FrameKind, [UInt8])] = [
            (.findReply, [0x0A, 0x04, 0x08, 0x01, 0x10, 0x01, 0x10, 0x02]),
            (.addReply, [0x08, 0x01]), (.updateReply, [0x08, 0x02]), (.changeReply, []),
            (.deviceStatusReply, [0x08, 0x01]),
            (.challengeReply, [0x0A, 0x20] + [UInt8](repeating: 1, count: 32)),
            (.auditReply, []), (.leaseReply, [0x09, 1, 2, 3, 4, 5, 6, 7, 8]),
            (.revokeReply, [0x08, 0x01]), (.failure, [0x08, 0x01, 0x10, 0x02]),
        ]
        return heads.map { kind, message in
            var data = Data()
            for count in [message.count, 0] {
                data.append(
                    contentsOf: (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) })
            }
            data.append(contentsOf: [
                UInt8(truncatingIfNeeded: FrameHeader.version),
                UInt8(truncatingIfNeeded: FrameHeader.version >> 8),
                UInt8(truncatingIfNeeded: kind.rawValue),
                UInt8(truncatingIfNeeded: kind.rawValue >> 8), 1, 0, 0, 0,
            ])
            return data + Data(message)
        }
    }
}

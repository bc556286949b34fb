// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Glibc
import KeychainVocabulary
import SecretBytes
package import SecurityWire

/// Everything that can move out of a user's own keychain.
package struct ExportedKeychain: Sendable {
    /// The items, with stored names of groups.
    package var items: [NewItem] = []
    /// What stays behind.
    package var left = LeftBehind()
    /// The SHA-256 of all of them: another one once an item has changed.
    package var digest: [UInt8] = []
}

extension KeychainConnection {
    /// Reads everything in a user's own keychain. If a passcode is set, the owner must ask for it:
    /// call ``unlock(passcode:)`` on the same connection first.
    /// - Throws: ``FailureReason/denied`` if a passcode is set and wasn't given;
    ///   ``FailureReason/administratorNeeded`` from the service of a whole machine, which gives none
    ///   away; ``FailureReason/locked``; ``FailureReason/unreachable``.
    package func exportAll() throws(KeychainError) -> ExportedKeychain {
        var exported = ExportedKeychain()
        var digest = SHA256()
        var cursor: [UInt8] = []
        repeat {
            let request = ClientRequest.adoption(.export(cursor: cursor))
            guard case .exported(let page) = try read(request, deadline: .seconds(30)) else {
                throw .unreachable
            }
            for found in page.items {
                var item = NewItem(found.itemClass)
                item.attributes = found.attributes
                item.attributes.hasSecret = false
                item.secret = found.secret
                item.add(to: &digest)
                exported.items.append(item)
            }
            exported.left += page.left
            cursor = page.nextCursor
        } while !cursor.isEmpty
        exported.digest = Array(digest.finalize())
        return exported
    }

    /// Sealing and storing as many items as there may be takes seconds on a fast machine.
    private static let adoptionTime = Duration.seconds(180)

    /// Stores all of these items in the system's keychain, or none.
    /// - Parameters:
    ///   - items: As ``exportAll()`` reads them.
    ///   - skipsExisting: Whether an item stays out whose primary key another item has.
    /// - Returns: How many were stored.
    /// - Throws: ``FailureReason/duplicate``; ``FailureReason/keyGone`` for an item of the
    ///   passcode-set class where no passcode is set; ``FailureReason/denied`` when a passcode is set
    ///   and wasn't given; ``FailureReason/tooLarge``; ``FailureReason/invalidRequest`` from a user's
    ///   own service.
    package func adopt(
        _ items: [NewItem], skipsExisting: Bool
    ) throws(KeychainError) -> UInt64 {
        guard !items.isEmpty else { return 0 }
        let request = AdoptedItems(items, skipsExisting: skipsExisting)
        guard items.count <= AdoptionRequest.itemCount else {
            throw KeychainError(status: SecurityStatus.param, reason: .tooLarge)
        }
        let bounds = CallBounds(end: .now + Self.adoptionTime)
        return try write(bounds) { .adoption(.adopt(request, $0)) }.count
    }

    /// Destroys everything of a user of the machine, whose account is gone. Only root can.
    /// - Throws: ``FailureReason/administratorNeeded``; ``FailureReason/busy`` while a passcode of
    ///   the user is being judged.
    package func forgetUser(_ userID: UInt32) throws(KeychainError) {
        let none = Secret(SecretBytes(byteCount: 0))
        try sendAboutProtectors(.forget, Letter(values: [none]), name: "", userID)
    }

    /// Says that an account with another name is the one that its keychain was made for. Only root
    /// can.
    /// - Throws: ``FailureReason/administratorNeeded``.
    package func renameUser(_ userID: UInt32) throws(KeychainError) {
        let reply = try once { () throws(KeychainError) in .protectors(.renameUser(userID)) }
        guard case .protectors = reply else { throw .unknownOutcome }
    }
}

extension NewItem {
    /// Each part has its byte count before it, so that no two items have the same bytes.
    fileprivate func add(to digest: inout SHA256) {
        let attributes = [UInt8](attributes.serialized())
        let head = [
            UInt64(itemClass.wireValue), UInt64(attributes.count),
            UInt64(secret.map { $0.bytes.byteCount + 1 } ?? 0),
        ]
        for number in head {
            unsafe withUnsafeBytes(of: number.littleEndian) {
                unsafe digest.update(bufferPointer: $0)
            }
        }
        digest.update(data: attributes)
        guard let secret else { return }
        unsafe secret.bytes.withUnsafeBytes { unsafe digest.update(bufferPointer: $0) }
    }
}

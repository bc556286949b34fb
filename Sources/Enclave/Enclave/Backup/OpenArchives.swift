// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import SecretBytes

/// What opens the rows of an archive.
enum ArchiveOpening {
    /// It was made by this keybag, whose class keys open its rows.
    case sameKeybag
    /// The private keys of its bag.
    case bag([ProtectionClass: Curve25519.KeyAgreement.PrivateKey])
    /// It was made by this keybag, and its password was given: both open its rows.
    case both([ProtectionClass: Curve25519.KeyAgreement.PrivateKey])
}

/// An archive whose password was right.
struct OpenArchive {
    let session: UInt32
    /// Whose rows are in it.
    let userID: UInt32
    let opening: ArchiveOpening
    /// Seconds of the enclave's clock: its keys go then.
    let end: UInt64

    var isOfThisKeybag: Bool {
        if case .bag = opening { return false }
        return true
    }

    func privateKey(_ protectionClass: ProtectionClass) -> Curve25519.KeyAgreement.PrivateKey? {
        switch opening {
        case .sameKeybag: nil
        case .bag(let keys), .both(let keys): keys[protectionClass]
        }
    }
}

/// The open archives: one for each user at most, for as long as a restore may take.
struct OpenArchives {
    /// A restore of a million rows takes minutes; one whose client is gone shall not hold keys for ever.
    static let seconds: UInt64 = 3600

    private var archives: [UInt32: OpenArchive] = [:]
    private var lastSession: UInt32 = 0

    /// Takes the place of the user's earlier one.
    mutating func open(
        _ opening: ArchiveOpening, of archiveUser: UInt32, for user: UInt32, now: UInt64
    ) -> UInt32 {
        lastSession = lastSession == .max ? 1 : lastSession + 1
        archives[user] = OpenArchive(
            session: lastSession, userID: archiveUser, opening: opening, end: now + Self.seconds)
        return lastSession
    }

    func archive(_ session: UInt32, of user: UInt32, now: UInt64) -> OpenArchive? {
        guard let archive = archives[user], archive.session == session, now < archive.end else {
            return nil
        }
        return archive
    }

    mutating func close(_ session: UInt32, of user: UInt32) {
        if archives[user]?.session == session { archives[user] = nil }
    }

    /// A lock ends a restore.
    mutating func forget(_ user: UInt32) { archives[user] = nil }

    /// Drops those whose time is over.
    mutating func sweep(now: UInt64) { archives = archives.filter { now < $0.value.end } }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import BackupArchive
import Keychain
import KeychainVocabulary
import SecretBytes
import SecurityWire
import TestSupport

/// An archive in memory, and what a service said of it.
struct TestArchive {
    var bytes: [UInt8]
    var counts: BackupCounts

    /// Everything of a service.
    init(of service: TestService) throws {
        let connection = service.connect()
        _ = try connection.proveOwner()
        let (session, head) = try connection.beginBackup()
        bytes = head
        counts = BackupCounts()
        while true {
            let part = try connection.readBackup(session)
            bytes += part.bytes
            counts = part.counts
            guard !part.isLast else { break }
        }
    }

    /// Restores it, as the command does: the head, then parts of whole chunks.
    @discardableResult
    func restore(
        into service: TestService, _ options: RestoreOptions = RestoreOptions(),
        password: String = "", passcode: String = "", provesOwner: Bool = true
    ) throws -> RestoreCounts {
        let connection = service.connect()
        if provesOwner { _ = try connection.proveOwner() }
        let headCount = try ArchiveHead.byteCount(prefix: Array(bytes.prefix(12)))
        let session = try connection.beginRestore(
            Array(bytes.prefix(headCount)), options, password: Secret(text: password),
            passcode: Secret(text: passcode))
        var rest = bytes.dropFirst(headCount)
        while !rest.isEmpty {
            let part = rest.prefix(8 * ArchiveChunk.byteCount)
            rest = rest.dropFirst(part.count)
            try connection.restore(Array(part), session)
        }
        return try connection.finishRestore(session)
    }

    /// The status with which a restore is refused; 0 when it isn't.
    func refusal(
        of service: TestService, _ options: RestoreOptions = RestoreOptions(),
        password: String = "", passcode: String = "", provesOwner: Bool = true
    ) throws -> Int32 {
        do {
            try restore(
                into: service, options, password: password, passcode: passcode,
                provesOwner: provesOwner)
            return 0
        } catch let error as KeychainError { return error.status } catch is ArchiveError {
            return -26275
        }
    }
}

extension TestService {
    static let backupPassword = "a long password"

    func setBackupPassword(_ password: String = backupPassword, passcode: String = "") throws {
        let connection = connect()
        _ = try connection.proveOwner()
        try connection.setBackupPassword(
            Secret(text: password), passcode: Secret(text: passcode))
    }

    /// Waits until everything that may move can.
    func waitUntilPortable() throws {
        try Waiting.until("all rows are portable") {
            try keychain.backupStatus().pendingCount == 0
        }
    }

    /// Account, secret, group, class and reference of each generic password that opens now.
    func passwords() throws -> [String: BackedUpItem] {
        var query = ItemQuery.password(limit: nil, returning: [.attributes, .persistentReference])
        query.synchronizable = .any
        let found: [FoundItem]
        do { found = try keychain.find(query) } catch {
            guard error.status == -25300 else { throw error }
            return [:]
        }
        var items: [String: BackedUpItem] = [:]
        for item in found {
            guard case .text(let account)? = item.attributes[.account] else { continue }
            let secret = try keychain.find(.reference(item.persistentReference, returning: [.data]))
            items[account] = BackedUpItem(
                secret: secret.first?.secret?.testText, group: item.attributes.accessGroup,
                accessibility: item.attributes.accessibility,
                reference: item.persistentReference)
        }
        return items
    }
}

/// What of an item a restore brings back.
struct BackedUpItem: Equatable {
    let secret: String?
    let group: String?
    let accessibility: Accessibility?
    let reference: PersistentReference?
}

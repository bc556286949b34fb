// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import IPC
import ItemStore
import SecurityWire

/// A check or a recovery, or reading the audit log, in parts: each part takes a fraction of a second,
/// so that no client waits long for its reply, or for other clients.
enum MaintenanceRequest: Sendable {
    case check(cursor: [UInt8])
    case recover(cursor: [UInt8])
    case export(cursor: [UInt8])
    case audit(AuditQuery, upTo: AuditExtent?)
}

/// A maintenance request that waits.
struct MaintenanceJob: Sendable {
    let request: MaintenanceRequest
    let userID: UInt32
    let answer: @Sendable (Result<WriteResult, DaemonError>) -> Void
}

/// Where a check or a recovery continues. The client stores it, and it isn't secret: a forged one
/// leads only to other rows of the same user.
struct MaintenanceCursor: Equatable {
    /// The current stage; each kind of maintenance has its own stages.
    var stage: UInt8 = 0
    /// The current element of a stage.
    var part: UInt8 = 0
    /// The row after which to continue.
    var number: Int64 = 0
    /// The current file.
    var name = ""

    private static let fixedByteCount = 10

    /// The beginning.
    init() {}

    /// The beginning of a stage.
    init(stage: UInt8) { self.stage = stage }

    /// Parses a client's cursor.
    /// - Returns: Nil when it is invalid.
    init?(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        guard bytes.count >= Self.fixedByteCount,
            let number = Int64(littleEndianBytes: bytes[2..<Self.fixedByteCount])
        else { return nil }
        stage = bytes[0]
        part = bytes[1]
        self.number = number
        name = String(decoding: bytes[Self.fixedByteCount...], as: UTF8.self)
        guard number >= 0, !name.contains("/") else { return nil }
    }

    var bytes: [UInt8] {
        var bytes = [stage, part]
        bytes.append(littleEndian: UInt64(bitPattern: number))
        return bytes + Array(name.utf8)
    }
}

/// The thread that checks and recovers.
final class MaintenanceThread {
    private let queue: FairQueue<MaintenanceJob>
    private let checks: CheckRequests
    private let recoveries: RecoverRequests
    private let exports: ExportRequests
    private let audits: AuditReader
    private let keys: ItemKeys
    private let scrub: () -> Void
    private let onEnclaveGone: () -> Void
    private let onStoreFailure: (StoreError) -> Void

    /// The approximate time limit of one part.
    static let slice = Duration.milliseconds(150)

    init(
        queue: FairQueue<MaintenanceJob>, checks: CheckRequests, recoveries: RecoverRequests,
        exports: ExportRequests, audits: AuditReader, keys: ItemKeys, scrub: @escaping () -> Void,
        onEnclaveGone: @escaping () -> Void,
        onStoreFailure: @escaping (StoreError) -> Void
    ) {
        self.queue = queue
        self.checks = checks
        self.recoveries = recoveries
        self.exports = exports
        self.audits = audits
        self.keys = keys
        self.scrub = scrub
        self.onEnclaveGone = onEnclaveGone
        self.onStoreFailure = onStoreFailure
    }

    /// Works until the process ends.
    func run() {
        while true {
            guard let job = queue.take() else { continue }
            do throws(DaemonError) {
                let result = try carryOut(job)
                // The part may have reported locked rows: then their keys must be dropped.
                try keys.followLock(userID: job.userID)
                job.answer(.success(result))
            } catch {
                // If securityd restarts for it, the client asks its successor.
                if error == .enclave(.gone) { onEnclaveGone() }
                if case .store(let failure) = error, case .recover = job.request {
                    onStoreFailure(failure)
                }
                job.answer(.failure(error))
            }
            scrub()
        }
    }

    private func carryOut(_ job: MaintenanceJob) throws(DaemonError) -> WriteResult {
        switch job.request {
        case .check(let cursor):
            guard let cursor = MaintenanceCursor(cursor) else { throw .invalidRequest }
            return WriteResult(reply: .checked(try checks.page(cursor, userID: job.userID)))
        case .recover(let cursor):
            guard let cursor = MaintenanceCursor(cursor) else { throw .invalidRequest }
            let (page, changes) = try recoveries.page(cursor, userID: job.userID)
            return WriteResult(reply: .recovered(page), changes: changes)
        case .export(let cursor):
            guard let cursor = MaintenanceCursor(cursor) else { throw .invalidRequest }
            return WriteResult(reply: try exports.page(cursor, userID: job.userID))
        case .audit(let query, let extent):
            return WriteResult(
                reply: .auditPage(try audits.page(query, userID: job.userID, upTo: extent)))
        }
    }
}

extension MaintenanceFinding {
    /// A finding about a row.
    init(_ kind: Kind, _ item: SealedItem, place: String = "") {
        self.init(kind, place: place)
        itemClass = item.table.itemClass
        uuid = item.uuid
        protectionClass = UInt32(item.keyClass)
    }
}

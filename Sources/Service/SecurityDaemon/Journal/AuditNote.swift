// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import CodeIdentity
import Glibc
import IPC
package import SecurityWire

/// The program that makes a connection's requests, as the audit log describes it. Determined once.
package final class AuditCaller: Sendable {
    let userID: UInt32
    let grade: String
    let accessGroup: String
    let processID: Int32
    /// The file name of the program.
    let application: String

    /// Describes an identified caller.
    package init(_ identity: ClientIdentity, processID: Int32, application: String) {
        userID = identity.userID
        grade = identity.grade.rawValue
        accessGroup = identity.accessGroups.first ?? ""
        self.processID = processID
        self.application = application
    }

    /// The same caller, with the access group of its request instead of its own.
    func naming(_ group: String) -> AuditCaller { AuditCaller(self, accessGroup: group) }

    private init(_ caller: AuditCaller, accessGroup: String) {
        userID = caller.userID
        grade = caller.grade
        self.accessGroup = accessGroup
        processID = caller.processID
        application = caller.application
    }

    /// Describes the process at the other end of a connection.
    convenience init(_ identity: ClientIdentity, _ peer: borrowing PeerProcess) {
        let name = Self.programName(peer.pid)
        // Only if it still runs, its process number was never reused.
        self.init(identity, processID: peer.pid, application: peer.isAlive() ? name : "")
    }

    /// Describes the process for which a front speaks.
    convenience init(
        _ identity: ClientIdentity, _ process: borrowing PeerProcess, through front: FrontName
    ) {
        let name = process.isAlive() ? Self.programName(process.pid) : ""
        self.init(
            identity, processID: process.pid, application: "\(name) through \(front.auditName)")
    }

    /// The program's file name; if the program can't be inspected, its process's name.
    private static func programName(_ process: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe bytes.withUnsafeMutableBytes { room in
            unsafe room.withMemoryRebound(to: CChar.self) { room in
                guard let base = room.baseAddress else { return 0 }
                return unsafe readlink("/proc/\(process)/exe", base, room.count)
            }
        }
        if count > 0 {
            let path = bytes[..<count]
            return String(
                decoding: path[(path.lastIndex(of: UInt8(ascii: "/")) ?? -1).advanced(by: 1)...],
                as: UTF8.self)
        }
        let file = unsafe open("/proc/\(process)/comm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        let descriptor = Descriptor(owning: file)
        let length = unsafe bytes.withUnsafeMutableBytes { room in
            unsafe read(descriptor.rawValue, room.baseAddress, 64)
        }
        return String(decoding: bytes[..<max(length - 1, 0)], as: UTF8.self)
    }
}

/// The item or group of a request, as the audit log describes it.
package struct AuditSubject: Sendable {
    let caller: AuditCaller
    let event: AuditEvent
    let itemClass: ItemClass?

    /// Describes a caller's action.
    package init(_ caller: AuditCaller, _ event: AuditEvent, _ itemClass: ItemClass? = nil) {
        self.caller = caller
        self.event = event
        self.itemClass = itemClass
    }
}

/// One event, until the journal's thread makes records of it.
struct AuditNote: Sendable {
    let subject: AuditSubject
    /// Microseconds since 1970.
    let moment: Int64
    var failure: Failure?
    var items: [[UInt8]] = []
    var includesSecrets = false
    /// Rows besides `items`.
    var unnamed: UInt64 = 0

    /// The records: one for each 128 rows.
    func forEachRecord(_ body: (AuditRecord) -> Void) {
        let caller = subject.caller
        var record = AuditRecord(subject.event, userID: caller.userID, microseconds: moment)
        record.status = failure?.status ?? 0
        record.reason = failure?.reason
        record.includesSecrets = includesSecrets
        record.processID = caller.processID
        record.identityGrade = caller.grade
        record.accessGroup = caller.accessGroup
        record.application = caller.application
        record.itemClass = subject.itemClass
        guard items.count > AuditRecord.itemLimit else {
            record.items = items
            record.number = unnamed
            return body(record)
        }
        for start in stride(from: 0, to: items.count, by: AuditRecord.itemLimit) {
            let end = min(start + AuditRecord.itemLimit, items.count)
            record.items = Array(items[start..<end])
            record.number = end == items.count ? unnamed : 0
            body(record)
        }
    }
}

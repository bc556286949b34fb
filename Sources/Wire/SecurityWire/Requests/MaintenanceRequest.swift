// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials

/// A part of a check or of a recovery.
package struct MaintenancePage: Equatable, Sendable {
    package var findings: [MaintenanceFinding] = []
    package var counts = MaintenanceCounts()
    /// Where to continue; empty at the end.
    package var nextCursor: [UInt8] = []

    package init() {}

    /// The maximum byte count of a cursor.
    package static let cursorByteCount = 128
}

extension FrameContent {
    /// Decodes the cursor of a check or a recovery.
    func maintenanceCursor() throws(WireError) -> [UInt8] {
        let message: WireMaintenanceRequest = try unsafe decoded()
        guard message.cursor.count <= MaintenancePage.cursorByteCount else { throw .malformed }
        return [UInt8](message.cursor)
    }
}

extension WireMaintenanceRequest {
    init(cursor: [UInt8]) {
        self.init()
        self.cursor = Data(cursor)
    }
}

extension MaintenancePage {
    init(_ message: WireMaintenanceReply) throws(WireError) {
        guard message.nextCursor.count <= Self.cursorByteCount else { throw .malformed }
        self.init()
        for finding in message.findings { findings.append(try MaintenanceFinding(finding)) }
        counts.examined = message.examined
        counts.sound = message.sound
        counts.locked = message.locked
        counts.restored = message.restored
        counts.present = message.present
        nextCursor = [UInt8](message.nextCursor)
    }

    var message: WireMaintenanceReply {
        var message = WireMaintenanceReply()
        message.findings = findings.map(\.message)
        message.examined = counts.examined
        message.sound = counts.sound
        message.locked = counts.locked
        message.restored = counts.restored
        message.present = counts.present
        message.nextCursor = Data(nextCursor)
        return message
    }
}

extension MaintenanceFinding {
    fileprivate init(_ message: WireMaintenanceFinding) throws(WireError) {
        guard let kind = Kind(rawValue: message.kind) else { throw .malformed }
        self.init(kind, place: message.place, number: message.number)
        itemClass = ItemClass(wireValue: message.itemClass)
        uuid = [UInt8](message.uuid)
        protectionClass = message.protectionClass
    }

    fileprivate var message: WireMaintenanceFinding {
        var message = WireMaintenanceFinding()
        message.kind = kind.rawValue
        message.itemClass = itemClass?.wireValue ?? 0
        message.uuid = Data(uuid)
        message.protectionClass = protectionClass
        message.place = place
        message.number = number
        return message
    }
}

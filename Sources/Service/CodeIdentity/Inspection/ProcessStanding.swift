// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// What `/proc/PID/status` says of a process.
struct ProcessStanding {
    /// Another process debugs it.
    private(set) var isTraced = false
    private(set) var realGroup: UInt32 = 0
    private(set) var effectiveGroup: UInt32 = 0
    /// Real, effective, saved and file-system user.
    private var users: [UInt32] = []
    private(set) var supplementaryGroups: [UInt32] = []
    /// It holds a right by which it may name any file as its program, or change other processes.
    private(set) var holdsRights = false
    /// In how many namespaces it has a process number.
    private(set) var numberCount = 0

    private static let byteLimit = 64 * 1024
    private static let fieldCount = 7

    /// CAP_SYS_PTRACE, CAP_SYS_ADMIN, CAP_SYS_RESOURCE, CAP_CHECKPOINT_RESTORE
    /// (linux/capability.h).
    private static let rights: UInt64 = 1 << 19 | 1 << 21 | 1 << 24 | 1 << 40

    /// Reads it; nil when it isn't there or lacks a line.
    init?(process: Int32) {
        guard
            let bytes = ProcessFile.content("/proc/\(process)/status", limit: Self.byteLimit)
        else { return nil }
        var found = 0
        var lines = TextLines(bytes)
        while let line = lines.next() {
            // The lines wanted begin with these letters; most others don't.
            switch line.first {
            case UInt8(ascii: "T"), UInt8(ascii: "G"), UInt8(ascii: "N"), UInt8(ascii: "C"),
                UInt8(ascii: "U"):
                guard let isWanted = take(line) else { return nil }
                if isWanted { found += 1 }
            default: continue
            }
        }
        guard found == Self.fieldCount else { return nil }
    }

    /// Why a process of a user is nobody: it may name any file as its program, or speak as another
    /// process. Nil when it may not.
    func reason(ofUser userID: UInt32) -> IdentityReason? {
        if numberCount != 1 { return .foreignNamespace }
        return userID != 0 && holdsRights ? .holdsRights : nil
    }

    /// Whether each of its user numbers is this one.
    func isWholly(_ userID: UInt32) -> Bool {
        !users.isEmpty && users.allSatisfy { $0 == userID }
    }

    /// - Returns: Whether the line is one of those wanted; nil for one that says something else than
    ///   it should.
    private mutating func take(_ line: ArraySlice<UInt8>) -> Bool? {
        var fields = LineFields(line)
        guard let name = fields.next() else { return false }
        switch Name(name) {
        case .tracer:
            guard let number = Self.number(&fields, radix: 10) else { return nil }
            isTraced = number != 0
        case .group:
            guard let number = Self.number(&fields, radix: 10).flatMap(UInt32.init(exactly:))
            else { return nil }
            realGroup = number
            effectiveGroup = Self.number(&fields, radix: 10).map { UInt32(clamping: $0) } ?? number
        case .users:
            while let field = fields.next() {
                guard let number = UInt64(digits: field, radix: 10).flatMap(UInt32.init(exactly:))
                else { return nil }
                users.append(number)
            }
        case .groups:
            while let field = fields.next() {
                guard let number = UInt64(digits: field, radix: 10).flatMap(UInt32.init(exactly:))
                else { return nil }
                supplementaryGroups.append(number)
            }
        case .numbers:
            while fields.next() != nil { numberCount += 1 }
        case .rights:
            guard let set = Self.number(&fields, radix: 16) else { return nil }
            holdsRights = holdsRights || set & Self.rights != 0
        case nil: return false
        }
        return true
    }

    /// The lines wanted, each by its name.
    private enum Name {
        case tracer
        case group
        case groups
        case numbers
        case rights
        case users

        init?(_ name: ArraySlice<UInt8>) {
            if name.elementsEqual("TracerPid:".utf8) {
                self = .tracer
            } else if name.elementsEqual("Gid:".utf8) {
                self = .group
            } else if name.elementsEqual("Uid:".utf8) {
                self = .users
            } else if name.elementsEqual("Groups:".utf8) {
                self = .groups
            } else if name.elementsEqual("NSpid:".utf8) {
                self = .numbers
            } else if name.elementsEqual("CapPrm:".utf8) || name.elementsEqual("CapEff:".utf8) {
                self = .rights
            } else {
                return nil
            }
        }
    }

    private static func number(_ fields: inout LineFields, radix: UInt64) -> UInt64? {
        fields.next().flatMap { UInt64(digits: $0, radix: radix) }
    }
}

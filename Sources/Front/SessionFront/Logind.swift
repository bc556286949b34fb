// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC
import MachineBus
import SessionRules

/// What logind says on the system bus.
final class Logind {
    /// A report of logind's, or of the bus about logind.
    enum Report {
        case session(SessionEvent)
        /// The machine is going to sleep, or has woken up.
        case sleep(Bool)
        /// logind has started: what it knows must be asked for again.
        case restarted
    }

    private static let name = "org.freedesktop.login1"
    private static let path = "/org/freedesktop/login1"
    private static let manager = "org.freedesktop.login1.Manager"
    private static let session = "org.freedesktop.login1.Session"
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let busName = "org.freedesktop.DBus"

    private let bus: SystemBus
    /// Whose sessions count; nil for all users.
    private let onlyUser: UInt32?
    /// The connection of the logind that runs. Any program may send a signal to this one, so only
    /// signals of that connection count.
    private var sender: String?
    /// Holds sleep back while it is open.
    private var delay: Descriptor?

    init(onlyUser: UInt32?) throws(BusError) {
        self.onlyUser = onlyUser
        bus = try SystemBus("llavero-session")
        for rule in [
            "type='signal',sender='\(Self.name)',interface='\(Self.manager)'",
            "type='signal',sender='\(Self.name)',interface='\(Self.session)'",
            "type='signal',sender='\(Self.name)',interface='\(Self.properties)',"
                + "path_namespace='\(Self.path)/session'",
            "type='signal',sender='\(Self.busName)',member='NameOwnerChanged',"
                + "arg0='\(Self.name)'",
        ] {
            try bus.subscribe(rule)
        }
    }

    // MARK: - Questions

    /// All sessions of persons. The call also starts logind.
    func sessions() throws(BusError) -> [MachineSession] {
        let list = try bus.call(Self.name, Self.path, Self.manager, "ListSessions")
        let owner = try bus.call(
            Self.busName, "/org/freedesktop/DBus", Self.busName, "GetNameOwner", Self.name)
        sender = owner.readText()
        var paths: [String] = []
        _ = list.enter("a", "(susso)") {
            while let path = list.enter(
                "r", "susso",
                {
                    list.skip("suss")
                    return list.readText("o")
                })
            {
                paths.append(path)
            }
            return true
        }
        var sessions: [MachineSession] = []
        for path in paths {
            if let session = try session(path) { sessions.append(session) }
        }
        return sessions
    }

    /// A session; nil when it has ended, or isn't a person's who counts.
    func session(_ path: String) throws(BusError) -> MachineSession? {
        let reply: BusMessage
        do throws(BusError) {
            reply = try bus.call(Self.name, path, Self.properties, "GetAll", Self.session)
        } catch {
            // It has ended meanwhile; a bus that is gone is noticed by the next call.
            guard error.number != ENOTCONN, error.number != ECONNRESET else { throw error }
            return nil
        }
        var facts = Facts()
        _ = reply.enter("a", "{sv}") {
            while reply.enter(
                "e", "sv",
                {
                    facts.read(reply.readText() ?? "", reply)
                    return true
                }) == true
            {}
            return true
        }
        guard let userID = facts.userID, facts.isPersons, facts.state != "closing" else {
            return nil
        }
        guard onlyUser == nil || userID == onlyUser else { return nil }
        return MachineSession(
            path: path, userID: userID, userName: facts.userName, isLocked: facts.isLocked,
            isIdle: facts.isIdle)
    }

    private struct Facts {
        var userID: UInt32?
        var userName = ""
        var state = ""
        var isPersons = false
        var isLocked = false
        var isIdle = false

        mutating func read(_ name: String, _ message: BusMessage) {
            switch name {
            case "User":
                userID = message.enter("v", "(uo)") {
                    message.enter("r", "uo") {
                        let number = message.readNumber()
                        message.skip("o")
                        return number
                    }
                }
            case "Name": userName = text(message) ?? ""
            case "State": state = text(message) ?? ""
            // The others are greeters', screen lockers', and jobs'.
            case "Class": isPersons = text(message)?.hasPrefix("user") ?? false
            case "LockedHint": isLocked = flag(message)
            case "IdleHint": isIdle = flag(message)
            default: message.skip("v")
            }
        }

        private func text(_ message: BusMessage) -> String? {
            message.enter("v", "s") { message.readText() }
        }

        private func flag(_ message: BusMessage) -> Bool {
            message.enter("v", "b") { message.readFlag() } ?? false
        }
    }

    // MARK: - Sleep

    /// Holds sleep back, until ``letSleep()``.
    func delaySleep() throws(BusError) {
        let reply = try bus.call(
            Self.name, Self.path, Self.manager, "Inhibit", "sleep", "Llavero",
            "The keys leave the memory", "delay")
        let descriptor = reply.readDescriptor()
        guard descriptor >= 0 else { throw BusError(call: "Inhibit", number: EBADF) }
        delay = Descriptor(owning: descriptor)
    }

    /// Lets the machine sleep.
    func letSleep() { delay = nil }

    // MARK: - Reports

    func wait(milliseconds: Int32) throws(BusError) { try bus.wait(milliseconds: milliseconds) }

    /// The next report.
    /// - Returns: Nil when there is none now.
    func next() throws(BusError) -> Report? {
        while let message = try bus.next() {
            if message.sender == Self.busName {
                if let report = ownerChanged(message) { return report }
                continue
            }
            if message.isSignal("org.freedesktop.DBus.Local", "Disconnected") {
                throw BusError(call: "the system bus", number: ENOTCONN)
            }
            guard let sender, message.sender == sender else { continue }
            if let report = try report(message) { return report }
        }
        return nil
    }

    private func ownerChanged(_ message: BusMessage) -> Report? {
        guard message.isSignal(Self.busName, "NameOwnerChanged"), message.readText() == Self.name
        else { return nil }
        _ = message.readText()
        guard let new = message.readText(), !new.isEmpty, new != sender else { return nil }
        return .restarted
    }

    private func report(_ message: BusMessage) throws(BusError) -> Report? {
        if message.isSignal(Self.manager, "PrepareForSleep") {
            return message.readFlag().map { .sleep($0) }
        }
        if message.isSignal(Self.manager, "SessionRemoved") {
            _ = message.readText()
            return message.readText("o").map { .session(.ended(path: $0)) }
        }
        if message.isSignal(Self.manager, "SessionNew") {
            _ = message.readText()
            guard let path = message.readText("o") else { return nil }
            return try session(path).map { .session(.changed($0)) }
        }
        guard let path = message.path, path.hasPrefix(Self.path + "/session/") else { return nil }
        if message.isSignal(Self.session, "Lock") { return .session(.lockRequested(path: path)) }
        if message.isSignal(Self.properties, "PropertiesChanged") {
            return try session(path).map { .session(.changed($0)) } ?? .session(.ended(path: path))
        }
        return nil
    }
}

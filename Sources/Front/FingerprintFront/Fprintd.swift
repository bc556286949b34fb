// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import MachineBus

/// The default reader of fprintd (its D-Bus interface is described in fprintd's documentation). What
/// it says is a daemon's word.
struct Fprintd {
    /// What came of a scan, or of an enrolment's stage.
    enum Outcome {
        case match
        case noMatch
        /// The finger wasn't read well.
        case again
        /// A stage of an enrolment is done.
        case stage
        case completed
        case failed
    }

    private static let service = "net.reactivated.Fprint"
    private static let interface = "net.reactivated.Fprint.Device"

    private static let busItself = "org.freedesktop.DBus"
    private static let ownerChange = "NameOwnerChanged"
    private static let inUse = service + ".Error.AlreadyInUse"
    private static let noFingers = service + ".Error.NoEnrolledPrints"
    private static let claimAttempts = 20
    private static let claimMicroseconds: UInt32 = 100_000
    /// How soon the end of a question is noticed.
    private static let waitMilliseconds: Int32 = 100

    private let bus: SystemBus
    private let device: String
    /// The connection of fprintd: signals of others with the same name don't count.
    private let owner: String

    /// Finds the reader.
    /// - Throws: when there is none, or no bus.
    init() throws(BusError) {
        // A reader takes seconds to open.
        bus = try SystemBus("llavero-fingerprint", seconds: 10)
        let reply = try bus.call(
            Self.service, "/net/reactivated/Fprint/Manager", "net.reactivated.Fprint.Manager",
            "GetDefaultDevice")
        guard let device = reply.readText("o"), let owner = reply.sender else {
            throw BusError(call: "GetDefaultDevice", number: EBADMSG)
        }
        self.device = device
        self.owner = owner
        try bus.subscribe(
            "type='signal',sender='\(Self.busItself)',interface='\(Self.busItself)',"
                + "member='\(Self.ownerChange)',arg0='\(owner)'")
    }

    /// The enrolled fingers of the calling user.
    func fingers() throws(BusError) -> [String] {
        let reply: BusMessage
        do throws(BusError) { reply = try call("ListEnrolledFingers", "") } catch {
            guard error.name == Self.noFingers else { throw error }
            return []
        }
        let fingers = reply.enter("a", "s") {
            var fingers: [String] = []
            while let finger = reply.readText() { fingers.append(finger) }
            return fingers
        }
        return fingers ?? []
    }

    /// Takes the reader for this process alone, and only then listens: a finger that answered the
    /// question of a program that had it before is no answer here.
    /// - Throws: when another program has it.
    func claim() throws(BusError) {
        var attempts = Self.claimAttempts
        while true {
            do throws(BusError) {
                _ = try call("Claim", "")
                break
            } catch {
                // fprintd takes a moment to let go of a program that has ended.
                attempts -= 1
                guard attempts > 0, error.name == Self.inUse, !Ending.isWanted else { throw error }
                usleep(Self.claimMicroseconds)
            }
        }
        for member in ["VerifyStatus", "EnrollStatus"] {
            try bus.subscribe(
                "type='signal',sender='\(owner)',path='\(device)',"
                    + "interface='\(Self.interface)',member='\(member)'")
        }
    }

    func release() throws(BusError) { _ = try call("Release") }

    /// Gives the reader back in the middle of a scan. Errors say nothing new: this process ends next.
    /// - Parameter stop: The call that ends what the reader does.
    func abandon(_ stop: String) {
        _ = try? call(stop)
        _ = try? call("Release")
    }

    func beginVerifying() throws(BusError) { _ = try call("VerifyStart", "any") }

    func endVerifying() throws(BusError) { _ = try call("VerifyStop") }

    func beginEnrolling(_ finger: String) throws(BusError) {
        _ = try call("EnrollStart", finger)
    }

    func endEnrolling() throws(BusError) { _ = try call("EnrollStop") }

    func remove(_ finger: String?) throws(BusError) {
        if let finger {
            _ = try call("DeleteEnrolledFinger", finger)
        } else {
            _ = try call("DeleteEnrolledFingers2")
        }
    }

    /// Waits for a scan, while the caller wants to hear of it.
    func next() throws(BusError) -> Outcome {
        while true {
            guard let message = try bus.next() else {
                guard isHeard, !Ending.isWanted else { return .failed }
                try bus.wait(milliseconds: Self.waitMilliseconds)
                continue
            }
            if message.sender == Self.busItself,
                message.isSignal(Self.busItself, Self.ownerChange)
            {
                return .failed
            }
            guard message.sender == owner, message.path == device else { continue }
            if message.isSignal(Self.interface, "VerifyStatus") {
                return Self.verified(message.readText() ?? "")
            }
            if message.isSignal(Self.interface, "EnrollStatus") {
                return Self.enrolled(message.readText() ?? "")
            }
        }
    }

    /// Whether the other end of this program's output is open.
    private var isHeard: Bool {
        var entry = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        _ = unsafe poll(&entry, 1, 0)
        return entry.revents & Int16(POLLERR) == 0
    }

    private static func verified(_ result: String) -> Outcome {
        switch result {
        case "verify-match": .match
        case "verify-no-match": .noMatch
        case "verify-retry-scan", "verify-swipe-too-short", "verify-finger-not-centered",
            "verify-remove-and-retry":
            .again
        default: .failed
        }
    }

    private static func enrolled(_ result: String) -> Outcome {
        switch result {
        case "enroll-completed": .completed
        case "enroll-stage-passed": .stage
        case "enroll-retry-scan", "enroll-swipe-too-short", "enroll-finger-not-centered",
            "enroll-remove-and-retry":
            .again
        default: .failed
        }
    }

    private func call(_ member: String, _ argument: String? = nil) throws(BusError) -> BusMessage {
        guard let argument else {
            return try bus.call(Self.service, device, Self.interface, member)
        }
        return try bus.call(Self.service, device, Self.interface, member, argument)
    }
}

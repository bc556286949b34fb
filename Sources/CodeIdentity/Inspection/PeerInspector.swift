// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
package import IPC

/// What the inspection of peers goes by.
package struct InspectionRules: Sendable {
    /// Where unsigned programs of root's have a group of their own.
    package var programDirectories = ProgramDirectories(["/usr", "/opt", "/bin", "/sbin"])
    /// Where signatures lie that aren't in their programs.
    package var detachedDirectories: [String] = []
    /// Which teams count.
    package var trust: TrustFile
    /// What this device is called in profiles.
    package var device: [UInt8]?
    /// Seconds since 1970.
    package var now: @Sendable () -> Int64

    package init(
        trust: TrustFile, device: [UInt8]? = nil,
        now: @escaping @Sendable () -> Int64 = { Int64(time(nil)) }
    ) {
        self.trust = trust
        self.device = device
        self.now = now
    }
}

/// Finds out which application a connected process is.
///
/// Nothing is looked up by a path that the peer could have put there, or by a number that could be
/// another process's by now: the address space is opened first, then it is made sure that the very
/// process that connected is alive, so that it was its own; the program is read through the
/// descriptor that `/proc/PID/exe` gives; and at the end the address space must still be in use.
package final class PeerInspector: Sendable {
    private let rules: InspectionRules
    private let cache: ProgramCache
    private let mapped = MappedFiles()

    package init(_ rules: InspectionRules) {
        self.rules = rules
        cache = ProgramCache(detachedDirectories: rules.detachedDirectories)
    }

    /// Begins an inspection, and ends it if no digest has to be taken.
    package func inspect(_ peer: borrowing PeerProcess) -> Identification {
        guard let addressSpace = AddressSpace(process: peer.pid) else {
            return .known(EstablishedPeer(.unsigned(peer.userID, .notInspectable)))
        }
        let exe = unsafe llavero_open("/proc/\(peer.pid)/exe", O_RDONLY | O_CLOEXEC, 0)
        guard exe >= 0 else {
            return .known(EstablishedPeer(.unsigned(peer.userID, .notInspectable)))
        }
        let program = Descriptor(owning: exe)
        guard peer.isAlive() else {
            return .known(EstablishedPeer(.unsigned(peer.userID, .ended)))
        }
        let inspection = Inspection(
            rules: rules, cache: cache, mapped: mapped, pid: peer.pid, userID: peer.userID,
            groupID: peer.groupID, addressSpace: addressSpace, program: program)
        if let identity = inspection.identity(mayTakeLong: false) {
            return .known(inspection.established(identity))
        }
        return .later(PendingInspection { inspection.finish() })
    }
}

/// What came of asking who a peer is.
package enum Identification: Sendable {
    case known(EstablishedPeer)
    /// A file must be read first: not on a thread that others wait for.
    case later(PendingInspection)
}

/// The rest of an inspection.
package struct PendingInspection: Sendable {
    private let rest: @Sendable () -> EstablishedPeer

    init(_ rest: @escaping @Sendable () -> EstablishedPeer) { self.rest = rest }

    /// Ends the inspection; may take as long as reading the program's file.
    package func finish() -> EstablishedPeer { rest() }
}

/// A peer's identity, and what it hangs on.
package final class EstablishedPeer: Sendable {
    /// Who it is.
    package let identity: ClientIdentity
    /// Whether it must still show that it is at the other end of the connection itself: that the
    /// bytes come from the program that was inspected, not from one that the process ran before.
    package let needsProof: Bool
    private let addressSpace: AddressSpace?

    /// An identity that hangs on nothing but the process.
    package init(_ identity: ClientIdentity) {
        self.identity = identity
        needsProof = false
        addressSpace = nil
    }

    init(_ identity: ClientIdentity, _ addressSpace: consuming AddressSpace) {
        self.identity = identity
        needsProof = true
        self.addressSpace = consume addressSpace
    }

    /// The file that tells whether it does, for passing it on; stays owned here.
    var rawAddressSpace: Int32? {
        switch addressSpace {
        case .none: nil
        case .some(let space): space.rawValue
        }
    }

    /// Whether the process still runs the program that was inspected.
    package func isCurrent() -> Bool {
        switch addressSpace {
        case .none: true
        case .some(let space): space.isInUse()
        }
    }
}

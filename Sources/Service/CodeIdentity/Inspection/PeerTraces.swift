// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC

/// What was opened of a process while it was looked into first. Later looks go through these: a
/// process can put itself out of reach, or run another program, but not change what they lead to.
package final class PeerTraces: Sendable {
    let addressSpace: AddressSpace
    /// The program's file.
    let program: Descriptor
    /// Programs on its mount may have raised rights.
    let mayRaiseRights: Bool

    /// It saw the same mounts as who looked first.
    let sharesMounts: Bool

    /// Only root can have mounted the file system of the program's file, so reading it never waits
    /// for another process.
    let isOnRootsMount: Bool

    init(
        _ addressSpace: consuming AddressSpace, program: consuming Descriptor,
        mayRaiseRights: Bool, sharesMounts: Bool, isOnRootsMount: Bool
    ) {
        self.addressSpace = addressSpace
        self.program = program
        self.mayRaiseRights = mayRaiseRights
        self.sharesMounts = sharesMounts
        self.isOnRootsMount = isOnRootsMount
    }

    /// Whether the process still runs the program that was looked into; never waits. Where that
    /// can't be told without waiting, the next look tells.
    package func isCurrent() -> Bool { addressSpace.seemsInUse() }

    /// What goes with the open files.
    struct Marks: OptionSet {
        let rawValue: UInt8
        static let mayRaiseRights = Marks(rawValue: 1)
        static let hasPageMap = Marks(rawValue: 2)
        static let sharesMounts = Marks(rawValue: 4)
        static let isOnRootsMount = Marks(rawValue: 8)
    }

    var marks: Marks {
        var marks: Marks = mayRaiseRights ? .mayRaiseRights : []
        if addressSpace.pageFile == .map { marks.insert(.hasPageMap) }
        if sharesMounts { marks.insert(.sharesMounts) }
        if isOnRootsMount { marks.insert(.isOnRootsMount) }
        return marks
    }

    /// The open files, for passing them on; they stay owned here.
    var rawDescriptors: [Int32] {
        [addressSpace.maps.rawValue, addressSpace.pages.rawValue, program.rawValue]
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC
import Keychain
import SecurityWire
import Synchronization

/// An application whose threads read without pause while it forks. Each child has the forking thread
/// alone, and whatever locks the others held; it reads too, then on several threads at once.
///
/// All of that has been done before the first fork: Swift's runtime describes a type when it is first
/// used, under locks of its own, which nobody can make anew in a child.
enum Forking {
    private static let readers = 8
    private static let children = 60
    /// A child that hangs is ended after so many seconds, and doesn't count.
    private static let patience: UInt32 = 60

    /// What each reader has read before the first child.
    private static let firstReads = 50

    private static let failures = Atomic(0)
    private static let settled = Atomic(0)
    private static let finished = Atomic(0)

    /// Says how many children read the item, and how many reads of the parent's threads failed.
    static func run(_ socket: String, _ service: String) -> Int32 {
        // What comes before the first child is to end, too.
        alarm(patience)
        let connection = KeychainConnection(location: ServiceLocation(socketPath: socket))
        let isReading = start(readers) {
            for count in 1... {
                if !reads(connection, service) { failures.wrappingAdd(1, ordering: .relaxed) }
                if count == firstReads { settled.wrappingAdd(1, ordering: .releasing) }
            }
        }
        let rehearsal = KeychainConnection(location: ServiceLocation(socketPath: socket))
        guard isReading, isServed(rehearsal, service) else { return 1 }
        while settled.load(ordering: .acquiring) < readers { usleep(1000) }
        alarm(0)
        var succeeded = 0
        for _ in 0..<children {
            let child = llavero_fork()
            if child == 0 {
                alarm(patience)
                _exit(isServed(connection, service) ? 0 : 1)
            }
            var status: Int32 = 0
            guard child > 0, unsafe waitpid(child, &status, 0) == child else { return 1 }
            if status == 0 { succeeded += 1 }
        }
        let failed = failures.load(ordering: .relaxed)
        return Application.say("\(succeeded) of \(children) children, \(failed) failures")
    }

    private static func isServed(_ connection: KeychainConnection, _ service: String) -> Bool {
        guard reads(connection, service) else { return false }
        let threads = 4
        finished.store(0, ordering: .relaxed)
        let isReading = start(threads) {
            for _ in 0..<20 {
                if !reads(connection, service) { _exit(1) }
            }
            finished.wrappingAdd(1, ordering: .releasing)
        }
        guard isReading else { return false }
        while finished.load(ordering: .acquiring) < threads { usleep(1000) }
        return true
    }

    private static func start(_ count: Int, _ body: @escaping @Sendable () -> Void) -> Bool {
        do throws(SystemError) {
            for _ in 0..<count { try NativeThread.start(body) }
            return true
        } catch { return false }
    }

    private static func reads(_ connection: KeychainConnection, _ service: String) -> Bool {
        do throws(KeychainError) {
            if try connection.find(Application.query(service)).first?.secret != nil { return true }
            complain("nothing")
        } catch { complain("\(error)") }
        return false
    }

    private static func complain(_ text: String) {
        let line = Array("TestApplication: \(text)\n".utf8)
        _ = unsafe write(STDERR_FILENO, line, line.count)
    }
}

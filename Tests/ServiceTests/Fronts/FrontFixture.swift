// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import SecurityDaemon
import SecurityWire
import Synchronization
import TestSupport

/// One service for the tests of channels; each test has a user of its own.
struct FrontFixture {
    private struct Shared {
        var service: InProcessService?
        var users: UInt32 = 70_000
    }

    private static let shared = Mutex(Shared())

    let service: InProcessService
    let userID: UInt32
    let front: TestFront

    init() throws {
        (service, userID) = try Self.shared.withLock { shared in
            shared.users += 1
            if let service = shared.service { return (service, shared.users) }
            let directory = try TemporaryDirectory.ofThisProcess() + "/fronts"
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            let service = try InProcessService(stateDirectory: directory)
            shared.service = service
            return (service, shared.users)
        }
        front = try service.front(userID: userID)
    }

    /// A channel for the program of root's at a path; nil is nobody.
    func channel(_ path: String? = nil) throws -> TestChannel {
        try service.channel(front, path: path, userID: userID)
    }

    /// A channel for a Flatpak.
    func channel(flatpak: String) throws -> TestChannel {
        var facts = InProcessService.facts(userID: userID)
        facts.flatpak = flatpak
        return try service.channel(front, facts).channel
    }

    /// A channel for the front's own records.
    func records() throws -> TestChannel {
        let (answer, channel) = try front.representRecords()
        guard let channel else { throw TestFailure("There is no channel: \(answer)") }
        return channel
    }

    /// A program of the user on the ordinary socket.
    var client: InProcessService.Client {
        InProcessService.Client(
            userID: userID,
            entitlements: Entitlements([
                "application-identifier": .text("ABCDE12345.app")
            ]))
    }
}

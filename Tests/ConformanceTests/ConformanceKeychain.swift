// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import Keychain
import SecretBytes
import Security
import Synchronization
import TestSupport
import Testing

/// The implementation behind the calls. Every claim about the API applies to both.
enum KeychainKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// securityd's pipeline and the enclave's core as threads of the test process.
    case inProcess = "in process"
    /// The released programs.
    case daemons

    var testDescription: String { rawValue }
}

/// A new keychain for one test, and the calls on it.
final class ConformanceKeychain {
    /// The access groups of an in-process client; the released programs give every program of a
    /// user only the group `unsigned.<uid>`.
    static let groups = ["ABCDE12345.first", "ABCDE12345.second", "ABCDE12345.app"]
    static let passcode = "correct horse"

    let kind: KeychainKind
    /// The calls of `SecItem.h` over this keychain's connection.
    private(set) var calls: ItemCalls
    private(set) var connection: KeychainConnection
    private let backing: Backing

    /// The store of the items.
    private enum Backing {
        case inProcess(InProcessKeychain)
        case daemons(TestService)
    }

    private init(_ kind: KeychainKind, _ backing: Backing, _ connection: KeychainConnection) {
        self.kind = kind
        self.backing = backing
        self.connection = connection
        calls = ItemCalls(connection)
    }

    /// Provides an empty keychain.
    /// - Parameters:
    ///   - kind: The implementation.
    ///   - groups: The access groups of an in-process client.
    ///   - restarts: Whether the test restarts the service: then it gets a separate one.
    ///   - body: The test.
    /// - Throws: the error of `body`, or why there is no keychain.
    static func run(
        _ kind: KeychainKind, groups: [String] = groups, restarts: Bool = false,
        _ body: (ConformanceKeychain) throws -> Void
    ) throws {
        switch kind {
        case .inProcess:
            try InProcessKeychain.lend(groups: groups, isOwn: restarts) { keychain in
                try body(ConformanceKeychain(kind, .inProcess(keychain), try keychain.connect()))
                if let reason = keychain.service.restartReason {
                    Issue.record("A daemon would have ended itself: \(reason)")
                }
            }
        case .daemons:
            let service = try IdleServices.take()
            let keychain = ConformanceKeychain(kind, .daemons(service), service.keychain)
            do { try body(keychain) } catch {
                throw TestFailure("\(error)\nThe service said:\n\(service.messages)")
            }
            if keychain.isAsNew, keychain.clear() { return IdleServices.put(service) }
            try service.stop()
        }
    }

    /// Whether the device is in its initial state: a service whose device has a passcode isn't
    /// reused.
    private var isAsNew = true

    /// Deletes all items, including tombstones.
    /// - Returns: Whether all were deleted.
    private func clear() -> Bool {
        for item in ItemKind.stored {
            for tombstone in [0, 1] {
                let all: Entries = [
                    "class": item.rawValue, "sync": "syna", "tomb": tombstone, "u_Tomb": false,
                ]
                guard [errSecSuccess, errSecItemNotFound].contains(delete(all)),
                    find(all.without("u_Tomb")) == errSecItemNotFound
                else { return false }
            }
        }
        return true
    }

    /// The default group of an item.
    var defaultGroup: String {
        switch backing {
        case .inProcess(let keychain): keychain.groups.first ?? ""
        case .daemons: "unsigned.\(geteuid())"
        }
    }

    /// The same client's calls over a separate connection.
    func anotherConnection() throws -> ItemCalls {
        switch backing {
        case .inProcess(let keychain): ItemCalls(try keychain.connect())
        case .daemons(let service): ItemCalls(service.connect())
        }
    }

    /// The same keychain for another program of the same user; in process only.
    func other(groups: [String]) throws -> ConformanceKeychain {
        try other(entitlements: .holding(groups))
    }

    /// The same keychain for a program with certain entitlements; in process only.
    func other(entitlements: Entitlements) throws -> ConformanceKeychain {
        guard case .inProcess(let keychain) = backing else {
            throw TestFailure("The released programs' identities can't be planted.")
        }
        return ConformanceKeychain(kind, backing, try keychain.connect(entitlements))
    }

    /// The path of the database.
    var stateDirectory: String {
        switch backing {
        case .inProcess(let keychain): keychain.service.stateDirectory
        case .daemons(let service): service.stateDirectory
        }
    }

    /// Another user's keychain in the same database, with the same access groups; in process only.
    func ofAnotherUser() throws -> ConformanceKeychain {
        guard case .inProcess(let keychain) = backing else {
            throw TestFailure("The released programs' identities can't be planted.")
        }
        let other = keychain.forAnotherUser()
        return ConformanceKeychain(kind, .inProcess(other), try other.connect())
    }

    // MARK: - The device

    /// Sets the device's passcode.
    func setPasscode() throws {
        isAsNew = false
        switch backing {
        case .inProcess(let keychain): try keychain.passcode(.set, Self.passcode)
        case .daemons: try connection.setPasscode(SecretBytes(passcode: Self.passcode))
        }
    }

    /// Locks the device.
    func lock() throws { try connection.lock() }

    /// Unlocks the device.
    func unlock() throws {
        switch backing {
        case .inProcess(let keychain): try keychain.passcode(.unlock, Self.passcode)
        case .daemons: try connection.unlock(passcode: SecretBytes(passcode: Self.passcode))
        }
    }

    /// Removes the passcode.
    func removePasscode() throws {
        switch backing {
        case .inProcess(let keychain): try keychain.passcode(.remove, Self.passcode)
        case .daemons: try connection.removePasscode(SecretBytes(passcode: Self.passcode))
        }
    }

    /// As after a boot of the device: with a passcode, before the first unlock.
    func restart() throws {
        isAsNew = false
        switch backing {
        case .inProcess(let keychain):
            try keychain.restart()
            connection = try keychain.connect()
            calls = ItemCalls(connection)
        case .daemons(let service): try service.crash(try service.enclave())
        }
        #expect(try connection.deviceStatus().state != .unlocked)
    }
}

/// Services that no test uses at the moment; they end with the process.
private enum IdleServices {
    /// Only used by the test that has taken it.
    private struct Idle: @unchecked Sendable { let service: TestService }

    private static let all = Mutex<[Idle]>([])

    static func take() throws -> TestService {
        if let idle = all.withLock({ $0.popLast() }) { return idle.service }
        return try TestService.start()
    }

    static func put(_ service: TestService) {
        let idle = Idle(service: service)
        all.withLock { $0.append(idle) }
    }
}

/// One test's user in an in-process service.
private final class InProcessKeychain {
    private(set) var service: InProcessService
    let groups: [String]
    private let userID: UInt32
    private var restarts = 0

    /// All tests' users share one service, to keep the number of threads low.
    private static let shared = Result {
        let directory = try TemporaryDirectory.ofThisProcess()
        return try InProcessService(stateDirectory: directory)
    }
    private static let lastUserID = Mutex<UInt32>(100_000)

    private init(_ service: InProcessService, groups: [String]) {
        self.service = service
        self.groups = groups
        userID = Self.lastUserID.withLock { number in
            number += 1
            return number
        }
    }

    static func lend(
        groups: [String], isOwn: Bool, _ body: (InProcessKeychain) throws -> Void
    ) throws {
        guard isOwn else {
            return try body(InProcessKeychain(try shared.get(), groups: groups))
        }
        try TemporaryDirectory.lend { directory in
            let service = try InProcessService(stateDirectory: directory)
            let keychain = InProcessKeychain(service, groups: groups)
            defer { keychain.service.stopEnclave() }
            try body(keychain)
        }
    }

    func forAnotherUser() -> InProcessKeychain { InProcessKeychain(service, groups: groups) }

    func connect(_ entitlements: Entitlements? = nil) throws -> KeychainConnection {
        try service.connect(client(entitlements ?? .holding(groups)))
    }

    func passcode(_ operation: InProcessService.PasscodeOperation, _ passcode: String) throws {
        try service.passcode(operation, passcode, client(.holding(groups)))
    }

    func restart() throws {
        restarts += 1
        service.stopEnclave()
        service = try InProcessService(
            stateDirectory: service.stateDirectory, name: "\(restarts).sock")
    }

    private func client(_ entitlements: Entitlements) -> InProcessService.Client {
        InProcessService.Client(userID: userID, entitlements: entitlements)
    }
}

extension Entitlements {
    /// Entitlements to access groups, the default one first.
    static func holding(_ groups: [String]) -> Entitlements {
        Entitlements(["keychain-access-groups": .list(groups.map { .text($0) })])
    }
}

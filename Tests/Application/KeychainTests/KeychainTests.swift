// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecretBytes
import Synchronization
import TestSupport
import Testing

/// The typed, asynchronous keychain. Each test has its own daemons; the tests run one after the
/// other, so that the machine can meet their deadlines.
@Suite(.serialized) struct KeychainTests {}

/// The tested store: both follow the same rules.
enum Conformer: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case service
    case memory

    var testDescription: String { rawValue }

    /// A separate store for one test.
    func subject() throws -> any Subject {
        switch self {
        case .service: try ServiceSubject()
        case .memory: MemorySubject()
        }
    }
}

/// A store, and the test's control over its device.
protocol Subject: AnyObject {
    var store: any KeychainStore { get }
    func setPasscode() throws
    func lock() throws
    func unlock() throws
    /// As after a start of the machine.
    func logOut() throws
    func end() throws
}

extension Subject {
    var keychain: Keychain { Keychain(service: "com.example.test", in: store) }
}

/// The released daemons.
final class ServiceSubject: Subject {
    let service: TestService
    let store: any KeychainStore

    init() throws {
        service = try TestService.start()
        store = KeychainService(location: ServiceLocation(socketPath: service.socketPath))
    }

    /// A client of the same service in another process.
    func another() -> Keychain {
        let location = ServiceLocation(socketPath: service.socketPath)
        return Keychain(service: "com.example.test", in: KeychainService(location: location))
    }

    func setPasscode() throws {
        try service.keychain.setPasscode(SecretBytes(passcode: "1234"))
    }

    func lock() throws { try service.keychain.lock() }
    func unlock() throws { try service.keychain.unlock(passcode: SecretBytes(passcode: "1234")) }
    func logOut() throws { try service.keychain.lock(.logOut) }
    func end() throws { try service.stop() }

    /// Stops the service's process, so that it reads nothing; continues it at the end.
    func whileStopped<R>(_ body: (Int32) async throws -> R) async throws -> R {
        let worker = try service.worker()
        try service.halt(worker)
        defer { kill(worker, SIGCONT) }
        return try await body(worker)
    }
}

/// A ``TestKeychain``.
final class MemorySubject: Subject {
    let memory = TestKeychain()
    var store: any KeychainStore { memory }

    func setPasscode() { memory.deviceState = .unlocked }
    func lock() { memory.deviceState = .locked }
    func unlock() { memory.deviceState = .unlocked }
    func logOut() { memory.deviceState = .beforeFirstUnlock }
    func end() {}
}

/// A number that tasks change.
final class Counter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .acquiring) }

    /// - Returns: The new value.
    @discardableResult func add(_ difference: Int) -> Int {
        count.wrappingAdd(difference, ordering: .acquiringAndReleasing).newValue
    }
}

/// As `Waiting.until`, for a task: it lets other tasks run meanwhile. Its turn may come late, since
/// other suites use the same threads.
func waitUntil(_ what: String, _ condition: () throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(600)
    while try !condition() {
        guard ContinuousClock.now < end else { throw TestFailure("Waited in vain for \(what).") }
        try await Task.sleep(for: .milliseconds(2))
    }
}

/// The reason of a failure; nil when there is none.
func reason<R: Sendable>(
    _ body: () async throws(KeychainError) -> R
) async -> FailureReason? {
    do throws(KeychainError) {
        _ = try await body()
        return nil
    } catch { return error.reason }
}

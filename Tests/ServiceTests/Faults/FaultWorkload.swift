// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecretBytes
import SecurityWire
import TestSupport

/// A client that does each kind of write once, and knows the possible states afterwards, whatever
/// failed meanwhile.
struct FaultWorkload {
    /// The possible values of an account; nil is no item.
    private var items: [String: Set<String?>] = [:]
    /// The possible passcodes; nil is none.
    private var passcodes: Set<String?> = [nil]
    /// Violations.
    private(set) var violations: [String] = []
    /// Calls that were reported as failed.
    private(set) var failures = 0
    /// The fault is permanent: the client doesn't wait at each step for a service that doesn't
    /// reply.
    var isFaultLasting = false
    /// Consecutive steps before which the service didn't reply; after some, the remaining steps are
    /// skipped.
    private var silences = 0

    private static let silenceLimit = 2

    /// Valid statuses for a write that failed without the caller's fault.
    private static let clearReasons: Set<FailureReason> = [
        .unreachable, .busy, .unknownOutcome, .internalFailure,
    ]
    private static let classes: [(account: String, accessibility: Accessibility)] = [
        ("ak", .whenUnlocked), ("ck", .afterFirstUnlock), ("dku", .alwaysThisDeviceOnly),
    ]

    // MARK: - The writes

    /// Does everything once. A failed call is recorded, and the next one made.
    mutating func run(_ keychain: KeychainConnection) {
        setPasscode("one", keychain)
        for (account, accessibility) in Self.classes {
            put(account, "first", accessibility, keychain)
        }
        put("gone", "first", .whenUnlocked, keychain)
        put("ak", "second", .whenUnlocked, keychain)
        remove("gone", keychain)
        lockAndUnlock(keychain)
        offerWrongPasscode(keychain)
        setPasscode("two", keychain)
        put("akpu", "first", .whenPasscodeSetThisDeviceOnly, keychain)
        setPasscode(nil, keychain)
        put("ck", "second", .afterFirstUnlock, keychain)
    }

    /// Checks everything; the service must work.
    mutating func verify(_ keychain: KeychainConnection, _ moment: String) {
        do {
            silences = 0
            try becomeReady(keychain, within: .seconds(60))
            for account in items.keys.sorted() { try settle(account, keychain) }
            // The service can also be used.
            try keychain.save(.password("later \(moment)", secret: moment))
            guard try Self.read("later \(moment)", keychain) == moment else {
                throw TestFailure("a new item isn't there")
            }
        } catch { violations.append("\(moment): \(error)") }
    }

    private mutating func put(
        _ account: String, _ value: String, _ accessibility: Accessibility,
        _ keychain: KeychainConnection
    ) {
        let old = items[account] ?? [nil]
        attempt("put \(account)", keychain) { state in
            state.items[account] = old.union([value])
            try keychain.save(.password(account, secret: value, accessibility: accessibility))
            state.items[account] = [value]
        }
    }

    private mutating func remove(_ account: String, _ keychain: KeychainConnection) {
        let old = items[account] ?? [nil]
        attempt("remove \(account)", keychain) { state in
            state.items[account] = old.union([nil])
            do throws(KeychainError) { try keychain.delete(.password(account)) } catch {
                guard error.reason == .absent, old.contains(nil) else { throw error }
            }
            state.items[account] = [nil]
        }
    }

    private mutating func setPasscode(_ new: String?, _ keychain: KeychainConnection) {
        attempt("passcode \(new ?? "none")", keychain) { state in
            guard let old = state.passcodes.first, state.passcodes.count == 1, old != new else {
                return
            }
            state.passcodes = [old, new]
            switch (old, new) {
            case (nil, let new?): try keychain.setPasscode(SecretBytes(passcode: new))
            case (let old?, let new?):
                try keychain.changePasscode(
                    from: SecretBytes(passcode: old), to: SecretBytes(passcode: new))
            case (let old?, nil): try keychain.removePasscode(SecretBytes(passcode: old))
            case (nil, nil): break
            }
            state.passcodes = [new]
            if new == nil { state.items["akpu"] = [nil] }
        }
    }

    private mutating func lockAndUnlock(_ keychain: KeychainConnection) {
        attempt("lock", keychain) { state in
            try keychain.lock()
            guard let passcode = state.passcodes.first, let passcode else { return }
            try keychain.unlock(passcode: SecretBytes(passcode: passcode))
        }
    }

    private mutating func offerWrongPasscode(_ keychain: KeychainConnection) {
        attempt("wrong passcode", keychain) { state in
            guard state.passcodes.first != .some(nil) else { return }
            do throws(KeychainError) {
                try keychain.unlock(passcode: SecretBytes(passcode: "wrong"))
                throw KeychainError(status: 0, reason: .wrongState)
            } catch {
                guard error.reason == .wrongPasscode else { throw error }
            }
        }
    }

    /// Makes the service ready for a step, and carries it out; records invalid results.
    private mutating func attempt(
        _ name: String, _ keychain: KeychainConnection,
        _ body: (inout FaultWorkload) throws -> Void
    ) {
        guard !isFaultLasting || silences < Self.silenceLimit else { return }
        do {
            silences += 1
            try becomeReady(keychain, within: .seconds(5))
            silences = 0
            try body(&self)
        } catch let error as KeychainError where Self.clearReasons.contains(error.reason) {
            failures += 1
        } catch let error as KeychainError where error.reason == .locked {
            // enclaved has been restarted, and is before its first unlock.
            failures += 1
        } catch { violations.append("\(name): \(error)") }
    }

    // MARK: - The resulting state

    /// Waits until the service replies, finds out which passcode is set and unlocks with it.
    private mutating func becomeReady(
        _ keychain: KeychainConnection, within duration: Duration
    ) throws {
        let deadline = ContinuousClock.now + duration
        while true {
            do {
                let status = try keychain.deviceStatus()
                guard status.passcodeSet else {
                    if passcodes.contains(nil), passcodes.count > 1 { items["akpu"]?.insert(nil) }
                    return try keepPasscode(nil)
                }
                if passcodes.count == 1, status.state == .unlocked { return }
                return try unlock(keychain)
            } catch let error as KeychainError where Self.clearReasons.contains(error.reason) {
                guard ContinuousClock.now < deadline else { throw error }
                usleep(50_000)
            }
        }
    }

    private mutating func unlock(_ keychain: KeychainConnection) throws {
        for passcode in passcodes.compactMap(\.self).sorted() {
            do throws(KeychainError) {
                try keychain.unlock(passcode: SecretBytes(passcode: passcode))
                return try keepPasscode(passcode)
            } catch {
                guard error.reason == .wrongPasscode else { throw error }
            }
        }
        throw TestFailure("no passcode is right of \(passcodes)")
    }

    private mutating func keepPasscode(_ passcode: String?) throws(KeychainError) {
        if !passcodes.contains(passcode) {
            violations.append("the passcode is \(passcode ?? "none"), not one of \(passcodes)")
        }
        passcodes = [passcode]
    }

    /// Reads an account and checks that it has one of its possible values.
    private mutating func settle(_ account: String, _ keychain: KeychainConnection) throws {
        let possible = items[account] ?? [nil]
        let present = try Self.read(account, keychain)
        guard possible.contains(present) else {
            throw TestFailure(
                "\(account) holds \(present ?? "nothing"), not one of "
                    + "\(possible.map { $0 ?? "nothing" }.sorted())")
        }
        items[account] = [present]
    }

    private static func read(_ account: String, _ keychain: KeychainConnection) throws -> String? {
        do {
            let found = try keychain.find(.password(account, limit: nil, returning: .data))
            guard found.count == 1, let text = found[0].secret?.testText else {
                throw TestFailure("\(account) is there in part or twice")
            }
            return text
        } catch let error as KeychainError {
            // The key of its class was destroyed with the passcode.
            guard error.reason == .absent || (error.reason == .keyGone && account == "akpu") else {
                throw error
            }
            return nil
        }
    }
}

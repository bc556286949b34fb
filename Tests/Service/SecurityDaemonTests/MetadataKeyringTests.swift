// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation
import SecretBytes
import SecurityDaemon
import SecurityWire
import Synchronization
import TestSupport
import Testing

/// The progress of another thread.
private final class Progress: Sendable {
    let step = Mutex(0)
}

/// A thread's grip during a scan loses its key when the table's key is dropped.
@Suite struct MetadataKeyringTests {
    private static func name(
        _ accessibility: Accessibility, userID: UInt32 = 1, generation: UInt32 = 1
    ) -> MetadataKeyring.Name {
        MetadataKeyring.Name(
            RowOwner(userID: userID), keyClass: accessibility.rawValue, generation: generation)
    }

    private static func keep(
        _ name: MetadataKeyring.Name, _ byte: UInt8, in keyring: MetadataKeyring
    ) {
        keyring.whileFetching { epoch in
            keyring.keep(
                name, Secret(bytes: [UInt8](repeating: byte, count: 32)), since: epoch)
        }
    }

    /// The first byte of a key as a grip has it.
    private static func byte(
        _ name: MetadataKeyring.Name, _ grip: MetadataKeyring.Grip, _ keyring: MetadataKeyring
    ) -> UInt8? {
        keyring.use(name, grip) { key in unsafe key.withUnsafeBytes { unsafe $0.first ?? 0 } }
    }

    @Test func gripFollowsTheNameOfTheKey() {
        let keyring = MetadataKeyring()
        let grip = keyring.makeGrip()
        let first = Self.name(.whenUnlocked)
        let second = Self.name(.whenUnlocked, generation: 2)
        let foreign = Self.name(.whenUnlocked, userID: 2)
        #expect(Self.byte(first, grip, keyring) == nil)
        Self.keep(first, 1, in: keyring)
        Self.keep(second, 2, in: keyring)
        for _ in 0..<2 {
            #expect(Self.byte(first, grip, keyring) == 1)
            #expect(Self.byte(first, grip, keyring) == 1)
            #expect(Self.byte(second, grip, keyring) == 2)
            #expect(Self.byte(foreign, grip, keyring) == nil)
        }
    }

    @Test func lockTakesTheKeyOutOfEveryGrip() {
        let keyring = MetadataKeyring()
        let grips = (0..<3).map { _ in keyring.makeGrip() }
        let locked = Self.name(.whenUnlocked)
        Self.keep(locked, 1, in: keyring)
        for grip in grips { #expect(Self.byte(locked, grip, keyring) == 1) }
        #expect(keyring.dropLockedKeys(userID: 1))
        for grip in grips { #expect(Self.byte(locked, grip, keyring) == nil) }
    }

    @Test func lockLeavesOtherUsersAndClassesInTheirGrips() {
        let keyring = MetadataKeyring()
        let names = [
            Self.name(.whenUnlocked, userID: 2), Self.name(.afterFirstUnlock),
            Self.name(.alwaysThisDeviceOnly),
        ]
        let grips = names.map { _ in keyring.makeGrip() }
        for (name, grip) in zip(names, grips) {
            Self.keep(name, 7, in: keyring)
            #expect(Self.byte(name, grip, keyring) == 7)
        }
        #expect(keyring.dropLockedKeys(userID: 1))
        for (name, grip) in zip(names, grips) { #expect(Self.byte(name, grip, keyring) == 7) }
    }

    @Test func lockWaitsForWhoIsUsingTheKeyInItsGrip() {
        let keyring = MetadataKeyring()
        let grip = keyring.makeGrip()
        let name = Self.name(.whenUnlocked)
        Self.keep(name, 1, in: keyring)
        let progress = Progress()
        Thread.detachNewThread {
            _ = keyring.use(name, grip) { _ in
                progress.step.withLock { $0 = 1 }
                // It continues for a while after the lock was requested.
                while progress.step.withLock({ $0 }) == 1 { Thread.sleep(forTimeInterval: 0.001) }
                Thread.sleep(forTimeInterval: 0.2)
                progress.step.withLock { $0 = 3 }
                return true
            }
        }
        while progress.step.withLock({ $0 }) == 0 { Thread.sleep(forTimeInterval: 0.001) }
        progress.step.withLock { $0 = 2 }
        #expect(keyring.dropLockedKeys(userID: 1))
        #expect(progress.step.withLock { $0 } == 3)
        #expect(Self.byte(name, grip, keyring) == nil)
    }

    @Test func releasedGripTakesHoldAgain() {
        let keyring = MetadataKeyring()
        let grip = keyring.makeGrip()
        let name = Self.name(.whenUnlocked)
        Self.keep(name, 1, in: keyring)
        #expect(Self.byte(name, grip, keyring) == 1)
        grip.release()
        #expect(Self.byte(name, grip, keyring) == 1)
        grip.release()
        #expect(keyring.dropLockedKeys(userID: 1))
        #expect(Self.byte(name, grip, keyring) == nil)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Synchronization
import Testing

/// The calls of the whole surface, in one keychain.
@Suite(.usesSharedCertificate) struct SurfaceCallTests {
    init() throws { _ = try EphemeralKeychain.shared.get() }

    @Test func whatIsBuiltWorks() throws {
        for (name, call) in try SurfaceCalls().working { #expect(call(), "\(name)") }
    }

    @Test func everyFunctionDoesItsWorkOnSixtyFourThreadsAtOnce() throws {
        let failures = Mutex<[String]>([])
        let running = DispatchGroup()
        for number in 0..<64 {
            running.enter()
            Thread {
                defer { running.leave() }
                let failed = Result { try Self.callAll(number) }
                switch failed {
                case .success(let names): failures.withLock { $0 += names }
                case .failure(let error): failures.withLock { $0.append("\(error)") }
                }
            }.start()
        }
        #expect(running.wait(timeout: .now() + 300) == .success)
        #expect(failures.withLock { $0 } == [])
    }

    /// These store, find and delete the one certificate of all threads, or settings about it, so
    /// their results also depend on the other threads.
    private static let sharing: Set = [
        "SecCertificateAddToKeychain", "SecIdentityCreateWithCertificate",
        "SecIdentitySetPreferred", "SecIdentityCopyPreferred", "SecIdentitySetPreference",
        "SecIdentityCopyPreference", "SecCertificateSetPreferred", "SecCertificateCopyPreferred",
        "SecCertificateSetPreference", "SecCertificateCopyPreference",
        "SecIdentitySetSystemIdentity", "SecIdentityCopySystemIdentity",
        "SecTrustSettingsSetTrustSettings", "SecTrustSettingsCopyTrustSettings",
        "SecTrustSettingsRemoveTrustSettings", "SecTrustSettingsCopyCertificates",
        "SecTrustSettingsCopyModificationDate", "SecTrustSettingsCreateExternalRepresentation",
        "SecTrustSettingsImportExternalRepresentation",
    ]

    /// Calls everything once, each thread in another order.
    /// - Returns: The calls that failed.
    private static func callAll(_ number: Int) throws -> [String] {
        let calls = try SurfaceCalls(account: "thread \(number)")
        let statuses = calls.statuses.mapValues { call in { call() == errSecUnimplemented } }
        let all = calls.working.merging(statuses) { $1 }.merging(calls.refusals) { $1 }
            .sorted { $0.key < $1.key }
        let start = number * 7 % all.count
        let failed = (all[start...] + all[..<start]).filter { !$0.value() }.map(\.key)
        return failed.filter { !sharing.contains($0) }
    }
}

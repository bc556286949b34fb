// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import KeychainVocabulary
import SecretBytes
import SecurityWire
import TestSupport
import Testing
import TrustWire

/// Trust settings in the database: who reaches them, and what an old database means.
@Suite(.serialized) struct TrustSettingsServiceTests {
    private func question(_ made: TestCertificates) throws -> TrustQuestion {
        TrustQuestion(
            time: Int64(Date().timeIntervalSince1970),
            certificates: [try made.der("server"), try made.der("authority")],
            policies: [TrustPolicy(.sslServer, names: ["server.example"])])
    }

    private func set(
        _ service: TestService, _ der: [UInt8], _ domain: TrustDomain = .user,
        result: TrustSettings.Result = .trustRoot
    ) throws {
        var rule = TrustSettings.Rule()
        rule.result = result
        let entry = try #require(TrustSettings.Entry(der, rules: [rule]))
        try service.keychain.changeTrustSettings(domain) { $0.set(entry) }
    }

    private func failure(_ body: () throws -> Void) -> KeychainError? {
        do {
            try body()
            return nil
        } catch { return error as? KeychainError }
    }

    /// A denial that is taken back with an old database gives no verdict, and not a good one.
    @Test func settingsThatWerePutBackGiveNoVerdict() throws {
        try TemporaryDirectory.lend { directory in
            let made = try TestCertificates(in: directory)
            let question = try question(made)
            let root = try made.der("root")
            let options = TestService.Options(.user, directory: directory)
            let database = directory + "/llavero/keychain.db"
            try TestService.run(options) { service in
                try set(service, root)
                let answer = try service.keychain.evaluate(question)
                #expect(answer.isTrusted && answer.anchor == .user)
            }
            let old = try Data(contentsOf: URL(fileURLWithPath: database))
            try TestService.run(options) { service in
                try set(service, root, result: .deny)
                let answer = try service.keychain.evaluate(question)
                #expect(!answer.isTrusted && answer.worst?.fault == .denied)
            }
            for suffix in ["-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: database + suffix)
            }
            try old.write(to: URL(fileURLWithPath: database))
            try TestService.run(options) { service in
                let failure = failure { _ = try service.keychain.evaluate(question) }
                #expect(failure?.reason == .rolledBack)
            }
        }
    }

    /// A program moves items to the groups of trust settings and of the machine, or opens them.
    /// Red team: ephemeral; refused.
    /// Before: nothing.
    @Test func noOtherRequestReachesSettings() throws {
        try TestService.run { service in
            let keychain = service.keychain
            for group in ReservedGroup.allCases.map(\.rawValue) {
                let denied = -34018
                // Moved there, and out of there.
                try keychain.add(.password("a"))
                let own = "unsigned.\(geteuid())"
                for (source, target) in [(own, group), (group, own)] {
                    let moved = failure { try keychain.moveItems(from: source, to: target) }
                    #expect(moved?.status == Int32(denied), "\(group)")
                }
                try keychain.delete(.password("a"))
                let opened = failure {
                    let passcode = SecretBytes.random(byteCount: 4)
                    try keychain.openGroup(group, passcode: passcode)
                }
                #expect(opened != nil)
                // A change that takes another item there.
                try keychain.add(.password("b"))
                var changes = ItemChanges()
                changes.attributes[.accessGroup] = .text(group)
                let updated = failure { try keychain.update(.password("b"), applying: changes) }
                #expect(updated?.status == Int32(denied), "\(group)")
                try keychain.delete(.password("b"))
            }
            // Settings are generic passwords alone.
            var item = NewItem(.internetPassword)
            item.attributes[.accessGroup] = .text(ReservedGroup.userTrust.rawValue)
            item.attributes[.server] = .text("x")
            #expect(failure { try keychain.add(item) }?.status == -50)
        }
    }

    /// Bytes that aren't settings, put there by the user, give no verdict.
    @Test func settingsThatCantBeReadGiveNoVerdict() throws {
        try TemporaryDirectory.lend { directory in
            let made = try TestCertificates(in: directory)
            let question = try question(made)
            try TestService.run { service in
                var item = NewItem(.genericPassword)
                item.attributes[.accessGroup] = .text(ReservedGroup.userTrust.rawValue)
                item.attributes[.service] = .text(TrustSettings.service)
                item.secret = Secret(SecretBytes.random(byteCount: 32))
                try service.keychain.add(item)
                let failure = failure { _ = try service.keychain.evaluate(question) }
                #expect(failure?.status == -25291)
            }
        }
    }

    /// Two programs that change settings at the same time lose none.
    @Test func changesAtTheSameTimeAreAllKept() throws {
        try TemporaryDirectory.lend { directory in
            let made = try TestCertificates(in: directory)
            let ders = try ["root", "authority", "server"].map { try made.der($0) }
            try TestService.run { service in
                let socketPath = service.socketPath
                let threads = ders.map { der in
                    Thread {
                        let connection = KeychainConnection(
                            location: ServiceLocation(socketPath: socketPath))
                        var rule = TrustSettings.Rule()
                        rule.result = .unspecified
                        for _ in 0..<10 {
                            guard let entry = TrustSettings.Entry(der, rules: [rule]) else {
                                return
                            }
                            try? connection.changeTrustSettings(.machine) { $0.set(entry) }
                        }
                    }
                }
                for thread in threads { thread.start() }
                try Waiting.until("all changes") { threads.allSatisfy(\.isFinished) }
                let settings = try service.keychain.trustSettings(.machine)
                #expect(Set(settings.entries.map(\.certificate)) == Set(ders))
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

extension ServiceTests {
    /// Certificates in the service of a machine.
    @Suite(.enabled(if: geteuid() == 0, "only root can start the system service"))
    struct SystemTrust {
        private static let good = "...certificate verification successful."
        private static let bad = "Cert Verify Result: CSSMERR_TP_NOT_TRUSTED"

        private func withWorld(_ body: (SystemWorld, TestCertificates) throws -> Void) throws {
            try SystemWorld.run { world in
                let directory = world.root + "/certificates"
                try FileManager.default.createDirectory(
                    atPath: directory, withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o755])
                let made = try TestCertificates(in: directory)
                for name in ["root", "authority", "server"] {
                    guard unsafe chmod(made.path(name), 0o644) == 0 else {
                        throw TestFailure(name)
                    }
                }
                try body(world, made)
            }
        }

        private func verify(
            _ world: SystemWorld, _ made: TestCertificates, as user: UInt32
        ) throws -> String {
            try world.security(
                user, "verify-cert", "-c", made.path("server"), "-c", made.path("authority"), "-p",
                "ssl", "-n", "server.example")
        }

        /// The starter's arguments don't name the directory of the service.
        private func starter(_ world: SystemWorld, other: Int32 = 0) throws -> Int32 {
            try Waiting.value("the starter of trustd") {
                ProcessEntry.all().first {
                    $0.parent == world.process.pid && $0.words.first == "trustd"
                        && $0.pid != other
                }?.pid
            }
        }

        /// M2: a user installs an authority for all users of the machine, as root may.
        /// Red team: system, another user; refused.
        /// Before: nothing.
        @Test func theAdministratorsAuthorityIsEverybodysAndAUsersIsTheUsersAlone() throws {
            try withWorld { world, made in
                let (anna, berta) = (SystemWorld.anna, SystemWorld.berta)
                let root = made.path("root")
                #expect(try verify(world, made, as: anna) == Self.bad)
                // A user's own setting.
                #expect(try world.security(anna, "add-trusted-cert", root) == "")
                #expect(try verify(world, made, as: anna) == Self.good)
                #expect(try verify(world, made, as: berta) == Self.bad)
                #expect(try world.security(anna, "remove-trusted-cert", root) == "")
                // The machine's is root's.
                let refusal = try world.security(anna, "add-trusted-cert", "-d", root)
                #expect(refusal.hasPrefix("SecTrustSettingsSetTrustSettings: "))
                let system = "System.keychain"
                #expect(
                    try world.security(anna, "add-certificates", "-k", system, root).contains(
                        "only root"))
                #expect(try verify(world, made, as: anna) == Self.bad)
                #expect(
                    try world.security(0, "add-trusted-cert", "-d", "-k", system, root) == "")
                for user in [anna, berta, 0] {
                    #expect(try verify(world, made, as: user) == Self.good)
                    #expect(
                        try world.security(user, "find-certificate", "-c", "Test Root", system)
                            .contains("Test Root"))
                }
                // A user's denial counts for that user.
                #expect(try world.security(anna, "add-trusted-cert", "-r", "deny", root) == "")
                #expect(
                    try verify(world, made, as: anna)
                        == "SecTrustEvaluate result: kSecTrustResultDeny")
                #expect(try verify(world, made, as: berta) == Self.good)
                #expect(try world.security(0, "remove-trusted-cert", "-d", root) == "")
                #expect(try verify(world, made, as: berta) == Self.bad)
            }
        }

        /// Each user's trustd is another process; all run as a user that nothing else has.
        @Test func trustdRunsAsAUserOfItsOwnForEachUser() throws {
            try withWorld { world, made in
                for user in [SystemWorld.anna, SystemWorld.berta] {
                    #expect(try verify(world, made, as: user) == Self.bad)
                }
                let starter = try starter(world)
                let judges = ProcessEntry.all().filter { $0.parent == starter }.map(\.pid)
                #expect(judges.count == 2)
                for process in [starter] + judges {
                    let status = try ProcessFile.read(process, "status")
                    let number = "\(SystemWorld.trust)"
                    #expect(status.contains("Uid:\t\(number)\t\(number)\t\(number)\t\(number)\n"))
                    #expect(status.contains("CapPrm:\t0000000000000000\n"))
                    #expect(status.contains("NoNewPrivs:\t1\n"))
                }
                for process in judges {
                    #expect(try ProcessFile.read(process, "status").contains("Seccomp:\t2\n"))
                }
            }
        }

        /// A file is read for each user, and what it has is that user's.
        @Test func filesAreImportedForTheUserWhoAsks() throws {
            try withWorld { world, _ in
                let file = world.root + "/certificates/pair.p12"
                try FileManager.default.copyItem(
                    atPath: Binaries.packageRoot + "/Tests/Vectors/imports/openssl-aes.p12",
                    toPath: file)
                guard unsafe chmod(file, 0o644) == 0 else { throw TestFailure(file) }
                let (anna, berta) = (SystemWorld.anna, SystemWorld.berta)
                #expect(
                    try world.security(anna, "import", file, "-P", "secret").contains(
                        "1 identity imported."))
                #expect(
                    try world.security(anna, "export", "-t", "privKeys", "-p").contains(
                        "BEGIN EC PRIVATE KEY"))
                #expect(
                    try world.security(berta, "export").contains("No keychain items found"))
                let starter = try starter(world)
                try Waiting.until("transcoder to end") {
                    !ProcessEntry.all().contains {
                        $0.parent == starter && $0.words.first == "transcoder"
                    }
                }
            }
        }

        @Test func aStarterThatDiesIsStartedAgain() throws {
            try withWorld { world, made in
                #expect(try world.security(0, "add-trusted-cert", "-d", made.path("root")) == "")
                #expect(try verify(world, made, as: SystemWorld.anna) == Self.good)
                let first = try starter(world)
                kill(first, SIGKILL)
                _ = try starter(world, other: first)
                try Waiting.until("certificates to be judged again") {
                    try verify(world, made, as: SystemWorld.anna) == Self.good
                }
            }
        }
    }
}

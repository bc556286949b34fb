// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import IPC
import TestSupport
import Testing

extension ServiceTests {
    /// Attackers of the victim's own user who use what one look at a process doesn't show: another
    /// process that holds its address space, its other threads, and the kernel's page in it.
    @Suite struct SecondReading {
        private static let found = "found \(Victim.secret)"

        /// Signs one of the attackers' programs as the victim's team does.
        private static func sign(_ name: String, _ victim: Victim) throws -> String {
            let plain = try Attackers.compile(name, into: victim.world.directory)
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: plain)))
            return try victim.world.install(
                victim.team.sign(bytes, "org.example.bank"), name + "-signed")
        }

        /// A process executes another program. A second process keeps the first one's address space
        /// alive: it reads `pagemap` into memory that never arrives. The other program has the
        /// connection until the next look, ten seconds later.
        /// Red team: ephemeral, user, system; closed.
        /// Before: worked; S, with the secret.
        @Test(
            .enabled(if: geteuid() == 0, "only root can make the device of a file server"),
            arguments: SignedWorld.allModes)
        func addressSpaceThatIsKeptAliveIsNotBelieved(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let signed = try Self.sign("successor", victim)
                let other = try Attackers.compile("successor", into: world.directory)
                let pinner = try Attackers.compile("pinner", into: world.directory)
                let words = [world.service.socketPath, other]
                func begin() throws -> TestProcess {
                    let attacker = try world.start(signed, words)
                    #expect(try attacker.readLine() == Self.found)
                    return attacker
                }
                func succeed(_ attacker: TestProcess) throws {
                    attacker.write("\n")
                    #expect(try attacker.readLine() == "running")
                    attacker.write("\n")
                }
                // The control: without the second process the next message ends the connection,
                // unless the inspector has a user of its own.
                let alone = try begin()
                defer { alone.end() }
                try succeed(alone)
                #expect(try alone.readLine() == (victim.isProtected ? Self.found : "closed"))

                let server = try FileServer(world, [victim.path], holds: true)
                let attacker = try begin()
                let helper = try world.start(pinner, ["\(attacker.pid)", server.program])
                defer {
                    server.end()
                    helper.end()
                    attacker.end()
                }
                #expect(try helper.readLine() == "reading")
                try succeed(attacker)
                // The other control: the address space is alive.
                #expect(try attacker.readLine() == Self.found)
                sleep(11)
                attacker.write("\n")
                let late = try attacker.readLine()
                #expect(late == "closed")
            }
        }

        /// An attacker writes code into the page that the kernel maps into every process, before the
        /// victim's program connects.
        /// Red team: ephemeral, user; U.
        /// Before: worked; S.
        @Test(arguments: SignedWorld.modes)
        func codeInTheKernelsPageTakesTheIdentityAway(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let attacker = try Attackers.compile("injected", into: world.directory)
                func whoAmI(_ place: String) throws -> [String] {
                    try world.run(
                        attacker, [place, victim.path, world.service.socketPath, "whoami"])
                }
                // The control: started the same way, and not changed.
                #expect(try whoAmI("nothing").first == "S")
                let lines = try whoAmI("vdso")
                #expect(lines.first == "U", "\(lines)")
                #expect(lines.contains(IdentityReason.copiedCode.text))
            }
        }

        /// The same where `pagemap` is read page by page. Code in the page is found there, too.
        /// Red team: ephemeral (without PAGEMAP_SCAN); U.
        /// Before: worked; S.
        @Test func codeInTheKernelsPageIsSeenPageByPage() throws {
            try TestService.$isOnOldKernel.withValue(true) {
                try SignedWorld.run { world in
                    let victim = try Victim(world)
                    let attacker = try Attackers.compile("injected", into: world.directory)
                    let words = [victim.path, world.service.socketPath, "whoami"]
                    #expect(try world.run(attacker, ["nothing"] + words).first == "S")
                    let lines = try world.run(attacker, ["vdso"] + words)
                    #expect(lines.first == "U", "\(lines)")
                    #expect(lines.contains(IdentityReason.copiedCode.text))
                }
            }
        }

        /// An attacker debugs a thread of the victim's that isn't its first one.
        /// Red team: ephemeral, user, system; U.
        /// Before: worked; S, with the secret.
        @Test(arguments: SignedWorld.allModes)
        func programWhoseSecondThreadIsDebuggedIsNobody(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let program = try Self.sign("twothreads", victim)
                let alone = try world.run(program, [world.service.socketPath, "alone"])
                #expect(alone.first == "grade S", "\(alone)")
                #expect(alone.last == Self.found)
                let lines = try world.run(program, [world.service.socketPath, "traced"])
                #expect(lines.first == "grade U", "\(lines)")
                #expect(lines.contains("reason \(IdentityReason.traced.text)"))
                #expect(!lines.contains(Self.found))
            }
        }
    }

    /// The same before an inspector with a user of its own, which reads `smaps`.
    @Suite(.enabled(if: geteuid() == 0, "only root can start processes of several users"))
    struct SecondReadingOfPeers {
        /// An attacker writes code into the page that the kernel maps into every process, before the
        /// victim's program connects.
        /// Red team: system; U.
        /// Before: worked; S.
        @Test func inspectorSeesCodeInTheKernelsPage() throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                let peers = try InspectorWorld(world)
                let attacker = try Attackers.compile("injected", into: world.directory)
                func inspect(_ place: String) throws -> ClientIdentity {
                    try peers.inspect(
                        attacker, InspectorWorld.Call(before: [place, victim.path])
                    ).identity
                }
                #expect(try inspect("nothing").grade == .signed)
                let identity = try inspect("vdso")
                #expect(identity.grade == .unsigned)
                #expect(identity.reasons.map(\.text) == [IdentityReason.copiedCode.text])
            }
        }
    }
}

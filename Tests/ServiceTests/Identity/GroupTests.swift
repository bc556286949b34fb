// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// What signed programs do with the groups that they hold: entitlements, moves between groups,
    /// and extensions.
    @Suite struct Groups {
        private static let old = "TEAMAAAAAA.old"
        private static let new = "TEAMAAAAAA.new"
        private static let shared = "TEAMAAAAAA.shared"

        // MARK: - Entitlements

        /// Apple's keys, some of a developer's own, and what no profile can give.
        private static let asked = """
            <plist version="1.0"><dict>
            <key>keychain-access-groups</key><array>
            <string>TEAMAAAAAA.shared</string><string>OTHERTEAM1.x</string></array>
            <key>com.apple.security.application-groups</key>
            <array><string>TEAMAAAAAA.group</string></array>
            <key>application-identifier</key><string>OTHERTEAM1.org.example.lie</string>
            <key>org.example.feature</key><true/>
            <key>org.example.off</key><false/>
            <key>org.example.forbidden</key><true/>
            <key>org.example.color</key><string>dark blue</string>
            <key>org.example.colors</key><array><string>dark red</string><string>pink</string></array>
            <key>com.apple.private.everything</key><true/>
            <key>org.example.number</key><integer>7</integer>
            </dict></plist>
            """
        private static let allowed = """
            <plist version="1.0"><dict>
            <key>keychain-access-groups</key><array><string>*</string></array>
            <key>com.apple.security.application-groups</key><array><string>*</string></array>
            <key>application-identifier</key><string>*</string>
            <key>org.example.feature</key><true/>
            <key>org.example.forbidden</key><false/>
            <key>org.example.color</key><string>dark *</string>
            <key>org.example.colors</key><array><string>dark *</string></array>
            <key>com.apple.private.everything</key><true/>
            <key>org.example.number</key><integer>7</integer>
            </dict></plist>
            """
        private static let expected: [(name: String, value: String)] = [
            ("application-identifier", "TEAMAAAAAA.org.example.app"),
            ("com.apple.application-identifier", "TEAMAAAAAA.org.example.app"),
            ("com.apple.developer.team-identifier", "TEAMAAAAAA"),
            ("keychain-access-groups", "TEAMAAAAAA.shared"),
            ("com.apple.security.application-groups", "TEAMAAAAAA.group"),
            ("org.example.feature", "true"), ("org.example.off", "false"),
            ("org.example.forbidden", "absent"), ("org.example.color", "dark blue"),
            ("org.example.colors", "dark red"), ("com.apple.private.everything", "absent"),
            ("org.example.number", "absent"), ("org.example.other", "absent"),
        ]

        @Test func aTaskHasTheEntitlementsThatTheServiceGoesBy() throws {
            try SignedWorld.run { world in
                let team = try SignedWorld.Team("TEAMAAAAAA")
                let program = [UInt8](
                    try Data(contentsOf: URL(fileURLWithPath: Binaries.testTask())))
                let signed = try world.install(
                    team.sign(
                        program, "org.example.app", Array(Self.asked.utf8),
                        allowing: Array(Self.allowed.utf8)), "task")
                let names = Self.expected.map(\.name)
                let here = ["LLAVERO_SOCKET": world.service.socketPath]
                let none = ["absent"] + names.map { _ in "absent" } + ["0"]
                #expect(try world.run(signed, names, environment: here) == none)
                try world.trust(team)
                let present = Self.expected.count { $0.value != "absent" }
                #expect(
                    try world.run(signed, names, environment: here)
                        == ["org.example.app"] + Self.expected.map(\.value) + ["\(present)"])
                let nowhere = ["LLAVERO_SOCKET": world.directory + "/none"]
                #expect(
                    try world.run(signed, ["application-identifier"], environment: nowhere)
                        == ["failed -25291", "failed -25291", "failed"])
            }
        }

        // MARK: - Moving

        @Test func anOwnerOfTwoGroupsMovesEverythingOrNothing() throws {
            try SignedWorld.run { world in
                let team = try SignedWorld.Team("TEAMAAAAAA")
                try world.trust(team)
                let program = try world.program()
                let owner = try world.install(
                    team.sign(program, "org.example.app", groups: [Self.old, Self.new]), "owner")
                let halfOwner = try world.install(
                    team.sign(program, "org.example.app", groups: [Self.new]), "half")
                let adding = (0..<20).map { "add item\($0) SECRET\($0) \(Self.old)" }
                #expect(
                    try world.converse(owner, adding + ["add item7 OTHER \(Self.new)"])
                        == [String](repeating: "ok", count: 21))
                let move = "move \(Self.old) \(Self.new)"
                #expect(
                    try world.converse(
                        halfOwner, [move, "move \(Self.new) \(Self.old)", "find item3"])
                        == ["failed -34018", "failed -34018", "failed -25300"])
                // One of them stands in the way of all.
                #expect(
                    try world.converse(
                        owner, [move, "find item3 \(Self.old)", "find item3 \(Self.new)"])
                        == ["failed -25299", "SECRET3", "failed -25300"])
                let other = try world.converse(
                    owner, ["move \(Self.new) TEAMAAAAAA.org.example.app", move, move])
                #expect(other == ["1", "20", "failed -25300"])
                let found = try world.converse(
                    halfOwner, (0..<20).map { "find item\($0) \(Self.new)" })
                #expect(found == (0..<20).map { "SECRET\($0)" })
                #expect(
                    try world.converse(owner, ["move \(Self.new) \(Self.new)"])
                        == ["failed -50"])
            }
        }

        @Test func aProgramHearsOfChangesInItsOwnGroupsAlone() throws {
            try SignedWorld.run { world in
                let team = try SignedWorld.Team("TEAMAAAAAA")
                try world.trust(team)
                let program = try world.program()
                let writer = try world.install(
                    team.sign(program, "org.example.app", groups: [Self.old, Self.new]), "writer")
                let hearer = try world.install(
                    team.sign(program, "org.example.other", groups: [Self.new]), "hearer")
                let hearing = try world.start(
                    hearer, [world.service.socketPath, "hear", "kinds"])
                defer { hearing.end() }
                #expect(try hearing.readLine() == "hearing")
                let writes = [
                    "add foreign SECRET \(Self.old)", "renew foreign ck",
                    "move \(Self.old) \(Self.new)", "move \(Self.new) \(Self.old)",
                    "add own SECRET \(Self.new)", "update own ck",
                ]
                #expect(
                    try world.converse(writer, writes) == ["ok", "ok", "1", "1", "ok", "ok"])
                // Of an item that is moved: it came, and it went. Its own item is told last.
                let told = try (0..<4).map { _ in try hearing.readLine() }
                #expect(told == ["added", "deleted", "added", "updated"])
            }
        }

        /// Killed in the middle of a move, the service has all items in one group or the other.
        @Test func aMoveThatIsCutOffIsWholeOrNotThere() throws {
            try SignedWorld.run { world in
                let team = try SignedWorld.Team("TEAMAAAAAA")
                try world.trust(team)
                let owner = try world.install(
                    team.sign(
                        world.program(), "org.example.app", groups: [Self.old, Self.new]), "owner")
                let count = 300
                let adding = (0..<count).map { "add item\($0) S \(Self.old)" }
                #expect(try world.converse(owner, adding).count == count)
                // How long a move takes here.
                let whole = try mover(world, owner)
                let start = ContinuousClock.now
                whole.write("move \(Self.old) \(Self.new)\n")
                #expect(try whole.readLine() == "\(count)")
                let time = start.duration(to: .now)
                whole.end()
                var source = Self.new
                var target = Self.old
                var cutOff = 0
                for eighth in 0..<8 {
                    let process = try mover(world, owner)
                    let worker = try world.service.worker()
                    let pause: Duration = time * eighth / 8
                    process.write("move \(source) \(target)\n")
                    usleep(useconds_t(pause / .microseconds(1)))
                    if eighth > 0, !process.hasOutput { cutOff += 1 }
                    try world.service.crash(worker)
                    process.closeInput()
                    _ = try process.wait()
                    // The client may have asked again, or been told that it isn't known.
                    func present(in group: String) throws -> Int {
                        try world.converse(owner, (0..<count).map { "find item\($0) \(group)" })
                            .count { $0 == "S" }
                    }
                    let moved = try present(in: target)
                    #expect(try moved + present(in: source) == count)
                    #expect(moved == 0 || moved == count, "\(moved)")
                    if moved > 0 { swap(&source, &target) }
                }
                #expect(cutOff > 0)
            }
        }

        /// A program that the service knows already, and that waits for a line.
        private func mover(_ world: SignedWorld, _ program: String) throws -> TestProcess {
            let process = try world.start(program, [world.service.socketPath, "serve"])
            process.write("find nothing\n")
            #expect(try process.readLine() == "failed -25300")
            return process
        }

        // MARK: - The tool

        /// A program of the same user runs the `security` tool for another application's group, without
        /// the passcode.
        /// Red team: ephemeral; refused.
        /// Before: stopped; refused.
        @Test func theToolOpensAForeignGroupByThePasscodeAlone() throws {
            try SignedWorld.run { world in
                let team = try SignedWorld.Team("TEAMAAAAAA")
                try world.trust(team)
                let app = try world.install(
                    team.sign(world.program(), "org.example.app", groups: [Self.old]), "app")
                #expect(try world.ask(app, "add", "service", "PLUM") == ["ok"])
                let security = try world.tool()
                func run(_ words: String..., input: String = "") throws -> TestProcess.Result {
                    try world.runTool(security, words, input: input)
                }
                let find = ["find-generic-password", "-s", "service", "-w"]
                let refused = TestProcess.Ending.exit(-34018 & 0xFF)
                #expect(try world.runTool(security, find).ending == .exit(44))
                // There is no passcode, and so no proof.
                let denied = try world.runTool(security, ["--access-group", Self.old] + find)
                #expect(denied.ending == refused)
                #expect(denied.errors.contains("none is set"))
                let passcode = "tool passcode\n"
                let setting = try run(
                    "device", "set-passcode", "--passcode-fd", "0", input: passcode)
                #expect(setting.ending == .exit(0))
                // No terminal, no descriptor: it isn't even tried.
                let unasked = try world.runTool(security, ["--access-group", Self.old] + find)
                #expect(unasked.ending == refused)
                #expect(unasked.errors.contains("--passcode-fd"))
                let group = ["--access-group", Self.old, "--passcode-fd", "0"]
                let wrong = try world.runTool(security, group + find, input: "wrong\n")
                #expect(wrong.ending == .exit(-25293 & 0xFF))
                #expect(wrong.output.isEmpty)
                let right = try world.runTool(security, group + find, input: passcode)
                #expect(right.ending == .exit(0))
                #expect(right.output == "PLUM\n")
                // The next run has nothing of it.
                #expect(try world.runTool(security, find).ending == .exit(44))
                let log = try run("audit", "--json").output
                #expect(log.contains(#""event": "open-group", "status": 0"#))
                #expect(log.contains(#""accessGroup": "TEAMAAAAAA.old""#))

                let own = "unsigned.\(TestService.unprivilegedUser)"
                let move = ["move-items", "--from", Self.old, "--to", own]
                #expect(try world.runTool(security, move).ending == refused)
                let moved = try world.runTool(
                    security, move + ["--passcode-fd", "0"], input: passcode)
                #expect(moved.output == "Moved 1 item.\n")
                #expect(try world.runTool(security, find).output == "PLUM\n")
                #expect(try world.ask(app, "find", "service") == ["failed -25300"])
                // Back; and what is there already is told.
                #expect(try world.ask(app, "add", "service", "PEAR") == ["ok"])
                let back = ["move-items", "--from", own, "--to", Self.old, "--passcode-fd", "0"]
                let inTheWay = try world.runTool(security, back, input: passcode)
                #expect(inTheWay.ending == .exit(-25299 & 0xFF))
                #expect(inTheWay.errors.contains("Nothing was moved."))
                #expect(try world.runTool(security, find).output == "PLUM\n")
                #expect(try run("move-items", "--from", own).ending == .exit(2))
                #expect(try run("--access-group", own, "whoami").ending == .exit(2))
            }
        }

        // MARK: - Extensions

        @Test func anExtensionReadsInTheBackgroundWhatIsOpenAfterTheFirstUnlock() throws {
            try SignedWorld.run { world in
                let team = try SignedWorld.Team("TEAMAAAAAA")
                try world.trust(team)
                let program = try world.program()
                let app = try world.install(
                    team.sign(program, "org.example.mail", groups: [Self.shared]), "mail")
                let watch = try world.install(
                    team.sign(program, "org.example.mail.watch", groups: [Self.shared]), "watch")
                #expect(
                    try world.converse(
                        app,
                        [
                            "add token TOKEN \(Self.shared) ck",
                            "add draft DRAFT \(Self.shared) ak",
                            "add note NOTE \(Self.shared) aku",
                            "add mine MINE TEAMAAAAAA.org.example.mail ck",
                        ]) == ["ok", "ok", "ok", "ok"])
                try world.setPasscodeAndLock("watch passcode")
                let all = ["find token", "find draft", "find note", "find mine"]
                #expect(
                    try world.converse(watch, all)
                        == ["TOKEN", "failed -25308", "failed -25308", "failed -25300"])
                // Locked, nothing becomes readable by another class.
                #expect(
                    try world.converse(watch, ["update draft ck", "renew note cku"])
                        == ["failed -25308", "failed -25308"])
                try world.unlock("watch passcode")
                // By an update, and by reading, deleting and adding.
                #expect(
                    try world.converse(app, ["update draft ck", "renew note cku"])
                        == ["ok", "ok"])
                try world.lock()
                #expect(
                    try world.converse(watch, all)
                        == ["TOKEN", "DRAFT", "NOTE", "failed -25300"])
            }
        }

        @Test func itemsOutliveTheApplication() throws {
            try SignedWorld.run { world in
                let team = try SignedWorld.Team("TEAMAAAAAA")
                try world.trust(team)
                let folder = world.directory + "/installed"
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: false)
                let signed = try team.sign(
                    world.program(), "org.example.app", groups: [Self.shared])
                let first = try world.install(signed, "app", in: folder)
                #expect(
                    try world.converse(
                        first, ["add kept APPLE", "add own PEAR TEAMAAAAAA.org.example.app"])
                        == ["ok", "ok"])
                try FileManager.default.removeItem(atPath: folder)
                // In between nobody sees them, in its place neither.
                let squatter = try world.install(world.program(), "app")
                #expect(
                    try world.converse(squatter, ["find kept", "find kept \(Self.shared)"])
                        == ["failed -25300", "failed -34018"])
                try world.service.crash(world.service.worker())
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: false)
                let again = try world.install(signed, "app", in: folder)
                #expect(
                    try world.converse(again, ["find kept", "find own"]) == ["APPLE", "PEAR"])
            }
        }
    }
}

extension SignedWorld {
    /// The tool, where the unprivileged user can run it.
    func tool() throws -> String {
        let file = URL(fileURLWithPath: try Binaries.path("security"))
        return try install([UInt8](Data(contentsOf: file)), "security")
    }

    /// Runs the tool as the unprivileged user, in a session without a terminal.
    func runTool(
        _ tool: String, _ words: [String], input: String = ""
    ) throws -> TestProcess.Result {
        var options = TestProcess.Options()
        options.environment = ["LLAVERO_SOCKET": service.socketPath]
        return try TestProcess.run(
            Binaries.launcher(),
            ["--unprivileged", "--", "/usr/bin/setsid", "--wait", tool] + words, options,
            input: input)
    }

    fileprivate func setPasscodeAndLock(_ passcode: String) throws {
        try act { try $0.setPasscode(SecretBytes(passcode: passcode)) }
        try lock()
    }

    fileprivate func lock() throws { try act { try $0.lock() } }

    fileprivate func unlock(_ passcode: String) throws {
        try act { try $0.unlock(passcode: SecretBytes(passcode: passcode)) }
    }

    /// Acts as an unsigned program of the unprivileged user.
    func act(_ body: @escaping @Sendable (KeychainConnection) throws -> Void) throws {
        let user = geteuid() == 0 ? TestService.unprivilegedUser : geteuid()
        try OtherUser.act(as: user, on: service, body)
    }
}

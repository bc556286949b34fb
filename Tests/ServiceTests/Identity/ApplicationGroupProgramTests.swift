// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import Security
import TestSupport
import Testing

extension ServiceTests {
    /// Application groups: signed programs of two teams, in Swift and in C, that all say `group.x`.
    @Suite struct ApplicationGroups {
        private static let list = "com.apple.security.application-groups"
        private static let entitled: [String: [String]] = [list: ["group.x"]]
        private static var group: Entries { ["agrp": "group.x"] }
        private static var stored: Entries { ["agrp": "TEAMAAAAAA.group.x"] }

        /// Lends a world that trusts two teams.
        private func run(
            _ body: (SignedWorld, _ first: SignedWorld.Team, _ second: SignedWorld.Team) throws
                -> Void
        ) throws {
            try SignedWorld.run { world in
                let first = try SignedWorld.Team("TEAMAAAAAA")
                let second = try SignedWorld.Team("TEAMBBBBBB")
                try world.trust(first)
                try world.trust(second)
                try body(world, first, second)
            }
        }

        // MARK: - In Swift

        /// A trusted team gives its program the application group of another team, by the same name.
        /// Red team: ephemeral; S of its own team.
        /// Before: nothing.
        @Test func twoTeamsGroupsOfOneNameAreTwo() throws {
            try run { world, first, second in
                let ours = try world.itemProgram(first, "ours", Self.entitled)
                let theirs = try world.itemProgram(second, "theirs", Self.entitled)
                for item in SampleItem.allCases {
                    for (number, program) in [ours, theirs].enumerated() {
                        let new = item.item + Self.group + ["v_Data": Data([UInt8(number)])]
                        #expect(try program.add(new) == errSecSuccess)
                        #expect(try program.add(new) == errSecDuplicateItem)
                    }
                    for (number, program) in [ours, theirs].enumerated() {
                        #expect(try program.count(item.any) == 1)
                        #expect(try program.data(item.query) == Data([UInt8(number)]))
                        #expect(try program.data(item.query + Self.group) == Data([UInt8(number)]))
                        #expect(try program.text("agrp", item.query) == "group.x")
                    }
                    let reference: Entries = ["v_PersistentRef": try ours.reference(item.query)]
                    #expect(try theirs.find(reference) == errSecItemNotFound)
                    #expect(try theirs.update(reference, ["labl": "x"]) == errSecItemNotFound)
                    for program in [ours, theirs] {
                        #expect(
                            try program.all(item.item + Self.stored)
                                == every(errSecMissingEntitlement))
                    }
                    #expect(try theirs.delete(item.any) == errSecSuccess)
                    #expect(try ours.data(item.query) == Data([0]))
                }
            }
        }

        @Test func twoProgramsOfATeamShareAndSeeTheShortName() throws {
            try run { world, first, _ in
                let one = try world.itemProgram(first, "one", Self.entitled)
                let other = try world.itemProgram(first, "other", Self.entitled)
                for item in SampleItem.allCases {
                    let new = item.item + Self.group + ["r_Attributes": true]
                    let added = try one.call("add", new)
                    #expect(added.status == errSecSuccess)
                    #expect((added.result as? Entries)?["agrp"] as? String == "group.x")
                    #expect(try other.data(item.query) == item.secret)
                    #expect(try other.text("agrp", item.query + Self.group) == "group.x")
                    #expect(
                        try other.update(item.query + Self.group, ["labl": "changed"])
                            == errSecSuccess)
                    #expect(try one.text("labl", item.query) == "changed")
                    // Into the other's own group, where the first doesn't see it, and back.
                    let own: Entries = ["agrp": "TEAMAAAAAA.org.example.other"]
                    #expect(try other.update(item.query, own) == errSecSuccess)
                    #expect(try one.find(item.query) == errSecItemNotFound)
                    #expect(try other.update(item.query + own, Self.group) == errSecSuccess)
                    #expect(try one.delete(item.query + Self.group) == errSecSuccess)
                    #expect(try other.find(item.query) == errSecItemNotFound)
                }
            }
        }

        /// A program asks for an application group that its profile doesn't list, or asks by another
        /// entitlement, or is unsigned.
        /// Red team: ephemeral; S of its own groups, or U.
        /// Before: nothing.
        @Test func whoIsNotGivenTheGroupHasNothingOfIt() throws {
            try run { world, first, second in
                let owner = try world.itemProgram(first, "owner", Self.entitled)
                let unentitled = try world.itemProgram(first, "unentitled")
                let unlisted = try world.itemProgram(
                    first, "unlisted", Self.entitled,
                    thenAllowing: [Self.list: ["group.y"], "keychain-access-groups": ["*"]])
                let foreign = try world.itemProgram(
                    second, "foreign",
                    [
                        "keychain-access-groups": ["TEAMBBBBBB.group"], Self.list: ["group.y"],
                    ])
                let bare = try world.itemProgram(
                    at: world.install(SignedWorld.taskProgram(), "bare"))
                for item in SampleItem.allCases {
                    #expect(try owner.add(item.item + Self.group) == errSecSuccess)
                    let reference: Entries = ["v_PersistentRef": try owner.reference(item.query)]
                    for program in [unentitled, unlisted, foreign, bare] {
                        for group in [Self.group, Self.stored] {
                            #expect(
                                try program.all(item.item + group)
                                    == every(errSecMissingEntitlement))
                        }
                        #expect(try program.find(item.query) == errSecItemNotFound)
                        #expect(try program.find(reference) == errSecItemNotFound)
                        #expect(try program.delete(item.any) == errSecItemNotFound)
                    }
                    #expect(try owner.data(item.query) == item.secret)
                }
            }
        }

        @Test func theGroupIsTheLastDefaultAndShownLast() throws {
            try run { world, first, _ in
                let program = try world.itemProgram(
                    first, "app",
                    Self.entitled.merging(["keychain-access-groups": ["TEAMAAAAAA.k"]]) { $1 })
                let plain = try world.itemProgram(first, "plain", Self.entitled)
                for item in SampleItem.allCases {
                    #expect(try program.add(item.item) == errSecSuccess)
                    #expect(try program.text("agrp", item.query) == "TEAMAAAAAA.k")
                    #expect(try plain.add(item.item) == errSecSuccess)
                    #expect(
                        try plain.text("agrp", item.query) == "TEAMAAAAAA.org.example.plain")
                }
                let application = try world.install(
                    first.sign(
                        world.program(), "org.example.app",
                        SignedWorld.propertyList(
                            Self.entitled.merging(["keychain-access-groups": ["TEAMAAAAAA.k"]]) {
                                $1
                            }), allowing: SignedWorld.allGroups()), "application")
                #expect(
                    try world.ask(application, "whoami")
                        == ["S", "TEAMAAAAAA.k", "TEAMAAAAAA.org.example.app", "group.x"])
            }
        }

        @Test func leasesAndChangesAreOfOnesOwnTeamsGroup() throws {
            try run { world, first, second in
                func install(_ team: SignedWorld.Team, _ name: String) throws -> String {
                    try world.install(
                        team.sign(
                            world.program(), "org.example." + name,
                            SignedWorld.propertyList(Self.entitled),
                            allowing: SignedWorld.allGroups()), name)
                }
                let ours = try install(first, "ours")
                let partner = try install(first, "partner")
                let theirs = try install(second, "theirs")
                let take = [world.service.socketPath, "take", "token", "group.x"]
                let holder = try world.start(ours, take)
                defer { holder.end() }
                #expect(try holder.readLine() == "held")
                #expect(try world.run(theirs, take) == ["held"])
                let refused = try world.run(partner, take)
                #expect(refused.count == 1 && refused.first?.hasPrefix("failed") == true)
                let stored = Array(take.dropLast()) + ["TEAMAAAAAA.group.x"]
                for program in [ours, theirs] {
                    #expect(try world.run(program, stored) == ["failed -34018"])
                }
                let hearing = try world.start(partner, [world.service.socketPath, "hear", "kinds"])
                defer { hearing.end() }
                #expect(try hearing.readLine() == "hearing")
                #expect(try world.ask(theirs, "add", "news", "PEAR", "group.x") == ["ok"])
                #expect(try world.ask(ours, "add", "news", "PLUM", "group.x") == ["ok"])
                #expect(try world.ask(ours, "update", "news", "ck") == ["ok"])
                // Not two additions: the other team's isn't heard of.
                #expect(try [hearing.readLine(), hearing.readLine()] == ["added", "updated"])
            }
        }

        // MARK: - Both names

        @Test func whoamiAndTheAuditLogShowBothNames() throws {
            try run { world, first, _ in
                let tool = [UInt8](
                    try Data(contentsOf: URL(fileURLWithPath: Binaries.path("security"))))
                let signed = try world.install(
                    first.sign(
                        tool, "org.example.tool", SignedWorld.propertyList(Self.entitled),
                        allowing: SignedWorld.allGroups()), "signed-security")
                let plain = try world.runTool(signed, ["whoami"]).output
                #expect(
                    plain.contains(
                        "Access group:     TEAMAAAAAA.org.example.tool\n"
                            + "Access group:     group.x (stored as TEAMAAAAAA.group.x)\n"))
                let json = try world.runTool(signed, ["whoami", "--json"]).output
                let identity = try #require(
                    JSONSerialization.jsonObject(with: Data(json.utf8)) as? Entries)
                #expect(
                    identity["accessGroups"] as? [String]
                        == ["TEAMAAAAAA.org.example.tool", "group.x"])
                #expect(
                    identity["storedGroups"] as? [String]
                        == ["TEAMAAAAAA.org.example.tool", "TEAMAAAAAA.group.x"])
                let item = ["-a", "anna", "-s", "service"]
                let adding = ["add-generic-password"] + item + ["-w", "PLUM"]
                let inGroup = ["--access-group", "group.x"]
                #expect(try world.runTool(signed, inGroup + adding).ending == .exit(0))
                let finding = ["find-generic-password"] + item
                let found = try world.runTool(signed, inGroup + finding + ["-w"])
                #expect(found.output == "PLUM\n")

                let security = try world.tool()
                let lines = try world.runTool(security, ["audit"]).output.split(separator: "\n")
                let add = try #require(lines.last { $0.contains(" add ") })
                #expect(
                    add.contains(#" S "TEAMAAAAAA.group.x" ("group.x") "signed-security" genp"#))
                let log = try world.runTool(security, ["audit", "--json"]).output
                #expect(
                    log.contains(
                        #""accessGroup": "TEAMAAAAAA.group.x", "applicationGroup": "group.x""#))
            }
        }

        /// The unsigned tool is of no team: it opens the group by its stored name, and the passcode.
        @Test func theToolOpensTheGroupByItsStoredNameAndThePasscode() throws {
            try run { world, first, second in
                let ours = try world.itemProgram(first, "ours", Self.entitled)
                let theirs = try world.itemProgram(second, "theirs", Self.entitled)
                let item: Entries = ["class": "genp", "acct": "anna", "svce": "service"]
                for (program, secret) in [(ours, "PLUM"), (theirs, "PEAR")] {
                    let new = item + Self.group + ["v_Data": Data(secret.utf8)]
                    #expect(try program.add(new) == errSecSuccess)
                }
                let security = try world.tool()
                let passcode = "tool passcode\n"
                #expect(
                    try world.runTool(
                        security, ["device", "set-passcode", "--passcode-fd", "0"],
                        input: passcode
                    ).ending == .exit(0))
                let find = ["find-generic-password", "-s", "service", "-w"]
                func opening(_ group: String) throws -> TestProcess.Result {
                    try world.runTool(
                        security, ["--access-group", group, "--passcode-fd", "0"] + find,
                        input: passcode)
                }
                let short = try opening("group.x")
                #expect(short.ending == .exit(-34018 & 0xFF))
                #expect(short.output == "" && short.errors.contains("TEAM.group.x"))
                #expect(try opening("TEAMAAAAAA.group.x").output == "PLUM\n")
                #expect(try opening("TEAMBBBBBB.group.x").output == "PEAR\n")
                let log = try world.runTool(security, ["audit"]).output
                #expect(
                    log.contains(#" open-group      ok "#)
                        && log.contains(#""TEAMBBBBBB.group.x" ("group.x") "security""#))
                #expect(try world.runTool(security, find).ending == .exit(44))
            }
        }

        // MARK: - From the tools to the keychain

        /// What CODE-SIGNING.md says to do, with the tools that it names.
        @Test func theToolsListSignAndRefuseGroups() throws {
            try SignedWorld.run { world in
                let folder = world.directory
                func developer(_ words: [String]) throws -> TestProcess.Result {
                    try TestProcess.run(
                        Binaries.path("llavero-developer"),
                        words + ["--directory", folder + "/teams"])
                }
                let team = "TEAMCCCCCC"
                #expect(
                    try developer(["create-team", "--team", team, "Team"]).ending == .exit(0))
                #expect(try developer(["issue", "Developer"]).ending == .exit(0))
                let allowed = folder + "/allowed.plist"
                let wanted = folder + "/wanted.plist"
                try Data(SignedWorld.propertyList([Self.list: ["group.z"]])).write(
                    to: URL(fileURLWithPath: allowed))
                try Data(SignedWorld.propertyList(Self.entitled)).write(
                    to: URL(fileURLWithPath: wanted))
                let making = ["profile", "--applications", "org.example.*", "--output"]
                #expect(
                    try developer(making + [folder + "/other", "--entitlements", allowed]).ending
                        == .exit(0))
                for words in [
                    ["--application-group", "group.x"],
                    ["--entitlements", allowed, "--application-group", "group.x"],
                ] {
                    #expect(
                        try developer(making + [folder + "/listing"] + words).ending == .exit(0))
                }
                for words in [
                    [], ["--application-group", "x"], ["--application-group", "group."],
                    ["--application-group", team + ".group.x"],
                ] {
                    let result = try developer(making + [folder + "/none"] + words)
                    #expect(result.ending != .exit(0), "\(words)")
                }
                #expect(!FileManager.default.fileExists(atPath: folder + "/none"))
                func sign(_ program: String, _ words: [String]) throws -> TestProcess.Result {
                    try TestProcess.run(
                        Binaries.path("llavero-codesign"),
                        ["-s", "Developer", "-i", "org.example.app", "--entitlements", wanted]
                            + words + ["--directory", folder + "/teams", program])
                }
                let program = try world.install(SignedWorld.taskProgram(), "program")
                let before = try Data(contentsOf: URL(fileURLWithPath: program))
                for words in [[], ["--profile", folder + "/other"]] {
                    let refused = try sign(program, words)
                    #expect(refused.ending == .exit(1))
                    #expect(refused.errors.contains("group.x"))
                }
                #expect(try Data(contentsOf: URL(fileURLWithPath: program)) == before)
                #expect(try sign(program, ["--profile", folder + "/listing"]).ending == .exit(0))
                let trusting = try developer(
                    ["trust", team, "--state", world.service.stateDirectory])
                #expect(trusting.ending == .exit(0), "\(trusting.errors)")
                // In the system service another user reads it.
                let mode = try FileManager.default.attributesOfItem(
                    atPath: world.service.stateDirectory + "/trusted-teams")[.posixPermissions]
                #expect(mode as? Int == 0o644)
                try world.giveTrust()
                let running = try world.itemProgram(at: program)
                for item in SampleItem.allCases {
                    #expect(try running.add(item.item + Self.group) == errSecSuccess)
                    #expect(try running.text("agrp", item.query) == "group.x")
                }
            }
        }

        // MARK: - In C

        @Test func twoTeamsProgramsInCHaveTwoGroupsAndPartnersShare() throws {
            try run { world, first, second in
                let programs = try CPrograms(world)
                let ours = try programs.install(first, "ours", Self.entitled)
                let partner = try programs.install(first, "partner", Self.entitled)
                let theirs = try programs.install(second, "theirs", Self.entitled)
                let unentitled = try programs.install(first, "unentitled", [:])
                let unlisted = try programs.install(
                    first, "unlisted", Self.entitled, thenAllowing: [Self.list: ["group.y"]])
                func say(_ program: String, _ words: String...) throws -> [String] {
                    let here = ["LLAVERO_SOCKET": world.service.socketPath]
                    return try world.run(program, words, environment: here)
                }
                #expect(try say(ours, "store", "PLUM") == ["0 group.x"])
                #expect(try say(theirs, "find") == ["-25300"])
                #expect(try say(theirs, "store", "PEAR") == ["0 group.x"])
                for words in ["find", "findany"] {
                    #expect(try say(ours, words) == ["0 group.x PLUM"])
                    #expect(try say(partner, words) == ["0 group.x PLUM"])
                    #expect(try say(theirs, words) == ["0 group.x PEAR"])
                }
                for program in [unentitled, unlisted] {
                    #expect(try say(program, "find") == ["-34018"])
                    #expect(try say(program, "store", "FIG") == ["-34018"])
                    #expect(try say(program, "update", "FIG") == ["-34018"])
                    #expect(try say(program, "delete") == ["-34018"])
                    #expect(try say(program, "findany") == ["-25300"])
                }
                for program in [ours, partner, theirs, unentitled, unlisted] {
                    #expect(try say(program, "stored") == ["-34018"])
                    // Without a group it goes to the application's own, not to one that is shared.
                    if program == unentitled {
                        #expect(try say(program, "where") == ["0 another", "0"])
                    }
                }
                #expect(try say(partner, "update", "DATE") == ["0"])
                #expect(try say(ours, "find") == ["0 group.x DATE"])
                #expect(try say(ours, "delete") == ["0"])
                #expect(try say(partner, "find") == ["-25300"])
                #expect(try say(theirs, "find") == ["0 group.x PEAR"])
            }
        }
    }
}

/// Copies of Tests/Programs/CInterface/appgroup.c, each signed together with a copy of the installed library: a
/// library that is neither root's nor the team's would make a program an unsigned one.
private struct CPrograms {
    private let world: SignedWorld

    init(_ world: SignedWorld) throws { self.world = world }

    func install(
        _ team: SignedWorld.Team, _ name: String, _ entitlements: Entries,
        thenAllowing other: Entries? = nil
    ) throws -> String {
        let prefix =
            ProcessInfo.processInfo.environment["LLAVERO_C_PREFIX"]
            ?? Binaries.packageRoot + "/.build/c-prefix"
        let library = prefix + "/lib/libSecurity.so.1"
        guard FileManager.default.fileExists(atPath: library) else {
            throw TestFailure(
                "\(library) is missing. Run `make install CONFIGURATION=debug PREFIX=\(prefix)`.")
        }
        let folder = world.directory + "/" + name + ".lib"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let all = try SignedWorld.allGroups()
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: library)))
        _ = try world.install(
            team.sign(bytes, "org.example.library", nil, allowing: all), "libSecurity.so.1",
            in: folder)
        // The program's own folder of libraries is looked into before the installed one.
        let unsigned = folder + "/program"
        let source = Binaries.packageRoot + "/Tests/Programs/CInterface/appgroup.c"
        var options = TestProcess.Options()
        options.environment = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
            "PKG_CONFIG_PATH": prefix + "/lib/pkgconfig",
        ]
        let line = """
            clang -g -Wall -Wextra -Werror $(pkg-config --cflags llavero-security) '\(source)' \
            -o '\(unsigned)' -Wl,-rpath,'\(folder)' $(pkg-config --libs llavero-security) -lswiftCore
            """
        let result = try TestProcess.run("/bin/sh", ["-c", line], options, within: .seconds(120))
        guard result.ending == .exit(0) else { throw TestFailure(result.output + result.errors) }
        let program = [UInt8](try Data(contentsOf: URL(fileURLWithPath: unsigned)))
        let asked = try SignedWorld.propertyList(entitlements)
        let identifier = "org.example." + name
        let signed =
            try other.map {
                try team.sign(
                    program, identifier, asked, allowing: all,
                    thenAllowing: SignedWorld.propertyList($0))
            } ?? team.sign(program, identifier, asked, allowing: all)
        return try world.install(signed, name)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Testing

@Suite struct BusOwnerTests {
    private func owner(
        application: String? = nil, path: String? = nil, flatpak: String? = nil,
        snap: String? = nil
    ) -> BusOwner {
        BusOwner(application: application, rootsPath: path, flatpak: flatpak, snap: snap)
    }

    @Test func confinementComesBeforeWhatAProgramIsElsewhere() {
        let all = owner(
            application: "ABCDE12345.app", path: "/usr/bin/tool", flatpak: "org.a.B", snap: "c")
        #expect(all == .snap("c") && all.isSandboxed && all.text == "snap:c")
        let flatpak = owner(
            application: "ABCDE12345.app", path: "/usr/bin/tool", flatpak: "org.a.B")
        #expect(
            flatpak == .flatpak("org.a.B") && flatpak.isSandboxed
                && flatpak.text == "flatpak:org.a.B")
    }

    @Test func aSignatureComesBeforeAPath() {
        let signed = owner(application: "ABCDE12345.app", path: "/usr/bin/tool")
        #expect(signed.text == "app:ABCDE12345.app" && !signed.isSandboxed)
    }

    @Test func aProgramOfRootsIsItsPath() {
        let tool = owner(path: "/usr/bin/tool")
        #expect(tool.text == "path:/usr/bin/tool" && !tool.isSandboxed)
    }

    @Test func programsThatDoWhatTheirCallerSaysAreNobody() {
        for name in [
            "secret-tool", "busctl", "gdbus", "dbus-send", "qdbus", "git-credential-libsecret",
            "docker-credential-secretservice", "gh", "llavero-secretservice", "python3.11", "bash",
            "node", "vim.basic", "security", "xdg-dbus-proxy",
        ] {
            #expect(owner(path: "/usr/bin/\(name)") == .nobody, "\(name)")
        }
        #expect(owner() == .nobody && BusOwner.nobody.text.isEmpty)
        #expect(!BusOwner.nobody.isSandboxed)
    }

    @Test func namesThatOnlyLookLikeThoseAreOwners() {
        for name in ["secret-toolbox", "ghc-viewer", "busctl2-gui", "mybash"] {
            #expect(owner(path: "/usr/bin/\(name)").text == "path:/usr/bin/\(name)")
        }
    }

    @Test func groupsOfOwnersNeverCoincide() {
        let owners: [BusOwner] = [
            .application("a"), .path("/a"), .flatpak("a"), .snap("a"), .path("/a:b"),
        ]
        #expect(Set(owners.map(BusGroup.own)).count == owners.count)
        for group in owners.map(BusGroup.own) {
            #expect(BusGroup.isOne(group) && !BusGroup.isOfFront(group))
        }
        #expect(BusGroup.own(.nobody) == "secrets:shared")
        #expect(BusGroup.own(.path("/usr/bin/a")) == "secrets:own:path:/usr/bin/a")
        #expect(BusGroup.family("gvfs") == "secrets:family:gvfs")
    }

    // MARK: - Confinement

    private func flatpak(_ text: String) -> String? { Confinement.flatpak([UInt8](text.utf8)) }

    @Test func aFlatpakIsNamedByItsApplicationGroup() {
        #expect(flatpak("[Application]\nname=org.gnome.Maps\nruntime=x\n") == "org.gnome.Maps")
        #expect(flatpak("[Instance]\nname=a.b\n\n[Application]\nname=c.d_e-f\n") == "c.d_e-f")
        for text in [
            "", "name=a.b\n", "[Runtime]\nname=a.b\n", "[Application]\n[Other]\nname=a.b\n",
            "[Application]\nname=one\n", "[Application]\nname=a..b\n", "[Application]\nname=\n",
            "[Application]\nname=a.b/../c\n", "[Application]\nname=a.b:own\n",
            "[Application]\nname=" + String(repeating: "a", count: 254) + ".b\n",
        ] {
            #expect(flatpak(text) == nil, "\(text)")
        }
        let longest = String(repeating: "a", count: 253) + ".b"
        #expect(flatpak("[Application]\nname=\(longest)\n") == longest)
    }

    private func snap(_ text: String) -> String? { Confinement.snap([UInt8](text.utf8)) }

    @Test func aSnapIsNamedByItsLabel() {
        #expect(snap("snap.firefox.firefox (enforce)\n") == "firefox")
        #expect(snap("snap.code_two.code (complain)") == "code_two")
        for text in [
            "", "unconfined", "snap.firefox (enforce)", "snap..firefox (enforce)",
            "snap.firefox. (enforce)", "snap.fire/fox.app (enforce)", "snap.firefox.firefox",
            ":ns:snap.a.b (enforce)", "/usr/bin/snap.a.b (enforce)", "xsnap.a.b (enforce)",
        ] {
            #expect(snap(text) == nil, "\(text)")
        }
    }

    // MARK: - Facts

    @Test func factsSurviveTheWay() throws {
        var facts = ProcessFacts(
            ClientIdentity(userID: 7, path: "/usr/bin/tool", reasons: [.signature(.absent)]))
        facts.rootsPath = "/usr/bin/tool"
        facts.program = ProcessFacts.ProgramFile(device: 1, inode: .max)
        facts.flatpak = "a.b"
        facts.isTraced = true
        facts.isOfUser = true
        for snap in ["", "a", nil] {
            facts.snap = snap
            let decoded = try #require(ProcessFacts(decoding: facts.encoded, userID: 7))
            #expect(decoded.rootsPath == facts.rootsPath && decoded.program == facts.program)
            #expect(decoded.flatpak == facts.flatpak && decoded.snap == facts.snap)
            #expect(decoded.isTraced && decoded.isOfUser)
            #expect(decoded.identity.accessGroups == facts.identity.accessGroups)
            #expect(ProcessFacts(decoding: facts.encoded, userID: 8) == nil)
            for count in 0..<facts.encoded.count {
                let prefix = Array(facts.encoded.prefix(count))
                #expect(ProcessFacts(decoding: prefix, userID: 7) == nil)
            }
        }
    }

    @Test func noEntitlementGivesAGroupOfTheBus() {
        let entitlements = Entitlements([
            "keychain-access-groups": .list([
                .text("secrets:shared"), .text("secrets:own:path:/a"), .text("ABCDE12345.a"),
            ]),
            "application-identifier": .text("secrets:portal"),
        ])
        #expect(AccessGroups.of(entitlements) == ["ABCDE12345.a"])
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Testing

@Suite struct PropertyListTests {
    private func read(_ text: String) -> Entitlements? {
        Entitlements(propertyList: Array(text.utf8))
    }

    private func plist(_ content: String) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD "
            + "PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n"
            + "<plist version=\"1.0\">\n<dict>\(content)</dict>\n</plist>\n"
    }

    @Test func entitlementsOfEachKindAreRead() throws {
        let values = try #require(
            read(
                plist(
                    """
                    <!-- groups -->
                    <key>application-identifier</key><string>A&amp;B&#233;</string>
                    <key>get-task-allow</key><true/><key>no</key><false></false>
                    <key>keychain-access-groups</key>
                    <array><string>one</string><string>two</string></array>
                    <key>n</key><integer>5</integer><key>d</key><dict><key>a</key><data/></dict>
                    """)))
        #expect(values.text("application-identifier") == "A&Bé")
        #expect(values.texts("keychain-access-groups") == ["one", "two"])
        #expect(values.isSet("get-task-allow") && !values.isSet("no") && !values.isSet("n"))
    }

    @Test(arguments: [
        "", "bplist00", "<plist><array/></plist>", "<plist><dict><key>a</key></dict></plist>",
        "<plist><dict><string>a</string></dict></plist>", "<plist><dict></plist>",
        "<plist><dict><key>a</key><true/></dict></plist>x",
        "<plist><dict><key>a</key><true/><key>a</key><false/></dict></plist>",
        "<plist><dict><key>a</key><string>&lol;</string></dict></plist>",
        "<plist><dict><key>a</key><string>&#0;</string></dict></plist>",
        "<plist><dict><key>a</key><string><![CDATA[x]]></string></dict></plist>",
        "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><dict/></plist>",
        "<plist><dict><key>a</key><string>\u{0}</string></dict></plist>",
    ])
    func whatIsNotUnderstoodIsRefused(_ text: String) {
        #expect(read(text) == nil)
    }

    @Test func depthCountAndSizeAreBounded() {
        func nested(_ depth: Int) -> String {
            plist(
                "<key>a</key>" + String(repeating: "<array>", count: depth)
                    + String(repeating: "</array>", count: depth))
        }
        #expect(read(nested(PropertyList.depthLimit)) != nil)
        #expect(read(nested(PropertyList.depthLimit + 1)) == nil)
        func many(_ count: Int) -> String {
            plist("<key>a</key><array>" + String(repeating: "<true/>", count: count) + "</array>")
        }
        #expect(read(many(PropertyList.valueLimit - 1)) != nil)
        #expect(read(many(PropertyList.valueLimit)) == nil)
        let spaces = PropertyList.byteLimit - plist("").utf8.count
        #expect(read(plist(String(repeating: " ", count: spaces))) != nil)
        #expect(read(plist(String(repeating: " ", count: spaces + 1))) == nil)
    }
}

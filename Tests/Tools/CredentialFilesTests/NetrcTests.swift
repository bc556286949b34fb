// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CredentialFiles
import Testing

/// Source: netrc(5), curl's lib/netrc.c, Python's netrc module.
@Suite struct NetrcTests {
    private func logins(_ text: String) throws -> [Login] { try Format.netrc.parse(text).logins }

    private func badLine(_ text: String) -> BadLine? {
        do throws(BadLine) {
            _ = try Format.netrc.parse(text)
            return nil
        } catch { return error }
    }

    @Test func wordsMayBeLaidOutInAnyWay() throws {
        let one = Login("git.example.org", "builder", "horse")
        for text in [
            "machine git.example.org login builder password horse",
            "machine git.example.org\n\tlogin builder\n\tpassword horse\n",
            "machine git.example.org\r\n  login builder\r\n  password horse\r\n",
            "\n\n  machine\ngit.example.org password horse login\nbuilder",
            "MACHINE git.example.org Login builder passWord horse",
            "machine git.example.org user builder password horse",
            "machine git.example.org login builder account guest password horse",
        ] {
            #expect(try logins(text) == [one], "\(text)")
        }
    }

    @Test func severalMachinesKeepTheirOrderAndLines() throws {
        let text = "machine a login b password c\n# nothing\nmachine d\nlogin e\npassword f\n"
        let file = try Format.netrc.parse(text)
        #expect(file.logins == [Login("a", "b", "c"), Login("d", "e", "f")])
        #expect(file.lines == [1, 3])
    }

    @Test func aLoginMayHaveNoUser() throws {
        #expect(try logins("machine a password b") == [Login("a", "", "b")])
        #expect(try logins("machine a login \"\" password \"\"") == [Login("a", "", "")])
    }

    @Test func commentsStandWhereKeywordsMay() throws {
        let text = """
            # machine old login old password old
            machine a # the first one
              login b # whose?
              password c# # its end is not a comment
            machine d login e password #f
            #
            """
        #expect(try logins(text) == [Login("a", "b", "c#"), Login("d", "e", "#f")])
    }

    @Test func quotedValuesMayHaveSpacesAndEscapes() throws {
        let text = #"machine a login "b c" password "d \"e\" \\ \n\r\t\x#""#
        #expect(try logins(text) == [Login("a", "b c", "d \"e\" \\ \n\r\tx#")])
        #expect(try logins(#"machine a login b password c"d\n"#) == [Login("a", "b", #"c"d\n"#)])
    }

    @Test func valuesAreKeptByteForByte() throws {
        for secret in ["jörg", "ключ", "%41&=:@/?", "'quoted'", "$HOME`x`", "\u{1}\u{7F}"] {
            #expect(try logins("machine a login b password \(secret)") == [Login("a", "b", secret)])
        }
        let bytes = [UInt8]("machine a password ".utf8) + [0xFF, 0xFE, 0x80]
        let file = try Format.netrc.parse(bytes)
        #expect(file.logins.map(\.secret) == [[0xFF, 0xFE, 0x80]])
    }

    @Test func macrosArePassedOver() throws {
        let text = """
            machine a login b password c
            macdef init
            machine x login y password z
             put "

            machine d login e password f
            macdef last
            cd /
            """
        #expect(try logins(text) == [Login("a", "b", "c"), Login("d", "e", "f")])
        let windows = "macdef m\r\nput\r\n\r\nmachine a password b"
        #expect(try logins(windows) == [Login("a", "", "b")])
        let within = "machine a login b\nmacdef m\nx\n\npassword c"
        #expect(try logins(within) == [Login("a", "b", "c")])
    }

    @Test func aPortIsANumberOrAProtocol() throws {
        #expect(
            try logins("machine a login b password c port 8443")
                == [Login("a", "b", "c", port: 8443)])
        #expect(
            try logins("machine a login b password c port imaps")
                == [Login("a", "b", "c", networkProtocol: "imps")])
    }

    @Test func whatCannotBeAnItemIsLeftOutAndTold() throws {
        let text = "machine a login b\nmachine c password d\ndefault login e password f"
        let file = try Format.netrc.parse(text)
        #expect(file.logins == [Login("c", "", "d")])
        #expect(
            file.omissions == [
                .init(line: 1, reason: .noPassword), .init(line: 3, reason: .anyServer),
            ])
    }

    @Test(arguments: [
        ("machine a login b password two words", 1, BadLine.Reason.noKeyword),
        ("machine a login b password c\nmachin d", 2, .noKeyword),
        ("\n\nlogin b", 3, .noMachine), ("machine", 1, .noValue),
        ("machine a login b\npassword", 2, .noValue), ("machine \"\" password b", 1, .badHost),
        ("machine a login b login c password d", 1, .twice),
        ("machine a login b user c", 1, .twice), ("machine a password b\npassword c", 2, .twice),
        ("machine a port 1 port 2", 1, .twice), ("machine a account b account c", 1, .twice),
        ("machine a port 0", 1, .badPort), ("machine a port 65536", 1, .badPort),
        ("machine a port nothing", 1, .badPort), ("machine a port +1", 1, .badPort),
        ("machine a password \"b", 1, .openQuote), ("machine a\npassword \"b\nc\"", 2, .openQuote),
        ("machine a password \"b\\\nc\"", 1, .openQuote),
        ("machine a password \"\\", 1, .openQuote),
        ("machine a password \"b\"c", 1, .joinedQuote), ("machine a login \"b\\nc\"", 1, .notText),
        ("machine a password b\0c", 1, .nul), ("machine a\u{1}b password c", 1, .notText),
        ("\u{FEFF}machine a password b", 1, .noKeyword),
    ])
    func aLineThatIsNotUnderstoodIsNamed(text: String, line: Int, reason: BadLine.Reason) {
        let error = badLine(text)
        #expect(error?.line == line)
        #expect(error?.reason == reason)
    }

    @Test func aNameMustBeText() {
        let bytes = [UInt8]("\nmachine a login ".utf8) + [0xFF] + [UInt8](" password b".utf8)
        #expect(throws: BadLine.self) { try Format.netrc.parse(bytes) }
    }

    @Test func valuesHaveALimit() throws {
        let longest = String(repeating: "x", count: CredentialFile.valueByteLimit)
        for quote in ["", "\""] {
            let fits = "machine a password \(quote)\(longest)\(quote)"
            #expect(try logins(fits).first?.secret.count == CredentialFile.valueByteLimit)
            let over = "machine a\npassword \(quote)\(longest)x\(quote)"
            #expect(badLine(over)?.reason == .tooLong)
            #expect(badLine(over)?.line == 2)
        }
    }

    @Test func loginsHaveALimit() throws {
        let one = "machine a password b\n"
        let most = String(repeating: one, count: CredentialFile.loginLimit)
        #expect(try logins(most).count == CredentialFile.loginLimit)
        #expect(badLine(most + one)?.reason == .tooManyLogins)
        #expect(badLine(most + one)?.line == CredentialFile.loginLimit + 1)
    }
}

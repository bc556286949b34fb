// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CredentialFiles
import Testing

/// Source: git-credential-store(1), git's credential.c and builtin/credential-store.c.
@Suite struct GitCredentialsTests {
    private func logins(_ text: String) throws -> [Login] {
        try Format.gitCredentials.parse(text).logins
    }

    private func badLine(_ text: String) -> BadLine? {
        do throws(BadLine) {
            _ = try Format.gitCredentials.parse(text)
            return nil
        } catch { return error }
    }

    @Test func aURLIsALogin() throws {
        let text = """
            https://builder:horse@git.example.org
            http://a:b@host/

            # https://old:old@old
            https://a:b@host:8443/group/project.git/
            """
        let file = try Format.gitCredentials.parse(text)
        #expect(
            file.logins == [
                Login("git.example.org", "builder", "horse", networkProtocol: "htps"),
                Login("host", "a", "b", networkProtocol: "http"),
                Login(
                    "host", "a", "b", networkProtocol: "htps", port: 8443,
                    path: "group/project.git"),
            ])
        #expect(file.lines == [1, 2, 5])
        #expect(file.lineCount == 5)
    }

    @Test(arguments: [
        ("https://u%40x:p%3a%2F%25%20@h", "u@x", "p:/% ", "h", 0),
        ("https://u:p%@h", "u", "p%", "h", 0), ("https://u:p%zz%4@h", "u", "p%zz%4", "h", 0),
        ("https://u:%00@h", "u", "%00", "h", 0), ("https://u:a:b@h", "u", "a:b", "h", 0),
        ("https://:token@h", "", "token", "h", 0), ("https://u:@h", "u", "", "h", 0),
        ("https://u:p@h%3a8080", "u", "p", "h", 8080),
        ("https://u:p@h:65535", "u", "p", "h", 65535),
        ("https://u:p@[::1]:8080", "u", "p", "::1", 8080),
        ("https://u:p@[::1]", "u", "p", "::1", 0),
        ("https://u:p@%5b%3a%3a1%5d%3a1/", "u", "p", "::1", 1),
        ("  https://u:p@h \r", "u", "p", "h", 0), ("HTTPS://u:p@h", "u", "p", "h", 0),
        ("https://ü:пароль@дом", "ü", "пароль", "дом", 0),
    ])
    func partsAreDecodedAsGitDoes(
        text: String, account: String, secret: String, server: String, port: Int
    ) throws {
        #expect(
            try logins(text)
                == [Login(server, account, secret, networkProtocol: "htps", port: port)])
    }

    @Test func protocolsGetTheirCodes() throws {
        for (scheme, code) in [
            ("imap", "imap"), ("imaps", "imps"), ("smtp", "smtp"), ("ftp", "ftp "), ("ssh", "ssh "),
        ] {
            let login = try logins("\(scheme)://u:p@h").first
            #expect(login?.networkProtocol == code)
        }
    }

    @Test func whatCannotBeAnItemIsLeftOutAndTold() throws {
        let file = try Format.gitCredentials.parse(
            "cert://:phrase@/home/a/key.pem\ngopher://u:p@h\nhttps://u:p@h")
        #expect(file.logins.count == 1)
        #expect(
            file.omissions == [
                .init(line: 1, reason: .noServer), .init(line: 2, reason: .unknownProtocol),
            ])
    }

    @Test(arguments: [
        ("hello", BadLine.Reason.noURL), ("https:/u:p@h", .noURL), ("://u:p@h", .noURL),
        ("https://", .noCredential), ("ht tps://u:p@h", .noURL), ("https://h", .noCredential),
        ("https://u@h", .noCredential), ("https://u:p/q@h", .noCredential),
        ("https://u:p?q@h", .noCredential), ("https://u@v:p@h", .noCredential),
        ("https://u:p@q@h", .badHost), ("https://u:p@:80", .badHost),
        ("https://u:p@[::1", .badHost),
        ("https://u:p@[::1]x", .badHost), ("https://u:p@a%20b", .badHost),
        ("https://u:p@h:", .badPort), ("https://u:p@h:0", .badPort),
        ("https://u:p@h:65536", .badPort),
        ("https://u:p@h:8x", .badPort), ("https://u:p@::1", .badHost),
        ("https://u:p@a:b:c", .badPort),
        ("https://u%0a:p@h", .notText), ("https://u:p%0aq@h", .newline),
        ("https://u:p@h%0a", .notText),
        ("https://u:p@h/%0d", .notText), ("https://%ff:p@h", .notText), ("https://u:p\0@h", .nul),
    ])
    func aLineThatIsNotUnderstoodIsNamed(text: String, reason: BadLine.Reason) {
        let error = badLine("https://u:p@first\n" + text + "\nhttps://u:p@last")
        #expect(error?.line == 2)
        #expect(error?.reason == reason)
    }

    @Test func passwordsNeedNoTextAndHaveALimit() throws {
        #expect(
            try Format.gitCredentials.parse("https://u:%ff%01@h").logins.map(\.secret)
                == [[0xFF, 1]])
        let longest = String(repeating: "%41", count: CredentialFile.valueByteLimit)
        #expect(
            try logins("https://u:\(longest)@h").first?.secret.count
                == CredentialFile.valueByteLimit)
        #expect(badLine("https://u:\(longest)A@h")?.reason == .tooLong)
        #expect(badLine("https://u:p@h/\(longest)%41%41")?.reason == .tooLong)
    }
}

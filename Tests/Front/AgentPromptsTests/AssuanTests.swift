// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import AgentPrompts
import SecretBytes
import Testing

@Suite struct AssuanTests {
    /// What a line is, in a form that tests compare.
    private static func read(_ line: String) -> String {
        let bytes = Array(line.utf8)
        return unsafe bytes.withUnsafeBytes { bytes in
            guard let line = unsafe AssuanLine.parse(bytes) else { return "invalid" }
            switch consume line {
            case .done: return "done"
            case .failed(let code): return "failed \(code)"
            case .remark: return "remark"
            case .data(let data):
                let plain = unsafe data.withUnsafeBytes { unsafe [UInt8]($0) }
                return "data " + String(decoding: plain, as: UTF8.self)
            }
        }
    }

    @Test(arguments: [
        ("OK", "done"), ("OK Pleased to meet you", "done"), ("D 1234", "data 1234"),
        ("D ", "data "), ("D a%25b%0Ac%0d", "data a%b\nc\r"), ("D  x ", "data  x "),
        ("ERR 83886179 Operation cancelled <Pinentry>", "failed 83886179"), ("ERR 7", "failed 7"),
        ("S PASSWORD_FROM_CACHE", "remark"), ("# a comment", "remark"), ("#", "remark"),
    ])
    func aLineIsRead(_ line: String, _ expected: String) {
        #expect(Self.read(line) == expected)
    }

    @Test(arguments: [
        "", "OKAY", "ok", "ERR", "ERR ", "ERR x", "ERR 99999999999", "D", "DATA", "D %", "D %4",
        "D %4G", "D a%", "INQUIRE x", "SOMETHING", "\u{0}", "END",
    ])
    func whatAPinentryCannotSendIsInvalid(_ line: String) {
        #expect(Self.read(line) == "invalid")
    }

    @Test func aTextStaysOneLineOfThePermittedLength() {
        let text = "a%b\nc\rd\u{1B}[2J"
        let command = AssuanLine.command("SETDESC", text)
        #expect(String(decoding: command, as: UTF8.self) == "SETDESC a%25b%0Ac%0Dd%1B[2J\n")
        for long in [String(repeating: "x", count: 1 << 20), String(repeating: "%", count: 999)] {
            let command = AssuanLine.command("SETDESC", long)
            #expect(command.count <= AssuanLine.byteCountLimit && command.last == 0x0A)
            #expect(command.filter { $0 == 0x0A }.count == 1)
        }
        // No character is cut in two.
        let wide = AssuanLine.command("SETDESC", String(repeating: "日", count: 500))
        #expect(String(validating: wide, as: UTF8.self) != nil)
        #expect(AssuanLine.command("GETPIN") == Array("GETPIN\n".utf8))
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security

// How a program that logs in to servers uses the keychain: an ordinary program for the Mac.
//
//     logins list            all logins, without their passwords
//     logins find URL        the login for a URL
//     logins rotate URL      gives that login a new password

func fail(_ message: String, exitStatus: Int32) -> Never {
    FileHandle.standardError.write(Data("logins: \(message)\n".utf8))
    exit(exitStatus)
}

func column(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
}

func list() throws(Refusal) {
    let logins = try Logins.all()
    for login in logins {
        print(column(login.server, 26) + column(login.account, 25) + login.accessible)
    }
    print("\(logins.count) logins")
}

func find(_ url: URL) throws(Refusal) {
    let login = try Logins.login(for: url)
    print(column(login.account, 25) + "•••••••• (\(login.password.count) bytes)")
}

func rotate(_ url: URL) throws(Refusal) {
    let login = try Logins.login(for: url)
    let bytes = (0..<15).map { _ in UInt8.random(in: 0 ... .max) }
    try Logins.setPassword(Data(Data(bytes).base64EncodedString().utf8), of: login)
    print(column(login.account, 25) + "has a new password")
}

do throws(Refusal) {
    let words = Array(CommandLine.arguments.dropFirst())
    let url = words.count == 2 ? URL(string: words[1]) : nil
    switch (words.first, url) {
    case ("list", nil) where words.count == 1: try list()
    case ("find", let url?): try find(url)
    case ("rotate", let url?): try rotate(url)
    default: fail("usage: logins list | find URL | rotate URL", exitStatus: 2)
    }
} catch {
    let text = SecCopyErrorMessageString(error.status, nil).map { $0 as String } ?? "unknown"
    fail("\(error.what): \(text) (\(error.status))", exitStatus: 1)
}

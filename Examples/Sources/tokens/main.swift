// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain

// A tool with tokens. An access token expires after a while; then the tool exchanges the refresh
// token, which is valid once, for the next pair. Of all its processes that run at the same time,
// only one does the exchange.
//
//     tokens sign-in            standard input has a refresh token
//     tokens access COMMAND…    prints an access token. When there is none that is good, COMMAND gets
//                               the refresh token and answers with `ACCESS REFRESH SECONDS`

struct Session: KeychainCodable {
    var access: String
    var refresh: String
    var expires: Date
}

let keychain = Keychain(service: "org.example.tokens")
let key = ItemKey<Session>(account: "session")

func fail(_ text: String) -> Never {
    FileHandle.standardError.write(Data("tokens: \(text)\n".utf8))
    exit(1)
}

/// This stands in for the issuer's network protocol.
func exchange(_ refresh: String, _ command: [String]) throws -> Session {
    let issuer = Process()
    let (input, output) = (Pipe(), Pipe())
    issuer.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    issuer.arguments = command
    (issuer.standardInput, issuer.standardOutput) = (input, output)
    try issuer.run()
    input.fileHandleForWriting.write(Data("\(refresh)\n".utf8))
    try input.fileHandleForWriting.close()
    let answer = output.fileHandleForReading.readDataToEndOfFile()
    let words = String(decoding: answer, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard words.count == 3, let seconds = Double(words[2]) else { fail("no answer") }
    return Session(
        access: String(words[0]), refresh: String(words[1]), expires: Date() + seconds)
}

do {
    let words = CommandLine.arguments.dropFirst()
    switch (words.first, words.count) {
    case ("sign-in", 1):
        let session = Session(access: "", refresh: readLine() ?? "", expires: .distantPast)
        try await keychain.save(session, for: key)
    case ("access", 2...):
        var session = try await keychain.value(for: key)
        if session.expires <= Date() {
            session = try await keychain.withLease(
                on: key, for: .seconds(30), waiting: .seconds(60)
            ) { lease in
                // The process that held the lease before may have exchanged it already.
                let now = try await keychain.value(for: key)
                if now.expires > Date() { return now }
                let next = try exchange(now.refresh, Array(words.dropFirst()))
                try await keychain.save(next, for: key, under: lease)
                return next
            }
        }
        print(session.access)
    default: fail("usage: tokens sign-in | access COMMAND…")
    }
} catch let error as KeychainError where error.reason == .absent {
    fail("sign in first")
} catch { fail("\(error)") }

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain

// A server with a database password. It may start before the keychain does, or before the device
// was unlocked. It is notified when any program changes the password.
//
//     database serve COUNT    connects, and once more after each of COUNT changes of the password
//     database rotate         standard input has the new password

let keychain = Keychain(service: "org.example.database")
let key = ItemKey<Secret>(account: "service")

func connect(_ password: Secret) {
    // A driver would receive the bytes here; they are wiped with the last reference to them.
    password.bytes.withUnsafeBytes { bytes in
        print("connected with a password of \(bytes.count) bytes")
    }
    fflush(nil)
}

/// What an operator can do about the failure.
func advice(_ error: KeychainError) -> String {
    switch error.reason {
    case .absent: "there is no password: store one with `database rotate`"
    case .locked: "the device hasn't been unlocked since it started"
    case .unreachable, .timedOut: "the keychain service doesn't answer"
    case .keyGone: "the password's key is gone: store the password anew"
    case .denied: "this program may not read it"
    default: "\(error)"
    }
}

let words = Array(CommandLine.arguments.dropFirst())
do throws(KeychainError) {
    switch (words.first, words.count) {
    case ("serve", 2):
        try await keychain.waitUntilAvailable(.afterFirstUnlock, deadline: .seconds(30))
        var changes = try await keychain.changes(of: key).makeAsyncIterator()
        connect(try await keychain.value(for: key))
        for _ in 0..<(Int(words[1]) ?? 0) {
            guard case .saved? = try await changes.next() else { break }
            connect(try await keychain.value(for: key))
        }
    case ("rotate", 1):
        try await keychain.save(Secret(copying: Array((readLine() ?? "").utf8)), for: key)
    default:
        FileHandle.standardError.write(Data("usage: database serve COUNT | rotate\n".utf8))
        exit(2)
    }
} catch {
    FileHandle.standardError.write(Data("database: \(advice(error))\n".utf8))
    exit(1)
}

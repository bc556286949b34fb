// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security

// Moves the passwords of a .netrc file into the keychain.
//
//     netrc-keeper store [--background MACHINE]... FILE
//     netrc-keeper list
//     netrc-keeper find MACHINE
//
// An item can be read while the device is unlocked. That of a machine named with --background can
// be read from the first unlock after a start on: for jobs that run while nobody is there.
// Storing a file again updates what changed.

func fail(_ message: String, exitStatus: Int32) -> Never {
    FileHandle.standardError.write(Data("netrc-keeper: \(message)\n".utf8))
    exit(exitStatus)
}

func text(of status: OSStatus) -> String {
    let text = SecCopyErrorMessageString(status, nil).map { $0 as String } ?? "unknown"
    return "\(text) (\(status))"
}

func column(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
}

func store(_ path: String, background: Set<String>) throws {
    let logins = try Netrc.logins(in: String(contentsOfFile: path, encoding: .utf8))
    var counts = [Keeper.Outcome: Int]()
    for login in logins {
        let isBackground = background.contains(login.machine)
        let outcome = try Keeper.store(login, isBackground: isBackground)
        counts[outcome, default: 0] += 1
        print(
            column(outcome.rawValue, 9) + column(login.machine, 28) + column(login.account, 24)
                + (isBackground ? "after first unlock" : "when unlocked"))
    }
    let (stored, updated) = (counts[.stored] ?? 0, counts[.updated] ?? 0)
    print("\(logins.count) logins: \(stored) stored, \(updated) updated")
}

func list() throws {
    let items = try Keeper.list()
    for item in items {
        print(column(item.machine, 28) + column(item.account, 24) + item.accessible)
    }
    print("\(items.count) logins")
}

func find(_ machine: String) throws {
    for item in try Keeper.list(machine: machine) {
        let secret = try Keeper.secret(machine: item.machine, account: item.account)
        print(column(item.account, 24) + "•••••••• (\(secret.count) bytes)")
    }
}

func run(_ arguments: [String]) throws {
    var words = arguments[...]
    switch words.popFirst() {
    case "store":
        var background: Set<String> = []
        while words.first == "--background", words.count >= 2 {
            words.removeFirst()
            background.insert(words.removeFirst())
        }
        if words.count == 1, let path = words.first {
            return try store(path, background: background)
        }
    case "list" where words.isEmpty: return try list()
    case "find" where words.count == 1: return try find(words[words.startIndex])
    default: break
    }
    fail(
        "usage: store [--background MACHINE]... FILE | list | find MACHINE", exitStatus: 2)
}

do {
    try run(Array(CommandLine.arguments.dropFirst()))
} catch let error as Keeper.Refusal {
    fail("\(error.what): \(text(of: error.status))", exitStatus: 1)
} catch let error as Netrc.SyntaxError {
    fail("line \(error.line): \(error.reason)", exitStatus: 1)
} catch {
    fail(error.localizedDescription, exitStatus: 1)
}

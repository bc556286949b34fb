// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// The daemons' code in one process, and a client of it, so that a tool can count the instructions of a
// find. `Scripts/count-instructions` runs it. It is never part of a release.
//
//     serve DIRECTORY           securityd's pipeline and the enclave's core, until the input ends
//     fill SOCKET COUNT         adds items
//     find SOCKET FIELDS COUNT  looks items up; FIELDS is attributes, secret or nothing (an absent item)

import Foundation
import Keychain
import Sandbox
import TestSupport

/// Items are named as in the benchmark.
func account(_ index: Int) -> String { "user-\(index)@example.org" }

func fill(_ keychain: KeychainConnection, count: Int) throws {
    for index in 0..<count {
        var item = NewItem.password(
            account(index), service: "bench.example",
            secret: "correct horse battery \(index % 1000)")
        item.attributes[.label] = .text("Benchmark item \(index)")
        try keychain.add(item)
    }
}

func find(_ keychain: KeychainConnection, _ fields: String, count: Int) throws {
    // An absent item has a number that `fill` doesn't use.
    let firstAbsent = 1_000_000
    for round in 0..<count {
        let index = (round &* 7919) % 1000
        switch fields {
        case "attributes": try keychain.find(query(index, .attributes)).expectOne()
        case "secret": try keychain.find(query(index, .data)).expectOne()
        default:
            guard (try? keychain.find(query(firstAbsent + index, .data))) == nil else { exit(1) }
        }
    }
}

func query(_ index: Int, _ fields: ReturnFields) -> ItemQuery {
    .password(account(index), service: "bench.example", returning: fields)
}

extension [FoundItem] {
    func expectOne() {
        guard count == 1 else { exit(1) }
    }
}

signal(SIGPIPE, SIG_IGN)
let words = Array(CommandLine.arguments.dropFirst())
switch (words.first, words.count) {
case ("serve", 2):
    let service = try InProcessService(
        stateDirectory: words[1], scrub: { Sandbox.scrubStack(byteCount: 64 * 1024) })
    while readLine() != nil {}
    // Its threads end with the process.
    withExtendedLifetime(service) { exit(0) }
case ("fill", 3):
    try fill(
        KeychainConnection(location: ServiceLocation(socketPath: words[1])),
        count: Int(words[2]) ?? 0)
case ("find", 4):
    try find(
        KeychainConnection(location: ServiceLocation(socketPath: words[1])), words[2],
        count: Int(words[3]) ?? 0)
default:
    exit(2)
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Runs every program of the corpus and reports which fail. Each is a few lines in one of the idioms
// of code for Apple's platforms, with its own item names.

import Foundation

struct Failure: Error { let line: UInt }

func check(_ isTrue: Bool, line: UInt = #line) throws {
    if !isTrue { throw Failure(line: line) }
}

func unwrap<T>(_ value: T?, line: UInt = #line) throws -> T {
    guard let value else { throw Failure(line: line) }
    return value
}

typealias Program = (String, () throws -> Void)

let programs: [Program] =
    literals + casts + wrappers + queries + results + internetPasswords + keysAndSignatures
    + certificatesAndTrust + accessAndContexts + coreFoundation + errors

var failures = 0
for (name, run) in programs {
    do { try run() } catch {
        failures += 1
        print("failed: \(name): \(error)")
    }
}
print("\(programs.count) programs, \(failures) failures")
exit(failures == 0 && programs.count >= 120 ? 0 : 1)

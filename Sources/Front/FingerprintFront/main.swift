// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import MachineBus
import Sandbox

// `llavero-fingerprint list|verify|enrol FINGER|remove [FINGER]`: asks fprintd, for llavero-agent and
// for `security device biometry`. It prints a line for each event: `ready` (the reader waits),
// `match`, `no-match`, `again`, `stage`, `completed`, `failed`, or the name of a finger.

/// After so many fingers that the reader doesn't know it isn't asked any more, whatever the caller
/// says: enclaved counts, too.
let attemptLimit = 5

func say(_ line: String) {
    let line = line + "\n"
    _ = unsafe write(STDOUT_FILENO, line, line.utf8.count)
}

func verify(_ reader: Fprintd) throws(BusError) -> Int32 {
    try reader.claim()
    for _ in 0..<attemptLimit {
        try reader.beginVerifying()
        say("ready")
        var outcome = try reader.next()
        while outcome == .again || outcome == .stage {
            say("again")
            outcome = try reader.next()
        }
        switch outcome {
        case .match:
            try reader.endVerifying()
            try reader.release()
            say("match")
            return 0
        case .noMatch:
            try reader.endVerifying()
            say("no-match")
        case .again, .stage, .completed, .failed:
            reader.abandon("VerifyStop")
            say("failed")
            return 2
        }
        guard !Ending.isWanted else { break }
    }
    try reader.release()
    return 1
}

func enrol(_ reader: Fprintd, _ finger: String) throws(BusError) -> Int32 {
    try reader.claim()
    try reader.beginEnrolling(finger)
    say("ready")
    while true {
        switch try reader.next() {
        case .stage: say("stage")
        case .again: say("again")
        case .completed:
            try reader.endEnrolling()
            try reader.release()
            say("completed")
            return 0
        case .match, .noMatch, .failed:
            reader.abandon("EnrollStop")
            say("failed")
            return 2
        }
    }
}

func carryOut(_ words: [String]) throws(BusError) -> Int32 {
    let reader = try Fprintd()
    switch (words[0], words.count) {
    case ("list", 1):
        for finger in try reader.fingers() { say(finger) }
        return 0
    case ("verify", 1): return try verify(reader)
    case ("enrol", 2): return try enrol(reader, words[1])
    case ("remove", 1), ("remove", 2):
        try reader.claim()
        try reader.remove(words.count > 1 ? words[1] : nil)
        try reader.release()
        return 0
    default: return 64
    }
}

let words = Array(CommandLine.arguments.dropFirst())
guard !words.isEmpty else {
    let usage = "llavero-fingerprint is started by llavero-agent and security.\n"
    _ = unsafe write(STDERR_FILENO, usage, usage.utf8.count)
    exit(64)
}
do throws(SandboxError) { try Sandbox.harden() } catch { exit(1) }
Ending.prepare()
do throws(BusError) { exit(try carryOut(words)) } catch {
    let text = "llavero-fingerprint: \(error)\n"
    _ = unsafe write(STDERR_FILENO, text, text.utf8.count)
    say("failed")
    exit(3)
}

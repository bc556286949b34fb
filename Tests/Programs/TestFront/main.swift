// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import SecretBytes
import SecurityWire
import TestSupport

// A front that does what its standard input says, a line each, and answers with a line:
//     admit | represent PID | records | add CHANNEL SECRET NAME=VALUE… | find CHANNEL NAME=VALUE…
//     ends CHANNEL

/// Its connections.
struct Fronting {
    let front: TestFront
    var channels: [TestChannel] = []

    mutating func answer(_ words: [String]) throws -> String {
        switch words.first {
        case "admit": return Self.text(try front.admit())
        case "represent":
            guard let process = words.dropFirst().first.flatMap({ Int32($0) }) else { break }
            let pidfd = llavero_pidfd_open(process)
            defer { close(pidfd) }
            return keep(try front.represent(pidfd: pidfd))
        case "records": return keep(try front.representRecords())
        case "add":
            guard let channel = channel(words), words.count > 2 else { break }
            let new = try NewSecret(words[2], Self.pairs(words.dropFirst(3)))
            return
                "added \(try channel.add(new).reference.map { String($0) }.joined(separator: "-"))"
        case "find":
            guard let channel = channel(words) else { break }
            let rows = try channel.find(SecretQuery(Self.pairs(words.dropFirst(2)), foreign: true))
            return rows.map { "\($0.state) \($0.secret?.testText ?? "-")" }.joined(separator: ", ")
        case "ends":
            guard let channel = channel(words) else { break }
            return channel.ends ? "ended" : "goes on"
        default: break
        }
        return "not understood"
    }

    private func channel(_ words: [String]) -> TestChannel? {
        guard let number = words.dropFirst().first.flatMap({ Int($0) }),
            channels.indices.contains(number)
        else { return nil }
        return channels[number]
    }

    private mutating func keep(
        _ found: (answer: RawConnection.Answer, channel: TestChannel?)
    ) -> String {
        guard case .represented(let who)? = found.answer.reply, let channel = found.channel else {
            return Self.text(found.answer)
        }
        channels.append(channel)
        let owner = who.owner.isEmpty ? "nobody" : who.owner
        return "\(channels.count - 1) \(owner)" + (who.isSandboxed ? " sandboxed" : "")
    }

    private static func pairs(_ words: ArraySlice<String>) -> [String: String] {
        var pairs: [String: String] = [:]
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            pairs[parts[0]] = parts.count > 1 ? parts[1] : ""
        }
        return pairs
    }

    private static func text(_ answer: RawConnection.Answer) -> String {
        switch answer {
        case .closed: return "closed"
        case .silence: return "silence"
        case .garbage: return "garbage"
        case .frame:
            if let failure = answer.failure { return "refused \(failure.reason.rawValue)" }
            if case .done? = answer.reply { return "ok" }
            return "another reply"
        }
    }
}

signal(SIGPIPE, SIG_IGN)
guard CommandLine.arguments.count == 2 else { exit(2) }
var fronting = Fronting(front: try TestFront(CommandLine.arguments[1]))
while let line = readLine() {
    let text: String
    do { text = try fronting.answer(line.split(separator: " ").map(String.init)) } catch {
        text = "failed \(error)"
    }
    let bytes = Array((text.split(separator: "\n").joined(separator: " ") + "\n").utf8)
    _ = unsafe write(STDOUT_FILENO, bytes, bytes.count)
}

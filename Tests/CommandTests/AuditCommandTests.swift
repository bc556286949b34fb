// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Testing

/// `security audit`.
@Suite struct AuditCommandTests {
    private let security: Transcript

    init() throws { security = try Transcript() }

    private func records(_ words: String...) throws -> [[String: Any]] {
        let answer = try security.run(["audit", "--json"] + words)
        try #require(answer.status == 0)
        let object = try JSONSerialization.jsonObject(with: Data(answer.output.utf8))
        let dictionary = try #require(object as? [String: Any])
        #expect(Set(dictionary.keys) == ["records", "brokenAt"])
        #expect((dictionary["brokenAt"] as? [Int]) == [])
        return try #require(dictionary["records"] as? [[String: Any]])
    }

    private func addAndFind() throws {
        let add = ["add-generic-password", "-s", "svc", "-a", "anna", "-w", "sesame"]
        #expect(try security.run(add).status == 0)
        #expect(try security.run("find-generic-password", "-s", "svc", "-w").status == 0)
        #expect(try security.run("delete-generic-password", "-s", "svc").status == 0)
    }

    @Test func anEmptyLogIsEmpty() throws {
        #expect(try security.run("audit") == Answer(0))
        #expect(
            try security.run("audit", "--json")
                == Answer(0, "{\n  \"records\": [],\n  \"brokenAt\": []\n}\n"))
    }

    @Test func theRecordsHaveTheFrozenKeys() throws {
        try addAndFind()
        let records = try records()
        for record in records {
            #expect(
                Set(record.keys) == [
                    "record", "time", "event", "status", "reason", "secrets", "uid", "pid", "grade",
                    "accessGroup", "applicationGroup", "application", "class", "items", "number",
                ])
        }
        let events = records.compactMap { $0["event"] as? String }
        #expect(events.first == "started")
        #expect(events.contains("add"))
        #expect(events.last == "delete")
        let add = try #require(records.first { $0["event"] as? String == "add" })
        #expect(add["application"] as? String == "security")
        #expect(add["class"] as? String == "genp")
        #expect(add["grade"] as? String == "U")
        #expect(add["uid"] as? Int == Int(geteuid()))
        #expect(add["reason"] is NSNull)
        #expect(add["applicationGroup"] is NSNull)
        #expect((add["items"] as? [String])?.first?.count == 36)
        let time = try #require(add["time"] as? String)
        #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
    }

    @Test func aLineNamesEventOutcomeCallerAndRows() throws {
        try addAndFind()
        let answer = try security.run("audit")
        #expect(answer.status == 0)
        #expect(answer.errors == "")
        let lines = answer.output.split(separator: "\n")
        let first = try #require(lines.first)
        #expect(first.wholeMatch(of: #/      1 \S+Z started         ok/#) != nil, "\(first)")
        let add = try #require(lines.first { $0.contains(" add ") })
        let expected =
            /\s+\d+ \S+Z add             ok             uid \d+ pid \d+ U "unsigned.\d+" "security" genp [0-9A-F-]{36}/
        #expect(add.wholeMatch(of: expected) != nil, "\(add)")
        #expect(lines.contains { $0.contains(" read            secret ") })
        #expect(!answer.output.contains("anna") && !answer.output.contains("svc"))
        #expect(!answer.output.contains("sesame"))
    }

    @Test func limitAndSinceChooseTheNewest() throws {
        try addAndFind()
        let all = try records()
        #expect(
            try records("--limit", "2").compactMap { $0["record"] as? Int } == [
                all.count - 1, all.count,
            ])
        #expect(try records("--limit=1").count == 1)
        #expect(try records("--since", "3600").count == all.count)
        #expect(try records("--since=3600", "--limit", "1").count == 1)
    }

    @Test func wrongUsageIsStatus2() throws {
        for words in [
            ["--limit"], ["--limit", "0"], ["--limit", "-1"], ["--limit", "x"], ["--since", "-5"],
            ["--since"], ["--limit", "1", "--limit", "2"], ["word"], ["--json=yes"],
        ] {
            let answer = try security.run(["audit"] + words)
            #expect(answer.status == 2, "\(words)")
            #expect(answer.output == "")
            #expect(answer.errors.hasPrefix("Usage: audit "))
        }
    }

    @Test func aBrokenChainIsStatus1AndNamesTheRecord() throws {
        try addAndFind()
        _ = try security.run("audit")
        let file = try #require(security.stateDirectory) + "/audit.\(geteuid()).1"
        var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        bytes[128 + Int(bytes[128]) * 64 + 40] ^= 1
        try bytes.write(to: URL(fileURLWithPath: file))
        let answer = try security.run("audit", "--limit", "1")
        #expect(answer.status == 1)
        #expect(answer.output.split(separator: "\n").count == 1)
        #expect(answer.errors == "security: audit: chain broken at record 2\n")
        let json = try security.run("audit", "--json")
        #expect(json.status == 1)
        #expect(json.output.hasSuffix("  \"brokenAt\": [2]\n}\n"))
    }

    @Test func withoutAServiceItIsUnreachable() throws {
        let nobody = Transcript(socket: "/nonexistent/socket")
        #expect(try nobody.run("audit").status == 53)
    }

    @Test func itIsInTheHelp() throws {
        #expect(try security.run("help").output.contains("\n    audit "))
        #expect(try security.run("help", "audit").output.hasPrefix("Usage: audit [--json]"))
    }
}

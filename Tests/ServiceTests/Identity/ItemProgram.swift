// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import FuzzEntries
import Security
import TestSupport
import Testing

/// A query, an item or changes, by Apple's strings.
typealias Entries = [String: Any]

/// A signed program of the unprivileged user that makes the calls of `SecItem.h` (Tests/Programs/TestTask).
final class ItemProgram {
    /// What a call gave.
    struct Answer {
        let status: Int32
        let result: Any?
    }

    private let process: TestProcess

    fileprivate init(_ process: TestProcess) { self.process = process }

    deinit { process.end() }

    /// Makes a call.
    func call(_ name: String, _ query: Entries, _ changes: Entries = [:]) throws -> Answer {
        let request: Entries = ["call": name, "query": query, "changes": changes]
        let encoded = try PropertyListSerialization.data(
            fromPropertyList: request, format: .binary, options: 0)
        process.write(encoded.base64EncodedString() + "\n")
        let line = try process.readLine()
        let data = try #require(Data(base64Encoded: line), "\(line)")
        let list = unsafe try PropertyListSerialization.propertyList(from: data, format: nil)
        let answer = try #require(list as? Entries)
        let status = try #require(answer["status"] as? Int)
        return Answer(status: Int32(status), result: answer["result"])
    }

    func add(_ item: Entries) throws -> Int32 { try call("add", item).status }

    /// Whether something matches, as a status.
    func find(_ query: Entries) throws -> Int32 { try call("copy", query).status }

    func update(_ query: Entries, _ changes: Entries) throws -> Int32 {
        try call("update", query, changes).status
    }

    func delete(_ query: Entries) throws -> Int32 { try call("delete", query).status }

    /// The statuses of all four calls with one dictionary: add, copy, update and delete.
    func all(_ query: Entries) throws -> [Int32] {
        [try add(query), try find(query), try update(query, ["labl": "x"]), try delete(query)]
    }

    /// An item's secret.
    func data(_ query: Entries) throws -> Data? {
        try call("copy", query + ["r_Data": true]).result as? Data
    }

    /// An item's persistent reference.
    func reference(_ query: Entries) throws -> Data {
        try #require(call("copy", query + ["r_PersistentRef": true]).result as? Data)
    }

    /// One of an item's attributes.
    func text(_ key: String, _ query: Entries) throws -> String? {
        let found = try call("copy", query + ["r_Attributes": true]).result as? Entries
        return found?[key] as? String
    }

    /// How many items match.
    func count(_ query: Entries) throws -> Int {
        let all: Entries = ["m_Limit": "m_LimitAll", "r_PersistentRef": true]
        let answer = try call("copy", query + all)
        if answer.status == errSecItemNotFound { return 0 }
        return try #require(answer.result as? [Data]).count
    }
}

/// `left` with `right`'s entries, which win.
func + (left: Entries, right: Entries) -> Entries { left.merging(right) { $1 } }

/// Four times the same status.
func every(_ status: Int32) -> [Int32] { [Int32](repeating: status, count: 4) }

/// A sample item of each class that is stored.
enum SampleItem: String, CaseIterable {
    case genericPassword = "genp"
    case internetPassword = "inet"
    case certificate = "cert"
    case key = "keys"

    /// A certificate's content; its private key is ``privateKey``.
    static let der = Data(base64Encoded: CertificateSample.all[2].der) ?? Data()
    static let privateKey = Data(base64Encoded: KeySample.all[0].data) ?? Data()

    /// All of the class.
    var any: Entries { ["class": rawValue] }

    /// What finds the sample and no other.
    var query: Entries {
        let own: Entries =
            switch self {
            case .genericPassword: ["acct": "account", "svce": "service"]
            case .internetPassword: ["acct": "account", "srvr": "server.example"]
            case .certificate: ["slnr": Data([3])]
            case .key: ["atag": "tag"]
            }
        return any + own
    }

    /// The sample's secret.
    var secret: Data {
        switch self {
        case .genericPassword, .internetPassword: Data("secret".utf8)
        case .certificate: Self.der
        case .key: Self.privateKey
        }
    }

    /// The sample.
    var item: Entries {
        let ofKeys: Entries = ["type": 73, "kcls": 1, "bsiz": 256, "esiz": 256]
        return query + ["v_Data": secret] + (self == .key ? ofKeys : [:])
    }
}

extension SignedWorld {
    /// The program without its symbols, read once.
    private static let task = Result { () throws -> [UInt8] in
        try TemporaryDirectory.lend { directory in
            let file = directory + "/task"
            let result = try TestProcess.run("strip", ["-s", "-o", file, Binaries.testTask()])
            guard result.ending == .exit(0) else { throw TestFailure(result.errors) }
            return [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
        }
    }

    /// The program that ``ItemProgram`` runs, unsigned.
    static func taskProgram() throws -> [UInt8] { try task.get() }

    /// A profile's entitlements: all groups.
    static func allGroups() throws -> [UInt8] {
        let lists = [
            "keychain-access-groups", "com.apple.developer.associated-application-identifier",
            "com.apple.security.application-groups",
        ]
        return try propertyList(Dictionary(uniqueKeysWithValues: lists.map { ($0, ["*"]) }))
    }

    static func propertyList(_ entries: Entries) throws -> [UInt8] {
        Array(
            try PropertyListSerialization.data(
                fromPropertyList: entries, format: .xml, options: 0))
    }

    /// Signs a program for entitlements, installs and starts it. Its profile allows all groups,
    /// unless another one is put in its place.
    func itemProgram(
        _ team: Team, _ name: String, _ entitlements: Entries = [:],
        thenAllowing other: Entries? = nil
    ) throws -> ItemProgram {
        let asked = try Self.propertyList(entitlements)
        let all = try Self.allGroups()
        let task = try Self.task.get()
        let identifier = "org.example." + name
        let signed =
            try other.map {
                try team.sign(
                    task, identifier, asked, allowing: all, thenAllowing: Self.propertyList($0))
            } ?? team.sign(task, identifier, asked, allowing: all)
        return try itemProgram(at: install(signed, name))
    }

    /// Starts an installed program.
    func itemProgram(at path: String) throws -> ItemProgram {
        let environment = ["LLAVERO_SOCKET": service.socketPath, "LLAVERO_DEADLINE_MS": "60000"]
        return ItemProgram(try start(path, ["items"], environment: environment))
    }
}

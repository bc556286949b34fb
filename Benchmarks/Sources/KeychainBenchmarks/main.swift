// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation
import Keychain
import SecretBytes
import Security
import SecurityWire

// Other processes of this program.
let words = Array(CommandLine.arguments.dropFirst())
if words.first == "--echo", let socket = words.dropFirst().first.flatMap(Int32.init) {
    PingPong.echo(socket)
}
if words.first == "--relay", words.count == 3, let front = Int32(words[1]),
    let back = Int32(words[2])
{
    PingPong.relay(front, back)
}

if words.first == "identity-client" {
    try IdentityBenchmark.client()
    exit(0)
}
if words.first == "crowd-halves" { CrowdBenchmark.sendHalves() }
if words.first == "crowd-challenges" { CrowdBenchmark.askForChallenges() }
if words.first == "many-echo-server", words.count == 2 { EchoServer.serve(words[1]) }
if let word = words.first, word.hasPrefix("many-"), words.count == 3, let number = Int(words[1]) {
    try ManyBenchmark.client(word, number: number, path: words[2])
}
if words.first == "identity-grade" {
    print(try KeychainConnection().callerIdentity().grade)
    exit(0)
}

let itemCount = words.first.flatMap(Int.init) ?? 1000
let rounds = min(max(itemCount, 2000), 5000)
let writeRounds = 1000
let metadataByteCount = 1 + 12 + 150 + 16
let secretByteCount = 1 + 3 + 40 + 12 + 48 + 16

func secret(_ text: String) -> Secret {
    let bytes = Array(text.utf8)
    return Secret(SecretBytes(byteCount: bytes.count) { $0.copyBytes(from: bytes) })
}

func account(_ index: Int) -> String { "user-\(index)@example.org" }

func item(_ index: Int) -> NewItem {
    var item = NewItem(.genericPassword)
    item.attributes[.service] = .text("bench.example")
    item.attributes[.account] = .text(account(index))
    item.attributes[.label] = .text("Benchmark item \(index)")
    item.secret = secret("correct horse battery \(index % 1000)")
    return item
}

func query(_ index: Int, _ fields: ReturnFields) -> ItemQuery {
    var query = ItemQuery(.genericPassword)
    query.attributes[.service] = .text("bench.example")
    query.attributes[.account] = .text(account(index))
    query.returning = fields
    return query
}

/// Spreads lookups over all items.
func pick(_ round: Int) -> Int { (round &* 7919) % itemCount }

/// The queries are made beforehand, so that only the call is timed.
func prepared<Query>(_ make: (Int) -> Query) -> (Int) -> Query {
    let queries = (0..<1024).map { make(pick($0)) }
    return { queries[$0 % queries.count] }
}

if words.first == "open" {
    try OpenBenchmark.run(count: words.dropFirst().first.flatMap(Int.init) ?? 1_000_000)
    exit(0)
}
if words.first == "hear" {
    AsyncBenchmark.start { try await AsyncBenchmark.hear() }
}
if words.first == "system-first" {
    try SystemBenchmark.first()
    exit(0)
}
if words.first == "system-opened" {
    try SystemBenchmark.opened()
    exit(0)
}
if words.count == 2, let count = Int(words[1]), count > 0 {
    switch words[0] {
    case "system-fill":
        SystemBenchmark.fill(count)
        exit(0)
    case "system-read":
        try SystemBenchmark.read(count)
        exit(0)
    default: break
    }
}
let keychain = KeychainConnection()
// The first call waits until the service listens.
_ = try keychain.deviceStatus()
if words.first == "list", words.count == 3, let rounds = Int(words[2]) {
    try ListBenchmark.repeat(words[1], rounds, keychain)
    exit(0)
}
if words.first == "list" {
    try ListBenchmark.run(keychain)
    exit(0)
}
if words.first == "async" {
    AsyncBenchmark.start { try await AsyncBenchmark.run() }
}
if words.first == "probe" {
    try ProbeBenchmark.run(keychain)
    exit(0)
}
if words.first == "crowd" {
    try CrowdBenchmark.run(keychain)
    exit(0)
}
if words.first == "many" {
    try ManyBenchmark.run(keychain)
    exit(0)
}
if words.first == "device" {
    try DeviceBenchmark.run(keychain)
    exit(0)
}
if words.first == "sealed" {
    try SealedFileBenchmark.run(keychain)
    exit(0)
}
if words.first == "identity" {
    try IdentityBenchmark.run(keychain)
    exit(0)
}
let raw = try RawStore(template: Daemons.stateDirectory + "/keychain.db")
if words.first == "growth" {
    try GrowthBenchmark.run(keychain, raw, count: words.dropFirst().first.flatMap(Int.init) ?? 1)
    raw.end()
    exit(0)
}

// Fill both stores.
raw.begin()
for _ in 0..<itemCount {
    raw.insert(metadataByteCount: metadataByteCount, secretByteCount: secretByteCount)
}
raw.commit()
raw.checkpoint()
DispatchQueue.concurrentPerform(iterations: 8) { lane in
    let connection = KeychainConnection()
    for index in stride(from: lane, to: itemCount, by: 8) {
        do { _ = try connection.add(item(index)) } catch {
            FileHandle.standardError.write(Data("add: \(error)\n".utf8))
            exit(1)
        }
    }
}

// Lower bounds.
let oneHop = PingPong.measured(hops: 1, byteCount: 128, count: rounds)
let twoHops = PingPong.measured(hops: 2, byteCount: 128, count: rounds)
let rawRead = measure(rounds) { raw.read(pick($0)) }
let key = SymmetricKey(size: .bits256)
guard let sealed = try AES.GCM.seal(Data(count: 150), using: key).combined else {
    preconditionFailure("a nonce of 12 bytes always has a combined form")
}
let open = try measure(rounds) { _ in
    _ = try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: key)
}
let rawInsert = measure(writeRounds) { _ in
    raw.insert(metadataByteCount: metadataByteCount, secretByteCount: secretByteCount)
}
raw.checkpoint()
let rawLedger = measure(writeRounds) { _ in
    raw.insertWithLedger(metadataByteCount: metadataByteCount, secretByteCount: secretByteCount)
}
// The ledger computes an old and a new leaf's digest, and seals the sum.
let leaf = [UInt8](repeating: 7, count: 1032)
let ledgerDigests = try measure(rounds) { _ in
    for _ in 0..<2 { _ = HMAC<SHA256>.authenticationCode(for: leaf, using: key) }
    _ = try AES.GCM.seal(Data(count: 32), using: key)
}
raw.checkpoint()
let rawUpdate = measure(writeRounds) { round in
    raw.update(
        Int64(pick(round) + 1), metadataByteCount: metadataByteCount,
        secretByteCount: secretByteCount)
}
raw.checkpoint()
let rawDelete = measure(writeRounds) { raw.delete(Int64(itemCount + 1 + $0)) }
raw.end()

// The keychain.
let secretQuery = prepared { query($0, .data) }
let findSecret = try measure(rounds) { _ = try keychain.find(secretQuery($0)) }
let attributesQuery = prepared { query($0, .attributes) }
let findAttributes = try measure(rounds) { _ = try keychain.find(attributesQuery($0)) }
let missQuery = prepared { query(-1 - $0, .data) }
let miss = measure(rounds) { round in
    do { _ = try keychain.find(missQuery(round)) } catch { return }
}
let add = try measure(writeRounds) { _ = try keychain.add(item(itemCount + $0)) }
let update = try measure(writeRounds) { round in
    var changes = ItemChanges()
    changes.secret = secret("new secret \(round)")
    try keychain.update(query(pick(round), []), applying: changes)
}
let delete = try measure(writeRounds) { try keychain.delete(query(itemCount + $0, [])) }

// The facade, on the same items.
func facadeQuery(_ index: Int, _ flag: CFString) -> CFDictionary {
    let query: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrService: "bench.example",
        kSecAttrAccount: account(index), flag: true, kSecMatchLimit: kSecMatchLimitOne,
        kSecAttrSynchronizable: false,
    ]
    return query as CFDictionary
}
func copy(_ query: CFDictionary) {
    var result: CFTypeRef?
    guard SecItemCopyMatching(query, &result) == errSecSuccess, result != nil else {
        FileHandle.standardError.write(Data("SecItemCopyMatching failed\n".utf8))
        exit(1)
    }
}
let dataQuery = prepared { facadeQuery($0, kSecReturnData) }
let (facadeData, dataAdded) = try measure(rounds) {
    copy(dataQuery($0))
} beside: {
    _ = try keychain.find(secretQuery($0))
}
let dictionaryQuery = prepared { facadeQuery($0, kSecReturnAttributes) }
let (facadeAttributes, attributesAdded) = try measure(rounds) {
    copy(dictionaryQuery($0))
} beside: {
    _ = try keychain.find(attributesQuery($0))
}

// MARK: - The table

/// Makes signatures of a digest with a key on P-256, of the enclave or of this process.
func signatures(inEnclave: Bool) -> Samples {
    var parameters: [CFString: Any] = [kSecAttrKeyType: kSecAttrKeyTypeEC]
    if inEnclave { parameters[kSecAttrTokenID] = kSecAttrTokenIDSecureEnclave }
    guard let key = SecKeyCreateRandomKey(parameters as CFDictionary, nil) else {
        fatalError("no key")
    }
    let digest = Data(repeating: 1, count: 32) as CFData
    return measure(rounds) { _ in
        let signature = SecKeyCreateSignature(
            key, .ecdsaSignatureDigestX962SHA256, digest, nil)
        precondition(signature != nil)
    }
}

let signature = signatures(inEnclave: true)
let localSignature = signatures(inEnclave: false)

func row(_ name: String, _ samples: Samples, floor: Double?) {
    let ratio = floor.map { String(format: "%.1f | %.2f", $0, samples.p50 / $0) } ?? " | "
    let figures = String(format: "%.1f | %.1f | ", samples.p50, samples.p99)
    print("| \(name) | \(figures)\(ratio) |")
}

print("| \(itemCount) items, µs | p50 | p99 | floor | ratio |")
print("|---|---:|---:|---:|---:|")
row("find with secret", findSecret, floor: twoHops.p50 + rawRead.p50)
row("find attributes only", findAttributes, floor: oneHop.p50 + rawRead.p50 + open.p50)
row("miss", miss, floor: oneHop.p50 + rawRead.p50)
row("add", add, floor: rawInsert.p50)
row("update secret", update, floor: twoHops.p50 + rawUpdate.p50)
row("delete", delete, floor: oneHop.p50 + rawDelete.p50)
row("P-256 signature in the enclave", signature, floor: twoHops.p50 + localSignature.p50)
row("`Security`: data only, over `Keychain`", facadeData, floor: nil)
row("`Security`: attributes, over `Keychain`", facadeAttributes, floor: nil)
print(
    String(
        format: "\nfacade adds %.1f µs to a data-only find, %.1f µs to an attributes result",
        dataAdded, attributesAdded))
let ledger = max(rawLedger.p50 - rawInsert.p50, 0) + ledgerDigests.p50
print(
    String(
        format:
            "ledger: insert %.1f µs without, %.1f with leaf and root, %.1f for digests and seal: %.1f %% of an add; a find compares 16 bytes",
        rawInsert.p50, rawLedger.p50, ledgerDigests.p50,
        100 * ledger / max(add.p50 - ledger, 1)))
print(
    String(
        format:
            "floor: one hop %.1f, two hops %.1f, raw read %.1f, open %.1f, insert and sync %.1f µs",
        oneHop.p50, twoHops.p50, rawRead.p50, open.p50, rawInsert.p50))
if let tool = Daemons.commandLineTool(account: account(0), count: 100) {
    print(
        String(
            format: "security find-generic-password -w: %.2f ms p50, %.2f ms p99",
            tool.p50 / 1000, tool.p99 / 1000))
}
for (name, kibibytes) in Daemons.residentKibibytes() {
    print(String(format: "resident: %@ %.1f MB", name, Double(kibibytes) / 1024))
}

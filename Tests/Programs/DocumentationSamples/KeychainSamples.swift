// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
// sample: five lines
import Keychain

// end sample

let keychainSamples = [
    Sample(name: "five lines", run: fiveLines), Sample(name: "keys", run: keys),
    Sample(name: "codable", run: codable), Sample(name: "replace", run: replace),
    Sample(name: "lease", run: lease), Sample(name: "follow", run: follow),
    Sample(name: "property", run: property), Sample(name: "blocking", run: blocking),
    Sample(name: "testing", run: testing), Sample(name: "reasons", run: reasons),
    Sample(name: "available", run: available), Sample(name: "outcome", run: outcome),
    Sample(name: "macos", run: fromMacOS), Sample(name: "libsecret", run: fromLibsecret),
]

private func fiveLines() async throws {
    // sample: five lines
    let keychain = Keychain(service: "org.example.tool")
    try await keychain.save("s3cret", for: "api token")
    let token = try await keychain.value(for: "api token")
    // end sample
    try expect(token == "s3cret", "another token")
}

private func keys() async throws {
    let keychain = Keychain(service: "org.example.tool")
    // sample: keys
    let password = ItemKey<Secret>(account: "database", accessibility: .afterFirstUnlock)
    let icon = ItemKey<Data>(account: "icon", accessibility: .whenUnlocked)
    // end sample
    try await keychain.save(Secret(copying: Array("secret".utf8)), for: password)
    try await keychain.save(Data([1, 2, 3]), for: icon)
    try expect(try await keychain.value(for: icon) == Data([1, 2, 3]), "another icon")
}

// sample: codable
struct Session: KeychainCodable {
    static let keychainShape = 2
    var access: String
    var refresh: String
    var expires: Date
}

let sessionKey = ItemKey<Session>(account: "session")
// end sample

private func codable() async throws {
    let keychain = Keychain(service: "org.example.tool")
    let session = Session(access: "a", refresh: "r", expires: .distantPast)
    try await keychain.save(session, for: sessionKey)
    try expect(try await keychain.value(for: sessionKey).refresh == "r", "another session")
}

private func replace() async throws {
    let keychain = Keychain(service: "org.example.tool")
    try await keychain.save("1", for: "counter")
    // sample: replace
    try await keychain.update("counter" as ItemKey<String>) { (old) throws(KeychainError) in
        String((old.flatMap { Int($0) } ?? 0) + 1)
    }
    // end sample
    try expect(try await keychain.value(for: "counter") == "2", "another count")
}

/// The issuer's protocol.
private func exchange(_ refresh: String) -> Session {
    Session(access: "next", refresh: "r2", expires: .distantFuture)
}

private func lease() async throws {
    let keychain = Keychain(service: "org.example.tool")
    let session = Session(access: "a", refresh: "r", expires: .distantPast)
    try await keychain.save(session, for: sessionKey)
    // sample: lease
    let session2 = try await keychain.withLease(
        on: sessionKey, for: .seconds(30), waiting: .seconds(60)
    ) { lease in
        let now = try await keychain.value(for: sessionKey)
        if now.expires > Date() { return now }
        let next = exchange(now.refresh)
        try await keychain.save(next, for: sessionKey, under: lease)
        return next
    }
    // end sample
    try expect(session2.access == "next", "another session")
}

private func follow() async throws {
    let keychain = Keychain(service: "org.example.tool")
    let key = ItemKey<Secret>(account: "database")
    func connect(_ password: Secret) {}
    let server = Task {
        // sample: follow
        for try await change in try await keychain.changes(of: key) {
            guard case .saved = change else { continue }
            connect(try await keychain.value(for: key))
        }
        // end sample
    }
    server.cancel()
    _ = await server.result
}

// sample: property
struct Settings {
    static let keychain = Keychain(service: "org.example.tool")

    @KeychainItem("api token", in: keychain) var token: String?

    func signIn(_ token: String) async throws {
        try await $token.save(token)
    }
}
// end sample

private func property() async throws {
    let settings = Settings()
    try await settings.signIn("t")
    try expect(settings.token == "t", "another token")
}

private func blocking() throws {
    // sample: blocking
    let keychain = Keychain(service: "org.example.tool").blocking
    try keychain.save("s3cret", for: "api token")
    // end sample
    try expect(try keychain.value(for: "api token") == "s3cret", "another token")
}

private func testing() async throws {
    // sample: testing
    let memory = TestKeychain()
    let keychain = Keychain(service: "org.example.tool", in: memory)
    try await keychain.save("s3cret", for: ItemKey(account: "token", accessibility: .whenUnlocked))
    memory.deviceState = .locked
    do throws(KeychainError) {
        _ = try await keychain.value(for: "token")
    } catch {
        assert(error.reason == .locked)
    }
    // end sample
}

private func reasons() async throws {
    let keychain = Keychain(service: "org.example.nothing")
    var said = ""
    func ask(_ text: String) { said = text }
    // sample: reasons
    do throws(KeychainError) {
        let token = try await keychain.value(for: "api token")
        print(token)
    } catch {
        switch error.reason {
        case .absent: ask("Sign in.")
        case .locked: ask("Unlock the device.")
        case .unreachable, .timedOut: ask("Is the keychain service running?")
        case .keyGone: ask("The item is there, but can never be read again. Sign in.")
        case .denied: ask("This program may not read the item.")
        default: ask("\(error.reason), status \(error.status)")
        }
    }
    // end sample
    try expect(said == "Sign in.", said)
}

private func available() async throws {
    let keychain = Keychain(service: "org.example.tool")
    // sample: available
    try await keychain.waitUntilAvailable(.afterFirstUnlock, deadline: .seconds(30))
    // end sample
}

private func outcome() async throws {
    let keychain = Keychain(service: "org.example.tool")
    // sample: outcome
    do throws(KeychainError) {
        try await keychain.save("s3cret", for: "api token", within: .seconds(2))
    } catch {
        guard let write = error.pendingWrite else { throw error }
        // The service didn't answer. Later:
        let isDone = try await keychain.store.settle(write, within: .seconds(30))
        print(isDone ? "It was saved." : "It wasn't, and never will be.")
    }
    // end sample
}

private func fromMacOS() async throws {
    // sample: macos
    let keychain = Keychain(service: "registry.example.com")
    let key = ItemKey<Data>(account: "ci", accessibility: .afterFirstUnlock)
    try await keychain.save(Data("secret".utf8), for: key)
    let secret = try await keychain.value(for: key)
    // end sample
    try expect(secret == Data("secret".utf8), "another secret")
}

private func fromLibsecret() async throws {
    // sample: libsecret
    var item = NewItem(.genericPassword)
    item.attributes[.service] = .text("org.example.mail")
    item.attributes[.account] = .text("me@example.org")
    item.attributes[.label] = .text("Mail of me@example.org")
    item.secret = Secret(copying: Array("secret".utf8))
    item.replacesExisting = true
    _ = try await KeychainService.process.add(item, within: nil)

    var query = ItemQuery(.genericPassword)
    query.attributes[.service] = .text("org.example.mail")
    query.limit = nil
    query.returning = [.attributes, .data]
    let found = try await KeychainService.process.find(query, within: nil)
    // end sample
    try expect(found.count == 1, "\(found.count) items")
}

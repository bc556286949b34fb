// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain

/// Many processes share a token that expires after 100 ms and can be exchanged for the next one once.
/// The token is its number, and the moment at which it expires.
enum Refreshing {
    private static let key = ItemKey<String>(account: "token")
    private static let lifetime: UInt64 = 100_000_000
    /// Of each call: so many processes at once may wait long on a slow machine.
    private static let patience = Duration.seconds(60)

    static func run(
        _ keychain: Keychain, _ way: String, _ directory: String, milliseconds: Int
    ) async -> Int32 {
        let end = now + UInt64(milliseconds) * 1_000_000
        do {
            while now < end {
                if try await isExpired(keychain.value(for: key, within: patience)) {
                    switch way {
                    case "lease": try await exchangeUnderLease(keychain, directory)
                    case "claim": try await exchangeByClaim(keychain, directory)
                    default: return 2
                    }
                }
                try await Task.sleep(for: .milliseconds(30))
            }
            return Application.say("done")
        } catch { return Application.say("\(error)") }
    }

    private static func exchangeUnderLease(_ keychain: Keychain, _ directory: String) async throws {
        try await keychain.withLease(on: key, for: .seconds(600), waiting: patience) { lease in
            let token = try await keychain.value(for: key, within: patience)
            // Somebody else may have been first.
            guard isExpired(token) else { return }
            let next = exchange(token, directory)
            try await keychain.save(next, for: key, under: lease, within: patience)
        }
    }

    /// Of all who saw the same state one can replace it; the others wait for the next token.
    private static func exchangeByClaim(_ keychain: Keychain, _ directory: String) async throws {
        let seen: Stored<String> = try await keychain.stored(for: key, within: patience)
        guard isExpired(seen.value), !seen.value.hasSuffix("claimed") else { return }
        let claim: Stored<String>
        do throws(KeychainError) {
            claim = try await keychain.replace(
                seen, with: seen.value + " claimed", for: key, within: patience)
        } catch {
            guard error.reason == .generationChanged else { throw error }
            return
        }
        let next = exchange(seen.value, directory)
        _ = try await keychain.replace(claim, with: next, for: key, within: patience)
    }

    // MARK: - Tokens

    private static var now: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    private static func isExpired(_ token: String) -> Bool {
        let words = token.split(separator: " ")
        return words.count < 2 || (UInt64(words[1]) ?? 0) <= now
    }

    /// The issuer: it writes down what it is asked for, and takes its time.
    private static func exchange(_ token: String, _ directory: String) -> String {
        let number = token.split(separator: " ").first.flatMap { Int($0) } ?? 0
        let line = Array("\(number)\n".utf8)
        let log = unsafe open(directory + "/log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        _ = unsafe write(log, line, line.count)
        close(log)
        usleep(2000)
        return "\(number + 1) \(now + lifetime)"
    }
}

/// Asks for a lease and has it until it is killed, and says both; saves a value under it when it is
/// told to.
enum Holding {
    static func run(_ keychain: Keychain, _ account: String, _ value: String?) async -> Int32 {
        do {
            _ = Application.say("asking")
            let lease = try await keychain.lease(
                on: ItemKey<String>(account: account), for: .seconds(600), waiting: .seconds(600))
            _ = Application.say("held")
            if let value, readLine() != nil {
                try await keychain.save(
                    value, for: ItemKey(account: account, accessibility: .always), under: lease)
            }
            while lease.isHeld { try await Task.sleep(for: .seconds(1)) }
            return 0
        } catch { return Application.say("\(error)") }
    }
}

extension Holding {
    /// Takes a lease if it is free.
    static func take(_ keychain: Keychain, _ account: String) async -> Int32 {
        do throws(KeychainError) {
            let lease = try await keychain.lease(
                on: ItemKey<String>(account: account), for: .seconds(600), waiting: .zero)
            _ = Application.say("held")
            while readLine() != nil {}
            await lease.release()
            return 0
        } catch { return Application.say("failed \(error.status)") }
    }
}

/// Says when it hears of changes: a line for each, with the moment in nanoseconds, or with what
/// kind of change it is.
enum Hearing {
    static func run(_ keychain: Keychain, tellsKinds: Bool = false) async -> Int32 {
        do {
            let changes = try await keychain.changes()
            _ = Application.say("hearing")
            for try await news in changes {
                var time = timespec()
                unsafe clock_gettime(CLOCK_MONOTONIC, &time)
                let moment = time.tv_sec * 1_000_000_000 + time.tv_nsec
                for change in news.changes {
                    _ = Application.say(tellsKinds ? "\(change.kind)" : "\(moment)")
                }
            }
            return 0
        } catch { return Application.say("\(error)") }
    }
}

extension Application {
    /// Runs what is asynchronous; the main thread sleeps meanwhile.
    static func run(_ body: @escaping @Sendable () async -> Int32) -> Never {
        Task { exit(await body()) }
        while true { pause() }
    }
}

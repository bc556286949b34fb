// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Dispatch
import Foundation
import JNKeychain
import Keychain
import KeychainItemWrapper
import SFHFKeychainUtils
import Security

/// The wrappers, used by tasks.
enum Tasks {
    // MARK: - Calls

    /// - Returns: `ok`, or the reason of the failure.
    static func save(_ kind: String, _ name: String, _ value: String) async -> String {
        do {
            switch kind {
            case "item": try await item(name).async.write(value, forKey: kSecValueData)
            case "jn": try await JNKeychain.async.save(value, forKey: name)
            case "sfhf":
                let isStored = try await SFHFKeychainUtils.async.storeUsername(
                    name, andPassword: value, forServiceName: name, updateExisting: true)
                if !isStored { return "kept" }
            default: return "what?"
            }
            return "ok"
        } catch { return reason(error) }
    }

    /// - Returns: The text, or the reason of the failure.
    static func load(
        _ kind: String, _ name: String, within duration: Duration? = nil
    ) async -> String {
        do {
            switch kind {
            case "item":
                let value = try await item(name).async.read(
                    forKey: kSecValueData, within: duration)
                return value as? String ?? "nothing"
            case "jn":
                let value = try await JNKeychain.async.load(forKey: name, within: duration)
                return value as? String ?? "nothing"
            case "sfhf":
                return try await SFHFKeychainUtils.async.getPasswordForUsername(
                    name, andServiceName: name, within: duration)
            default: return "what?"
            }
        } catch { return reason(error) }
    }

    /// - Returns: `ok`, or the reason of the failure.
    static func delete(_ kind: String, _ name: String) async -> String {
        do {
            switch kind {
            case "item": try await item(name).async.reset()
            case "jn": try await JNKeychain.async.delete(forKey: name)
            case "sfhf":
                try await SFHFKeychainUtils.async.deleteItemForUsername(name, andServiceName: name)
            default: return "what?"
            }
            return "ok"
        } catch { return reason(error) }
    }

    private static func item(_ name: String) -> KeychainItemWrapper {
        KeychainItemWrapper(identifier: name, accessGroup: nil)
    }

    private static func reason(_ error: any Error) -> String {
        let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey]
        let failure = error as? KeychainError ?? underlying as? KeychainError
        return failure.map { "failed \($0.reason)" } ?? "failed \((error as NSError).code)"
    }

    // MARK: - Commands

    /// Answers lines, until there are no more.
    static func serve() -> Never {
        Task {
            while let line = readLine() {
                say(await answer(line.split(separator: " ").map(String.init)))
            }
            exit(0)
        }
        dispatchMain()
    }

    /// Prints the program's team.
    static func sayTeam() -> Never {
        Task {
            do {
                say(try await JNKeychain.async.getBundleSeedIdentifier() ?? "none")
            } catch { say(reason(error)) }
            exit(0)
        }
        dispatchMain()
    }

    private static func answer(_ words: [String]) async -> String {
        guard words.count > 2 else { return "what?" }
        let (kind, name) = (words[0], words[2])
        switch (words[1], words.count) {
        case ("save", 4): return await save(kind, name, words[3])
        case ("load", 3): return await load(kind, name)
        case ("load", 4): return await load(kind, name, within: .milliseconds(Int(words[3]) ?? 0))
        case ("delete", 3): return await delete(kind, name)
        case ("cancel", 3):
            let task = Task { await load(kind, name) }
            say("asked")
            // The next line, with any content.
            _ = readLine()
            task.cancel()
            return await task.value
        default: return "what?"
        }
    }

    // MARK: - The main actor

    /// Loads on the main actor, beside a clock that needs it (`tick`) and one that doesn't
    /// (`beat`).
    @MainActor static func loadOnMain(_ way: String, _ kind: String, _ name: String) -> Never {
        Task {
            while true {
                say("tick")
                try? await Task.sleep(for: .milliseconds(10))
            }
        }
        DispatchQueue.global().async {
            while true {
                say("beat")
                usleep(10_000)
            }
        }
        Task {
            say("asked")
            if way == "async" {
                say("value " + (await load(kind, name)))
            } else {
                say("value " + (wrapper(kind)?.load(name).value ?? "nothing"))
            }
            exit(0)
        }
        dispatchMain()
    }
}

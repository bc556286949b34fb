// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecretBytes
import SecurityWire

/// Other applications' access groups. The tool holds only its user's; another one opens on request
/// with the device passcode, which enclaved judges.
enum GroupAccess {
    /// Parses the options before all others.
    /// - Returns: The arguments without them; nil when they are invalid.
    static func takeOptions(of words: Words, _ session: inout Session) -> Words? {
        var words = words
        while words.count > 1, words[1].string.hasPrefix("--") {
            let parts = words[1].string.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 || words.count > 2 else { return nil }
            let value = parts.count == 2 ? String(parts[1]) : words[2].string
            switch parts[0] {
            case "--access-group":
                guard !value.isEmpty else { return nil }
                session.accessGroup = value
            case "--passcode-fd":
                guard let number = Int32(value), number >= 0 else { return nil }
                session.passcode = PasscodeSource(descriptor: number)
            default: return nil
            }
            // The first argument is skipped, whatever it is.
            words = words.dropFirst(parts.count == 2 ? 1 : 2)
        }
        return words
    }

    /// Opens those of the groups that the tool doesn't hold; asks for the passcode once.
    static func open(
        _ groups: [String], _ source: PasscodeSource, _ connection: KeychainConnection
    ) throws(DeviceProblem) {
        let missing: [String]
        let isPasscodeSet: Bool
        do throws(KeychainError) {
            let held = try connection.callerIdentity().accessGroups
            missing = groups.filter { !held.contains($0) }
            isPasscodeSet = missing.isEmpty ? false : try connection.deviceStatus().passcodeSet
        } catch { throw .keychain(error) }
        guard let first = missing.first else { return }
        // Nothing here says which team's group of that name is meant.
        if let short = missing.first(where: { $0.utf8.starts(with: "group.".utf8) }) {
            throw .noTeam(short)
        }
        guard isPasscodeSet else { throw .noProof(first, "none is set") }
        let passcode: Secret
        do throws(DeviceProblem) { passcode = try source.current("passcode: ") } catch {
            guard case .noTerminal(let option) = error else { throw error }
            throw .noProof(first, "there is no terminal to ask at; use \(option) N")
        }
        do throws(KeychainError) {
            for group in missing { try connection.openGroup(group, passcode: passcode.bytes) }
        } catch { throw .keychain(error) }
    }
}

extension Command {
    /// `security move-items`: moves all items of an access group to another. Not a command of
    /// macOS.
    static let moveItems = Command(
        name: "move-items",
        usage: """
            --from GROUP --to GROUP [--class genp|inet|cert|keys] [--passcode-fd N]
                --from, --to     The access groups; one that isn't the tool's needs the passcode
                --class          Items of this class alone
                --passcode-fd N  Read the passcode from descriptor N, a line, instead of the terminal
            """,
        help: "Move every item of an access group to another one: all of them, or none.",
        run: { MoveItemsCommand.run($0, &$1) })
}

private enum MoveItemsCommand {
    static func run(_ words: Words, _ session: inout Session) -> Int32 {
        do throws(DeviceProblem) {
            let count = try move((1..<max(words.count, 1)).map { words[$0].string }, session)
            Output.write(
                count == 1 ? "Moved 1 item.\n" : "Moved \(count) items.\n", to: STDOUT_FILENO)
            return 0
        } catch { return error.complained(at: "move-items", .moveItems) }
    }

    private static func move(
        _ words: [String], _ session: Session
    ) throws(DeviceProblem) -> UInt64 {
        let options = try DeviceOptions(
            words, values: ["--from", "--to", "--class", "--passcode-fd"])
        guard let source = options.value("--from"), let target = options.value("--to"),
            !source.isEmpty, !target.isEmpty, source != target
        else { throw .usage }
        var classes: [ItemClass] = [.genericPassword, .internetPassword, .certificate, .key]
        if let name = options.value("--class") {
            classes.removeAll { $0.rawValue != name }
            guard !classes.isEmpty else { throw .usage }
        }
        let descriptor = try options.descriptor("--passcode-fd")
        let passcode = descriptor.map { PasscodeSource(descriptor: $0) } ?? session.passcode
        try GroupAccess.open([source, target], passcode, session.connection)
        do throws(KeychainError) {
            return try session.connection.moveItems(
                from: source, to: target, itemClasses: classes)
        } catch { throw .keychain(error, advice: advice(error, target)) }
    }

    private static func advice(_ error: KeychainError, _ target: String) -> String? {
        switch error.reason {
        case .duplicate:
            "\(target) already has an item with the primary key of one of these. Nothing was moved."
        case .unimplemented:
            "A key of the enclave stays in the group that it was made for. Nothing was moved."
        case .locked:
            "The device is locked. Unlock it with `security device unlock`. Nothing was moved."
        default: nil
        }
    }
}

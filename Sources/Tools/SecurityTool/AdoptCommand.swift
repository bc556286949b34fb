// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecretBytes
import SecurityWire

/// `security device adopt`: a user's own keychain moves into the machine's. The user's own daemons
/// open the old one, and the machine's service gets its items as any request of a stranger's.
enum AdoptCommand {
    private static let passcode = "--passcode-fd"
    private static let from = "--from"

    /// Moves it, or deletes the old one.
    static func run(_ arguments: [String]) throws(DeviceProblem) {
        let options = try DeviceOptions(
            arguments, values: [passcode, from],
            flags: ["--leave-behind", "--skip-existing", "--delete-old"])
        let deletes = options.has("--delete-old")
        guard !deletes || !options.has("--skip-existing") else { throw .usage }
        let directory = options.value(from) ?? ServiceLocation.usersOwn.stateDirectory
        let old = try OldKeychain(directory)
        defer { old.close() }
        let source = PasscodeSource(descriptor: try options.descriptor(passcode))
        let exported = try export(old, source)
        guard exported.left.isEmpty || options.has("--leave-behind") else {
            throw .adoption(
                "\(LeftText.text(exported.left)); with --leave-behind the others are taken. "
                    + "Nothing was changed.")
        }
        guard !deletes else { return try delete(old, exported) }
        let count = try adopt(exported.items, source, skips: options.has("--skip-existing"))
        old.note(exported.digest)
        say(count, of: exported, directory)
    }

    private static func export(
        _ old: OldKeychain, _ source: PasscodeSource
    ) throws(DeviceProblem) -> ExportedKeychain {
        try unlock(old.connection, "passcode of the old keychain: ", source)
        do throws(KeychainError) { return try old.connection.exportAll() } catch {
            throw .keychain(error, advice: advice(error))
        }
    }

    private static func adopt(
        _ items: [NewItem], _ source: PasscodeSource, skips: Bool
    ) throws(DeviceProblem) -> UInt64 {
        let machine = KeychainConnection(location: .machines)
        try unlock(machine, "passcode of the machine's keychain: ", source)
        do throws(KeychainError) { return try machine.adopt(items, skipsExisting: skips) } catch {
            throw .keychain(error, advice: advice(error))
        }
    }

    /// Only if a passcode is set.
    private static func unlock(
        _ connection: KeychainConnection, _ prompt: String, _ source: PasscodeSource
    ) throws(DeviceProblem) {
        do throws(KeychainError) {
            guard try connection.deviceStatus().passcodeSet else { return }
        } catch { throw .keychain(error) }
        let passcode = try source.current(prompt)
        do throws(KeychainError) { try connection.unlock(passcode: passcode.bytes) } catch {
            throw .keychain(error)
        }
    }

    // MARK: - Deleting

    private static func delete(
        _ old: OldKeychain, _ exported: ExportedKeychain
    ) throws(DeviceProblem) {
        guard let digest = old.notedDigest else {
            throw .adoption("it wasn't adopted yet, so it isn't deleted")
        }
        guard digest == exported.digest else {
            throw .adoption("something in it has changed since it was adopted, so it isn't deleted")
        }
        let usesFile: Bool
        do throws(KeychainError) {
            usesFile = try old.connection.deviceStatus().deviceKey == "file"
        } catch { throw .keychain(error) }
        guard usesFile else {
            throw .adoption(
                "its device key is in the TPM, and objects would stay there; first move it to a file "
                    + "with `security device migrate --to file`")
        }
        try old.remove()
        Output.write("The old keychain is deleted.\n", to: STDOUT_FILENO)
    }

    // MARK: - Words

    private static func say(_ count: UInt64, of exported: ExportedKeychain, _ directory: String) {
        var text = count == 1 ? "Adopted 1 item.\n" : "Adopted \(count) items.\n"
        let skipped = UInt64(exported.items.count) - min(count, UInt64(exported.items.count))
        if skipped > 0 { text += "Left out, because they exist already: \(skipped).\n" }
        if !exported.left.isEmpty { text += "\(LeftText.text(exported.left)).\n" }
        text +=
            "The old keychain is still in \(directory). As long as `securityd --user` runs, your "
            + "programs use that one: stop it, and then delete it with `security device adopt "
            + "--delete-old`.\n"
        Output.write(text, to: STDOUT_FILENO)
    }

    private static func advice(_ error: KeychainError) -> String? {
        switch error.reason {
        case .duplicate:
            "The machine's keychain has an item with the same name as one of these; with "
                + "--skip-existing such items stay out. Nothing was changed."
        case .keyGone:
            "An item needs a passcode, and none is set in the machine's keychain. Set one first with "
                + "`security device set-passcode`. Nothing was changed."
        case .tooLarge:
            "A keychain with over \(AdoptionRequest.itemCount) items or 16 MiB can't move at once. "
                + "Nothing was changed."
        case .invalidRequest:
            "What answers isn't the service of a machine (`securityd --system`). Nothing was changed."
        case .administratorNeeded:
            "A keychain of a whole machine can't move. Nothing was changed."
        default: nil
        }
    }
}

/// What stays behind, in words.
enum LeftText {
    static func text(_ left: LeftBehind) -> String {
        let parts = [
            (left.guarded, "items with an access control"),
            (left.enclaveKeys, "keys of the enclave"), (left.lost, "items that can't be opened"),
            (left.keychainItems, "items of other keychains"),
        ]
        let words = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return "Not to be moved: " + words.joined(separator: ", ")
    }
}

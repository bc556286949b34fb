// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc

/// A command and its implementation.
struct Command {
    let name: String
    /// Its options and arguments, in several lines.
    var usage = ""
    /// One line.
    var help = ""
    /// Nil for a command of macOS that isn't supported (yet). Its name is in the table because of
    /// abbreviations: `delete-` must not select another command than on macOS.
    var run: (@Sendable (Words, inout Session) -> Int32)?
    /// Whether it uses the access group of the tool's own option.
    var takesAccessGroup: Bool {
        name.hasSuffix("-generic-password") || name.hasSuffix("-internet-password")
            || name == "seal" || name == "unseal"
    }

    /// Wrong usage: prints the usage.
    /// - Returns: 2.
    func usageError() -> Int32 {
        Output.write(usageText, to: STDERR_FILENO)
        return 2
    }

    /// The usage of the command.
    var usageText: String { "Usage: \(name) \(usage)\n        \(help)\n" }

    // MARK: - The table

    /// All commands, in macOS's order: an abbreviation selects the first match.
    static let all: [Command] = names.split(whereSeparator: \.isWhitespace).map { name in
        offered.first { $0.name == name } ?? Command(name: String(name))
    }

    private static let offered = [
        help, addGenericPassword, findGenericPassword, deleteGenericPassword,
        addInternetPassword, findInternetPassword, deleteInternetPassword, device, importNetrc,
        importGitCredentials, audit, whoAmI, moveItems, seal, unseal, verifyCertificate,
        addTrustedCertificate, removeTrustedCertificate, dumpTrustSettings, exportTrustSettings,
        importTrustSettings, userTrustSettings, exportTrusted, findCertificate, addCertificates,
        deleteCertificate, createCertificateRequest, importItems, exportItems, error,
        listSmartcards, findIdentity, deleteIdentity, findKey,
        createKeychain, deleteKeychain, lockKeychain, unlockKeychain, listKeychains,
        defaultKeychain, loginKeychain, dumpKeychain, setKeychainSettings, setKeychainPassword,
        showKeychainInfo, setGenericPasswordPartitionList, setInternetPasswordPartitionList,
        setKeyPartitionList, setIdentityPreference, getIdentityPreference,
        createKeyPair, backup,
    ]

    private static let names = """
        help list-keychains list-smartcards default-keychain login-keychain create-keychain
        delete-keychain lock-keychain unlock-keychain set-keychain-settings set-keychain-password
        show-keychain-info dump-keychain create-keypair add-generic-password
        add-internet-password add-certificates find-generic-password delete-generic-password
        set-generic-password-partition-list find-internet-password delete-internet-password
        set-internet-password-partition-list find-key set-key-partition-list find-certificate
        find-identity delete-certificate delete-identity set-identity-preference
        get-identity-preference create-db export import export-smartcard cms install-mds
        add-trusted-cert remove-trusted-cert dump-trust-settings user-trust-settings-enable
        trust-settings-export trust-settings-import verify-cert authorize authorizationdb
        execute-with-privileges leaks error create-filevaultmaster-keychain smartcards
        translocate-create translocate-policy-check translocate-status-check
        translocate-original-path requirement-evaluate filevault platformsso device
        import-netrc import-git-credentials audit whoami move-items seal unseal
        export-trusted create-csr backup
        """

    /// The command of a name or an abbreviation; nil if it is unknown or not supported.
    static func named(_ name: String) -> Command? {
        guard let match = all.first(where: { $0.name.hasPrefix(name) }), match.run != nil else {
            return nil
        }
        return match
    }

    /// Runs the command that the first word names.
    static func run(_ words: Words, _ session: inout Session) -> Int32 {
        let name = words[0].string
        guard let command = named(name), let run = command.run else {
            if let reason = UnofferedCommand.reason(name) {
                complain("security: \(name) isn't offered here: \(reason)")
            } else {
                complain("security: unknown command \"\(name)\"")
            }
            return 1
        }
        if session.isVerbose { tell(words) }
        if let group = session.accessGroup {
            guard command.takesAccessGroup else {
                complain("security: \(command.name) takes no --access-group")
                return 2
            }
            do throws(DeviceProblem) {
                try GroupAccess.open([group], session.passcode, session.connection)
            } catch { return error.complained(at: command.name, command) }
        }
        return run(words, &session)
    }

    private static func tell(_ words: Words) {
        var output = Output(STDERR_FILENO)
        output.put(words[0].string)
        for index in 1..<max(words.count, 1) {
            output.put(" \"")
            unsafe words[index].withBytes { unsafe output.put($0) }
            output.put("\"")
        }
        output.put("\n")
        _ = output.flush()
    }

    /// One line for each command.
    static var listing: String {
        all.filter { $0.run != nil }.map { command in
            let padding = String(repeating: " ", count: max(0, 36 - command.name.count))
            return "    \(command.name)\(padding) \(command.help)\n"
        }.reduce("security commands are:\n", +)
    }
}

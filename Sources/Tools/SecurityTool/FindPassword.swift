// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import KeychainVocabulary
import SecretBytes
import SecurityWire

extension Command {
    /// `security find-generic-password`: the first password that matches.
    static let findGenericPassword: Command = Command(
        name: "find-generic-password",
        usage: """
            [-a account] [-s service] [options...] [-g] [-w] [keychain...]
            \(PasswordKind.generic.matchingUsage)
                -g  Display the password for the item found, on standard error
                -w  Display the password (only) for the item found
            """,
        help: "Find a generic password item.",
        run: { FindPassword.run(.generic, .findGenericPassword, $0, $1) })

    /// `security find-internet-password`: the first password that matches.
    static let findInternetPassword: Command = Command(
        name: "find-internet-password",
        usage: """
            [-a account] [-s server] [options...] [-g] [-w] [keychain...]
            \(PasswordKind.internet.matchingUsage)
                -g  Display the password for the item found, on standard error
                -w  Display the password (only) for the item found
            """,
        help: "Find an internet password item.",
        run: { FindPassword.run(.internet, .findInternetPassword, $0, $1) })
}

private enum FindPassword {
    static func run(
        _ kind: PasswordKind, _ command: Command, _ words: Words, _ session: Session
    ) -> Int32 {
        var criteria = ItemCriteria(kind)
        var isShown = false
        var isAlone = false
        var reader = OptionReader(words, options: "+:" + kind.options + "gw")
        do throws(ItemCriteria.WrongCode) {
            while let option = reader.next() {
                if option == "g" {
                    isShown = true
                } else if option == "w" {
                    isAlone = true
                } else if try !criteria.take(option, reader.argument) {
                    return command.usageError()
                }
            }
        } catch { return error.complained() }
        guard KeychainName.isAmong(reader.rest) else {
            return complain(.absentKeychain, at: "SecKeychainSearchCopyNext")
        }
        var query = ItemQuery(kind.itemClass)
        query.attributes = criteria.searched
        query.attributes[.accessGroup] = session.accessGroup.map { .text($0) }
        query.synchronizable = .any
        if !isAlone { query.returning.insert(.attributes) }
        if isShown || isAlone { query.returning.insert(.data) }
        do throws(KeychainError) {
            let search = query
            let found = try session.connection.asking(nil) {
                (connection, access) throws(KeychainError) -> [FoundItem] in
                var query = search
                query.access = access
                return try connection.find(query)
            }
            guard let item = found.first else { return SecurityStatus.itemNotFound }
            return isAlone ? printSecret(item) : print(item, kind, showingSecret: isShown)
        } catch { return complain(error, at: "SecKeychainSearchCopyNext") }
    }

    /// Only the secret, and a newline.
    private static func printSecret(_ item: FoundItem) -> Int32 {
        var output = Output(STDOUT_FILENO)
        unsafe item.secret?.bytes.withUnsafeBytes { unsafe output.putSecret($0) }
        output.put("\n")
        return output.flush() ? 0 : SecurityStatus.io
    }

    /// The block on standard output, then the secret, if it is shown, on standard error.
    private static func print(
        _ item: FoundItem, _ kind: PasswordKind, showingSecret: Bool
    ) -> Int32 {
        var output = Output(STDOUT_FILENO)
        AttributeBlock.print(item.attributes, kind, to: &output)
        if let control = item.accessControl,
            let accessibility = Accessibility(rawValue: control.protectionClass)
        {
            output.put("access control: \(control.text(classCode: accessibility.code))\n")
        }
        guard output.flush() else { return SecurityStatus.io }
        guard showingSecret else { return 0 }
        var errors = Output(STDERR_FILENO)
        errors.put("password: ")
        unsafe item.secret?.bytes.withUnsafeBytes { unsafe errors.putBuffer($0) }
        errors.put("\n")
        return errors.flush() ? 0 : SecurityStatus.io
    }
}

extension KeychainName {
    /// Whether a list of keychains to search contains the only one; an empty list does.
    static func isAmong(_ words: Words) -> Bool {
        words.count == 0 || (0..<words.count).contains { matches(words[$0].string) }
    }
}

extension KeychainError {
    /// For a search in a keychain that doesn't exist, macOS reports that the item wasn't found.
    static let absentKeychain = KeychainError(
        status: SecurityStatus.itemNotFound, reason: .absent)
}

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

extension FindPassword {
    /// The first item that matches, in the order of the keychains.
    /// - Throws: ``FailureReason/absent``; what keeps a match from being read.
    static func first(
        _ search: ItemQuery, in keychains: [UserKeychain], _ connection: KeychainConnection
    ) throws(KeychainError) -> (item: FoundItem, keychain: UserKeychain) {
        var failure = KeychainError.absentKeychain
        for keychain in keychains {
            do throws(KeychainError) {
                let found = try connection.asking(nil) {
                    (connection, access) throws(KeychainError) -> [FoundItem] in
                    var query = search
                    query.access = access
                    query.keychain = keychain.requested
                    return try connection.find(query)
                }
                if let item = found.first { return (item, keychain) }
            } catch {
                guard error.reason == .absent else { throw error }
                failure = error
            }
        }
        throw failure
    }
}

enum FindPassword {
    fileprivate static func run(
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
        var query = ItemQuery(kind.itemClass)
        query.attributes = criteria.searched
        query.attributes[.accessGroup] = session.accessGroup.map { .text($0) }
        query.synchronizable = .any
        if !isAlone { query.returning.insert(.attributes) }
        if isShown || isAlone { query.returning.insert(.data) }
        do throws(KeychainError) {
            let keychains = try UserKeychain.searched(reader.rest, session.connection)
            let (item, keychain) = try first(query, in: keychains, session.connection)
            return isAlone
                ? printSecret(item) : print(item, kind, in: keychain, showingSecret: isShown)
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
        _ item: FoundItem, _ kind: PasswordKind, in keychain: UserKeychain, showingSecret: Bool
    ) -> Int32 {
        var output = Output(STDOUT_FILENO)
        AttributeBlock.print(item.attributes, kind, keychain: keychain.path, to: &output)
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

extension KeychainError {
    /// For a search in a keychain that doesn't exist, macOS reports that the item wasn't found.
    static let absentKeychain = KeychainError(
        status: SecurityStatus.itemNotFound, reason: .absent)
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecurityWire

extension Command {
    /// `security delete-generic-password`: only the first password that matches.
    static let deleteGenericPassword: Command = Command(
        name: "delete-generic-password",
        usage: """
            [-a account] [-s service] [options...] [keychain...]
            \(PasswordKind.generic.matchingUsage)
            At least one of the options is needed.
            """,
        help: "Delete a generic password item.",
        run: { DeletePassword.run(.generic, .deleteGenericPassword, $0, $1) })

    /// `security delete-internet-password`: only the first password that matches.
    static let deleteInternetPassword: Command = Command(
        name: "delete-internet-password",
        usage: """
            [-a account] [-s server] [options...] [keychain...]
            \(PasswordKind.internet.matchingUsage)
            At least one of the options is needed.
            """,
        help: "Delete an internet password item.",
        run: { DeletePassword.run(.internet, .deleteInternetPassword, $0, $1) })
}

private enum DeletePassword {
    static func run(
        _ kind: PasswordKind, _ command: Command, _ words: Words, _ session: Session
    ) -> Int32 {
        var criteria = ItemCriteria(kind)
        var reader = OptionReader(words, options: "+:" + kind.options)
        do throws(ItemCriteria.WrongCode) {
            while let option = reader.next() {
                guard try criteria.take(option, reader.argument) else {
                    return command.usageError()
                }
            }
        } catch { return error.complained() }
        guard !criteria.attributes.isEmpty else {
            return command.usageError()
        }
        return delete(criteria.searched, kind, reader.rest, session)
    }

    /// Finds the item, prints it, and deletes it by its reference, so that no other matching item
    /// is deleted.
    private static func delete(
        _ attributes: ItemAttributes, _ kind: PasswordKind, _ words: Words, _ session: Session
    ) -> Int32 {
        var query = ItemQuery(kind.itemClass)
        query.attributes = attributes
        query.attributes[.accessGroup] = session.accessGroup.map { .text($0) }
        query.synchronizable = .any
        query.returning = [.attributes, .persistentReference]
        let reference: PersistentReference
        let target: KeychainID?
        do throws(KeychainError) {
            let keychains = try UserKeychain.searched(words, session.connection)
            let (item, keychain) = try FindPassword.first(
                query, in: keychains, session.connection)
            guard let itemReference = item.persistentReference
            else { return SecurityStatus.itemNotFound }
            reference = itemReference
            target = keychain.requested
            var output = Output(STDOUT_FILENO)
            AttributeBlock.print(item.attributes, kind, keychain: keychain.path, to: &output)
            guard output.flush() else { return SecurityStatus.io }
        } catch { return complain(error, at: "SecKeychainSearchCopyNext") }
        var named = ItemQuery(kind.itemClass)
        named.persistentReference = reference
        named.synchronizable = .any
        named.limit = nil
        named.keychain = target
        do throws(KeychainError) {
            try session.connection.delete(named)
        } catch { return complain(error, at: "SecKeychainItemDelete") }
        complain("password has been deleted.")
        return 0
    }
}

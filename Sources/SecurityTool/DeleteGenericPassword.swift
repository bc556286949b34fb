// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecurityWire

extension Command {
    /// `security delete-generic-password`: the first password that matches, and no other.
    static let deleteGenericPassword = Command(
        name: "delete-generic-password",
        usage: """
            [-a account] [-s service] [options...] [keychain...]
            \(ItemCriteria.matchingUsage)
            At least one of the options is needed.
            """,
        help: "Delete a generic password item.",
        run: { DeleteGenericPassword.run($0, &$1) })
}

private enum DeleteGenericPassword {
    static func run(_ words: Words, _ session: inout Session) -> Int32 {
        var criteria = ItemCriteria()
        var reader = OptionReader(words, options: "+:" + ItemCriteria.options)
        do throws(ItemCriteria.WrongCode) {
            while let option = reader.next() {
                guard try criteria.take(option, reader.argument) else {
                    return Command.deleteGenericPassword.usageError()
                }
            }
        } catch { return error.complained() }
        guard !criteria.attributes.isEmpty else {
            return Command.deleteGenericPassword.usageError()
        }
        guard KeychainName.isAmong(reader.rest) else {
            return complain(.absentKeychain, at: "SecKeychainSearchCopyNext")
        }
        return delete(criteria.searched, session)
    }

    /// Finds the item, shows it, deletes it by its reference: it alone, whatever else matches.
    private static func delete(_ attributes: ItemAttributes, _ session: Session) -> Int32 {
        var query = ItemQuery(.genericPassword)
        query.attributes = attributes
        query.synchronizable = .any
        query.returning = [.attributes, .persistentReference]
        let reference: PersistentReference
        do throws(KeychainError) {
            guard let item = try session.connection.find(query).first,
                let found = item.persistentReference
            else { return SecurityStatus.itemNotFound }
            reference = found
            var output = Output(STDOUT_FILENO)
            AttributeBlock.print(item.attributes, to: &output)
            guard output.flush() else { return SecurityStatus.io }
        } catch { return complain(error, at: "SecKeychainSearchCopyNext") }
        var target = ItemQuery(.genericPassword)
        target.persistentReference = reference
        target.synchronizable = .any
        target.limit = nil
        do throws(KeychainError) {
            try session.connection.delete(target)
        } catch { return complain(error, at: "SecKeychainItemDelete") }
        complain("password has been deleted.")
        return 0
    }
}

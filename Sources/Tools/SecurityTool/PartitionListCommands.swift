// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecretBytes
import SecurityWire

extension Command {
    private static let partitionUsage = """
            -S  The partition list: apple-tool:, apple:, unsigned:, teamid:TEAM, with commas
            -k  The password of the keychain (login: the device passcode); without it it is asked for
            \(PasswordOption.usage)
        """

    /// `security set-generic-password-partition-list`.
    static let setGenericPasswordPartitionList: Command = Command(
        name: "set-generic-password-partition-list",
        usage: """
            [-a account] [-s service] [options...] -S partition-list [-k password] [keychain]
            \(PasswordKind.generic.matchingUsage)
            \(partitionUsage)
            """,
        help: "Set the partition list of a generic password item.",
        run: {
            PartitionList.run(.setGenericPasswordPartitionList, $0, $1, .passwords(.generic))
        })

    /// `security set-internet-password-partition-list`.
    static let setInternetPasswordPartitionList: Command = Command(
        name: "set-internet-password-partition-list",
        usage: """
            [-a account] [-s server] [options...] -S partition-list [-k password] [keychain]
            \(PasswordKind.internet.matchingUsage)
            \(partitionUsage)
            """,
        help: "Set the partition list of a internet password item.",
        run: {
            PartitionList.run(.setInternetPasswordPartitionList, $0, $1, .passwords(.internet))
        })

    /// `security set-key-partition-list`.
    static let setKeyPartitionList: Command = Command(
        name: "set-key-partition-list",
        usage: """
            [-a application-label] [-D description] [-j comment] [-l label] [-t type] [-dersuvw]
                    -S partition-list [-k password] [keychain]
            \(KeyCriteria.usage)
            \(partitionUsage)
            """,
        help: "Set the partition list of a key.",
        run: { PartitionList.run(.setKeyPartitionList, $0, $1, .keys) })
}

/// Changes which kinds of programs have the secrets of items.
private struct PartitionList {
    enum Subject {
        case passwords(PasswordKind)
        case keys

        var options: String {
            switch self {
            case .passwords(let kind): kind.options
            case .keys: KeyCriteria.options
            }
        }

        var itemClass: ItemClass {
            switch self {
            case .passwords(let kind): kind.itemClass
            case .keys: .key
            }
        }
    }

    private enum Problem: Error {
        case usage
        case code(ItemCriteria.WrongCode)
    }

    private let subject: Subject
    private var words = ItemCriteria(.generic)
    private var keys = KeyCriteria()
    private var partitions: [String] = []
    private var given = PasswordOption()
    private var keychain: Word?

    static func run(
        _ command: Command, _ words: Words, _ session: Session, _ subject: Subject
    ) -> Int32 {
        do throws(Problem) {
            return try PartitionList(words, subject).run(session)
        } catch {
            switch error {
            case .usage: return command.usageError()
            case .code(let wrong): return wrong.complained()
            }
        }
    }

    private init(_ words: Words, _ subject: Subject) throws(Problem) {
        self.subject = subject
        if case .passwords(let kind) = subject { self.words = ItemCriteria(kind) }
        var list: [String]?
        var reader = OptionReader(words, options: "+:" + subject.options + "S:k:-:")
        while let option = reader.next() {
            switch option {
            case "S": list = GrantOptions.partitions(reader.argument.string)
            case "k": given.takeWord(reader.argument)
            case "-": guard given.take(&reader) else { throw .usage }
            default: guard try take(option, reader.argument) else { throw .usage }
            }
        }
        guard let list, reader.rest.count <= 1 else { throw .usage }
        partitions = list
        if reader.rest.count == 1 { keychain = reader.rest[0] }
    }

    private mutating func take(_ option: Character, _ argument: Word) throws(Problem) -> Bool {
        switch subject {
        case .passwords:
            do throws(ItemCriteria.WrongCode) { return try words.take(option, argument) } catch {
                throw .code(error)
            }
        case .keys: return keys.take(option, argument)
        }
    }

    private func run(_ session: Session) -> Int32 {
        given.warn(session)
        let connection = session.connection
        let opened: UserKeychain
        do throws(KeychainError) {
            opened = try UserKeychain.named(keychain, connection)
            var password = given.secret
            if password == nil { password = try asked(opened, connection) }
            guard let password else { return 1 }
            try opened.unlock(password, connection)
        } catch {
            // As on macOS, one line: it may be no passcode.
            complain(
                "security: SecKeychainUnlock: \(SecurityStatus.message(for: error.status))")
            return 1
        }
        do throws(KeychainError) {
            let found = try items(opened, connection)
            guard !found.isEmpty else { throw .absentKeychain }
            var output = Output(STDOUT_FILENO)
            for item in found {
                try change(item, opened, connection)
                print(item, opened, to: &output)
            }
            return output.flush() ? 0 : 1
        } catch {
            _ = complain(error, at: "SecItemCopyMatching")
            return 1
        }
    }

    /// Where no passcode is set, login has no password to ask for.
    private func asked(
        _ opened: UserKeychain, _ connection: KeychainConnection
    ) throws(KeychainError) -> Secret? {
        if opened.id.isLogin, try connection.deviceStatus().state == .noPasscode {
            return Secret(SecretBytes(byteCount: 0))
        }
        let name = keychain?.string ?? "default"
        guard case .entered(let entered) = PasswordPrompt.single("password to unlock \(name): ")
        else { return nil }
        return entered
    }

    private func items(
        _ opened: UserKeychain, _ connection: KeychainConnection
    ) throws(KeychainError) -> [FoundItem] {
        var query = ItemQuery(subject.itemClass)
        query.keychain = opened.requested
        query.synchronizable = .any
        query.limit = nil
        query.returning = [.attributes, .persistentReference]
        if case .passwords = subject { query.attributes = words.searched }
        let found = try connection.find(query)
        guard case .keys = subject else { return found }
        return found.filter(keys.matches)
    }

    private func change(
        _ item: FoundItem, _ opened: UserKeychain, _ connection: KeychainConnection
    ) throws(KeychainError) {
        var query = ItemQuery(subject.itemClass)
        query.keychain = opened.requested
        query.synchronizable = .any
        query.persistentReference = item.persistentReference
        var grants = item.attributes.grants ?? ItemGrants()
        grants.partitions = partitions
        guard grants.isSound else {
            throw KeychainError(status: SecurityStatus.param, reason: .tooLarge)
        }
        var changes = ItemChanges()
        changes.attributes.grants = grants
        try connection.update(query, applying: changes)
    }

    private func print(_ item: FoundItem, _ opened: UserKeychain, to output: inout Output) {
        switch subject {
        case .passwords(let kind):
            AttributeBlock.print(item.attributes, kind, keychain: opened.path, to: &output)
        case .keys: AttributeBlock.printKey(item.attributes, keychain: opened.path, to: &output)
        }
    }
}

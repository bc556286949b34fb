// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import KeychainVocabulary
import SecretBytes
import SecurityWire

extension Command {
    /// `security add-generic-password`.
    static let addGenericPassword: Command = Command(
        name: "add-generic-password",
        usage: """
            [-a account] [-s service] [-w password] [options...] [-A|-T appPath] [keychain]
                -a  Specify account name (required)
                -c  Specify item creator (four-character code)
                -C  Specify item type (four-character code)
                -D  Specify kind
                -G  Specify generic attribute
                -j  Specify comment string
                -l  Specify label (default: the service name)
                -s  Specify service name (required)
                -p  Specify password (legacy option, the same as -w)
                -w  Specify password; as the last word, without a value, it is asked for, or read
                    from standard input where there is no terminal
                -X  Specify password as hexadecimal digits
                \(PasswordOption.usage)
                -A  Every program of yours may read the password
                -T  This program alone may (several times; "" is no program)
                -U  Update the item if there is one with this account and service
                --access-control  Specify what each use demands, with commas: user-presence,
                    device-passcode, application-password
            """,
        help: "Add a generic password item.",
        run: { AddPassword.run(.generic, .addGenericPassword, $0, $1) })

    /// `security add-internet-password`.
    static let addInternetPassword: Command = Command(
        name: "add-internet-password",
        usage: """
            [-a account] [-s server] [-w password] [options...] [-A|-T appPath] [keychain]
                -a  Specify account name (required)
                -c  Specify item creator (four-character code)
                -C  Specify item type (four-character code)
                -d  Specify security domain string
                -D  Specify kind
                -j  Specify comment string
                -l  Specify label (default: the server name)
                -p  Specify path string
                -P  Specify port number
                -r  Specify protocol (four-character code: "http", "htps", "ftp ", ...)
                -s  Specify server name (required)
                -t  Specify authentication type (four-character code, default "dflt")
                -w  Specify password; as the last word, without a value, it is asked for, or read
                    from standard input where there is no terminal
                -X  Specify password as hexadecimal digits
                \(PasswordOption.usage)
                -A  Every program of yours may read the password
                -T  This program alone may (several times; "" is no program)
                -U  Update the item if there is one for this account at this place
                --access-control  Specify what each use demands, with commas: user-presence,
                    device-passcode, application-password
            """,
        help: "Add an internet password item.",
        run: { AddPassword.run(.internet, .addInternetPassword, $0, $1) })
}

private struct AddPassword {
    private let kind: PasswordKind
    private var criteria: ItemCriteria
    private var given = PasswordOption()
    private var isPasswordAsked = false
    private var isUpdate = false
    private var keychain: Word?
    private var accessControl: AccessControl?
    private var grants = GrantOptions()

    /// Why the arguments are invalid.
    private enum Problem: Error {
        case usage
        case code(ItemCriteria.WrongCode)
        case digits

        func complained(_ command: Command) -> Int32 {
            switch self {
            case .usage: return command.usageError()
            case .code(let error): return error.complained()
            case .digits:
                complain(
                    "security: Unable to convert password data "
                        + "(-X must specify valid hex digits)")
                return 2
            }
        }
    }

    static func run(
        _ kind: PasswordKind, _ command: Command, _ words: Words, _ session: Session
    ) -> Int32 {
        do throws(Problem) {
            return try AddPassword(kind, words).run(session)
        } catch { return error.complained(command) }
    }

    private init(_ kind: PasswordKind, _ words: Words) throws(Problem) {
        self.kind = kind
        criteria = ItemCriteria(kind)
        // For a generic password `-p` is an old name of `-w`; for an internet password it is the
        // path.
        let options = "+:" + kind.options + (kind == .generic ? "p:" : "") + "w:X:AT:U-:"
        var reader = OptionReader(words, options: options)
        while let option = reader.next() {
            switch option {
            case "w": given.takeWord(reader.argument)
            case "p" where kind == .generic: given.takeWord(reader.argument)
            case "X":
                guard let bytes = Self.bytes(ofHex: reader.argument) else { throw .digits }
                given.takeWord(bytes)
            case ":" where reader.letter == "w" || (reader.letter == "p" && kind == .generic):
                isPasswordAsked = true
            case "U": isUpdate = true
            case "A": grants.takeAll()
            case "T": grants.take(reader.argument.string)
            case "-" where reader.argument.string != "access-control":
                guard given.take(&reader) else { throw .usage }
            case "-":
                guard let value = reader.takeValue(),
                    let control = AccessControl(flags: value.string)
                else { throw .usage }
                accessControl = control
            default: try take(option, reader.argument)
            }
        }
        guard criteria.attributes[.account] != nil, criteria.attributes[kind.place] != nil,
            reader.rest.count <= 1, grants.isSound
        else { throw .usage }
        if reader.rest.count == 1 { keychain = reader.rest[0] }
    }

    private mutating func take(_ option: Character, _ argument: Word) throws(Problem) {
        let isKnown: Bool
        do throws(ItemCriteria.WrongCode) {
            isKnown = try criteria.take(option, argument)
        } catch { throw .code(error) }
        if !isKnown { throw .usage }
    }

    private func run(_ session: Session) -> Int32 {
        let place = kind.addingPlace(keychain?.string)
        let target: KeychainID?
        do throws(KeychainError) {
            target = try UserKeychain.named(keychain, session.connection).requested
        } catch { return complain(error, at: place) }
        given.warn(session, advice: "let -w be the last word and it is asked for")
        var secret = given.secret
        if isPasswordAsked {
            switch PasswordPrompt.twice(
                "password data for new item: ", "retype password for new item: ")
            {
            case .entered(let entered): secret = entered
            case .refused: return 1
            case .canceled: return SecurityStatus.userCanceled
            }
        }
        do throws(KeychainError) {
            if isUpdate, try update(session, secret, in: target) { return 0 }
            var new = newItem(secret, session)
            new.keychain = target
            let item = new
            try session.connection.asking(nil) { (connection, access) throws(KeychainError) in
                var item = item
                item.access = access
                try connection.add(item)
            }
            return 0
        } catch { return complain(error, at: place) }
    }

    private func newItem(_ secret: Secret?, _ session: Session) -> NewItem {
        var item = NewItem(kind.itemClass)
        item.attributes = kind.addedDefaults
        item.attributes.merge(criteria.attributes)
        item.attributes[.accessGroup] = session.accessGroup.map { .text($0) }
        if item.attributes[.label] == nil {
            item.attributes[.label] = criteria.attributes[kind.place]
        }
        if let accessControl {
            item.accessControl = accessControl
            item.attributes.accessibility = Accessibility(rawValue: accessControl.protectionClass)
        }
        item.attributes.grants = grants.grants
        item.secret = secret ?? Secret(SecretBytes(byteCount: 0))
        return item
    }

    /// Changes the item with this account at this place: only the given attributes.
    /// - Returns: Whether there is such an item.
    private func update(
        _ session: Session, _ secret: Secret?, in target: KeychainID?
    ) throws(KeychainError) -> Bool {
        var query = ItemQuery(kind.itemClass)
        query.keychain = target
        query.attributes = criteria.identity
        query.attributes[.accessGroup] = session.accessGroup.map { .text($0) }
        query.limit = nil
        var changes = ItemChanges()
        changes.attributes = criteria.attributes
        changes.secret = secret
        if let accessControl { changes.accessControl = .replaced(accessControl) }
        changes.attributes.grants = grants.added(to: try earlierGrants(query, session.connection))
        let (search, wanted) = (query, changes)
        do throws(KeychainError) {
            try session.connection.asking(nil) { (connection, access) throws(KeychainError) in
                var query = search
                query.access = access
                try connection.update(query, applying: wanted)
            }
            return true
        } catch {
            if error.reason == .absent { return false }
            throw error
        }
    }

    /// The list of the item that is changed, if that matters.
    private func earlierGrants(
        _ search: ItemQuery, _ connection: KeychainConnection
    ) throws(KeychainError) -> ItemGrants? {
        guard grants.grants != nil else { return nil }
        var query = search
        query.limit = 1
        query.returning = .attributes
        do throws(KeychainError) {
            return try connection.find(query).first?.attributes.grants
        } catch {
            guard error.reason == .absent else { throw error }
            return nil
        }
    }

    /// The bytes of hexadecimal digits; an odd count implies a leading 0. Nil for another
    /// character.
    private static func bytes(ofHex word: Word) -> Secret? {
        unsafe word.withBytes { text in
            guard unsafe text.allSatisfy({ digit($0) != nil }) else { return nil }
            var bytes = SecretBytes(byteCount: (text.count + 1) / 2)
            let offset = text.count % 2
            unsafe bytes.withUnsafeMutableBytes { target in
                for index in text.indices {
                    let (place, letter) = unsafe (index + offset, text[index])
                    unsafe target[place / 2] = target[place / 2] << 4 | (digit(letter) ?? 0)
                }
            }
            return Secret(bytes)
        }
    }

    private static func digit(_ letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): letter - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): letter - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): letter - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension AccessControl {
    /// What `--access-control` says, for an item that can be used while the device is unlocked.
    /// - Returns: Nil for unknown words, or ones that don't go together.
    fileprivate init?(flags: String) {
        var constraints: [Constraint] = []
        var demandsPassword = false
        for word in flags.split(separator: ",", omittingEmptySubsequences: false) {
            switch word {
            case "user-presence": constraints.append(.owner)
            case "device-passcode": constraints.append(.passcode)
            case "application-password": demandsPassword = true
            default: return nil
            }
        }
        guard constraints.count <= 1 else { return nil }
        self.init(
            protectionClass: Accessibility.whenUnlocked.rawValue,
            operations: constraints.first.map {
                [.decrypt: $0, .encrypt: .always, .delete: .always]
            } ?? [.fallback: .always], demandsPassword: demandsPassword)
    }
}

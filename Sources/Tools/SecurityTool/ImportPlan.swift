// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CredentialFiles
import Keychain
import SecretBytes
import SecurityWire

/// A parsed file of credentials.
struct ImportedFile {
    /// Its name in messages.
    let name: String
    let content: CredentialFile
}

/// Options for the items of an import.
struct ImportOptions {
    /// The protocol if the file has none. It is `https` for three reasons: git and curl use that
    /// with a netrc login, git's helper on the Mac finds no item of another protocol, and a
    /// password that is found only for `https` isn't sent in clear.
    var networkProtocol = AttributeValue.text("htps")
    var accessibility = Accessibility.whenUnlocked
    /// Whether an item with another password gets the file's.
    var isReplacing = false
}

/// A login to import.
struct ImportedLogin {
    /// `FILE:LINE`.
    let place: String
    /// The attributes that identify its item.
    let identity: ItemAttributes
    let secret: Secret

    init(_ login: FileLogin, of file: String, _ options: ImportOptions) {
        place = "\(file):\(login.line)"
        secret = login.secret
        var identity = ItemAttributes()
        identity[.account] = .text(login.account)
        identity[.securityDomain] = .text("")
        identity[.server] = .text(login.server)
        identity[.networkProtocol] =
            login.networkProtocol.map { .text($0) } ?? options.networkProtocol
        // The same as in add-internet-password and git's helper on the Mac.
        identity[.authenticationType] = .text("dflt")
        identity[.port] = .integer(Int64(login.port))
        identity[.path] = .text(login.path)
        self.identity = identity
    }

    /// Distinguishes logins of a file.
    var key: [String] {
        let attributes: [Attribute] = [.account, .server, .networkProtocol, .port, .path]
        return attributes.map { identity[$0].map { "\($0)" } ?? "" }
    }

    /// A query for its item, with all attributes.
    var query: ItemQuery {
        var query = ItemQuery(.internetPassword)
        query.attributes = identity
        query.returning = [.data, .attributes, .persistentReference, .usage]
        return query
    }
}

/// Why an import stores nothing, or stopped.
enum ImportProblem: Error {
    /// The files have two passwords for one login.
    case ambiguous([(place: String, first: String)])
    /// The keychain has other passwords.
    case conflicting([String])
    /// The keychain can't be read.
    case unreadable(KeychainError, String)
    /// An item couldn't be stored.
    case failed(KeychainError, String, Leftovers)
    /// A signal was received.
    case interrupted(Int32, Leftovers)

    /// The result of an import that was undone.
    struct Leftovers {
        /// How many items are in their old state.
        var undoneCount = 0
        /// The source lines of those that aren't.
        var places: [String] = []
    }
}

/// The changes of an import; making the plan changes nothing.
struct ImportPlan {
    /// One change.
    enum Step {
        case add(ImportedLogin)
        case replace(ImportedLogin, FoundItem)
    }

    /// The changes, in the files' order.
    private(set) var steps: [Step] = []
    /// How many logins are in the keychain already.
    private(set) var unchangedCount = 0

    /// How many items are new.
    var addedCount: Int {
        steps.count { if case .add = $0 { true } else { false } }
    }

    /// How many items get another password.
    var replacedCount: Int { steps.count - addedCount }

    /// Compares the files with the keychain.
    init(
        _ files: [ImportedFile], _ options: ImportOptions, _ connection: KeychainConnection
    ) throws(ImportProblem) {
        let logins = try Self.distinctLogins(files, options)
        unchangedCount = files.reduce(-logins.count) { $0 + $1.content.logins.count }
        var conflicts: [String] = []
        let progress = ProgressBar("comparing", of: logins.count)
        for (number, login) in logins.enumerated() {
            progress.show(number)
            guard let item = try Self.find(login, connection) else {
                steps.append(.add(login))
                continue
            }
            let isSame = item.secret?.bytes.isEqual(to: login.secret.bytes) ?? false
            if !isSame, !options.isReplacing {
                conflicts.append(login.place)
            } else if isSame,
                !options.isReplacing || item.attributes.accessibility == options.accessibility
            {
                unchangedCount += 1
            } else {
                steps.append(.replace(login, item))
            }
        }
        guard conflicts.isEmpty else { throw .conflicting(conflicts) }
    }

    /// The logins without repetitions.
    private static func distinctLogins(
        _ files: [ImportedFile], _ options: ImportOptions
    ) throws(ImportProblem) -> [ImportedLogin] {
        var logins: [ImportedLogin] = []
        var indexes: [[String]: Int] = [:]
        var repetitions: [(place: String, first: String)] = []
        for file in files {
            for entry in file.content.logins {
                let login = ImportedLogin(entry, of: file.name, options)
                let key = login.key
                guard let first = indexes[key].map({ logins[$0] }) else {
                    indexes[key] = logins.count
                    logins.append(login)
                    continue
                }
                if !first.secret.bytes.isEqual(to: login.secret.bytes) {
                    repetitions.append((login.place, first.place))
                }
            }
        }
        guard repetitions.isEmpty else { throw .ambiguous(repetitions) }
        return logins
    }

    /// The item of a login; nil when there is none. An item whose key is permanently gone counts as
    /// none, since its place is free.
    private static func find(
        _ login: ImportedLogin, _ connection: KeychainConnection
    ) throws(ImportProblem) -> FoundItem? {
        do throws(KeychainError) { return try connection.find(login.query).first } catch {
            if error.reason == .absent || error.reason == .keyGone { return nil }
            throw .unreadable(error, login.place)
        }
    }
}

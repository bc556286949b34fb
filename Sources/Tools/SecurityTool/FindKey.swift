// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import KeychainVocabulary
import SecurityWire

extension Command {
    /// `security find-key`: the keys that fit.
    static let findKey = Command(
        name: "find-key",
        usage: """
            [-a application-label] [-c creator] [-D description] [-j comment] [-l label]
                    [-t type] [-dersuvw] [keychain...]
            \(KeyCriteria.usage)
            """,
        help: "Find keys in the keychain.", run: { FindKey.run($0, $1) })
}

private enum FindKey {
    static func run(_ words: Words, _ session: Session) -> Int32 {
        var criteria = KeyCriteria()
        var reader = OptionReader(words, options: "+:" + KeyCriteria.options)
        while let option = reader.next() {
            guard criteria.take(option, reader.argument) else {
                return Command.findKey.usageError()
            }
        }
        do throws(KeychainError) {
            let keychains = try CertificateKeychain.searched(reader.rest, session.connection)
            var found: [(key: FoundItem, keychain: CertificateKeychain)] = []
            for keychain in keychains where keychain != .systemRoots {
                found += try keys(keychain, session.connection).filter(criteria.matches)
                    .map { ($0, keychain) }
            }
            guard !found.isEmpty else {
                throw KeychainError(status: SecurityStatus.itemNotFound, reason: .absent)
            }
            var output = Output(STDOUT_FILENO)
            for (key, keychain) in found {
                AttributeBlock.printKey(key.attributes, keychain: keychain.pathBytes, to: &output)
            }
            _ = output.flush()
            return 0
        } catch {
            _ = complain(error, at: "SecItemCopyMatching")
            return 1
        }
    }

    private static func keys(
        _ keychain: CertificateKeychain, _ connection: KeychainConnection
    ) throws(KeychainError) -> [FoundItem] {
        var query = keychain.query(.key)
        query.limit = nil
        query.returning = .attributes
        do throws(KeychainError) { return try connection.find(query) } catch {
            guard error.reason == .absent else { throw error }
            return []
        }
    }
}

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
                -a  Match "application-label", in hexadecimal or as text
                -c  Accepted for compatibility, without effect: keys have no creator
                -D  Match "description"
                -j  Match "comment"
                -l  Match "label"
                -t  Type: symmetric, public or private
                -d  Match keys that can decrypt
                -e  Match keys that can encrypt
                -r  Match keys that can derive
                -s  Match keys that can sign
                -u  Match keys that can unwrap
                -v  Match keys that can verify
                -w  Match keys that can wrap
            """,
        help: "Find keys in the keychain.", run: { FindKey.run($0, $1) })
}

private enum FindKey {
    private static let types: [String: Int64] = ["public": 0, "private": 1, "symmetric": 2]
    private static let uses: [Character: Attribute] = [
        "d": .canDecrypt, "e": .canEncrypt, "r": .canDerive, "s": .canSign, "u": .canUnwrap,
        "v": .canVerify, "w": .canWrap,
    ]

    private struct Request {
        var type: Int64?
        var uses: [Attribute] = []
        var texts: [Attribute: String] = [:]

        func matches(_ key: FoundItem) -> Bool {
            if let type, FindKey.number(key, .keyClass) != type { return false }
            let isUsable = uses.allSatisfy { FindKey.number(key, $0) == 1 }
            return isUsable
                && texts.allSatisfy { attribute, text in
                    switch key.attributes[attribute] {
                    case .text(let value): value == text
                    case .data(let value):
                        value == [UInt8](text.utf8)
                            || ExternalTrustSettings.hex(value) == text.uppercased()
                    case .integer(let value): String(value) == text
                    case .real, .date, nil: false
                    }
                }
        }
    }

    static func number(_ key: FoundItem, _ attribute: Attribute) -> Int64? {
        key.attributes[attribute].flatMap(ImportedItems.number)
    }

    static func run(_ words: Words, _ session: Session) -> Int32 {
        var request = Request()
        var reader = OptionReader(words, options: "+:a:c:D:j:l:t:dersuvw")
        while let option = reader.next() {
            switch option {
            case "a": request.texts[.applicationLabel] = reader.argument.string
            case "D": request.texts[.description] = reader.argument.string
            case "j": request.texts[.comment] = reader.argument.string
            case "l": request.texts[.label] = reader.argument.string
            case "c": break
            case "t":
                guard let type = types[reader.argument.string] else {
                    return Command.findKey.usageError()
                }
                request.type = type
            default:
                guard let use = uses[option] else { return Command.findKey.usageError() }
                request.uses.append(use)
            }
        }
        do throws(KeychainError) {
            let keychains = try CertificateKeychain.searched(reader.rest, session.connection)
            var found: [(key: FoundItem, keychain: CertificateKeychain)] = []
            for keychain in keychains where keychain != .systemRoots {
                found += try keys(keychain, session.connection).filter(request.matches)
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

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecretBytes
import SecurityWire
import TranscodingWire

extension Command {
    /// `security create-keypair`.
    static let createKeyPair = Command(
        name: "create-keypair",
        usage: """
            [-a alg] [-s bits] [-k keychain] [-A|-T appPath] [name]
                -a  Algorithm: rsa (default)
                -s  Size in bits: 2048 (default), 3072 or 4096
                -f  Accepted for compatibility, without effect: keys have no dates
                -t  Accepted for compatibility, without effect
                -d  Accepted for compatibility, without effect
                -k  Keychain to store the pair in (default: the default one)
                -A  Every program of yours may use the private key
                -T  This program alone may (several times; "" is no program)
            """,
        help: "Create an asymmetric key pair.", run: { CreateKeyPair.run($0, $1) })
}

/// Makes an RSA key and stores both halves, or none.
private struct CreateKeyPair {
    private static let place = "SecKeyCreatePair"
    /// macOS knows these, too.
    private static let others = ["dh", "dsa", "fee"]

    private var kind = RequestKey.Kind.rsa2048
    private var keychain: Word?
    private var grants = GrantOptions()
    private var label: AttributeValue?

    static func run(_ words: Words, _ session: Session) -> Int32 {
        var command = CreateKeyPair()
        var reader = OptionReader(words, options: "+:a:s:f:t:d:k:AT:")
        while let option = reader.next() {
            switch option {
            case "a":
                let name = reader.argument.string
                guard name == "rsa" || others.contains(name) else {
                    return Command.createKeyPair.usageError()
                }
                guard name == "rsa" else {
                    complain("security: create-keypair: \(name) isn't offered; rsa is.")
                    return 1
                }
            case "s":
                guard let kind = RequestKey.Kind(rawValue: "rsa" + reader.argument.string) else {
                    complain(
                        "security: create-keypair: a key has 2048, 3072 or 4096 bits here.")
                    return 1
                }
                command.kind = kind
            case "f", "t", "d": break
            case "k": command.keychain = reader.argument
            case "A": command.grants.takeAll()
            case "T": command.grants.take(reader.argument.string)
            default: return Command.createKeyPair.usageError()
            }
        }
        guard reader.rest.count <= 1, command.grants.isSound else {
            return Command.createKeyPair.usageError()
        }
        if reader.rest.count == 1 { command.label = reader.rest[0].value }
        do throws(FileFormats.Problem) {
            return try command.run(session.connection)
        } catch { return FileFormats.complained(error, at: place, .createKeyPair) }
    }

    private func run(_ connection: KeychainConnection) throws(FileFormats.Problem) -> Int32 {
        let keychain = try FileFormats.keychain(keychain, connection)
        guard let (key, secret) = RequestKey.make(kind) else { throw .failed(.failed) }
        let half = TranscodedObject(
            .publicKey, .rsa,
            bytes: Secret(
                unsafe SecretBytes(byteCount: key.publicBytes.count) {
                    unsafe $0.copyBytes(from: key.publicBytes)
                }))
        guard var publicItem = ImportedItems.item(half) else { throw .failed(.failed) }
        var privateItem = NewItem(.key)
        privateItem.attributes = key.itemAttributes
        privateItem.attributes.grants = grants.grants
        privateItem.secret = secret
        do throws(KeychainError) {
            let first = try connection.add(placed(privateItem, keychain))
            do throws(KeychainError) {
                publicItem.returning = []
                try connection.add(placed(publicItem, keychain))
            } catch {
                takeBack(first, in: keychain, connection)
                throw error
            }
            return 0
        } catch { throw .keychain(error) }
    }

    private func placed(_ item: NewItem, _ keychain: CertificateKeychain) -> NewItem {
        var item = item
        item.keychain = keychain.requested
        item.attributes[.accessGroup] = keychain.group.map { .text($0) }
        if let label { item.attributes[.label] = label }
        if item.attributes[.keyClass] == .integer(1) { item.returning = .persistentReference }
        return item
    }

    private func takeBack(
        _ stored: FoundItem, in keychain: CertificateKeychain, _ connection: KeychainConnection
    ) {
        var query = keychain.query(.key)
        query.persistentReference = stored.persistentReference
        // The failure that led here is the one to report.
        do throws(KeychainError) { try connection.delete(query) } catch {}
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecretBytes
import SecurityWire
import TranscodingWire

extension Command {
    /// `security import`: keys and certificates of a file.
    static let importItems = Command(
        name: "import",
        usage: """
            [--json] inputfile [-k keychain] [-t type] [-f format] [-w] [-P passphrase] [options...]
                -k  Keychain to import into (default: the default one)
                -t  Type: pub, priv, session, cert or agg
                -f  Format: openssl, openssh1, openssh2, raw, pkcs7, pkcs8, pkcs12, netscape,
                    x509 or pemseq (default: found by looking)
                -w  The private keys are wrapped
                -x  Private keys are not extractable after they are imported
                -P  The passphrase; without it you are asked for one that is needed
                \(PasswordOption.usage)
                -a  An extended attribute: its name and its value
                -A  Every program of yours may use the keys
                -T  This program alone may (several times; "" is no program)
            """,
        help: "Import items into a keychain.", run: { ImportItems.run($0, $1) })
}

private struct ImportItems {
    private typealias Problem = FileFormats.Problem

    private static let function = "SecKeychainItemImport"
    private static let types = ["pub", "priv", "session", "cert", "agg"]
    private static let tries = 3

    private var path = ""
    private var keychain: Word?
    private var format = CodingFormat.unknown
    private var isSymmetric = false
    private var isExtractable = true
    private var given = PasswordOption()
    private var passphrase: Secret? { given.secret }
    private var isJSON = false
    private var grants = GrantOptions()

    static func run(_ words: Words, _ session: Session) -> Int32 {
        do throws(Problem) {
            return try ImportItems(words).run(session)
        } catch { return FileFormats.complained(error, at: function, .importItems) }
    }

    /// The file is the first word: options come after it.
    private init(_ words: Words) throws(Problem) {
        let (words, isJSON) = words.withoutJSON
        self.isJSON = isJSON
        guard words.count >= 2 else { throw .usage }
        path = words[1].string
        guard !path.hasPrefix("-") || path == "-" else { throw .usage }
        var reader = OptionReader(words.dropFirst(1), options: "+:k:t:f:wxP:a:AT:-:")
        while let option = reader.next() {
            switch option {
            case "k": keychain = reader.argument
            case "t":
                guard Self.types.contains(reader.argument.string) else { throw .usage }
                isSymmetric = reader.argument.string == "session"
            case "f": format = try FileFormats.format(reader.argument.string)
            case "x": isExtractable = false
            case "P": given.takeWord(reader.argument)
            case "-": guard given.take(&reader) else { throw .usage }
            case "a": guard reader.takeValue() != nil else { throw .usage }
            case "A": grants.takeAll()
            case "T": grants.take(reader.argument.string)
            case "w": break
            default: throw .usage
            }
        }
        guard reader.rest.count == 0, grants.isSound else { throw .usage }
    }

    private func run(_ session: Session) throws(Problem) -> Int32 {
        given.warn(session)
        let keychain = try FileFormats.keychain(keychain, session.connection)
        let content: Secret
        do throws(InputFile.Problem) {
            content = try InputFile(path, byteLimit: TranscodingLimits.requestByteCount).content
        } catch {
            complain("security: Error reading infile \(InputFile.name(of: path))\(error.text)")
            return 1
        }
        let (objects, found) = try read(content, session.connection)
        guard !objects.isEmpty else {
            complain("security: No keychain items found")
            return 1
        }
        var items: [NewItem] = []
        for object in objects {
            guard
                var item = ImportedItems.item(
                    object, isExtractable: isExtractable || object.kind != .privateKey)
            else { throw .failed(.unknownFormat) }
            item.attributes[.accessGroup] = keychain.group.map { .text($0) }
            item.keychain = keychain.requested
            if item.itemClass == .key { item.attributes.grants = grants.grants }
            items.append(item)
        }
        try store(items, in: keychain, session.connection)
        let counts = Self.counts(items, areIdentities: found == .pkcs12)
        let text = JSONText.object(
            [("keychain", JSONText.quoted(keychain.path))]
                + counts.map { ($0.many, "\($0.count)") })
        Output.write(isJSON ? text + "\n" : Self.summary(counts), to: STDOUT_FILENO)
        return 0
    }

    /// Has the file read; asks for a passphrase that is needed, three times at most.
    private func read(
        _ content: Secret, _ connection: KeychainConnection
    ) throws(Problem) -> ([TranscodedObject], CodingFormat) {
        var reading = TranscodingRequest.Reading(content, format: format, passphrase: passphrase)
        reading.isSymmetric = isSymmetric
        for attempt in 0... {
            let reply: TranscodingReply
            do throws(KeychainError) { reply = try connection.transcode(.read(reading)) } catch {
                throw .keychain(error)
            }
            switch reply {
            case .objects(let objects, let format, isText: _): return (objects, format)
            case .file: throw .failed(.failed)
            case .failed(let failure):
                let isAsked = [.passphraseNeeded, .passphraseWrong].contains(failure)
                guard isAsked, passphrase == nil, attempt < Self.tries,
                    case .entered(let secret) = PasswordPrompt.once(
                        "passphrase of \(InputFile.name(of: path)): ")
                else { throw .failed(failure) }
                reading.passphrase = secret
            }
        }
        throw .failed(.passphraseWrong)
    }

    /// Stores all items, or none. An item that is there stays as it is; if all are, they are
    /// duplicates.
    private func store(
        _ items: [NewItem], in keychain: CertificateKeychain, _ connection: KeychainConnection
    ) throws(Problem) {
        guard keychain != .systemRoots else {
            throw .keychain(KeychainError(status: SecurityStatus.readOnly, reason: .denied))
        }
        var stored: [PersistentReference] = []
        for var item in items {
            item.returning = .persistentReference
            do throws(KeychainError) {
                if let reference = try connection.add(item).persistentReference {
                    stored.append(reference)
                }
            } catch  where error.reason == .duplicate {
                continue
            } catch {
                takeBack(stored, in: keychain, connection)
                throw .keychain(error)
            }
        }
        guard !stored.isEmpty else {
            throw .keychain(
                KeychainError(status: SecurityStatus.duplicateItem, reason: .duplicate))
        }
    }

    private func takeBack(
        _ stored: [PersistentReference], in keychain: CertificateKeychain,
        _ connection: KeychainConnection
    ) {
        for reference in stored {
            var query = keychain.query(reference.itemClass)
            query.persistentReference = reference
            // The failure that led here is the one to report.
            do throws(KeychainError) { try connection.delete(query) } catch {}
        }
    }

    /// What was imported, as macOS counts it: a pair of a PKCS #12 file is an identity.
    private static func counts(
        _ items: [NewItem], areIdentities: Bool
    ) -> [(count: Int, one: String, many: String)] {
        var keys = items.filter { $0.itemClass == .key }
        var certificates = items.filter { $0.itemClass == .certificate }
        var identityCount = 0
        if areIdentities {
            keys.removeAll { key in
                let own = certificates.firstIndex {
                    $0.attributes[.publicKeyHash] == key.attributes[.applicationLabel]
                }
                guard let own, key.attributes[.keyClass] == .integer(1) else { return false }
                certificates.remove(at: own)
                identityCount += 1
                return true
            }
        }
        return [
            (identityCount, "identity", "identities"), (keys.count, "key", "keys"),
            (certificates.count, "certificate", "certificates"),
        ]
    }

    private static func summary(_ counts: [(count: Int, one: String, many: String)]) -> String {
        counts.filter { $0.count > 0 }
            .map { "\($0.count) \($0.count == 1 ? $0.one : $0.many) imported.\n" }.joined()
    }
}

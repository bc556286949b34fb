// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecretBytes
import SecurityWire
import TranscodingWire

extension Command {
    /// `security export`: keys and certificates in a format of other programs.
    static let exportItems = Command(
        name: "export",
        usage: """
            [--json] [-k keychain] [-t type] [-f format] [-w] [-p] [-P passphrase] [-o outfile]
                [options...]
                -k  Keychain to export from (default: the default one)
                -t  Type: certs, allKeys, pubKeys, privKeys, identities or all (default)
                -f  Format: openssl, openssh1, openssh2, raw, pkcs7, pkcs8, pkcs12, netscape,
                    x509 or pemseq (default: pemseq for several items, else x509 or openssl)
                -w  The private keys are wrapped
                -p  PEM around the bytes
                -P  The passphrase; without it you are asked for one that is needed
                \(PasswordOption.usage)
                -o  The file to write (default: standard output)
                --json  What was written, with -o only: the items are never in JSON
                --rounds N  Rounds of key derivation (default: 600000; pkcs12: 100000)
            """,
        help: "Export items from a keychain.", run: { ExportItems.run($0, $1) })
}

private struct ExportItems {
    private typealias Problem = FileFormats.Problem

    private static let function = "SecKeychainItemExport"
    private static let types = ["certs", "allKeys", "pubKeys", "privKeys", "identities", "all"]

    private var keychain: Word?
    private var type = "all"
    private var format = CodingFormat.unknown
    private var isWrapped = false
    private var isText = false
    private var given = PasswordOption()
    private var passphrase: Secret? { given.secret }
    private var output: String?
    private var rounds: UInt32 = 0
    private var isJSON = false

    static func run(_ words: Words, _ session: Session) -> Int32 {
        do throws(Problem) {
            return try ExportItems(words).run(session)
        } catch { return FileFormats.complained(error, at: function, .exportItems) }
    }

    private init(_ words: Words) throws(Problem) {
        let (words, isJSON) = words.withoutJSON
        self.isJSON = isJSON
        var reader = OptionReader(words, options: "+:k:t:f:wpP:o:-:")
        while let option = reader.next() {
            switch option {
            case "k": keychain = reader.argument
            case "t":
                type = reader.argument.string
                guard Self.types.contains(type) else { throw .usage }
            case "f": format = try FileFormats.format(reader.argument.string)
            case "w": isWrapped = true
            case "p": isText = true
            case "P": given.takeWord(reader.argument)
            case "o": output = reader.argument.string
            case "-" where reader.argument.string != "rounds":
                guard given.take(&reader) else { throw .usage }
            case "-":
                guard let word = reader.takeValue(),
                    let number = UInt32(word.string),
                    TranscodingLimits.writingRounds.contains(number)
                else { throw .usage }
                rounds = number
            default: throw .usage
            }
        }
        guard reader.rest.count == 0, !isJSON || output != nil else { throw .usage }
    }

    private func run(_ session: Session) throws(Problem) -> Int32 {
        given.warn(session)
        let keychain = try FileFormats.keychain(keychain, session.connection)
        let objects = try objects(in: keychain, session.connection)
        guard !objects.isEmpty else {
            complain("security: No keychain items found")
            return 1
        }
        var writing = TranscodingRequest.Writing(
            objects, format: format(of: objects), isText: isText, passphrase: passphrase)
        writing.rounds = rounds
        var bytes = try write(writing, session.connection)
        if bytes == nil {
            guard
                case .entered(let secret) = PasswordPrompt.twice(
                    "passphrase of the export: ", "retype the passphrase: ")
            else { throw .failed(.passphraseNeeded) }
            writing.passphrase = secret
            bytes = try write(writing, session.connection)
        }
        guard let bytes else { throw .failed(.passphraseNeeded) }
        let status = put(bytes, session)
        if isJSON, status == 0 {
            let certificateCount = objects.count { $0.kind == .certificate }
            let text = JSONText.object([
                ("keychain", JSONText.quoted(keychain.path)),
                ("file", JSONText.quoted(output ?? "")),
                ("byteCount", "\(bytes.bytes.byteCount)"),
                ("certificates", "\(certificateCount)"),
                ("keys", "\(objects.count - certificateCount)"),
            ])
            Output.write(text + "\n", to: STDOUT_FILENO)
        }
        return status
    }

    /// - Returns: Nil when a passphrase is needed.
    private func write(
        _ writing: TranscodingRequest.Writing, _ connection: KeychainConnection
    ) throws(Problem) -> Secret? {
        let reply: TranscodingReply
        do throws(KeychainError) { reply = try connection.transcode(.write(writing)) } catch {
            throw .keychain(error)
        }
        switch reply {
        case .file(let bytes): return bytes
        case .failed(.passphraseNeeded) where PasswordPrompt.hasTerminal: return nil
        case .failed(let failure): throw .failed(failure)
        case .objects: throw .failed(.failed)
        }
    }

    private func format(of objects: [TranscodedObject]) -> CodingFormat {
        if format != .unknown { return format }
        guard objects.count == 1, let first = objects.first else { return .pemSequence }
        switch first.kind {
        case .certificate: return .x509
        case .symmetricKey: return .raw
        case .publicKey: return .openSSL
        case .privateKey: return isWrapped ? .wrappedPKCS8 : .openSSL
        }
    }

    // MARK: - The items

    private func objects(
        in keychain: CertificateKeychain, _ connection: KeychainConnection
    ) throws(Problem) -> [TranscodedObject] {
        guard keychain != .systemRoots else { return try roots(connection) }
        let certificates =
            try ["certs", "identities", "all"].contains(type)
            ? find(.certificate, in: keychain, connection) : []
        let keys = try type == "certs" ? [] : find(.key, in: keychain, connection)
        func kind(_ item: FoundItem) -> Int64? {
            item.attributes[.keyClass].flatMap(ImportedItems.number)
        }
        switch type {
        case "pubKeys": return try objects(of: keys.filter { kind($0) == 0 })
        case "privKeys": return try objects(of: keys.filter { kind($0) == 1 })
        case "identities":
            let digests = Set(certificates.compactMap { $0.attributes[.publicKeyHash] })
            let own = keys.filter { key in
                kind(key) == 1 && key.attributes[.applicationLabel].map(digests.contains) ?? false
            }
            let used = Set(own.compactMap { $0.attributes[.applicationLabel] })
            return try objects(
                of: certificates.filter { certificate in
                    certificate.attributes[.publicKeyHash].map(used.contains) ?? false
                } + own)
        default:
            // PKCS #12 has pairs and certificates alone.
            let fitting = format == .pkcs12 ? keys.filter { kind($0) == 1 } : keys
            return try objects(of: certificates + fitting)
        }
    }

    private func roots(_ connection: KeychainConnection) throws(Problem) -> [TranscodedObject] {
        guard ["certs", "all"].contains(type) else { return [] }
        do throws(KeychainError) {
            return try connection.systemRoots().map { der in
                TranscodedObject(
                    .certificate,
                    bytes: unsafe der.withUnsafeBytes {
                        Secret(unsafe SecretBytes(copying: $0))
                    })
            }
        } catch { throw .keychain(error) }
    }

    private func find(
        _ itemClass: ItemClass, in keychain: CertificateKeychain,
        _ connection: KeychainConnection
    ) throws(Problem) -> [FoundItem] {
        var query = keychain.query(itemClass)
        query.limit = nil
        query.returning = [.attributes, .data]
        do throws(KeychainError) { return try connection.find(query) } catch {
            guard error.reason == .absent else { throw .keychain(error) }
            return []
        }
    }

    private func objects(of items: [FoundItem]) throws(Problem) -> [TranscodedObject] {
        var objects: [TranscodedObject] = []
        for item in items {
            do throws(ImportedItems.Refusal) {
                objects.append(try ImportedItems.object(item))
            } catch {
                switch error {
                case .dataNotAvailable:
                    throw .keychain(
                        KeychainError(
                            status: SecurityStatus.dataNotAvailable, reason: .denied))
                case .unsupported: throw .failed(.unsupported)
                }
            }
        }
        return objects
    }

    // MARK: - The file

    /// A new file is its owner's alone: it may have private keys.
    private func put(_ bytes: Secret, _ session: Session) -> Int32 {
        var descriptor = STDOUT_FILENO
        if let output {
            guard let opened = WrittenFile.open(output) else { return 1 }
            descriptor = opened
        }
        defer { if output != nil { close(descriptor) } }
        var target = Output(descriptor)
        unsafe bytes.bytes.withUnsafeBytes { unsafe target.put($0) }
        guard target.flush() else {
            complain("security: Error writing to file \(output ?? "standard output")")
            return 1
        }
        if let output, !session.isQuiet, !isJSON {
            complain("...\(bytes.bytes.byteCount) bytes written to \(output)")
        }
        return 0
    }
}

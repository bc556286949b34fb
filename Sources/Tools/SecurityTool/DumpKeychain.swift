// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import KeychainVocabulary
import SecurityWire

extension Command {
    /// `security dump-keychain`: all items.
    static let dumpKeychain = Command(
        name: "dump-keychain",
        usage: """
            [-a] [-d] [-o file] [keychain...]
                -a  Print who may use an item
                -d  Print the secrets too; each may need an approval
                -o  The file to write (default: standard output)
            Without a keychain, those of the search list and System are printed.
            """,
        help: "Dump the contents of one or more keychains.", run: { DumpKeychain.run($0, $1) })
}

/// Prints all items of keychains that the tool's groups have, class by class.
private struct DumpKeychain {
    private static let classes: [ItemClass] = [
        .genericPassword, .internetPassword, .certificate, .key,
    ]

    private var showsAccess = false
    private var showsSecrets = false
    private let connection: KeychainConnection
    /// Of the first secret that couldn't be read.
    private var status: Int32 = 0

    static func run(_ words: Words, _ session: Session) -> Int32 {
        var dump = DumpKeychain(connection: session.connection)
        var file: String?
        var reader = OptionReader(words, options: "+:adiro:")
        while let option = reader.next() {
            switch option {
            case "a": dump.showsAccess = true
            case "d": dump.showsSecrets = true
            case "o": file = reader.argument.string
            case "i":
                complain(
                    "security: dump-keychain: -i isn't offered; set-key-partition-list and its like "
                        + "change who may use an item")
                return 1
            case "r":
                complain(
                    "security: dump-keychain: -r isn't offered: no program gets sealed bytes")
                return 1
            default: return Command.dumpKeychain.usageError()
            }
        }
        let keychains: [CertificateKeychain]
        do throws(KeychainError) {
            keychains = try dumped(reader.rest, session.connection)
        } catch { return complain(error, at: "SecKeychainOpen") }
        var descriptor = STDOUT_FILENO
        if let file {
            guard let opened = WrittenFile.open(file) else { return 1 }
            descriptor = opened
        }
        defer { if file != nil { close(descriptor) } }
        var output = Output(descriptor)
        do throws(KeychainError) {
            for keychain in keychains { try dump.print(keychain, to: &output) }
        } catch {
            _ = output.flush()
            return complain(error, at: "SecKeychainSearchCopyNext")
        }
        return output.flush() ? dump.status : SecurityStatus.io
    }

    /// - Throws: for a word that names no keychain: a dump without it would look whole.
    private static func dumped(
        _ words: Words, _ connection: KeychainConnection
    ) throws(KeychainError) -> [CertificateKeychain] {
        guard words.count > 0 else { return try CertificateKeychain.searched(words, connection) }
        var keychains: [CertificateKeychain] = []
        for index in 0..<words.count {
            keychains.append(try CertificateKeychain(words[index], connection))
        }
        return keychains
    }

    private init(connection: KeychainConnection) { self.connection = connection }

    private mutating func print(
        _ keychain: CertificateKeychain, to output: inout Output
    ) throws(KeychainError) {
        guard keychain != .systemRoots else {
            for found in try keychain.certificates(connection) {
                AttributeBlock.printCertificate(
                    found.attributes, keychain: keychain.pathBytes, to: &output)
            }
            return
        }
        for itemClass in Self.classes {
            var query = keychain.query(itemClass)
            query.limit = nil
            query.returning = [.attributes, .persistentReference]
            for item in try found(query) {
                Self.printBlock(item, itemClass, keychain, to: &output)
                if showsAccess { printAccess(of: item, to: &output) }
                if showsSecrets { printSecret(of: item, keychain, to: &output) }
            }
        }
    }

    private func found(_ query: ItemQuery) throws(KeychainError) -> [FoundItem] {
        do throws(KeychainError) { return try connection.find(query) } catch {
            guard error.reason == .absent else { throw error }
            return []
        }
    }

    private static func printBlock(
        _ item: FoundItem, _ itemClass: ItemClass, _ keychain: CertificateKeychain,
        to output: inout Output
    ) {
        let path = keychain.pathBytes
        switch itemClass {
        case .genericPassword:
            AttributeBlock.print(item.attributes, .generic, keychain: path, to: &output)
        case .internetPassword:
            AttributeBlock.print(item.attributes, .internet, keychain: path, to: &output)
        case .certificate, .identity:
            AttributeBlock.printCertificate(item.attributes, keychain: path, to: &output)
        case .key: AttributeBlock.printKey(item.attributes, keychain: path, to: &output)
        }
    }

    private func printAccess(of item: FoundItem, to output: inout Output) {
        if let control = item.accessControl,
            let accessibility = Accessibility(rawValue: control.protectionClass)
        {
            output.put("access control: \(control.text(classCode: accessibility.code))\n")
        }
        if let grants = item.attributes.grants {
            output.put(AccessText.of(grants))
        } else if item.accessControl == nil {
            output.put("no access control for this item\n")
        }
    }

    /// What can't be read is said, and the others are printed.
    private mutating func printSecret(
        of item: FoundItem, _ keychain: CertificateKeychain, to output: inout Output
    ) {
        guard let reference = item.persistentReference else { return }
        output.put("data:\n")
        do throws(KeychainError) {
            let found = try connection.asking(nil) {
                (connection, access) throws(KeychainError) -> [FoundItem] in
                var query = keychain.query(reference.itemClass)
                query.persistentReference = reference
                query.access = access
                query.returning = .data
                return try connection.find(query)
            }
            unsafe found.first?.secret?.bytes.withUnsafeBytes { unsafe output.putBuffer($0) }
        } catch {
            let told = complain(error, at: "SecKeychainItemCopyContent")
            if status == 0 { status = told }
        }
        output.put("\n")
    }
}

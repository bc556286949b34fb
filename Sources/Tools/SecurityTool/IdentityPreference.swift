// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import KeychainVocabulary
import SecurityWire
import TrustWire

extension Command {
    private static let usages = """
            -u  The use: the sum of 1 encrypt, 2 decrypt, 4 sign, 8 verify, 16 sign-recover,
                32 verify-recover, 64 wrap, 128 unwrap and 256 derive (default: any)
        """

    /// `security set-identity-preference`.
    static let setIdentityPreference: Command = Command(
        name: "set-identity-preference",
        usage: """
            [-n] [-c name] [-Z hash] [-u use] -s service
                -s  The service: a URL, a host, a domain ("*.example.org") or a mail address
                -c  The identity of this common name
                -Z  The identity whose certificate has this SHA-1 or SHA-256
                -n  No identity
            \(usages)
            """,
        help: "Set the preferred identity to use for a service.",
        run: { IdentityPreference.set($0, $1) })

    /// `security get-identity-preference`.
    static let getIdentityPreference: Command = Command(
        name: "get-identity-preference",
        usage: """
            [-p] [-c] [-Z] [-u use] -s service
                -s  The service: a URL, a host, a domain ("*.example.org") or a mail address
                -p  Print the certificate as PEM
                -c  Print its common name
                -Z  Print its SHA-256 and SHA-1
            \(usages)
            """,
        help: "Get the preferred identity to use for a service.",
        run: { IdentityPreference.get($0, $1) })
}

/// The identity that login prefers for a service: a generic password of the type `iprf` whose generic
/// attribute is a reference of the certificate. The calls of the API find the same items.
private struct IdentityPreference {
    private static let type = AttributeValue.integer(0x6970_7266)
    /// `aapl`
    private static let creator = AttributeValue.integer(0x6161_706C)
    private static let knownUses: UInt32 = 0x1FF

    private let service: String
    /// 0 is any.
    private let use: UInt32

    // MARK: - Commands

    static func set(_ words: Words, _ session: Session) -> Int32 {
        var (service, use, name, digest): (String?, UInt32, String?, String?) = (nil, 0, nil, nil)
        var clears = false
        var reader = OptionReader(words, options: "+:nc:Z:s:u:")
        while let option = reader.next() {
            switch option {
            case "n": clears = true
            case "c": name = reader.argument.string
            case "Z": digest = reader.argument.string.uppercased()
            case "s": service = reader.argument.string
            case "u":
                guard let number = Self.use(reader.argument) else {
                    return Command.setIdentityPreference.usageError()
                }
                use = number
            default: return Command.setIdentityPreference.usageError()
            }
        }
        guard let service, !service.isEmpty, reader.rest.count == 0,
            clears || name != nil || digest != nil
        else { return Command.setIdentityPreference.usageError() }
        let preference = IdentityPreference(service: service, use: use)
        do throws(KeychainError) {
            guard !clears else {
                try preference.clear(session.connection)
                return 0
            }
            let pairs = try IdentityPair.all(in: [.login], session.connection)
            guard let pair = pairs.first(where: { $0.matches(name: name, digest: digest) }) else {
                complain(
                    "security: No matching identity found for \"\(digest ?? name ?? "")\"")
                return 1
            }
            try preference.set(pair, session.connection)
            return 0
        } catch {
            _ = complain(error, at: "SecIdentitySetPreference")
            return 1
        }
    }

    static func get(_ words: Words, _ session: Session) -> Int32 {
        var (service, use): (String?, UInt32) = (nil, 0)
        var (printsName, printsText, printsHash) = (false, false, false)
        var reader = OptionReader(words, options: "+:s:u:pcZ")
        while let option = reader.next() {
            switch option {
            case "s": service = reader.argument.string
            case "u":
                guard let number = Self.use(reader.argument) else {
                    return Command.getIdentityPreference.usageError()
                }
                use = number
            case "p": printsText = true
            case "c": printsName = true
            case "Z": printsHash = true
            default: return Command.getIdentityPreference.usageError()
            }
        }
        guard let service, !service.isEmpty, reader.rest.count == 0 else {
            return Command.getIdentityPreference.usageError()
        }
        do throws(KeychainError) {
            let preference = IdentityPreference(service: service, use: use)
            let pair = try preference.found(session.connection)
            var output = Output(STDOUT_FILENO)
            if printsName { output.put("common name: \"\(pair.name)\"\n") }
            if printsHash {
                let whole = CertificateOutline.sha256(pair.certificate.der)
                output.put("SHA-256 hash: \(ExternalTrustSettings.hex(whole))\n")
                output.put("SHA-1 hash: \(pair.digest)\n")
            }
            if printsText {
                output.put(PEMText.block("CERTIFICATE", pair.certificate.der))
            } else if !printsName, !printsHash {
                AttributeBlock.printCertificate(
                    pair.certificate.attributes, keychain: CertificateKeychain.login.pathBytes,
                    to: &output)
            }
            return output.flush() ? 0 : 1
        } catch {
            _ = complain(error, at: "SecIdentityCopyPreference")
            return error.reason == .absent ? SecurityStatus.itemNotFound : 1
        }
    }

    private static func use(_ word: Word) -> UInt32? {
        UInt32(word.string).flatMap { $0 & ~knownUses == 0 ? $0 : nil }
    }

    // MARK: - Items

    private func query(_ name: String) -> ItemQuery {
        var query = ItemQuery(.genericPassword)
        query.attributes[.service] = .text(name)
        query.attributes[.type] = Self.type
        if use != 0 { query.attributes[.scriptCode] = scriptCode }
        query.limit = nil
        return query
    }

    private var scriptCode: AttributeValue { .integer(Int64(Int32(bitPattern: use))) }

    private func clear(_ connection: KeychainConnection) throws(KeychainError) {
        do throws(KeychainError) { try connection.delete(query(service)) } catch {
            guard error.reason == .absent else { throw error }
        }
    }

    private func set(
        _ pair: IdentityPair, _ connection: KeychainConnection
    ) throws(KeychainError) {
        guard let reference = pair.certificate.reference else {
            throw KeychainError(status: SecurityStatus.itemNotFound, reason: .absent)
        }
        var values = ItemAttributes()
        // Together with the service it is unique among both kinds of preferences and all uses.
        let text = use == 0 ? "" : " [key usage 0x\(String(use, radix: 16, uppercase: true))]"
        values[.account] = .text(pair.name + text + " ")
        values[.scriptCode] = scriptCode
        values[.label] = .text(service)
        values[.generic] = .data(reference.bytes)
        var item = NewItem(.genericPassword)
        item.attributes[.service] = .text(service)
        item.attributes[.type] = Self.type
        item.attributes[.creator] = Self.creator
        item.attributes.merge(values)
        item.replacement = ItemReplacement(of: query(service).attributes, changes: values)
        try connection.add(item)
    }

    /// The identity of the service, or of a name that includes it.
    private func found(_ connection: KeychainConnection) throws(KeychainError) -> IdentityPair {
        var pairs: [IdentityPair]?
        for name in ServiceNames.including(service) {
            var query = query(name)
            query.returning = .attributes
            let items: [FoundItem]
            do throws(KeychainError) { items = try connection.find(query) } catch {
                guard error.reason == .absent else { throw error }
                continue
            }
            if pairs == nil { pairs = try IdentityPair.all(in: [.login], connection) }
            for item in items {
                guard case .data(let bytes)? = item.attributes[.generic],
                    let reference = PersistentReference(bytes: bytes),
                    let pair = pairs?.first(where: { $0.certificate.reference == reference })
                else { continue }
                return pair
            }
        }
        throw KeychainError(status: SecurityStatus.itemNotFound, reason: .absent)
    }
}

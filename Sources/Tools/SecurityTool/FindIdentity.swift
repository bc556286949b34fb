// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecurityWire
import TrustWire

extension Command {
    /// `security find-identity`: certificates with their private keys.
    static let findIdentity = Command(
        name: "find-identity",
        usage: """
            [--json] [-p policy] [-s string] [-v] [keychain...]
                -p  Policy: basic (default), ssl-client, ssl-server, smime, eap, ipsec or
                    codesigning
                -s  A name that the identity must have: a host, or an address of smime
                -v  Show valid identities only
            The keychains are login and System; both are searched when none is named.
            """,
        help: "Find an identity (certificate + private key).",
        run: { FindIdentity.run($0, $1) })

    /// `security delete-identity`.
    static let deleteIdentity = Command(
        name: "delete-identity",
        usage: """
            [-c name] [-Z hash] [-t] [keychain...]
                -c  Specify the certificate by its common name
                -Z  Specify the certificate by its SHA-256 (or SHA-1) hash
                -t  Also delete user trust settings for this certificate
            """,
        help: "Delete a certificate and its private key.",
        run: { DeleteIdentity.run($0, $1) })
}

private enum FindIdentity {
    private struct Policy {
        let kind: TrustPolicy.Kind
        let title: String
    }

    private static let policies: [String: Policy] = [
        "basic": Policy(kind: .basic, title: "X.509 Basic"),
        "ssl-client": Policy(kind: .sslClient, title: "SSL (client)"),
        "ssl-server": Policy(kind: .sslServer, title: "SSL (server)"),
        "smime": Policy(kind: .mail, title: "S/MIME"),
        "eap": Policy(kind: .eapClient, title: "EAP"),
        "ipsec": Policy(kind: .ipsec, title: "IPsec"),
        "codesigning": Policy(kind: .codeSigning, title: "Code Signing"),
    ]

    private struct Request {
        var names: [String] = ["basic"]
        var string: String?
        var isValidOnly = false
        var asJSON = false
    }

    /// An identity and what a policy says of it.
    private struct Judged {
        let pair: IdentityPair
        let fault: TrustFault?

        /// Whether the certificate is made for what the policy asks, trusted or not.
        var isMatching: Bool {
            switch fault {
            case .keyUsage, .extendedKeyUsage, .hostName, .mailAddress: false
            case nil, .validity, .weakKey, .weakSignature, .keySize, .signatureDigest,
                .noBasicConstraints, .notAnAuthority, .pathLength, .notTrusted, .noIssuer,
                .emptySubject, .keyIdentifiers, .criticalExtension, .extensionUnreadable,
                .extensionTwice, .nameConstraints, .policyConstraints, .validityPeriod, .revoked,
                .revocationUnknown, .denied:
                true
            }
        }
    }

    static func run(_ words: Words, _ session: Session) -> Int32 {
        var request = Request()
        request.asJSON = words.count > 1 && words[1].string == "--json"
        var named: [String] = []
        var reader = OptionReader(
            request.asJSON ? words.dropFirst(1) : words, options: "+:p:s:v")
        while let option = reader.next() {
            switch option {
            case "p": named.append(reader.argument.string)
            case "s": request.string = reader.argument.string
            case "v": request.isValidOnly = true
            default: return Command.findIdentity.usageError()
            }
        }
        if !named.isEmpty { request.names = named }
        let wanted = request.names.compactMap { policies[$0] }
        guard wanted.count == request.names.count else {
            let unknown = request.names.filter { policies[$0] == nil }
            complain(
                "security: find-identity: policy \(unknown.joined(separator: ", ")) isn't supported"
            )
            return 2
        }
        do throws(KeychainError) {
            let keychains = try CertificateKeychain.searched(reader.rest, session.connection)
            let pairs = try IdentityPair.all(in: keychains, session.connection)
            var text = ""
            if let string = request.string, !request.asJSON {
                text = "Looking for identities matching \"\(string)\"\n"
            }
            var objects: [String] = []
            for policy in wanted {
                let judged = try pairs.map { (pair) throws(KeychainError) in
                    try judge(pair, policy, request.string, session.connection)
                }
                text += self.text(judged.filter(\.isMatching), policy, request)
                objects += judged.filter(\.isMatching).map { json($0, policy) }
            }
            if request.asJSON { text = "[\(objects.joined(separator: ","))]\n" }
            Output.write(text, to: STDOUT_FILENO)
            return 0
        } catch {
            return complain(error, at: "find-identity")
        }
    }

    private static func judge(
        _ pair: IdentityPair, _ policy: Policy, _ string: String?,
        _ connection: KeychainConnection
    ) throws(KeychainError) -> Judged {
        let question = TrustQuestion(
            time: Int64(Glibc.time(nil)), certificates: [pair.certificate.der],
            policies: [TrustPolicy(policy.kind, names: string.map { [$0] } ?? [])])
        let answer = try connection.evaluate(question)
        return Judged(pair: pair, fault: answer.worst?.fault)
    }

    // MARK: - What is printed

    private static func text(
        _ matching: [Judged], _ policy: Policy, _ request: Request
    ) -> String {
        let valid = matching.filter { $0.fault == nil }
        let lastLine = "     \(valid.count) valid identities found\n"
        if request.isValidOnly { return lines(valid) + lastLine }
        return "\nPolicy: \(policy.title)\n  Matching identities\n" + lines(matching)
            + "     \(matching.count) identities found\n\n  Valid identities only\n"
            + lines(valid) + lastLine
    }

    private static func lines(_ identities: [Judged]) -> String {
        identities.enumerated().map { index, identity in
            let number = String(index + 1)
            let space = String(repeating: " ", count: max(0, 3 - number.count))
            let fault = identity.fault.map { " (\($0.macName))" } ?? ""
            return "\(space)\(number)) \(identity.pair.digest) \"\(identity.pair.name)\"\(fault)\n"
        }.joined()
    }

    private static func json(_ identity: Judged, _ policy: Policy) -> String {
        let fault = identity.fault.map { JSONText.quoted($0.macName) } ?? "null"
        let fields = [
            "\"policy\":\(JSONText.quoted(policy.title))",
            "\"keychain\":\(JSONText.quoted(identity.pair.certificate.keychain.path))",
            "\"sha1\":\"\(identity.pair.digest)\"",
            "\"name\":\(JSONText.quoted(identity.pair.name))",
            "\"valid\":\(identity.fault == nil)", "\"error\":\(fault)",
        ]
        return "{\(fields.joined(separator: ","))}"
    }
}

private enum DeleteIdentity {
    static func run(_ words: Words, _ session: Session) -> Int32 {
        var name: String?
        var digest: String?
        var removesSettings = false
        var reader = OptionReader(words, options: "+:c:Z:t")
        while let option = reader.next() {
            switch option {
            case "c": name = reader.argument.string
            case "Z": digest = reader.argument.string.uppercased()
            case "t": removesSettings = true
            default: return Command.deleteIdentity.usageError()
            }
        }
        guard let wanted = digest ?? name else { return Command.deleteIdentity.usageError() }
        let keychains: [CertificateKeychain]
        do throws(KeychainError) {
            keychains = try CertificateKeychain.searched(reader.rest, session.connection)
        } catch {
            complain("security: delete-identity: \(SecurityStatus.message(for: error.status))")
            return unable(wanted)
        }
        do throws(KeychainError) {
            let pairs = try IdentityPair.all(in: keychains, session.connection)
            let found = pairs.filter { $0.matches(name: name, digest: digest) }
            guard Set(found.map(\.certificate.der)).count <= 1 else {
                complain(
                    "security: \"\(wanted)\" is ambiguous, matches more than one certificate")
                return unable(wanted)
            }
            guard let first = found.first else { return unable(wanted) }
            try first.delete(others: pairs, session.connection)
            guard removesSettings else { return 0 }
            return change("SecTrustSettingsRemoveTrustSettings", session) {
                () throws(KeychainError) in
                let digest = TrustSettings.Entry.digest(first.certificate.der)
                try session.connection.changeTrustSettings(.user) { settings in
                    settings.entries.removeAll { $0.digest == digest }
                }
            }
        } catch {
            _ = complain(error, at: "delete-identity")
            return unable(wanted)
        }
    }

    private static func unable(_ wanted: String) -> Int32 {
        Output.write("Unable to delete certificate matching \"\(wanted)\"", to: STDERR_FILENO)
        return 1
    }
}

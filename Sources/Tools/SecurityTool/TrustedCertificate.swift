// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecurityWire
import TrustWire

extension Command {
    /// `security add-trusted-cert`: sets what a certificate is trusted for.
    static let addTrustedCertificate = Command(
        name: "add-trusted-cert",
        usage: """
            [--json] [-d] [-r result] [-p policy...] [-a application] [-s string]
                [-e error] [-u usage] [-k keychain] [-i file] [-o file] certFile
                -d  Settings of the machine, for all its users; default is the user's own
                -r  trustRoot (default), trustAsRoot, deny or unspecified
                -p  Only for this policy: basic, ssl, smime, codeSign, IPSec, eap or timestamping
                -a  Only for this program: its path or its application identifier
                -s  Only for this host, or this address of smime
                -e  Accept a failure: certExpired, hostnameMismatch or a number
                -u  Only for these uses of the key: a sum of numbers
                -k  Also add the certificate to this keychain
                -i  Change the settings of this file, and not those of the keychain
                -o  Write the changed settings to this file
            """,
        help: "Add trusted certificate(s).", run: { TrustedCertificate.add($0, $1) })

    /// `security remove-trusted-cert`: removes the settings of a certificate.
    static let removeTrustedCertificate = Command(
        name: "remove-trusted-cert",
        usage: """
            [--json] [-d] certFile
                -d  Settings of the machine; default is the user's own
            """,
        help: "Remove trusted certificate(s).", run: { TrustedCertificate.remove($0, $1) })
}

private enum TrustedCertificate {
    private static let policyLimit = 16

    /// Why the command ends.
    private enum Problem: Error {
        case usage
        case said(Int32)
    }

    private struct Request {
        var domain = TrustDomain.user
        var result: TrustSettings.Result?
        var policies: [TrustPolicy.Kind] = []
        var constraint = TrustSettings.Rule()
        var keychain: CertificateKeychain?
        var input: String?
        var output: String?
        var isJSON = false

        /// The rules: none for a root that is trusted for everything, else one for each policy.
        var rules: [TrustSettings.Rule] {
            let isAlways =
                policies.isEmpty && constraint == TrustSettings.Rule()
                && result ?? .trustRoot == .trustRoot
            guard !isAlways else { return [] }
            var rule = constraint
            rule.result = result ?? .trustRoot
            guard !policies.isEmpty else { return [rule] }
            return policies.map { policy in
                var rule = rule
                rule.policy = policy.settingsIdentifier
                rule.policyName = policy.settingsPolicyName
                return rule
            }
        }
    }

    // MARK: - add-trusted-cert

    static func add(_ words: Words, _ session: Session) -> Int32 {
        do throws(Problem) {
            var request = Request()
            let (words, isJSON) = words.withoutJSON
            request.isJSON = isJSON
            var reader = OptionReader(words, options: "+:dr:p:a:s:e:u:k:i:o:")
            while let option = reader.next() {
                try take(option, reader.argument, &request, session.connection)
            }
            return try add(request, certificates(reader.rest, "add-trusted-cert"), session)
        } catch { return status(error, .addTrustedCertificate) }
    }

    private static func take(
        _ option: Character, _ word: Word, _ request: inout Request,
        _ connection: KeychainConnection
    ) throws(Problem) {
        let value = word.string
        switch option {
        case "d": request.domain = .machine
        case "r":
            guard let result = results[value] else { throw .usage }
            request.result = result
        case "p":
            guard let policy = TrustPolicyName.kinds[value],
                request.policies.count < policyLimit
            else {
                complain("security: add-trusted-cert: policy \(value) isn't supported")
                throw .said(2)
            }
            request.policies.append(policy)
        case "a": request.constraint.application = [UInt8](value.utf8)
        case "s": request.constraint.policyString = value
        case "e":
            guard let error = allowedErrors[value] ?? Int32(value) else { throw .usage }
            request.constraint.allowedError = error
        case "u":
            guard let usage = Int64(value), let bits = UInt32(exactly: usage & 0xFFFF_FFFF) else {
                throw .usage
            }
            request.constraint.keyUsage = bits
        case "k":
            do throws(KeychainError) {
                request.keychain = try CertificateKeychain(word, connection)
            } catch {
                complain("SecKeychainOpen \(value): " + SecurityStatus.message(for: error.status))
                throw .said(1)
            }
        case "i": request.input = value
        case "o": request.output = value
        default: throw .usage
        }
    }

    private static let results: [String: TrustSettings.Result] = [
        "trustRoot": .trustRoot, "trustAsRoot": .trustAsRoot, "deny": .deny,
        "unspecified": .unspecified,
    ]

    /// CSSM's numbers.
    private static let allowedErrors: [String: Int32] = [
        "certExpired": Int32(bitPattern: 0x8001_210A),
        "hostnameMismatch": Int32(bitPattern: 0x8001_2400),
    ]

    private static func add(
        _ request: Request, _ certificates: [[UInt8]], _ session: Session
    ) throws(Problem) -> Int32 {
        let rules = request.rules
        var entries: [TrustSettings.Entry] = []
        for certificate in certificates {
            guard let entry = TrustSettings.Entry(certificate, rules: rules),
                entry.refusal == nil
            else {
                complain(
                    "SecTrustSettingsSetTrustSettings: "
                        + SecurityStatus.message(for: SecurityStatus.param))
                if let reason = TrustSettings.Entry(certificate, rules: rules)?.refusal {
                    complain("security: \(reason)")
                }
                return 1
            }
            entries.append(entry)
        }
        if request.input != nil || request.output != nil {
            return try edit(request, entries)
        }
        if let keychain = request.keychain {
            for certificate in certificates {
                do throws(KeychainError) {
                    try keychain.add(certificate, session.connection)
                } catch {
                    if error.reason != .duplicate {
                        return failed("SecCertificateAddToKeychain", error)
                    }
                }
            }
        }
        let status = change("SecTrustSettingsSetTrustSettings", session) {
            () throws(KeychainError) in
            try session.connection.changeTrustSettings(request.domain) { [entries] settings in
                for entry in entries { settings.set(entry) }
            }
        }
        if request.isJSON, status == 0 { printJSON(certificates, request.domain) }
        return status
    }

    /// Says which certificates have, or don't have, settings now.
    private static func printJSON(_ certificates: [[UInt8]], _ domain: TrustDomain) {
        let text = JSONText.object([
            ("domain", JSONText.quoted(domain.name)),
            (
                "certificates",
                JSONText.array(certificates.map { JSONText.object(JSONText.fields($0)) })
            ),
        ])
        Output.write(text + "\n", to: STDOUT_FILENO)
    }

    /// Changes settings in a file.
    private static func edit(
        _ request: Request, _ entries: [TrustSettings.Entry]
    ) throws(Problem) -> Int32 {
        var settings = TrustSettings()
        if let input = request.input {
            guard let bytes = try? CertificateFile.contents(input) else {
                complain("Error reading file \(input)")
                return 1
            }
            guard let read = ExternalTrustSettings.decoded(bytes) else {
                complain(
                    "SecTrustSettingsSetTrustSettingsExternal: "
                        + SecurityStatus.message(for: SecurityStatus.invalidTrustSettings))
                return 1
            }
            settings = read
        }
        for entry in entries { settings.set(entry) }
        guard let output = request.output ?? request.input,
            let data = ExternalTrustSettings.encoded(settings),
            CertificateFile.write(data, to: output)
        else {
            complain("Error writing to file \(request.output ?? request.input ?? "")")
            return 1
        }
        let text = JSONText.object([
            ("file", JSONText.quoted(output)), ("byteCount", "\(data.count)"),
            (
                "certificates",
                JSONText.array(
                    entries.map { JSONText.object(JSONText.fields($0.certificate)) })
            ),
        ])
        Output.write(
            request.isJSON ? text + "\n" : "...wrote \(data.count) bytes to \(output)\n",
            to: STDOUT_FILENO)
        return 0
    }

    // MARK: - remove-trusted-cert

    static func remove(_ words: Words, _ session: Session) -> Int32 {
        do throws(Problem) {
            var domain = TrustDomain.user
            let (words, isJSON) = words.withoutJSON
            var reader = OptionReader(words, options: "+:d")
            while let option = reader.next() {
                guard option == "d" else { throw .usage }
                domain = .machine
            }
            let certificates = try certificates(reader.rest, "remove-trusted-cert")
            let digests = certificates.map(TrustSettings.Entry.digest)
            let status = change("SecTrustSettingsRemoveTrustSettings", session) {
                () throws(KeychainError) in
                try session.connection.changeTrustSettings(domain) {
                    (settings) throws(KeychainError) in
                    for digest in digests {
                        guard settings.entry(ofDigest: digest) != nil else {
                            throw KeychainError(
                                status: SecurityStatus.itemNotFound, reason: .absent)
                        }
                        settings.entries.removeAll { $0.digest == digest }
                    }
                }
            }
            if isJSON, status == 0 { printJSON(certificates, domain) }
            return status
        } catch { return self.status(error, .removeTrustedCertificate) }
    }

    // MARK: - Shared

    private static func certificates(
        _ rest: Words, _ name: String
    ) throws(Problem) -> [[UInt8]] {
        guard rest.count == 1 else {
            complain("No cert file specified.")
            throw .said(2)
        }
        let path = rest[0].string
        do throws(CertificateFile.Problem) { return try CertificateFile.read(path) } catch {
            switch error {
            case .unreadable: complain("Error reading file \(path)")
            case .noCertificate: complain("security: \(name): \(path) has no certificate")
            }
            throw .said(1)
        }
    }

    private static func status(_ problem: Problem, _ command: Command) -> Int32 {
        switch problem {
        case .usage: command.usageError()
        case .said(let status): status
        }
    }
}

/// Makes a change of trust settings; asks for the passcode where the service demands the owner.
/// - Returns: 0 or 1.
func change(
    _ place: String, _ session: Session, _ body: () throws(KeychainError) -> Void
) -> Int32 {
    do throws(KeychainError) {
        try body()
        return 0
    } catch {
        guard error.reason == .denied, error.status == SecurityStatus.authFailed else {
            return failed(place, error)
        }
    }
    do throws(DeviceProblem) {
        let passcode = try session.passcode.current("passcode: ")
        do throws(KeychainError) {
            try session.connection.unlock(passcode: passcode.bytes)
            try body()
            return 0
        } catch { return failed(place, error) }
    } catch {
        _ = error.complained(at: place, .addTrustedCertificate)
        return 1
    }
}

/// Complains as macOS does about trust settings: without the name of the tool.
/// - Returns: 1.
func failed(_ place: String, _ error: KeychainError) -> Int32 {
    complain("\(place): \(SecurityStatus.message(for: error.status))")
    if error.reason == .administratorNeeded {
        complain("security: In the keychain of a whole machine only root changes these settings.")
    }
    return 1
}

/// The policies by the names of command lines.
enum TrustPolicyName {
    static let kinds: [String: TrustPolicy.Kind] = [
        "basic": .basic, "ssl": .sslServer, "smime": .mail, "codeSign": .codeSigning,
        "IPSec": .ipsec, "eap": .eapServer, "timestamping": .timeStamping,
    ]

    /// What is printed for a policy of settings.
    static func text(_ kind: TrustPolicy.Kind) -> String {
        switch kind {
        case .basic: "Apple X509 Basic"
        case .sslServer, .sslClient: "SSL"
        case .mail: "SMIME"
        case .codeSigning: "Code Signing"
        case .ipsec: "IPSec"
        case .eapServer, .eapClient: "EAP"
        case .timeStamping: "Time Stamping"
        case .revocation: "Revocation"
        }
    }
}

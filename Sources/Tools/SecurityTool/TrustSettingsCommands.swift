// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecurityWire
import TrustWire

extension Command {
    private static let domains = """
            -s  Roots of the system
            -d  Settings of the machine; default is the user's own
        """

    /// `security dump-trust-settings`.
    static let dumpTrustSettings = Command(
        name: "dump-trust-settings", usage: "[--json] [-s] [-d]\n" + domains,
        help: "Display contents of trust settings.", run: { TrustSettingsCommands.dump($0, $1) })

    /// `security trust-settings-export`.
    static let exportTrustSettings = Command(
        name: "trust-settings-export", usage: "[--json] [-s] [-d] settingsFile\n" + domains,
        help: "Export trust settings.", run: { TrustSettingsCommands.write($0, $1) })

    /// `security trust-settings-import`.
    static let importTrustSettings = Command(
        name: "trust-settings-import", usage: "[--json] [-s] [-d] settingsFile\n" + domains,
        help: "Import trust settings.", run: { TrustSettingsCommands.read($0, $1) })

    /// `security user-trust-settings-enable`.
    static let userTrustSettings = Command(
        name: "user-trust-settings-enable",
        usage: """
            [--json] [-d] [-e]
                -d  Not supported: settings of users always count
                -e  Accepted
            """,
        help: "Display or manipulate user-level trust settings.",
        run: { words, _ in TrustSettingsCommands.enable(words) })

    /// `security export-trusted`: what the user trusts, for programs that read a bundle. Not a command
    /// of macOS.
    static let exportTrusted = Command(
        name: "export-trusted",
        usage: """
            --pem
                --pem  Print the roots of the system, without those that settings deny, and the
                       roots that settings of the user and of the machine trust for servers
            """,
        help: "Print the certificates that are trusted for TLS servers, as PEM.",
        run: { TrustSettingsCommands.bundle($0, $1) })
}

private enum TrustSettingsCommands {
    private enum Domain {
        case system
        case stored(TrustDomain)
    }

    private struct Request {
        var domain = Domain.stored(.user)
        var isJSON = false
        var rest: [String] = []
    }

    private static func request(_ words: Words) -> Request? {
        var request = Request()
        let (words, isJSON) = words.withoutJSON
        request.isJSON = isJSON
        var reader = OptionReader(words, options: "+:sd")
        while let option = reader.next() {
            switch option {
            case "s": request.domain = .system
            case "d": request.domain = .stored(.machine)
            default: return nil
            }
        }
        let rest = reader.rest
        request.rest = (0..<rest.count).map { rest[$0].string }
        return request
    }

    // MARK: - dump-trust-settings

    static func dump(_ words: Words, _ session: Session) -> Int32 {
        guard let request = request(words), request.rest.isEmpty else {
            return Command.dumpTrustSettings.usageError()
        }
        let entries: [TrustSettings.Entry]
        do throws(KeychainError) { entries = try self.entries(request.domain, session) } catch {
            return failed("SecTrustSettingsCopyCertificates", error)
        }
        guard !entries.isEmpty else {
            complain(
                "SecTrustSettingsCopyCertificates: "
                    + SecurityStatus.message(for: SecurityStatus.noTrustSettings))
            return 1
        }
        Output.write(request.isJSON ? json(entries) : text(entries), to: STDOUT_FILENO)
        return 0
    }

    private static func entries(
        _ domain: Domain, _ session: Session
    ) throws(KeychainError) -> [TrustSettings.Entry] {
        switch domain {
        case .stored(let domain): try session.connection.trustSettings(domain).entries
        case .system:
            try session.connection.systemRoots().compactMap {
                TrustSettings.Entry($0, rules: [])
            }
        }
    }

    private static func label(_ entry: TrustSettings.Entry) -> String {
        let name = CertificateSubject.summary(entry.certificate)
        return name.isEmpty ? ExternalTrustSettings.hex(entry.digest) : name
    }

    private static func text(_ entries: [TrustSettings.Entry]) -> String {
        var text = "Number of trusted certs = \(entries.count)\n"
        for (index, entry) in entries.enumerated() {
            text += "Cert \(index): \(label(entry))\n"
            text += "   Number of trust settings : \(entry.rules.count)\n"
            for (index, rule) in entry.rules.enumerated() {
                text += "   Trust Setting \(index):\n"
                for (name, value) in lines(rule) {
                    let padding = String(repeating: " ", count: max(0, 22 - name.count))
                    text += "      \(name)\(padding): \(value)\n"
                }
            }
        }
        return text
    }

    private static func lines(_ rule: TrustSettings.Rule) -> [(String, String)] {
        var lines: [(String, String)] = []
        if let policy = rule.policy {
            let kind = TrustPolicy.Kind(settingsIdentifier: policy)
            lines.append(
                ("Policy OID", kind.map(TrustPolicyName.text) ?? ExternalTrustSettings.hex(policy)))
        }
        if let application = rule.application {
            lines.append(("Application", shown(String(decoding: application, as: UTF8.self))))
        }
        if let string = rule.policyString { lines.append(("Policy String", shown(string))) }
        if let error = rule.allowedError {
            lines.append(("Allowed Error", errorNames[UInt32(bitPattern: error)] ?? "\(error)"))
        }
        if let result = rule.result {
            let name =
                switch result {
                case .trustRoot: "TrustRoot"
                case .trustAsRoot: "TrustAsRoot"
                case .deny: "Deny"
                case .unspecified: "Unspecified"
                }
            lines.append(("Result Type", "kSecTrustSettingsResult\(name)"))
        }
        if let usage = rule.keyUsage { lines.append(("Key Usage", "\(usage)")) }
        return lines
    }

    private static let errorNames: [UInt32: String] = [
        0x8001_210A: "CSSMERR_TP_CERT_EXPIRED",
        0x8001_2400: "CSSMERR_APPLETP_HOSTNAME_MISMATCH",
        0x8001_2418: "CSSMERR_APPLETP_SMIME_EMAIL_ADDRS_NOT_FOUND",
    ]

    /// A terminal must not take a text for a command.
    private static func shown(_ text: String) -> String {
        String(
            text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "?" : Character($0) })
    }

    private static func json(_ entries: [TrustSettings.Entry]) -> String {
        let list = entries.map { entry in
            let rules = entry.rules.map { rule in
                JSONText.object(lines(rule).map { ($0, JSONText.quoted($1)) })
            }
            return JSONText.object([
                ("subject", JSONText.quoted(label(entry))),
                ("sha1", JSONText.quoted(ExternalTrustSettings.hex(entry.digest))),
                ("trustSettings", JSONText.array(rules)),
            ])
        }
        return JSONText.array(list) + "\n"
    }

    // MARK: - Files

    static func write(_ words: Words, _ session: Session) -> Int32 {
        guard let request = request(words), request.rest.count == 1 else {
            return Command.exportTrustSettings.usageError()
        }
        let count: Int
        let place = "SecTrustSettingsCreateExternalRepresentation"
        do throws(KeychainError) {
            let entries: [TrustSettings.Entry]
            switch request.domain {
            case .system: entries = []
            case .stored: entries = try self.entries(request.domain, session)
            }
            guard !entries.isEmpty, let data = ExternalTrustSettings.encoded(TrustSettings(entries))
            else {
                throw KeychainError(status: SecurityStatus.noTrustSettings, reason: .absent)
            }
            guard CertificateFile.write(data, to: request.rest[0]) else {
                complain("Error writing to file \(request.rest[0])")
                return 1
            }
            count = entries.count
        } catch { return failed(place, error) }
        say(request, count, "...Trust Settings exported successfully.")
        return 0
    }

    static func read(_ words: Words, _ session: Session) -> Int32 {
        guard let request = request(words), request.rest.count == 1 else {
            return Command.importTrustSettings.usageError()
        }
        let place = "SecTrustSettingsImportExternalRepresentation"
        guard let bytes = try? CertificateFile.contents(request.rest[0]) else {
            complain("Error reading file \(request.rest[0])")
            return 1
        }
        guard case .stored(let domain) = request.domain else {
            return failed(
                place,
                KeychainError(status: SecurityStatus.dataNotModifiable, reason: .denied))
        }
        let status = change(place, session) { () throws(KeychainError) in
            do throws(KeychainError) {
                try session.connection.importTrustSettings(bytes, domain)
            } catch {
                guard error.reason == .undecodable else { throw error }
                throw KeychainError(
                    status: SecurityStatus.invalidTrustSettings, reason: .undecodable)
            }
        }
        guard status == 0 else { return status }
        let count = ExternalTrustSettings.decoded(bytes)?.entries.count ?? 0
        say(request, count, "...Trust Settings imported successfully.")
        return 0
    }

    /// Says that settings went to or came from a file.
    private static func say(_ request: Request, _ count: Int, _ line: String) {
        let domain =
            switch request.domain {
            case .system: "system"
            case .stored(let domain): domain.name
            }
        let text = JSONText.object([
            ("domain", JSONText.quoted(domain)), ("file", JSONText.quoted(request.rest[0])),
            ("certificateCount", "\(count)"),
        ])
        Output.write((request.isJSON ? text : line) + "\n", to: STDOUT_FILENO)
    }

    // MARK: - Others

    static func enable(_ words: Words) -> Int32 {
        var disables = false
        let (words, isJSON) = words.withoutJSON
        var reader = OptionReader(words, options: "+:de")
        while let option = reader.next() {
            switch option {
            case "d": disables = true
            case "e": break
            default: return Command.userTrustSettings.usageError()
            }
        }
        guard !disables else {
            complain("security: user-trust-settings-enable: settings of users always count here")
            return 1
        }
        Output.write(
            isJSON ? "{\"enabled\":true}\n" : "User-level Trust Settings are Enabled\n",
            to: STDOUT_FILENO)
        return 0
    }

    static func bundle(_ words: Words, _ session: Session) -> Int32 {
        guard words.count == 2, words[1].string == "--pem" else {
            return Command.exportTrusted.usageError()
        }
        do throws(KeychainError) {
            let user = try session.connection.trustSettings(.user)
            let machine = try session.connection.trustSettings(.machine)
            let roots = try session.connection.systemRoots()
            let bundle = TrustedBundle(user: user, machine: machine, roots: roots)
            Output.write(
                bundle.certificates.map { PEMText.block("CERTIFICATE", $0) }.joined(),
                to: STDOUT_FILENO)
            return 0
        } catch { return complain(error, at: "export-trusted") }
    }
}

extension TrustDomain {
    /// What JSON calls it.
    var name: String {
        switch self {
        case .user: "user"
        case .machine: "machine"
        }
    }
}

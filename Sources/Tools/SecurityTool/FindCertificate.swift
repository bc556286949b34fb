// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecurityWire
import TrustWire

extension Command {
    /// `security find-certificate`.
    static let findCertificate = Command(
        name: "find-certificate",
        usage: """
            [--json] [-a] [-c name] [-e emailAddress] [-m] [-p] [-Z] [keychain...]
                -a  Find all matching certificates, not just the first one
                -c  Match on "name": a part of the common name
                -e  Match on "emailAddress"
                -m  Show the email addresses in the certificate
                -p  Output certificate in pem format
                -Z  Print SHA-256 (and SHA-1) hash of the certificate
            Besides your keychains there are System and SystemRootCertificates. When none is named, the
            search list and System are searched.
            """,
        help: "Find a certificate item.", run: { FindCertificate.run($0, $1) })

    /// `security add-certificates`.
    static let addCertificates = Command(
        name: "add-certificates",
        usage: """
            [--json] [-k keychain] file...
                -k  Use this keychain (default: the default one)
            """,
        help: "Add certificates to a keychain.", run: { FindCertificate.add($0, $1) })

    /// `security delete-certificate`.
    static let deleteCertificate = Command(
        name: "delete-certificate",
        usage: """
            [--json] [-c name] [-Z hash] [-t] [keychain...]
                -c  Specify certificate to delete by its common name
                -Z  Specify certificate to delete by its SHA-256 (or SHA-1) hash
                -t  Also delete user trust settings for this certificate
            """,
        help: "Delete a certificate from a keychain.",
        run: { FindCertificate.delete($0, $1) })
}

private enum FindCertificate {
    private typealias Found = CertificateKeychain.Found

    private struct Request {
        var isJSON = false
        var wantsAll = false
        var name: String?
        var address: String?
        var showsAddresses = false
        var isPEM = false
        var showsDigests = false

        func matches(_ found: Found) -> Bool {
            guard let outline = found.outline else { return name == nil && address == nil }
            if let name = name?.lowercased() {
                let isNamed = outline.commonNames.contains { $0.lowercased().contains(name) }
                guard isNamed else { return false }
            }
            if let address = address?.lowercased() {
                return outline.mailAddresses.contains { $0.lowercased() == address }
            }
            return true
        }
    }

    // MARK: - find-certificate

    static func run(_ words: Words, _ session: Session) -> Int32 {
        var request = Request()
        let (words, isJSON) = words.withoutJSON
        request.isJSON = isJSON
        var reader = OptionReader(words, options: "+:ac:e:mpZ")
        while let option = reader.next() {
            switch option {
            case "a": request.wantsAll = true
            case "c": request.name = reader.argument.string
            case "e": request.address = reader.argument.string
            case "m": request.showsAddresses = true
            case "p": request.isPEM = true
            case "Z": request.showsDigests = true
            default: return Command.findCertificate.usageError()
            }
        }
        var found: [Found] = []
        do throws(KeychainError) {
            for keychain in try CertificateKeychain.searched(reader.rest, session.connection) {
                found += try keychain.certificates(session.connection).filter(request.matches)
            }
        } catch { return complain(error, at: "SecKeychainSearchCopyNext") }
        if !request.wantsAll { found = Array(found.prefix(1)) }
        guard request.wantsAll || !found.isEmpty else {
            let status = SecurityStatus.itemNotFound
            complain("security: SecKeychainSearchCopyNext: \(SecurityStatus.message(for: status))")
            return status
        }
        if request.isJSON {
            Output.write(JSONText.array(found.map(json)) + "\n", to: STDOUT_FILENO)
        } else {
            for certificate in found { print(certificate, request) }
        }
        return 0
    }

    private static func print(_ found: Found, _ request: Request) {
        if request.showsDigests {
            Output.write(
                "SHA-256 hash: \(found.sha256)\nSHA-1 hash: \(found.sha1)\n", to: STDOUT_FILENO)
        }
        if request.showsAddresses {
            let addresses = found.outline?.mailAddresses ?? []
            Output.write(
                "email addresses: \(addresses.joined(separator: ", "))\n", to: STDOUT_FILENO)
        }
        if request.isPEM {
            Output.write(PEMText.block("CERTIFICATE", found.der), to: STDOUT_FILENO)
        } else {
            var output = Output(STDOUT_FILENO)
            AttributeBlock.printCertificate(
                found.attributes, keychain: found.keychain.pathBytes, to: &output)
            _ = output.flush()
        }
    }

    private static func json(_ found: Found) -> String {
        let addresses = (found.outline?.mailAddresses ?? []).map(JSONText.quoted)
        return JSONText.object(
            [("keychain", JSONText.quoted(found.keychain.path))] + JSONText.fields(found.der) + [
                ("emailAddresses", JSONText.array(addresses)),
                ("pem", JSONText.quoted(PEMText.block("CERTIFICATE", found.der))),
            ])
    }

    // MARK: - add-certificates

    static func add(_ words: Words, _ session: Session) -> Int32 {
        var word: Word?
        let (words, isJSON) = words.withoutJSON
        var reader = OptionReader(words, options: "+:k:")
        while let option = reader.next() {
            guard option == "k" else { return Command.addCertificates.usageError() }
            word = reader.argument
        }
        let files = reader.rest
        guard files.count > 0 else { return Command.addCertificates.usageError() }
        let keychain: CertificateKeychain
        do throws(KeychainError) {
            keychain = try CertificateKeychain.named(word, session.connection)
        } catch {
            complain(
                "security: SecKeychainOpen \(word?.string ?? "<NULL>"): "
                    + SecurityStatus.message(for: error.status))
            return 1
        }
        var status: Int32 = 0
        var lines: [String] = []
        for index in 0..<files.count {
            let file = files[index].string
            guard let certificates = try? CertificateFile.read(file) else {
                complain("security: Error reading infile \(file)")
                lines.append(
                    JSONText.object([
                        ("file", JSONText.quoted(file)), ("status", "\(SecurityStatus.io)"),
                    ]))
                status = 1
                continue
            }
            for certificate in certificates {
                var result: Int32 = 0
                defer {
                    lines.append(
                        JSONText.object(
                            [("file", JSONText.quoted(file))] + JSONText.fields(certificate)
                                + [("status", "\(result)")]))
                }
                do throws(KeychainError) {
                    try keychain.add(certificate, session.connection)
                } catch {
                    status = 1
                    result = error.status
                    if error.reason == .duplicate {
                        let place = word == nil ? "default keychain" : keychain.path
                        complain("security: \(file): already in \(place)")
                    } else {
                        let isRoots = error.reason == .administratorNeeded
                        _ = complain(
                            error, at: file,
                            advice: isRoots
                                ? "In the System keychain of a machine only root stores." : nil)
                    }
                }
            }
        }
        if isJSON {
            let text = JSONText.object([
                ("keychain", JSONText.quoted(keychain.path)),
                ("certificates", JSONText.array(lines)),
            ])
            Output.write(text + "\n", to: STDOUT_FILENO)
        }
        return status
    }

    // MARK: - delete-certificate

    static func delete(_ words: Words, _ session: Session) -> Int32 {
        var name: String?
        var digest: String?
        var removesSettings = false
        let (words, isJSON) = words.withoutJSON
        var reader = OptionReader(words, options: "+:c:Z:t")
        while let option = reader.next() {
            switch option {
            case "c": name = reader.argument.string
            case "Z": digest = reader.argument.string.uppercased()
            case "t": removesSettings = true
            default: return Command.deleteCertificate.usageError()
            }
        }
        guard let wanted = digest ?? name else { return Command.deleteCertificate.usageError() }
        do throws(KeychainError) {
            var found: [Found] = []
            for keychain in try CertificateKeychain.searched(reader.rest, session.connection) {
                found += try keychain.certificates(session.connection).filter { certificate in
                    if let digest {
                        return [certificate.sha1, certificate.sha256].contains(digest)
                    }
                    return certificate.outline?.commonNames.contains(wanted) ?? false
                }
            }
            guard Set(found.map(\.der)).count <= 1 else {
                complain(
                    "security: \"\(wanted)\" is ambiguous, matches more than one certificate")
                return unable(wanted)
            }
            guard let first = found.first else { return unable(wanted) }
            try first.keychain.delete(first, session.connection)
            var status: Int32 = 0
            if removesSettings {
                status = change("SecTrustSettingsRemoveTrustSettings", session) {
                    () throws(KeychainError) in
                    let digest = TrustSettings.Entry.digest(first.der)
                    try session.connection.changeTrustSettings(.user) { settings in
                        settings.entries.removeAll { $0.digest == digest }
                    }
                }
            }
            if isJSON {
                let text = JSONText.object(
                    [("keychain", JSONText.quoted(first.keychain.path))]
                        + JSONText.fields(first.der)
                        + [("trustSettingsRemoved", "\(removesSettings && status == 0)")])
                Output.write(text + "\n", to: STDOUT_FILENO)
            }
            return status
        } catch {
            _ = complain(error, at: "delete-certificate")
            return unable(wanted)
        }
    }

    private static func unable(_ wanted: String) -> Int32 {
        Output.write("Unable to delete certificate matching \"\(wanted)\"", to: STDERR_FILENO)
        return 1
    }
}

extension CertificateKeychain.Found {
    /// In upper-case hexadecimal.
    fileprivate var sha1: String {
        ExternalTrustSettings.hex(TrustSettings.Entry.digest(der))
    }

    /// In upper-case hexadecimal.
    fileprivate var sha256: String {
        ExternalTrustSettings.hex(CertificateOutline.sha256(der))
    }
}

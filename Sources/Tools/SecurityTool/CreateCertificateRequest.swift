// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CertificateRequests
import Glibc
import Keychain
import SecretBytes
import SecurityWire
import TrustWire

extension Command {
    /// `security create-csr`.
    static let createCertificateRequest = Command(
        name: "create-csr",
        usage: """
            -l label [-n type] -s subject [-d host...] [-e emailAddress...] [-o outFile]
                -l  Label of the private key
                -n  Make a new key of this type and store it: p256, p384, p521, ed25519, rsa2048,
                    rsa3072 or rsa4096
                -s  Subject, as /C=DE/O=Example/CN=www.example.com
                -d  A host among the alternative names; may be given several times
                -e  A mail address among the alternative names; may be given several times
                -o  Write the request to this file; without it, it is printed
            """,
        help: "Create a certificate signing request.", run: { CreateCertificateRequest.run($0, $1) }
    )
}

private enum CreateCertificateRequest {
    private struct Request {
        var label: AttributeValue?
        var kind: RequestKey.Kind?
        var subject: [UInt8]?
        var names: [UInt8] = []
        var file: String?
    }

    /// Why the command ends.
    private enum Problem: Error {
        case usage
        case said(Int32)
    }

    private static let place = "create-csr"

    static func run(_ words: Words, _ session: Session) -> Int32 {
        do throws(Problem) {
            let request = try request(words)
            guard let label = request.label, let subject = request.subject else {
                throw .usage
            }
            let key: RequestKey
            if let kind = request.kind {
                key = try made(kind, label, session)
            } else {
                key = try found(label, session)
            }
            var extensions: [[UInt8]] = []
            if !request.names.isEmpty {
                extensions.append(
                    CertificateDraft.makeExtension(
                        DERText.identifier("2.5.29.17") ?? [], isCritical: false,
                        DERText.element(0x30, request.names)))
            }
            let draft = CertificateDraft(
                subject: subject, publicKey: key.publicKeyInfo, extensions: extensions)
            let info = draft.requestInfo
            guard let signature = key.sign(info) else { throw said("The key doesn't sign.") }
            let text = PEMText.block(
                "CERTIFICATE REQUEST", CertificateDraft.signed(info, key.algorithm, signature))
            return try write(text, request.file)
        } catch {
            switch error {
            case .usage: return Command.createCertificateRequest.usageError()
            case .said(let status): return status
            }
        }
    }

    /// Says why it fails.
    private static func said(_ text: String, _ status: Int32 = 1) -> Problem {
        complain("security: \(place): \(text)")
        return .said(status)
    }

    private static func write(_ text: String, _ file: String?) throws(Problem) -> Int32 {
        guard let file else {
            var output = Output(STDOUT_FILENO)
            output.put(text)
            guard output.flush() else { throw said("The request can't be written.") }
            return 0
        }
        guard CertificateFile.write(Array(text.utf8), to: file) else {
            throw said("\(file) can't be written.")
        }
        return 0
    }

    private static func request(_ words: Words) throws(Problem) -> Request {
        var request = Request()
        var options = OptionReader(words, options: "+:l:n:s:d:e:o:")
        while let option = options.next() {
            let argument = options.argument
            switch option {
            case "l": request.label = argument.value
            case "n":
                guard let kind = RequestKey.Kind(rawValue: argument.string) else { throw .usage }
                request.kind = kind
            case "s":
                guard let subject = DERText.name(argument.string) else {
                    throw said("The subject isn't of the form /TYPE=VALUE/…")
                }
                request.subject = subject
            case "d", "e":
                guard let bytes = DERText.ascii(argument.string), !bytes.isEmpty else {
                    throw said("An alternative name isn't ASCII.")
                }
                request.names += DERText.element(option == "d" ? 0x82 : 0x81, bytes)
            case "o": request.file = argument.string
            default: throw .usage
            }
        }
        guard options.rest.count == 0 else { throw .usage }
        return request
    }

    // MARK: - The key

    private static func made(
        _ kind: RequestKey.Kind, _ label: AttributeValue, _ session: Session
    ) throws(Problem) -> RequestKey {
        guard let (key, secret) = RequestKey.make(kind) else { throw said("No key was made.") }
        var item = NewItem(.key)
        item.attributes = key.itemAttributes
        item.attributes[.label] = label
        item.secret = secret
        do throws(KeychainError) { _ = try session.connection.add(item) } catch {
            throw .said(complain(error, at: place))
        }
        return key
    }

    private static func found(
        _ label: AttributeValue, _ session: Session
    ) throws(Problem) -> RequestKey {
        var query = ItemQuery(.key)
        query.attributes[.label] = label
        query.attributes[.keyClass] = .integer(1)
        query.synchronizable = .any
        query.returning = [.attributes, .data]
        let item: FoundItem?
        do throws(KeychainError) { item = try session.connection.find(query).first } catch {
            throw .said(complain(error, at: place))
        }
        guard let item, let secret = item.secret else {
            throw said("There is no private key of this label.", SecurityStatus.itemNotFound)
        }
        guard item.attributes[.tokenID] == nil else {
            throw said("The key is in the enclave; a program asks for its request.")
        }
        guard case .integer(let type)? = item.attributes[.type],
            let key = RequestKey(type: type, secret)
        else { throw said("The key isn't of a type that signs requests.") }
        return key
    }
}

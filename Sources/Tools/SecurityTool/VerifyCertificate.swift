// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecurityWire
import TrustWire

extension Command {
    /// `security verify-cert`: judges a certificate.
    static let verifyCertificate: Command = Command(
        name: "verify-cert",
        usage: """
            [--json] -c certFile... [-r rootFile...] [-p policy] [options...]
                -c  Certificate, PEM or DER; the first is judged, the others may be its issuers
                -r  Root to trust in place of the system's roots
                -p  basic (default), ssl, smime, codeSign, IPSec, eap or timestamping
                -C  The certificate is a client's (with ssl)
                -d  Time for which it is judged, YYYY-MM-DD[-hh:mm:ss], GMT
                -n  Name that it must have: a host, or an address of smime
                -R  Revocation: ocsp, crl, require or offline; may be given several times
                -L  Nothing is fetched from the network
                -k -N -l  Accepted for compatibility, without effect
                -P  Print the chain as PEM
                -q  Print nothing
                -v  Print the chain
            """,
        help: "Verify certificate(s).",
        run: { VerifyCertificate.run($0, $1) })
}

private enum VerifyCertificate {
    private static let options = "+:c:r:p:Cd:k:n:e:s:NLlqR:Pv"

    /// What the command line asks for.
    private struct Request {
        var certificates: [[UInt8]] = []
        var roots: [[UInt8]]?
        var kind = TrustPolicy.Kind.basic
        var isClient = false
        var time: Int64?
        var name: String?
        var revocation: TrustPolicy.RevocationFlags = []
        var isLocal = false
        var isQuiet = false
        var isVerbose = false
        var printsPEM = false
        var asJSON = false

        var question: TrustQuestion {
            var kind = kind
            if isClient, kind == .sslServer { kind = .sslClient }
            var policies = [TrustPolicy(kind, names: name.map { [$0] } ?? [])]
            if !revocation.isEmpty {
                policies.append(TrustPolicy(.revocation, revocation: revocation))
            }
            var question = TrustQuestion(
                time: time ?? Int64(Glibc.time(nil)), certificates: certificates,
                policies: policies)
            if let roots {
                question.anchors = roots
                question.options = .givenAnchorsOnly
            }
            if !isLocal { question.options.insert(.usesNetwork) }
            return question
        }
    }

    /// Why the command ends before it asks.
    private enum Problem: Error {
        case usage
        case said(Int32)
    }

    static func run(_ words: Words, _ session: Session) -> Int32 {
        do throws(Problem) {
            let request = try request(words)
            guard !request.certificates.isEmpty else {
                complain("***No certs specified.")
                return 2
            }
            return ask(request, session)
        } catch {
            switch error {
            case .usage: return Command.verifyCertificate.usageError()
            case .said(let status): return status
            }
        }
    }

    // MARK: - The command line

    private static func request(_ words: Words) throws(Problem) -> Request {
        var request = Request()
        let (words, isJSON) = words.withoutJSON
        request.asJSON = isJSON
        var reader = OptionReader(words, options: options)
        while let option = reader.next() {
            try take(option, reader.argument.string, &request)
        }
        guard reader.rest.count == 0 else {
            complain(
                "security: verify-cert: certificates of a URL aren't fetched; give them with -c")
            throw .said(1)
        }
        return request
    }

    private static func take(
        _ option: Character, _ value: String, _ request: inout Request
    ) throws(Problem) {
        switch option {
        case "c": request.certificates += try certificates(value)
        case "r": request.roots = try (request.roots ?? []) + certificates(value)
        case "p":
            guard let kind = TrustPolicyName.kinds[value] else {
                complain("security: verify-cert: policy \(value) isn't supported")
                throw .said(2)
            }
            request.kind = kind
        case "C": request.isClient = true
        case "d":
            guard let time = time(value) else {
                complain("security: verify-cert: \(value) isn't YYYY-MM-DD[-hh:mm:ss]")
                throw .said(2)
            }
            request.time = time
        case "n", "e", "s": request.name = value
        case "R": try revocation(value, &request.revocation)
        case "q": request.isQuiet = true
        case "v": request.isVerbose = true
        case "P": request.printsPEM = true
        case "L": request.isLocal = true
        case "k", "N", "l": break
        default: throw .usage
        }
    }

    private static func revocation(
        _ word: String, _ flags: inout TrustPolicy.RevocationFlags
    ) throws(Problem) {
        switch word {
        case "ocsp": flags.insert(.ocsp)
        case "crl": flags.insert(.crl)
        case "require": flags.formUnion([.ocsp, .crl, .requiresPositiveAnswer])
        case "offline": flags.formUnion([.ocsp, .crl, .noNetwork])
        default: throw .usage
        }
    }

    private static func certificates(_ path: String) throws(Problem) -> [[UInt8]] {
        do throws(CertificateFile.Problem) { return try CertificateFile.read(path) } catch {
            switch error {
            case .unreadable: complain("Error reading file \(path)")
            case .noCertificate:
                complain("security: verify-cert: \(path) has no certificate")
            }
            throw .said(1)
        }
    }

    /// - Returns: Seconds since 1970; nil for what isn't a date.
    private static func time(_ text: String) -> Int64? {
        var digits = text.split { $0 == "-" || $0 == ":" }.map { Int32($0) }
        guard digits.count == 3 || digits.count == 6 else { return nil }
        digits += Array(repeating: 0, count: 6 - digits.count)
        let numbers = digits.compactMap { $0 }
        guard numbers.count == 6, (1...12).contains(numbers[1]), (1...31).contains(numbers[2]),
            (0...23).contains(numbers[3]), (0...59).contains(numbers[4]),
            (0...60).contains(numbers[5]), (1900...9999).contains(numbers[0])
        else { return nil }
        var parts = unsafe tm()
        unsafe parts.tm_year = numbers[0] - 1900
        unsafe parts.tm_mon = numbers[1] - 1
        unsafe parts.tm_mday = numbers[2]
        unsafe parts.tm_hour = numbers[3]
        unsafe parts.tm_min = numbers[4]
        unsafe parts.tm_sec = numbers[5]
        return Int64(unsafe timegm(&parts))
    }

    // MARK: - The answer

    private static func ask(_ request: Request, _ session: Session) -> Int32 {
        let answer: TrustAnswer
        do throws(KeychainError) {
            answer = try session.connection.evaluate(request.question)
        } catch {
            return complain(error, at: "SecTrustEvaluateWithError")
        }
        if request.asJSON {
            Output.write(json(answer) + "\n", to: STDOUT_FILENO)
            return answer.isTrusted ? 0 : 1
        }
        if request.isVerbose {
            var text = "---\nCertificate chain\n"
            for (index, link) in answer.chain.enumerated() {
                text += " \(index): \(CertificateSubject.summary(link.certificate))\n"
            }
            Output.write(text, to: STDOUT_FILENO)
        }
        if request.printsPEM {
            Output.write(
                answer.chain.map { PEMText.block("CERTIFICATE", $0.certificate) }.joined(),
                to: STDOUT_FILENO)
        }
        guard let worst = answer.worst else {
            if !request.isQuiet {
                Output.write("...certificate verification successful.\n", to: STDOUT_FILENO)
            }
            return 0
        }
        if !request.isQuiet {
            complain(
                worst.fault == .denied
                    ? "SecTrustEvaluate result: kSecTrustResultDeny"
                    : "Cert Verify Result: \(worst.fault.macName)")
        }
        return 1
    }

    /// Whether it is trusted, why not, and the chain with the failed checks of each certificate.
    private static func json(_ answer: TrustAnswer) -> String {
        let chain = answer.chain.map { link in
            let faults = link.faults.map { "\"\($0.key)\"" }.joined(separator: ",")
            return "{\"subject\":\(JSONText.quoted(CertificateSubject.summary(link.certificate))),"
                + "\"failedChecks\":[\(faults)]}"
        }.joined(separator: ",")
        let worst = answer.worst.map { "\($0.fault.status)" } ?? "null"
        return "{\"trusted\":\(answer.isTrusted),\"error\":\(worst),\"chain\":[\(chain)]}"
    }
}

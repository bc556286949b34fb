// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Synchronization
import TestSupport
import TrustWire

/// Certificates that name places in the network, and what openssl answers there.
struct FetchedCertificates: Sendable {
    let made: TestCertificates

    init(in directory: String) throws { made = try TestCertificates(in: directory) }

    /// Makes a server's certificate; `places` are lines of extensions.
    func makeLeaf(_ name: String, _ places: String, signer: String = "root") throws {
        try made.make(
            name, "CN = \(name)", signer: signer,
            "subjectAltName = DNS:server.example\nextendedKeyUsage = serverAuth\n"
                + "keyUsage = critical, digitalSignature\n" + places, days: 90)
    }

    /// Asks about one of them below the root.
    func question(
        _ name: String, _ flags: TrustPolicy.RevocationFlags = []
    ) throws -> TrustQuestion {
        var policies = [TrustPolicy(.sslServer, names: ["server.example"])]
        if !flags.isEmpty { policies.append(TrustPolicy(.revocation, revocation: flags)) }
        var question = TrustQuestion(
            time: Int64(Date().timeIntervalSince1970), certificates: [try made.der(name)],
            policies: policies)
        question.anchors = [try made.der("root")]
        question.options = [.givenAnchorsOnly, .usesNetwork]
        return question
    }

    private func serial(_ name: String) throws -> String {
        let line = try TrustCases.output(
            "openssl", ["x509", "-in", made.path(name), "-noout", "-serial"], in: made.directory)
        let text = String(decoding: line, as: UTF8.self)
        return text.filter { $0 != "\n" }.split(separator: "=").last.map(String.init) ?? ""
    }

    /// Writes openssl's list of what was issued.
    func writeIndex(
        good: [String], revoked: [String] = [], others: Int = 0
    ) throws -> String {
        let file = made.directory + "/index-\(UUID().uuidString).txt"
        var text = ""
        for name in good {
            text += "V\t401231235959Z\t\t\(try serial(name))\tunknown\t/CN=\(name)\n"
        }
        for name in revoked {
            text += "R\t401231235959Z\t260101000000Z\t\(try serial(name))\tunknown\t/CN=\(name)\n"
        }
        for number in 0..<others {
            let serial = "7F" + String(format: "%08X", number)
            text += "R\t401231235959Z\t260101000000Z\t\(serial)\tunknown\t/CN=\(number)\n"
        }
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        try "unique_subject = no\n".write(
            toFile: file + ".attr", atomically: true, encoding: .utf8)
        return file
    }

    /// What openssl's responder answers.
    func response(
        to request: Data, index: String, signer: String = "root", minutes: Int = 60
    ) throws -> Data {
        let file = made.directory + "/\(UUID().uuidString)"
        try request.write(to: URL(fileURLWithPath: file + ".req"))
        _ = try TrustCases.output(
            "openssl",
            [
                "ocsp", "-index", index, "-CA", made.path("root"), "-rsigner", made.path(signer),
                "-rkey", "\(made.directory)/\(signer).key", "-reqin", file + ".req", "-respout",
                file + ".resp", "-nmin", "\(minutes)",
            ], in: made.directory)
        return try Data(contentsOf: URL(fileURLWithPath: file + ".resp"))
    }

    /// A request for one of the certificates, by openssl.
    func request(_ name: String, hasNonce: Bool = true) throws -> Data {
        let file = made.directory + "/\(UUID().uuidString).req"
        _ = try TrustCases.output(
            "openssl",
            [
                "ocsp", "-issuer", made.path("root"), "-cert", made.path(name), "-reqout", file,
            ] + (hasNonce ? [] : ["-no_nonce"]), in: made.directory)
        return try Data(contentsOf: URL(fileURLWithPath: file))
    }

    /// A time of now and so many seconds, as openssl reads it.
    private static func stamp(_ seconds: Int) -> String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "UTC")
        format.dateFormat = "yyyyMMddHHmmss'Z'"
        return format.string(from: Date().addingTimeInterval(TimeInterval(seconds)))
    }

    /// A revocation list of the root's that begins in so many seconds.
    func list(index: String, ahead: Int = 0) throws -> Data {
        let configuration = made.directory + "/list.conf"
        try """
        [ca]
        default_ca = own
        [own]
        database = \(index)
        default_md = sha256
        """.write(toFile: configuration, atomically: true, encoding: .utf8)
        let file = made.directory + "/list-\(UUID().uuidString)"
        _ = try TrustCases.output(
            "openssl",
            [
                "ca", "-gencrl", "-config", configuration, "-keyfile",
                made.directory + "/root.key", "-cert", made.path("root"), "-out", file,
                "-crl_lastupdate", Self.stamp(ahead), "-crl_nextupdate", Self.stamp(86400),
            ], in: made.directory)
        return Data(
            try TrustCases.output(
                "openssl", ["crl", "-in", file, "-outform", "DER"], in: made.directory))
    }
}

/// A text that a server reads and a test changes.
final class FetchSwitch: Sendable {
    private let text = Mutex("")

    var value: String {
        get { text.withLock { $0 } }
        set { text.withLock { $0 = newValue } }
    }

    /// Whether a value of `fetch` starts nothing at all.
    static func isOff(_ value: String?) -> Bool { value == nil || value == "off" }
}

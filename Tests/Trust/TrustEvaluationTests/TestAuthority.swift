// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport

/// An authority with its responses and its list, all DER, made by the `openssl` command.
struct TestAuthority {
    let root: [UInt8]
    let authority: [UInt8]
    let server: [UInt8]
    /// Signed by the authority: the server is good; revoked; and another server is good.
    let good: [UInt8]
    let revoked: [UInt8]
    let goodForOther: [UInt8]
    /// Signed by the root.
    let goodForAuthority: [UInt8]
    /// That the server is revoked: by a responder that the authority named, by a server of the
    /// authority's, and by nobody that it knows.
    let revokedByDelegate: [UInt8]
    let revokedByServer: [UInt8]
    let revokedByStranger: [UInt8]
    /// The authority's list, with the server.
    let list: [UInt8]

    init(in directory: String) throws {
        let made = try TestCertificates(in: directory)
        try made.makeServer("other", signer: "authority")
        let purpose = "extendedKeyUsage = OCSPSigning\nkeyUsage = critical, digitalSignature"
        try made.make("delegate", "CN = Responder", signer: "authority", purpose)
        try made.make("stranger", "CN = Responder", signer: nil, purpose)
        root = try made.der("root")
        authority = try made.der("authority")
        server = try made.der("server")
        let desk = ResponseDesk(directory: directory)
        good = try desk.response(about: "server", by: "authority", is: .good)
        revoked = try desk.response(about: "server", by: "authority", is: .revoked)
        goodForOther = try desk.response(about: "other", by: "authority", is: .good)
        goodForAuthority = try desk.response(
            about: "authority", of: "root", by: "root", is: .good)
        revokedByDelegate = try desk.response(about: "server", by: "delegate", is: .revoked)
        revokedByServer = try desk.response(about: "server", by: "other", is: .revoked)
        revokedByStranger = try desk.response(about: "server", by: "stranger", is: .revoked)
        list = try desk.list(of: "authority", revoking: "server")
    }
}

/// Makes responses and lists of certificates in a directory.
private struct ResponseDesk {
    enum Standing: String {
        case good = "V"
        case revoked = "R"
    }

    let directory: String

    private func run(_ words: [String]) throws -> String {
        String(
            decoding: try TrustCases.output("openssl", words, in: directory), as: UTF8.self)
    }

    /// The list of an authority's certificates, as the command wants it.
    private func index(_ name: String, _ standing: Standing) throws {
        let serial =
            try run(["x509", "-in", "\(name).pem", "-noout", "-serial"])
            .split(separator: "=").last.map { $0.filter(\.isHexDigit) } ?? ""
        let revoked = standing == .revoked ? "200101000000Z" : ""
        try "\(standing.rawValue)\t491231235959Z\t\(revoked)\t\(serial)\tunknown\t/CN=x\n".write(
            toFile: directory + "/index", atomically: true, encoding: .utf8)
    }

    func response(
        about name: String, of issuer: String = "authority", by signer: String,
        is standing: Standing
    ) throws -> [UInt8] {
        try index(name, standing)
        _ = try run([
            "ocsp", "-issuer", "\(issuer).pem", "-cert", "\(name).pem", "-no_nonce", "-reqout",
            "request",
        ])
        _ = try run([
            "ocsp", "-index", "index", "-CA", "\(issuer).pem", "-rsigner", "\(signer).pem",
            "-rkey", "\(signer).key", "-reqin", "request", "-ndays", "2", "-respout", "response",
        ])
        return [UInt8](try TrustCases.output("cat", ["response"], in: directory))
    }

    func list(of issuer: String, revoking name: String) throws -> [UInt8] {
        try index(name, .revoked)
        try "[ca]\ndefault_ca = d\n[d]\ndatabase = index\ndefault_md = sha256\n".write(
            toFile: directory + "/list.conf", atomically: true, encoding: .utf8)
        _ = try run([
            "ca", "-gencrl", "-config", "list.conf", "-cert", "\(issuer).pem", "-keyfile",
            "\(issuer).key", "-crldays", "2", "-out", "list.pem",
        ])
        return [UInt8](
            try TrustCases.output(
                "openssl", ["crl", "-in", "list.pem", "-outform", "DER"], in: directory))
    }
}

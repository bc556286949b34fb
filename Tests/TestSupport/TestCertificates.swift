// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation

/// A root, an authority and certificates of servers, made with the `openssl` command: by other code
/// than the one that is tested.
package struct TestCertificates: Sendable {
    /// Where they are: `NAME.pem` and `NAME.key`.
    package let directory: String

    /// Makes `root`, `authority` below it, and `server` below that, for `server.example`.
    package init(in directory: String) throws {
        self.directory = directory
        try make(
            "root", "CN = Test Root", signer: nil,
            "basicConstraints = critical, CA:TRUE\nkeyUsage = critical, keyCertSign, cRLSign")
        try make(
            "authority", "CN = Test Authority", signer: "root",
            "basicConstraints = critical, CA:TRUE, pathlen:0\n"
                + "keyUsage = critical, keyCertSign, cRLSign")
        try makeServer("server", signer: "authority")
    }

    /// Makes a certificate of `server.example`.
    package func makeServer(_ name: String, signer: String?, days: Int = 90) throws {
        try make(
            name, "CN = server.example", signer: signer,
            "subjectAltName = DNS:server.example, DNS:*.wild.example, IP:192.0.2.1\n"
                + "extendedKeyUsage = serverAuth\nkeyUsage = critical, digitalSignature",
            days: days)
    }

    /// Makes a certificate with a key on P-256.
    /// - Parameters:
    ///   - name: The name of its files.
    ///   - subject: `CN = …`.
    ///   - signer: The name of the authority; nil is itself.
    ///   - extensions: Lines for the openssl command.
    ///   - days: How long it is valid.
    /// - Throws: when openssl fails.
    package func make(
        _ name: String, _ subject: String, signer: String?, _ extensions: String, days: Int = 365
    ) throws {
        let file = directory + "/" + name
        let configuration = """
            [req]
            distinguished_name = name
            prompt = no
            x509_extensions = ext
            [name]
            \(subject)
            [ext]
            subjectKeyIdentifier = hash
            \(signer == nil ? "" : "authorityKeyIdentifier = keyid")
            \(extensions)

            """
        try configuration.write(toFile: file + ".conf", atomically: true, encoding: .utf8)
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        if let signer {
            try openssl(
                [
                    "req", "-new", "-config", file + ".conf", "-keyout", file + ".key", "-out",
                    file + ".csr",
                ] + key)
            try openssl(
                [
                    "x509", "-req", "-in", file + ".csr", "-CA", "\(directory)/\(signer).pem",
                    "-CAkey", "\(directory)/\(signer).key", "-CAcreateserial", "-extfile",
                    file + ".conf", "-extensions", "ext", "-days", "\(days)", "-out",
                    file + ".pem",
                ])
        } else {
            try openssl(
                [
                    "req", "-x509", "-config", file + ".conf", "-keyout", file + ".key", "-out",
                    file + ".pem", "-days", "\(days)",
                ] + key)
        }
    }

    private func openssl(_ words: [String]) throws {
        _ = try TrustCases.output("openssl", words, in: directory)
    }

    /// The path of a certificate.
    package func path(_ name: String) -> String { "\(directory)/\(name).pem" }

    /// The DER of a certificate.
    package func der(_ name: String) throws -> [UInt8] {
        [UInt8](
            try TrustCases.output("openssl", ["x509", "-in", path(name), "-outform", "DER"]))
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing
import TranscodingWire

/// What is written, as other programs read it.
@Suite struct FileWritingTests {
    private func objects(_ name: String, _ passphrase: String? = nil) throws -> [TranscodedObject] {
        try ImportSamples.read(ImportSamples.data(name), passphrase).objects
    }

    private func pair() throws -> [TranscodedObject] { try objects("openssl-aes.p12", "secret") }

    /// Runs a program on a file.
    private func run(
        _ program: String, _ words: [String], on data: Data, input: String = ""
    ) throws -> TestProcess.Result {
        try TemporaryDirectory.lend { directory in
            let file = directory + "/file"
            try data.write(to: URL(fileURLWithPath: file))
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: file)
            return try TestProcess.run(
                "/usr/bin/" + program, words.map { $0 == "FILE" ? file : $0 }, input: input)
        }
    }

    @Test func openSSLOpensThePairThatWasWritten() throws {
        let data = try ImportSamples.write(pair(), .pkcs12, "secret", rounds: 2048)
        let info = try run(
            "openssl", ["pkcs12", "-in", "FILE", "-info", "-nodes", "-passin", "pass:secret"],
            on: data)
        #expect(info.ending == .exit(0))
        for text in [
            "MAC: sha256, Iteration 2048",
            "PBES2, PBKDF2, AES-256-CBC, Iteration 2048, PRF hmacWithSHA256",
            "friendlyName: sample", "subject=CN = Sample EC", "BEGIN PRIVATE KEY",
        ] {
            #expect((info.output + info.errors).contains(text), "\(text)")
        }
        let wrong = try run(
            "openssl", ["pkcs12", "-in", "FILE", "-nodes", "-passin", "pass:other"], on: data)
        #expect(wrong.ending != .exit(0))
    }

    /// Without a wish, the counts are 100,000 for each derivation of PKCS #12 and 600,000 for PKCS #8.
    @Test func theUsualNumbersOfRoundsAreHigh() throws {
        let file = try run(
            "openssl", ["pkcs12", "-in", "FILE", "-info", "-nodes", "-passin", "pass:secret"],
            on: ImportSamples.write(pair(), .pkcs12, "secret"))
        let text = file.output + file.errors
        #expect(text.contains("MAC: sha256, Iteration 100000"))
        #expect(text.contains("PBES2, PBKDF2, AES-256-CBC, Iteration 100000, PRF hmacWithSHA256"))
        let key = try run(
            "openssl", ["asn1parse", "-inform", "DER", "-in", "FILE"],
            on: ImportSamples.write(objects("ec-sec1.der"), .wrappedPKCS8, "secret"))
        #expect(key.output.contains(":0927C0"))
        #expect(key.output.contains(":hmacWithSHA256"))
        #expect(key.output.contains(":aes-256-cbc"))
    }

    @Test func aPassphraseIsNeededWhereAFormatHasOne() throws {
        for (objects, format) in [
            (try pair(), CodingFormat.pkcs12), (try objects("ec-sec1.der"), .wrappedPKCS8),
        ] {
            do throws(TranscodingFailure) {
                _ = try ImportSamples.write(objects, format)
                Issue.record("\(format) was written without a passphrase")
            } catch { #expect(error == .passphraseNeeded) }
        }
    }

    @Test func eachKeyIsReadAgainFromEachFormat() throws {
        for name in ["rsa-pkcs1.pem", "ec-sec1.der", "ssh-ecdsa", "ed25519-pkcs8.pem"] {
            let key = try objects(name)
            for (format, isText) in [
                (CodingFormat.openSSL, false), (.openSSL, true), (.wrappedPKCS8, false),
                (.wrappedPKCS8, true), (.pemSequence, true), (.pkcs12, false),
            ] {
                let isWrapped = format == .wrappedPKCS8 || format == .pkcs12
                let passphrase = isWrapped ? "secret" : nil
                let data = try ImportSamples.write(
                    key, format, isText: isText, passphrase, rounds: 2048)
                let file = try ImportSamples.read(data, passphrase)
                #expect(file.objects.count == 1, "\(name) \(format)")
                #expect(
                    ImportSamples.bytes(file.objects[0].bytes)
                        == ImportSamples.bytes(key[0].bytes),
                    "\(name) \(format)")
                #expect(file.objects[0].keyType == key[0].keyType)
            }
        }
    }

    @Test func openSSLReadsKeysAndCertificates() throws {
        for name in ["rsa-pkcs1.pem", "ec-sec1.der", "ed25519-pkcs8.pem"] {
            let text = try ImportSamples.write(objects(name), .openSSL, isText: true)
            let answer = try run("openssl", ["pkey", "-in", "FILE", "-noout", "-check"], on: text)
            #expect(answer.output.contains("Key is valid"), "\(name)")
        }
        let certificates = try objects("certificates.p7b")
        let bag = try run(
            "openssl", ["pkcs7", "-in", "FILE", "-print_certs", "-noout"],
            on: ImportSamples.write(certificates, .pkcs7, isText: true))
        #expect(bag.output.contains("Sample RSA") && bag.output.contains("Sample EC"))
        let sequence = try run(
            "openssl", ["nseq", "-in", "FILE"],
            on: ImportSamples.write(certificates, .netscape, isText: true))
        #expect(sequence.output.components(separatedBy: "BEGIN CERTIFICATE").count == 3)
        let der = try ImportSamples.write(objects("certificate.der"), .x509)
        #expect(try der == ImportSamples.data("certificate.der"))
    }

    @Test func sshKeygenReadsThePublicKeysThatWereWritten() throws {
        for name in ["ssh-rsa.pub", "ssh-ecdsa.pub", "ssh-ed25519.pub"] {
            let line = try ImportSamples.write(objects(name), .ssh)
            #expect(try line == ImportSamples.data(name), "\(name)")
            let answer = try run("ssh-keygen", ["-l", "-f", "FILE"], on: line)
            #expect(answer.ending == .exit(0))
            #expect(answer.output.contains("sample@host"))
        }
    }

    @Test func certtoolAndPythonOpenThePairThatWasWritten() throws {
        let data = try ImportSamples.write(pair(), .pkcs12, "secret", rounds: 2048)
        let info = try run(
            "certtool", ["--p12-info", "--inder", "--password", "secret", "--infile", "FILE"],
            on: data)
        #expect(info.ending == .exit(0), "\(info.errors)")
        #expect(info.output.contains("BEGIN CERTIFICATE"))
        #expect(info.output.contains("sample"))
        let script = """
            import sys
            from cryptography.hazmat.primitives.serialization import pkcs12
            pair = pkcs12.load_pkcs12(open(sys.argv[1], "rb").read(), b"secret")
            assert pair.key.public_key() == pair.cert.certificate.public_key()
            print(pair.cert.friendly_name.decode(), pair.cert.certificate.subject.rfc4514_string())
            """
        let python = try run("env", ["python3", "-c", script, "FILE"], on: data)
        #expect(python.output == "sample CN=Sample EC\n", "\(python.errors)")
    }

    @Test func nssImportsThePairThatWasWritten() throws {
        try TemporaryDirectory.lend { directory in
            let file = directory + "/file"
            try ImportSamples.write(pair(), .pkcs12, "secret", rounds: 2048)
                .write(to: URL(fileURLWithPath: file))
            let database = "sql:" + directory
            _ = try TestProcess.run(
                "/usr/bin/certutil", ["-N", "-d", database, "--empty-password"])
            let answer = try TestProcess.run(
                "/usr/bin/pk12util", ["-i", file, "-d", database, "-W", "secret", "-K", ""])
            #expect(answer.ending == .exit(0), "\(answer.errors)")
            let list = try TestProcess.run("/usr/bin/certutil", ["-L", "-d", database])
            #expect(list.output.contains("sample"))
        }
    }

    /// gpgsm of Debian 12 reads no PKCS #12 with AES; FileReadingTests has a file that it wrote.
    @Test func gpgsmImportsTheCertificatesThatWereWritten() throws {
        try TemporaryDirectory.lend { directory in
            let file = directory + "/file"
            try ImportSamples.write(objects("certificates.p7b"), .pkcs7)
                .write(to: URL(fileURLWithPath: file))
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o700], ofItemAtPath: directory)
            var options = TestProcess.Options()
            options.environment = ["GNUPGHOME": directory, "PATH": "/usr/bin:/bin"]
            let answer = try TestProcess.run(
                "/usr/bin/gpgsm", ["--batch", "--import", file], options)
            _ = try TestProcess.run("/usr/bin/gpgconf", ["--kill", "all"], options)
            #expect(answer.errors.contains("total number processed: 2"), "\(answer.errors)")
            #expect(answer.errors.contains("imported: 2"), "\(answer.errors)")
        }
    }

    @Test func whatAFormatCannotHaveIsRefused() throws {
        let key = try objects("ec-sec1.der")
        let certificate = try objects("certificate.der")
        for (objects, format) in [
            (key, CodingFormat.x509), (key, .pkcs7), (key, .ssh), (key, .raw),
            (certificate, .openSSL), (certificate, .wrappedPKCS8), (certificate + key, .openSSL),
            (key, .wrappedOpenSSL), (key, .wrappedSSH), ([], .pemSequence),
        ] {
            do throws(TranscodingFailure) {
                _ = try ImportSamples.write(objects, format, "secret", rounds: 2048)
                Issue.record("\(format) was written")
            } catch { #expect(error == .unsupported, "\(format)") }
        }
    }
}

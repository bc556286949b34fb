// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import SecretBytes
import TPMClient
import TestSupport
import Testing

extension TPMTests {
    /// The same with another implementation: tpm2-tools on tpm2-tss.
    @Suite struct Oracle {
        @Test func namesAndMACsAreThoseOfAnotherClient() throws {
            try TestTPM.run { tpm in
                var device: TPMDevice? = try TPMFixture.make(tpm, hasCounter: true)
                try device?.makeCounter()
                let record = try #require(device?.record)
                let message = [UInt8]("a message".utf8)
                let mac = try #require(
                    try device?.authenticate(TPMFixture.secret(message)).array)
                let counter = try #require(try device?.readCounter())
                device = nil
                let parts = RecordParts(record)
                let folder = tpm.directory
                func write(_ bytes: [UInt8], _ name: String) throws -> String {
                    let path = folder + "/" + name
                    try Data(bytes).write(to: URL(fileURLWithPath: path))
                    return path
                }
                func read(_ name: String) throws -> [UInt8] {
                    [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name)))
                }
                func sized(_ bytes: [UInt8]) -> [UInt8] {
                    [UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes
                }
                let zeros = try write(TPMFixture.unique, "unique")
                try tpm.mustRun(
                    "createprimary", "-C", "o", "-g", "sha256", "-G", "ecc256:null:aes128cfb", "-a",
                    "fixedtpm|fixedparent|sensitivedataorigin|userwithauth|noda|restricted|decrypt",
                    "-u", zeros, "-c", folder + "/parent.ctx")
                try tpm.mustRun(
                    "readpublic", "-c", folder + "/parent.ctx", "-n", folder + "/parent.name")
                #expect(try read("parent.name") == parts.storageKeyName)
                try tpm.mustRun(
                    "load", "-C", folder + "/parent.ctx",
                    "-u", try write(sized(parts.publicArea), "key.pub"),
                    "-r", try write(sized(parts.privateArea), "key.priv"),
                    "-n", folder + "/key.name", "-c", folder + "/key.ctx")
                try tpm.mustRun(
                    "hmac", "-c", folder + "/key.ctx", "-o", folder + "/mac",
                    try write(message, "message"))
                #expect(try read("mac") == mac)
                // Its index, as the other client sees it.
                let number = "0x" + String(parts.counterNumber, radix: 16)
                let said = try tpm.mustRun("nvreadpublic", number)
                #expect(said.contains("value: 0x22040014"))
                #expect(counter > 0)
            }
        }

        @Test func indexAndPolicyAreAsTheDocumentationSays() throws {
            try TestTPM.run { tpm in
                var device: TPMDevice? = try TPMFixture.make(tpm)
                let made = try #require(
                    try device?.enrol(
                        TPMFixture.passcode(1), context: TPMFixture.context,
                        attemptLimit: TPMFixture.limit))
                let record = try #require(device?.record)
                _ = TPMFixture.outcome(try #require(device), 2, made.sealed)
                device = nil
                let parts = SealedParts(made.sealed)
                let said = try tpm.mustRun("nvreadpublic", parts.indexName)
                #expect(said.contains("value: 0x22060088"))
                for attribute in ["policywrite", "ownerread", "authread", "no_da", "written"] {
                    #expect(said.contains(attribute), "\(attribute) in \(said)")
                }
                for attribute in ["ownerwrite", "authwrite", "policydelete"] {
                    #expect(!said.contains(attribute), "\(attribute) in \(said)")
                }
                let policy = parts.writePolicy.map { String(format: "%02X", $0) }.joined()
                #expect(said.uppercased().contains(policy))
                // pinCount 1, pinLimit 5, as its owner reads it.
                let value = try tpm.mustRun(
                    "nvread", "-C", "o", "-s", "8", "-o", tpm.directory + "/value",
                    parts.indexName)
                #expect(value == "")
                let bytes = [UInt8](
                    try Data(contentsOf: URL(fileURLWithPath: tpm.directory + "/value")))
                #expect(bytes == [0, 0, 0, 1, 0, 0, 0, 5])
                #expect(record.kind == .software)
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation
import SecretBytes
import TPMClient
import TestSupport
import Testing

extension TPMTests {
    /// An attacker who has all rights on the machine, its files and its TPM, but not the passcode.
    ///
    /// Each attack is first run on a design without the defense, where it succeeds: a control.
    @Suite struct Attacks {
        private static func enrolled(
            _ body: (TestTPM, TPMRecord, [UInt8], [UInt8]) throws -> Void
        ) throws {
            try TestTPM.run { tpm in
                var device: TPMDevice? = try TPMFixture.make(tpm)
                let made = try #require(
                    try device?.enrol(
                        TPMFixture.passcode(1), context: TPMFixture.context,
                        attemptLimit: TPMFixture.limit))
                let record = try #require(device?.record)
                device = nil
                try body(tpm, record, made.sealed, made.opened.entropy.array)
            }
        }

        private static func guesses(
            _ tpm: TestTPM, _ record: TPMRecord, _ sealed: [UInt8], _ numbers: Range<UInt8>
        ) throws -> [Result<[UInt8], TPMFailure>] {
            let device = try TPMFixture.use(record, tpm)
            return numbers.map { TPMFixture.outcome(device, $0, sealed) }
        }

        /// A design in which the owner may write the count: the attacker sets it to 0.
        @Test func ownerCannotSetTheCountBack() throws {
            try Self.enrolled { tpm, record, sealed, entropy in
                let zero = tpm.directory + "/zero"
                try Data([0, 0, 0, 0, 0, 0, 0, 5]).write(to: URL(fileURLWithPath: zero))
                let naive = "0x1800777"
                try tpm.mustRun(
                    "nvdefine", "-C", "o", "-s", "8", "-p", "right", "-a",
                    "nt=pinfail|ownerwrite|ownerread|authread|no_da", naive)
                try tpm.mustRun("nvwrite", "-C", "o", "-i", zero, naive)
                for _ in 0..<5 {
                    #expect(
                        try tpm.tool("nvread", "-C", naive, "-P", "wrong", naive).ending
                            != .exit(0))
                }
                #expect(
                    try tpm.tool("nvread", "-C", naive, "-P", "right", naive).ending != .exit(0))
                try tpm.mustRun("nvwrite", "-C", "o", "-i", zero, naive)
                try tpm.mustRun("nvread", "-C", naive, "-P", "right", naive)
                // Our design.
                let wrong = try Self.guesses(tpm, record, sealed, 2..<7)
                #expect(wrong.allSatisfy { $0 == .failure(.wrongAuthorization) })
                let index = SealedParts(sealed).indexName
                for words in [
                    ["-C", "o"], ["-C", index], ["-C", "p"], ["-C", index, "-P", "x"],
                ] {
                    let result = try tpm.tool("nvwrite", words + ["-i", zero, index])
                    #expect(result.ending != .exit(0), "\(words)")
                }
                #expect(try Self.guesses(tpm, record, sealed, 1..<2) == [.failure(.exhausted)])
                #expect(entropy.count == 32)
            }
        }

        /// A design in which the owner may replace the index that counts: its name doesn't contain
        /// its authorization value, so the policy is satisfied.
        @Test func ownerCannotPutAnotherIndexInItsPlace() throws {
            try Self.enrolled { tpm, record, sealed, _ in
                let folder = tpm.directory
                let zero = folder + "/zero"
                try Data([0, 0, 0, 0, 0, 0, 0, 5]).write(to: URL(fileURLWithPath: zero))
                let naive = "0x1800777"
                func define(_ authorization: String) throws {
                    try tpm.mustRun(
                        "nvdefine", "-C", "o", "-s", "8", "-p", authorization, "-a",
                        "nt=pinfail|ownerwrite|ownerread|authread|no_da", naive)
                    try tpm.mustRun("nvwrite", "-C", "o", "-i", zero, naive)
                }
                func policy(_ authorization: String, _ session: String) throws {
                    try tpm.mustRun(
                        "policysecret", "-S", session, "-c", naive, authorization,
                        "-L", folder + "/policy")
                }
                try define("right")
                try tpm.mustRun("startauthsession", "-S", folder + "/trial")
                try policy("right", folder + "/trial")
                try tpm.mustRun("flushcontext", folder + "/trial")
                try tpm.mustRun("createprimary", "-C", "o", "-G", "ecc", "-c", folder + "/parent")
                try Data("hidden".utf8).write(to: URL(fileURLWithPath: folder + "/hidden"))
                try tpm.mustRun(
                    "create", "-C", folder + "/parent", "-i", folder + "/hidden",
                    "-L", folder + "/policy", "-u", folder + "/pub", "-r", folder + "/priv",
                    "-a", "fixedtpm|fixedparent|noda")
                try tpm.mustRun("nvundefine", "-C", "o", naive)
                try define("attacker")
                try tpm.mustRun(
                    "load", "-C", folder + "/parent", "-u", folder + "/pub",
                    "-r", folder + "/priv", "-c", folder + "/sealed")
                try tpm.mustRun(
                    "startauthsession", "--policy-session", "-S", folder + "/session")
                try policy("attacker", folder + "/session")
                let taken = try tpm.mustRun(
                    "unseal", "-c", folder + "/sealed", "-p", "session:" + folder + "/session")
                #expect(taken == "hidden")
                // Our design: the same public area, another authorization value.
                let parts = SealedParts(sealed)
                let policyFile = folder + "/write-policy"
                try Data(parts.writePolicy).write(to: URL(fileURLWithPath: policyFile))
                try tpm.mustRun("nvundefine", "-C", "o", parts.indexName)
                try tpm.mustRun(
                    "nvdefine", "-C", "o", "-s", "8", "-p", "attacker", "-L", policyFile, "-a",
                    "nt=pinfail|policywrite|ownerread|authread|no_da", parts.indexName)
                // It can't be written, so it never has the name that the policy requires.
                for who in ["o", parts.indexName] {
                    let result = try tpm.tool(
                        "nvwrite", "-C", who, "-P", who == "o" ? "" : "attacker", "-i", zero,
                        parts.indexName)
                    #expect(result.ending != .exit(0))
                }
                // A foreign index can't make the right passcode look wrong.
                let opened = try Self.guesses(tpm, record, sealed, 1..<2)
                #expect(opened == [.failure(.replaced)])
                // Neither can one that the owner can write.
                try tpm.mustRun("nvundefine", "-C", "o", parts.indexName)
                try tpm.mustRun(
                    "nvdefine", "-C", "o", "-s", "8", "-p", "attacker", "-L", policyFile, "-a",
                    "nt=pinfail|ownerwrite|policywrite|ownerread|authread|no_da",
                    parts.indexName)
                try tpm.mustRun("nvwrite", "-C", "o", "-i", zero, parts.indexName)
                let again = try Self.guesses(tpm, record, sealed, 1..<2)
                #expect(again == [.failure(.replaced)])
            }
        }

        /// The owner resets the lockout of the whole TPM repeatedly: our count stays.
        @Test func resettingTheLockoutGivesNoGuesses() throws {
            try Self.enrolled { tpm, record, sealed, _ in
                let wrong = try Self.guesses(tpm, record, sealed, 2..<7)
                #expect(wrong.allSatisfy { $0 == .failure(.wrongAuthorization) })
                try tpm.mustRun("dictionarylockout", "-c")
                try tpm.mustRun("dictionarylockout", "-s", "-n", "100", "-t", "1", "-l", "1")
                tpm.stop()
                try tpm.start()
                #expect(try Self.guesses(tpm, record, sealed, 1..<2) == [.failure(.exhausted)])
            }
        }

        /// Without the index, only the object is left. Neither its authorization value nor an empty
        /// one opens it without the policy, and neither can be changed.
        @Test func sealedObjectOpensByItsPolicyAlone() throws {
            try Self.enrolled { tpm, record, sealed, _ in
                let folder = tpm.directory
                let parts = SealedParts(sealed)
                func file(_ bytes: [UInt8], _ name: String) throws -> String {
                    let head = [UInt8(bytes.count >> 8), UInt8(bytes.count & 255)]
                    try Data(head + bytes).write(to: URL(fileURLWithPath: folder + "/" + name))
                    return folder + "/" + name
                }
                let zeros = folder + "/zeros"
                try Data(TPMFixture.unique).write(to: URL(fileURLWithPath: zeros))
                try tpm.mustRun(
                    "createprimary", "-C", "o", "-g", "sha256", "-G", "ecc256:null:aes128cfb", "-a",
                    "fixedtpm|fixedparent|sensitivedataorigin|userwithauth|noda|restricted|decrypt",
                    "-u", zeros, "-c", folder + "/parent")
                try tpm.mustRun(
                    "load", "-C", folder + "/parent", "-u", try file(parts.publicArea, "pub"),
                    "-r", try file(parts.privateArea, "priv"), "-c", folder + "/object")
                #expect(try tpm.tool("unseal", "-c", folder + "/object").ending != .exit(0))
                #expect(
                    try tpm.tool("unseal", "-c", folder + "/object", "-p", "x").ending != .exit(0))
                try tpm.mustRun(
                    "startauthsession", "--policy-session", "-S", folder + "/session")
                #expect(
                    try tpm.tool(
                        "unseal", "-c", folder + "/object", "-p", "session:" + folder + "/session"
                    ).ending != .exit(0))
                try tpm.mustRun("flushcontext", folder + "/session")
                let changed = try tpm.tool(
                    "changeauth", "-C", folder + "/parent", "-c", folder + "/object",
                    "-r", folder + "/new", "x")
                #expect(changed.ending != .exit(0))
                let duplicated = try tpm.tool(
                    "duplicate", "-C", "null", "-c", folder + "/object", "-G", "null",
                    "-r", folder + "/copy", "-s", folder + "/seed")
                #expect(duplicated.ending != .exit(0))
            }
        }

        /// The device key can't leave the TPM, and can't be loaded below another parent.
        @Test func deviceKeyStaysInItsTPM() throws {
            try Self.enrolled { tpm, record, _, _ in
                let folder = tpm.directory
                let parts = RecordParts(record)
                func file(_ bytes: [UInt8], _ name: String) throws -> String {
                    let head = [UInt8(bytes.count >> 8), UInt8(bytes.count & 255)]
                    try Data(head + bytes).write(to: URL(fileURLWithPath: folder + "/" + name))
                    return folder + "/" + name
                }
                let (pub, priv) = (
                    try file(parts.publicArea, "pub"), try file(parts.privateArea, "priv")
                )
                try tpm.mustRun("createprimary", "-C", "e", "-G", "ecc", "-c", folder + "/other")
                let loaded = try tpm.tool(
                    "load", "-C", folder + "/other", "-u", pub, "-r", priv, "-c", folder + "/key")
                #expect(loaded.ending != .exit(0))
                _ = try TestTPM.run { second in
                    #expect(throws: TPMFailure.otherDevice) {
                        try TPMFixture.use(record, second).check()
                    }
                }
                // A cleared TPM is another one.
                try tpm.mustRun("clear")
                #expect(throws: TPMFailure.otherDevice) {
                    try TPMFixture.use(record, tpm).check()
                }
            }
        }

        /// No part of a passcode or of the opened value is sent in clear.
        @Test func wireCarriesNoSecret() throws {
            try TestTPM.run { tpm in
                let transport = RecordingTransport(
                    DescriptorTransport(owning: try tpm.connect()))
                let device = try TPMDevice.make(
                    TPMConnection(transport), isShared: false, mayBeHardware: false,
                    hasCounter: false)
                let made = try device.enrol(
                    TPMFixture.passcode(0xA5), context: TPMFixture.context,
                    attemptLimit: TPMFixture.limit)
                let opened = try device.open(
                    TPMFixture.passcode(0xA5), sealed: made.sealed, context: TPMFixture.context)
                let wire = Data(transport.everything)
                for secret in [
                    TPMFixture.passcode(0xA5), opened.entropy, opened.tangled,
                ] { #expect(wire.range(of: Data(secret.array.prefix(16))) == nil) }
                // The control: values that aren't secret are found.
                #expect(wire.range(of: Data(SealedParts(made.sealed).publicArea)) != nil)
            }
        }

        /// This is *not* claimed: an emulated TPM keeps its count in a file, which can be rolled
        /// back.
        @Test func softwareTPMsCountGoesBackWithItsFiles() throws {
            try Self.enrolled { tpm, record, sealed, entropy in
                try TemporaryDirectory.lend { copy in
                    tpm.stop()
                    try tpm.saveState(to: copy)
                    try tpm.start()
                    _ = try Self.guesses(tpm, record, sealed, 2..<7)
                    #expect(
                        try Self.guesses(tpm, record, sealed, 1..<2) == [.failure(.exhausted)])
                    tpm.stop()
                    try tpm.restoreState(from: copy)
                    try tpm.start()
                    #expect(try Self.guesses(tpm, record, sealed, 1..<2) == [.success(entropy)])
                }
            }
        }
    }
}

/// Records all bytes on the wire.
final class RecordingTransport: TPMTransport {
    private let inner: any TPMTransport
    private(set) var everything: [UInt8] = []
    private(set) var responses: [[UInt8]] = []

    init(_ inner: any TPMTransport) { self.inner = inner }

    func exchange(_ command: [UInt8], deadline: Int) throws(TPMFailure) -> [UInt8] {
        let response = try inner.exchange(command, deadline: deadline)
        everything += command + response
        responses.append(response)
        return response
    }
}

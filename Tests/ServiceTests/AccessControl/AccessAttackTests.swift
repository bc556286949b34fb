// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import Foundation
import IPC
import Keychain
import KeychainVocabulary
import SecretBytes
import Supervision
import TestSupport
import Testing

extension ServiceTests {
    /// Attacks on access control over the released programs.
    @Suite struct AccessAttackTests {
        private static let user = geteuid()
        private static let uuid = [UInt8](repeating: 9, count: 16)

        /// A released enclaved whose client is this test, in the place of a securityd that an attacker
        /// has taken over.
        private static func lend(
            _ body: (inout EnclaveClient, _ stateDirectory: String) throws -> Void
        ) throws {
            try TemporaryDirectory.lend { directory in
                let (ours, theirs) = try UnixSocket.pair()
                var options = ChildProcess.Options()
                options.descriptors = [theirs]
                options.hasNoInput = true
                let process = try ChildProcess.start(
                    try Binaries.path("enclaved"),
                    [
                        "enclaved", "--state", directory, "--connections", "1", "--device-key",
                        "file",
                    ], options)
                close(theirs)
                defer {
                    kill(process, SIGKILL)
                    var status: Int32 = 0
                    _ = unsafe waitpid(process, &status, 0)
                }
                var client = EnclaveClient(socket: Descriptor(owning: ours))
                try body(&client, directory)
            }
        }

        private static func scope(_ context: UInt8, origin: UInt8 = 1) throws -> AccessScope {
            try #require(
                AccessScope(
                    context: [UInt8](repeating: context, count: 32),
                    origin: [UInt8](repeating: origin, count: 32)))
        }

        private static func question(
            _ control: AccessControl, _ scope: AccessScope, uuid: [UInt8] = uuid
        ) throws -> AccessQuestion {
            let digest = Array(SHA256.hash(data: control.encoded))
            let subject = try #require(AccessSubject(uuid: uuid, controlDigest: digest))
            return try #require(
                AccessQuestion(
                    operation: .decrypt, scope: scope, subjects: [subject], application: "app",
                    purpose: "why"))
        }

        private static func letter(
            _ operation: PasscodeOperation, _ passcode: String, _ digest: [UInt8],
            _ client: inout EnclaveClient, _ directory: String, nonce: [UInt8]? = nil
        ) throws -> [UInt8] {
            let nonce = try nonce ?? client.challenge(userID: user)
            let bytes = [UInt8](passcode.utf8)
            var plaintext = ByteWriter()
            plaintext.bytes(nonce)
            plaintext.u16(UInt16(bytes.count))
            plaintext.bytes(bytes)
            plaintext.bytes(digest)
            var context = ByteWriter()
            context.u8(operation.rawValue)
            context.u32(user)
            let key = try Data(
                contentsOf: URL(fileURLWithPath: directory + "/enclave/passcode.pub"))
            var sender = try HPKE.Sender(
                recipientKey: Curve25519.KeyAgreement.PublicKey(rawRepresentation: key),
                ciphersuite: HPKE.Ciphersuite(
                    kem: .Curve25519_HKDF_SHA256, kdf: .HKDF_SHA256, aead: .AES_GCM_256),
                info: Data("llavero passcode 1".utf8))
            let ciphertext = try sender.seal(plaintext.bytes, authenticating: context.bytes)
            return [UInt8](sender.encapsulatedKey) + [UInt8](ciphertext)
        }

        private static func code(
            _ row: SealedSecret, _ scope: AccessScope, _ client: inout EnclaveClient
        ) throws -> EnclaveCallError? {
            switch try client.open([row], under: scope, userID: user).first {
            case .success: nil
            case .failure(let error): error
            case nil: .malformed
            }
        }

        /// A program leaves a question unanswered on a terminal of its own, for as long as a question may
        /// take: a minute. Another program's item under a password of the application is stored and read
        /// meanwhile.
        /// Red team: ephemeral; U, holds up other questions alone.
        /// Before: nothing.
        @Test func anUnansweredQuestionHoldsUpNoPasswordOfAnApplication() throws {
            try TestService.run { service in
                try service.keychain.setPasscode(SecretBytes(passcode: "1234"))
                let attacker = try PersonTerminal(service, ["add:evil:userPresence", "read:evil"])
                #expect(try attacker.next({ .nothing }).isStep)
                #expect(try attacker.next({ .nothing }) == .question)
                let start = ContinuousClock.now
                let story = try PersonTerminal.run(
                    service,
                    [
                        "context:c", "password:c:word", "add:bank:applicationPassword:c",
                        "read:bank:c", "invalidate:c",
                    ])
                #expect(
                    story.steps.suffix(3) == [
                        "add:bank:applicationPassword:c 0", "read:bank:c 0 secret of bank",
                        "invalidate:c 0",
                    ])
                // The question ends later.
                #expect(start.duration(to: .now) < .seconds(40))
            }
        }

        @Test func a14ATakenOverSecuritydOpensNothingWithoutAnApprovalForThatItem() throws {
            try Self.lend { client, directory in
                _ = try client.status(userID: Self.user)
                try client.passcode(
                    operation: .set,
                    sealed: try Self.letter(.set, "1234", [], &client, directory),
                    userID: Self.user)
                let control = AccessControl(
                    protectionClass: ProtectionClass.ak.rawValue,
                    operations: [.decrypt: .owner, .encrypt: .always, .delete: .always])
                let binding = try #require(
                    SecretBinding(
                        protectionClass: .ak, context: [UInt8](repeating: 1, count: 32)))
                func sealed(_ uuid: [UInt8]) throws -> SealedSecret {
                    let new = GuardedSecret(
                        binding: binding, uuid: uuid, control: control,
                        secret: Secret(SecretBytes(byteCount: 8)))
                    return SealedSecret(
                        binding: binding,
                        sealed: try client.seal(
                            new, under: try Self.scope(1), userID: Self.user))
                }
                let row = try sealed(Self.uuid)
                let other = try sealed([UInt8](repeating: 5, count: 16))
                let scope = try Self.scope(1)

                // No request opens it.
                #expect(try Self.code(row, scope, &client) == .personNeeded)
                let plain = try client.open([row], userID: Self.user).first
                if case .success? = plain { Issue.record("The plain request opened it.") }
                #expect(throws: EnclaveCallError.personNeeded) {
                    try client.rebind(
                        row, toClass: .ak, context: binding.context, userID: Self.user)
                }
                for change: NewControl in [.same, .removed] {
                    #expect(throws: EnclaveCallError.personNeeded) {
                        try client.rebind(
                            row, to: binding, uuid: Self.uuid, change, under: scope,
                            userID: Self.user)
                    }
                }

                // A letter of the person's, for this item: for another one it is nothing, and the
                // nonce is used up.
                let question = try Self.question(control, scope)
                let digest = Array(SHA256.hash(data: question.encoded))
                let swapped = try Self.letter(.approve, "1234", digest, &client, directory)
                let otherQuestion = try Self.question(
                    control, scope, uuid: [UInt8](repeating: 5, count: 16))
                func approve(_ question: AccessQuestion, _ letter: [UInt8]) throws {
                    try client.approve(
                        question, letter: letter, userID: Self.user, isIdentified: true)
                }
                #expect(throws: EnclaveCallError.accessRefused) {
                    try approve(otherQuestion, swapped)
                }
                #expect(throws: EnclaveCallError.staleChallenge) { try approve(question, swapped) }
                // An unlock with the right passcode is no approval.
                try client.passcode(
                    operation: .unlock,
                    sealed: try Self.letter(.unlock, "1234", [], &client, directory),
                    userID: Self.user)
                #expect(try Self.code(row, scope, &client) == .personNeeded)

                // The control: the approval for this item opens this item, in this context, to this
                // process.
                let good = try Self.letter(.approve, "1234", digest, &client, directory)
                try approve(question, good)
                #expect(try Self.code(row, scope, &client) == nil)
                #expect(try Self.code(other, scope, &client) == .personNeeded)
                #expect(try Self.code(row, try Self.scope(2), &client) == .personNeeded)
                #expect(throws: EnclaveCallError.accessRefused) {
                    try client.open(
                        [row], under: try Self.scope(1, origin: 2), userID: Self.user)
                }
                #expect(throws: EnclaveCallError.staleChallenge) { try approve(question, good) }
            }
        }

        /// An agent that doesn't ask, and says that the person agreed.
        private static let yesSayer = """
            #!/usr/bin/env python3
            import os, socket
            s = socket.socket(fileno=3)
            while True:
                m = s.recv(65536)
                if not m: break
                if m[0] == 1 or m[0] == 4: s.send(b"\\x01")
                elif m[0] == 2: s.send(b"\\x02" + os.urandom(96))
            """

        @Test func a17AnAgentThatAlwaysSaysYesProvesNothing() throws {
            try TemporaryDirectory.lend { directory in
                var options = TestService.Options()
                options.program = try Binaries.copyDaemons(to: directory)
                let agent = directory + "/llavero-agent"
                try FileManager.default.removeItem(atPath: agent)
                try Self.yesSayer.write(toFile: agent, atomically: false, encoding: .utf8)
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o755], ofItemAtPath: agent)
                try TestService.run(options) { service in
                    try service.keychain.setPasscode(SecretBytes(passcode: "1234"))
                    let story = try PersonTerminal.run(
                        service, ["add:bank:userPresence", "read:bank", "read:bank:-:fail"])
                    #expect(
                        story.steps == [
                            "add:bank:userPresence 0", "read:bank -25293",
                            "read:bank:-:fail -25308",
                        ])
                }
            }
        }

        /// The bytes of a context are of use to its own process alone.
        @Test func a18AnExternalizedContextIsOfNoUseToAnotherProcess() throws {
            try TestService.run { service in
                try service.keychain.setPasscode(SecretBytes(passcode: "1234"))
                let first = try PersonTerminal(
                    service,
                    ["add:bank:userPresence", "context:a", "read:bank:a", "outside:a", "wait"])
                var bytes = ""
                while bytes.isEmpty {
                    guard case .step(let step) = try first.next({ .entry("1234") }) else {
                        continue
                    }
                    if step.text == "outside:a" { bytes = step.result }
                }
                #expect(bytes.count == 66)
                // The first process still runs, and so its context exists.
                let second = try PersonTerminal.run(
                    service, ["inside:a:\(bytes)", "read:bank:a", "inside:b:00", "inside:b:0100"])
                #expect(
                    second.steps == [
                        "inside:a:\(bytes) 0", "read:bank:a -25293", "inside:b:00 none",
                        "inside:b:0100 none",
                    ])
                #expect(second.questions == 0)
                let own = try PersonTerminal.run(
                    service, ["context:a", "read:bank:a", "again:b:a", "read:bank:b"],
                    answers: ["1234"])
                #expect(
                    own.steps.suffix(2) == ["again:b:a 0", "read:bank:b 0 secret of bank"])
                #expect(own.questions == 1)
            }
        }

        /// A fork has its parent's context in memory, and is another process.
        @Test func a18AForkCannotUseItsParentsContext() throws {
            try TestService.run { service in
                try service.keychain.setPasscode(SecretBytes(passcode: "1234"))
                let story = try PersonTerminal.run(
                    service,
                    ["add:bank:userPresence", "context:a", "read:bank:a", "fork:bank:a"],
                    answers: ["1234"])
                #expect(
                    story.steps.suffix(2) == [
                        "read:bank:a 0 secret of bank", "fork:bank:a -25293",
                    ])
                #expect(story.questions == 1)
            }
        }
    }
}

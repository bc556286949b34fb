// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import KeychainVocabulary
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// Items that demand a person, over released daemons, with an agent that asks on a real terminal.
    @Suite struct AskedPersonTests {
        private static func run(
            passcode: String? = "1234", _ body: (TestService) throws -> Void
        ) throws {
            try TestService.run { service in
                if let passcode {
                    try service.keychain.setPasscode(SecretBytes(passcode: passcode))
                }
                try body(service)
            }
        }

        /// The session of the README.
        @Test func aPersonIsAskedOnceForEachContext() throws {
            try Self.run { service in
                let story = try PersonTerminal.run(
                    service,
                    [
                        "add:bank:userPresence", "context:a", "read:bank:a", "read:bank:a",
                        "read:bank:a", "context:b", "read:bank:b", "read:bank",
                    ], answers: [nil, "1234", "1234", "1234"])
                #expect(
                    story.steps == [
                        "add:bank:userPresence 0", "context:a 0", "read:bank:a -128",
                        "read:bank:a 0 secret of bank", "read:bank:a 0 secret of bank",
                        "context:b 0", "read:bank:b 0 secret of bank",
                        "read:bank 0 secret of bank",
                    ])
                #expect(story.questions == 4)
                let question = try #require(story.lines.first { $0.contains(" asks to ") })
                #expect(question.contains("TestPerson") && question.contains("grade"))
                #expect(question.contains(try PersonTerminal.program()))
                #expect(story.lines.contains { $0.contains("It says: \"for bank\"") })
                // Nothing of what was typed shows.
                #expect(!story.lines.contains { $0.contains("1234") })
            }
        }

        @Test func a02WithoutDialogsItIsDeniedOrSkipped() throws {
            try Self.run { service in
                let story = try PersonTerminal.run(
                    service,
                    [
                        "add:bank:userPresence", "read:bank:-:fail", "read:bank:-:skip",
                        "context:a", "silent:a", "read:bank:a",
                        "add:open:", "all:-:skip", "all:-:fail",
                    ])
                #expect(
                    story.steps.suffix(from: 1) == [
                        "read:bank:-:fail -25308", "read:bank:-:skip -25300", "context:a 0",
                        "silent:a 0", "read:bank:a -25308", "add:open: 0",
                        "all:-:skip 0 secret of open", "all:-:fail -25308",
                    ])
                #expect(story.questions == 0)
            }
        }

        @Test func a03TheRightPasscodeGivesTheSecretAndIsAskedForOnce() throws {
            try Self.run { service in
                let story = try PersonTerminal.run(
                    service, ["add:bank:devicePasscode", "read:bank"], answers: ["1234"])
                #expect(story.steps.last == "read:bank 0 secret of bank")
                #expect(story.questions == 1)
            }
        }

        @Test func a04CancelIs128AndThreeWrongEntriesAre25293() throws {
            try Self.run { service in
                let story = try PersonTerminal.run(
                    service,
                    ["add:bank:userPresence", "read:bank", "read:bank", "read:bank"],
                    answers: [nil, "", "wrong", "bad", "false"])
                #expect(
                    story.steps.suffix(from: 1) == [
                        "read:bank -128", "read:bank -128", "read:bank -25293",
                    ])
                #expect(try service.keychain.deviceStatus().failedAttempts == 3)
            }
        }

        @Test func a08BiometryAloneCannotBeStoredOnADeviceWithoutIt() throws {
            try Self.run { service in
                let flags = [
                    "biometryAny", "biometryCurrentSet", "companion", "biometryAny+devicePasscode",
                    "biometryAny+devicePasscode+or",
                ]
                let story = try PersonTerminal.run(service, flags.map { "add:x:\($0)" })
                #expect(story.steps == flags.map { "add:x:\($0) -25293" })
                #expect(story.questions == 0)
            }
        }

        @Test func a12AnApplicationPasswordIsDemanded() throws {
            try Self.run { service in
                let story = try PersonTerminal.run(
                    service,
                    [
                        "context:a", "password:a:word", "add:bank:applicationPassword:a",
                        "read:bank:a", "read:bank:-:fail", "context:b", "password:b:wrong",
                        "read:bank:b", "password:b:word", "read:bank:b", "context:c", "silent:c",
                        "read:bank:c", "password:c:word", "read:bank:c:fail",
                    ])
                #expect(
                    story.steps.suffix(from: 2) == [
                        "add:bank:applicationPassword:a 0", "read:bank:a 0 secret of bank",
                        "read:bank:-:fail -25308", "context:b 0", "password:b:wrong 0",
                        "read:bank:b -25293", "password:b:word 0", "read:bank:b 0 secret of bank",
                        "context:c 0", "silent:c 0", "read:bank:c -25308", "password:c:word 0",
                        "read:bank:c:fail 0 secret of bank",
                    ])
                #expect(story.questions == 0)
            }
        }

        @Test func a11AccessControlsDoNotSynchronize() throws {
            try Self.run { service in
                var item = NewItem(.genericPassword)
                item.attributes[.service] = .text("x")
                item.attributes[.synchronizable] = .integer(1)
                item.attributes.accessibility = .whenUnlocked
                item.accessControl = Self.ownersControl
                item.secret = Secret(SecretBytes(byteCount: 1))
                let unsent = item
                let error = #expect(throws: KeychainError.self) {
                    try service.keychain.add(unsent)
                }
                #expect(error?.status == -50)
                var query = ItemQuery(.genericPassword)
                query.synchronizable = .any
                let search = query
                let absent = #expect(throws: KeychainError.self) {
                    try service.keychain.find(search)
                }
                #expect(absent?.reason == .absent)
            }
        }

        @Test func a10DeletingWithoutAnEntryIsRefused() throws {
            try Self.run { service in
                var control = Self.ownersControl
                control.operations[.delete] = nil
                var item = NewItem(.genericPassword)
                item.attributes[.service] = .text("x")
                item.attributes.accessibility = .whenUnlocked
                item.accessControl = control
                item.secret = Secret(SecretBytes(byteCount: 1))
                try service.keychain.add(item)
                let error = #expect(throws: KeychainError.self) {
                    try service.keychain.delete(ItemQuery(.genericPassword))
                }
                #expect(error?.status == -25293)
                let there = #expect(throws: KeychainError.self) {
                    try service.keychain.find(ItemQuery(.genericPassword))
                }
                #expect(there?.reason == .personNeeded)
            }
        }

        @Test func a16AnInvalidatedContextIsRefused() throws {
            try Self.run { service in
                let story = try PersonTerminal.run(
                    service,
                    [
                        "add:bank:userPresence", "context:a", "read:bank:a", "invalidate:a",
                        "read:bank:a",
                    ], answers: ["1234"])
                #expect(story.steps.last == "read:bank:a -25293")
                #expect(story.questions == 1)
            }
        }

        @Test func a19AttributesAloneAreAskedFor() throws {
            try Self.run { service in
                let story = try PersonTerminal.run(
                    service,
                    [
                        "add:bank:userPresence", "attributes:bank:-:fail", "exists:bank:-:fail",
                        "context:a", "exists:bank:a", "attributes:bank:a",
                        "same:bank:userPresence:a", "same:bank:devicePasscode:a",
                    ], answers: ["1234"])
                #expect(
                    story.steps.suffix(from: 1) == [
                        "attributes:bank:-:fail -25308", "exists:bank:-:fail -25308",
                        "context:a 0", "exists:bank:a 0", "attributes:bank:a 0 SecAccessControl",
                        "same:bank:userPresence:a 0 true", "same:bank:devicePasscode:a 0 false",
                    ])
                #expect(story.questions == 1)
            }
        }

        @Test func a20PrivateKeyUsageIsForKeys() throws {
            try Self.run { service in
                let story = try PersonTerminal.run(
                    service, ["add:bank:privateKeyUsage", "add:bank:privateKeyUsage+userPresence"])
                #expect(
                    story.steps == [
                        "add:bank:privateKeyUsage -25293",
                        "add:bank:privateKeyUsage+userPresence -25293",
                    ])
            }
        }

        @Test func changingAnItemAsksAsTheOldAccessControlDemands() throws {
            try Self.run { service in
                let story = try PersonTerminal.run(
                    service,
                    [
                        "add:bank:userPresence", "label:bank", "context:a", "label:bank:a",
                        "secret:bank:new:a", "read:bank:a", "control:bank:devicePasscode:a",
                        "same:bank:devicePasscode:a", "context:b", "control:bank::b", "read:bank",
                        "add:bank:userPresence", "delete:bank",
                    ], answers: [nil, "1234", "1234", "1234"])
                #expect(
                    story.steps.suffix(from: 1) == [
                        "label:bank -128", "context:a 0", "label:bank:a 0", "secret:bank:new:a 0",
                        "read:bank:a 0 new", "control:bank:devicePasscode:a 0",
                        "same:bank:devicePasscode:a 0 true", "context:b 0", "control:bank::b 0",
                        "read:bank 0 new", "add:bank:userPresence -25299", "delete:bank 0",
                    ])
                #expect(story.questions == 4)
            }
        }

        @Test func aKeyOfTheEnclaveAsksForEachOperationOnce() throws {
            try Self.run { service in
                let flags = "privateKeyUsage+userPresence"
                let story = try PersonTerminal.run(
                    service,
                    [
                        "key:k:\(flags)", "sign:k:-:fail", "context:a", "sign:k:a", "sign:k:a",
                        "agree:k:a", "agree:k:a", "keysame:k:\(flags)",
                        "keysame:k:privateKeyUsage", "sign:k", "invalidate:a", "sign:k:a",
                        "removekey:k",
                    ], answers: ["1234", "1234", nil])
                #expect(
                    story.steps == [
                        "key:k:\(flags) 0", "sign:k:-:fail -25308", "context:a 0", "sign:k:a 0",
                        "sign:k:a 0", "agree:k:a 0", "agree:k:a 0", "keysame:k:\(flags) 0 true",
                        "keysame:k:privateKeyUsage 0 false", "sign:k -128", "invalidate:a 0",
                        "sign:k:a found -25293", "removekey:k 0",
                    ])
                #expect(story.questions == 3)
                #expect(story.lines.contains { $0.contains("sign with a protected item") })
            }
        }

        @Test func aKeyOfTheEnclaveTakesAnApplicationPassword() throws {
            try Self.run { service in
                let flags = "privateKeyUsage+applicationPassword"
                let story = try PersonTerminal.run(
                    service,
                    [
                        "context:a", "silent:a", "key:k:\(flags):a", "password:a:word",
                        "key:k:\(flags):a",
                        "sign:k:a", "sign:k:-:fail", "context:b", "password:b:wrong", "sign:k:b",
                        "key:b:privateKeyUsage+biometryAny",
                    ])
                #expect(
                    story.steps == [
                        "context:a 0", "silent:a 0", "key:k:\(flags):a -25308",
                        "password:a:word 0",
                        "key:k:\(flags):a 0", "sign:k:a 0", "sign:k:-:fail -25308", "context:b 0",
                        "password:b:wrong 0", "sign:k:b -25293",
                        "key:b:privateKeyUsage+biometryAny -25293",
                    ])
            }
        }

        @Test func aTypedValueAsksOnceForEachContext() throws {
            try Self.run { service in
                let story = try PersonTerminal.run(
                    service,
                    [
                        "keep:t:one:-", "value:t:a", "value:t:a", "value:t:a", "blocking:t:a",
                        "keep:t:two:a", "value:t:a", "blocking:t:b", "present:a",
                    ], answers: [nil, "1234", "1234", "1234"])
                #expect(
                    story.steps == [
                        "keep:t:one:- 0", "value:t:a -128", "value:t:a 0 one", "value:t:a 0 one",
                        "blocking:t:a 0 one", "keep:t:two:a 0", "value:t:a 0 two",
                        "blocking:t:b 0 two", "present:a 0",
                    ])
                #expect(story.questions == 4)
            }
        }

        @Test func anApplicationThatIsRefusedThreeTimesAsksNoMoreButOthersDo() throws {
            try Self.run { service in
                let story = try PersonTerminal.run(
                    service,
                    ["add:bank:userPresence"] + [String](repeating: "read:bank", count: 5),
                    answers: [nil, nil, nil])
                #expect(
                    story.steps.dropFirst() == [
                        "read:bank -128", "read:bank -128", "read:bank -128", "read:bank -25308",
                        "read:bank -25308",
                    ])
                #expect(story.questions == 3)
                // The same program again, and another one.
                let again = try PersonTerminal.run(service, ["read:bank"])
                #expect(again.steps == ["read:bank -25308"])
                try TemporaryDirectory.lend { directory in
                    let copy = directory + "/AnotherPerson"
                    try FileManager.default.copyItem(
                        atPath: try PersonTerminal.program(), toPath: copy)
                    let other = try PersonTerminal.run(
                        service, ["read:bank"], answers: ["1234"], program: copy)
                    #expect(other.steps == ["read:bank 0 secret of bank"])
                }
            }
        }

        @Test func aSavedRightOpensItsSecretAndItsKeyOnlyForThePerson() throws {
            try Self.run { service in
                let story = try PersonTerminal.run(
                    service,
                    [
                        "saveright:r:word", "saveright:r:again", "findright:none", "findright:r",
                        "authorize:r", "authorize:r", "rightsecret:r", "rightsign:r", "rightsign:r",
                        "deauthorize:r", "rightsign:r", "removeright:r", "findright:r",
                    ], answers: [nil, "1234", "1234", nil], asksWithoutReason: true)
                #expect(
                    story.steps == [
                        "saveright:r:word 0 unknown", "saveright:r:again -25299",
                        "findright:none -25300", "findright:r 0 unknown", "authorize:r -2",
                        "authorize:r 0 authorized", "rightsecret:r 0 word", "rightsign:r 0",
                        "rightsign:r 0", "deauthorize:r 0 notAuthorized", "rightsign:r -128",
                        "removeright:r 0 notAuthorized", "findright:r -25300",
                    ])
                #expect(story.questions == 4)
            }
        }

        @Test func oneAnswerIsEnoughForAllItemsOfACall() throws {
            try Self.run { service in
                let story = try PersonTerminal.run(
                    service,
                    ["add:a:userPresence", "add:b:devicePasscode", "add:c:", "all", "delete:a"],
                    answers: ["1234"])
                #expect(
                    story.steps.suffix(from: 3) == [
                        "all 0 secret of a,secret of b,secret of c", "delete:a 0",
                    ])
                #expect(story.questions == 1)
                #expect(story.lines.contains { $0.contains("use 2 protected items") })
            }
        }

        @Test func aPolicyAsksButOpensNothing() throws {
            try Self.run { service in
                let story = try PersonTerminal.run(
                    service,
                    [
                        "add:bank:userPresence", "context:a", "policy:a", "policy:a",
                        "read:bank:a", "invalidate:a", "policy:a",
                    ], answers: [nil, "1234", "1234"])
                #expect(
                    story.steps.suffix(from: 2) == [
                        "policy:a -2", "policy:a 0", "read:bank:a 0 secret of bank",
                        "invalidate:a 0", "policy:a -10",
                    ])
            }
        }

        // MARK: - Where nobody can be asked

        @Test func withoutATerminalEveryPathAnswersAtOnce() throws {
            try Self.run { service in
                let steps = ["add:bank:userPresence", "read:bank", "label:bank", "all"]
                let terminal = try PersonTerminal(
                    service, steps + ["read:bank", "context:a", "policy:a"], hasTerminal: false)
                var all: [PersonTerminal.Step] = []
                while all.count < steps.count + 3 {
                    guard case .step(let step) = try terminal.next({ .nothing }) else { continue }
                    all.append(step)
                }
                #expect(
                    all.map(\.result) == [
                        "0", "-25308", "-25308", "-25308", "-25308", "0", "-1004",
                    ])
                #expect(terminal.questionCount == 0)
            }
        }

        @Test func withoutAPasscodeNothingCanBeProven() throws {
            try Self.run(passcode: nil) { service in
                let story = try PersonTerminal.run(
                    service,
                    [
                        "add:bank:userPresence", "read:bank:-:fail", "read:bank", "context:a",
                        "policy:a",
                    ])
                #expect(
                    story.steps == [
                        "add:bank:userPresence 0", "read:bank:-:fail -25308", "read:bank -25293",
                        "context:a 0", "policy:a -5",
                    ])
                #expect(story.questions == 0)
            }
        }

        @Test func anAgentThatIsKilledEndsItsQuestion() throws {
            try Self.run { service in
                let terminal = try PersonTerminal(
                    service, ["add:bank:userPresence", "read:bank", "read:bank"])
                #expect(try terminal.next { .nothing }.isStep)
                #expect(try terminal.next { .nothing } == .question)
                let agent = try Waiting.value("the agent to run") {
                    service.daemons.first { $0.words.contains("--key") }?.pid
                }
                try service.crash(agent)
                guard case .step(let first) = try terminal.next({ .nothing }) else {
                    throw TestFailure("The killed agent asks again.")
                }
                #expect(first.result == "-25308")
                #expect(first.milliseconds < 5000)
                // The next question gets another agent.
                #expect(try terminal.next { .entry("1234") } == .question)
                guard case .step(let second) = try terminal.next({ .nothing }) else {
                    throw TestFailure("The right passcode is asked for again.")
                }
                #expect(second.result == "0 secret of bank")
            }
        }

        private static var ownersControl: AccessControl {
            AccessControl(
                protectionClass: 6,
                operations: [.decrypt: .owner, .encrypt: .always, .delete: .always])
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecretBytes
import TestSupport
import Testing

extension ServiceTests {
    /// Items that demand a finger, over released daemons, with fprintd and a virtual reader.
    @Suite(.serialized) struct FingerprintTests {
        private static func run(
            _ mode: DeviceStatus.Biometry = .sets, enrols: Bool = true,
            _ body: (TestService, VirtualReader) throws -> Void
        ) throws { try VirtualReader.run(mode, enrols: enrols, body) }

        private static func story(
            _ service: TestService, _ reader: VirtualReader, _ steps: [String],
            _ answers: [String?] = []
        ) throws -> (steps: [String], questions: Int, lines: [String]) {
            try PersonTerminal.run(service, steps, answers: answers, reader: reader)
        }

        /// Every combination of up to two constraints, with each combiner, for items and for keys.
        @Test func a01EachCombinationOfFlagsHasItsStatus() throws {
            try Self.run(enrols: false) { service, reader in
                let names = [
                    "userPresence", "biometryAny", "biometryCurrentSet", "devicePasscode",
                    "companion",
                ]
                var expected: [String] = []
                for (index, name) in names.enumerated() {
                    for other in [nil] + names.dropFirst(index + 1).map(Optional.init) {
                        for combiner in ["", "+or", "+and", "+or+and"] {
                            let flags = name + (other.map { "+" + $0 } ?? "") + combiner
                            expected.append("add:x:\(flags) \(Self.status(flags))")
                        }
                    }
                }
                let steps = expected.map { String($0.split(separator: " ")[0]) }
                let all = steps.flatMap { [$0, "delete:x"] }
                let story = try Self.story(service, reader, all)
                let adds = stride(from: 0, to: story.steps.count, by: 2).map { story.steps[$0] }
                #expect(adds == expected)
                #expect(story.questions == 0)
            }
        }

        private static func status(_ flags: String) -> String {
            let names = Set(flags.split(separator: "+").map(String.init))
            let others = names.subtracting(["userPresence"])
            if names.isSuperset(of: ["or", "and"])
                || names.isSuperset(of: ["biometryAny", "biometryCurrentSet"])
                || (names.contains("userPresence") && !others.isEmpty)
            {
                return "no access control"
            }
            return names.contains("companion") ? "-25293" : "0"
        }

        @Test func a06AnyFingerOpensAlsoAfterOneWasAdded() throws {
            try Self.run { service, reader in
                let before = try Self.story(
                    service, reader, ["add:x:biometryAny", "context:a", "read:x:a", "read:x:a"],
                    ["touch:A"])
                #expect(
                    before.steps.suffix(2) == ["read:x:a 0 secret of x", "read:x:a 0 secret of x"])
                #expect(before.questions == 1)
                try reader.enrol("left-thumb", as: "B", service)
                let after = try Self.story(
                    service, reader, ["read:x", "read:x"], ["touch:B", "touch:A"])
                #expect(after.steps == ["read:x 0 secret of x", "read:x 0 secret of x"])
            }
        }

        @Test func a05AFingerThatIsAddedClosesItemsOfTheSetForGood() throws {
            try Self.run { service, reader in
                let before = try Self.story(
                    service, reader,
                    ["add:x:biometryCurrentSet", "read:x", "same:x:biometryCurrentSet"],
                    ["touch:A", "touch:A"])
                #expect(
                    before.steps.suffix(2) == [
                        "read:x 0 secret of x", "same:x:biometryCurrentSet 0 true",
                    ])
                try reader.enrol("left-thumb", as: "B", service)
                let added = try Self.story(service, reader, ["read:x", "add:y:biometryCurrentSet"])
                #expect(added.steps == ["read:x -25293", "add:y:biometryCurrentSet 0"])
                #expect(added.questions == 0)
                try reader.remove("left-thumb", service)
                let removed = try Self.story(service, reader, ["read:x", "read:y", "delete:x"])
                #expect(removed.steps == ["read:x -25293", "read:y -25293", "delete:x 0"])
                #expect(removed.questions == 0)
            }
        }

        @Test func a07PresenceIsAFingerOrThePasscodeAlsoAfterOneWasAdded() throws {
            try Self.run { service, reader in
                let before = try Self.story(
                    service, reader, ["add:x:userPresence", "read:x", "read:x"],
                    ["touch:A", "1234"])
                #expect(before.steps.suffix(2) == ["read:x 0 secret of x", "read:x 0 secret of x"])
                try reader.enrol("left-thumb", as: "B", service)
                let after = try Self.story(service, reader, ["read:x"], ["touch:B"])
                #expect(after.steps == ["read:x 0 secret of x"])
            }
        }

        @Test func a08ThePasscodeDoesNotReplaceAFinger() throws {
            try Self.run { service, reader in
                // Control-C, and a finger that the reader doesn't know, three times.
                let story = try Self.story(
                    service, reader, ["add:x:biometryAny", "read:x", "read:x"], [nil, "touch:C"])
                #expect(story.steps.suffix(2) == ["read:x -128", "read:x -25293"])
                #expect(!story.lines.contains { $0.contains("Passcode of this device") })
                #expect(story.lines.filter { $0.contains("No finger was recognized") }.count == 3)
            }
        }

        @Test func a09OneOfTwoIsEnoughOrBothAreNeeded() throws {
            try Self.run { service, reader in
                let story = try Self.story(
                    service, reader,
                    [
                        "add:or:biometryAny+devicePasscode+or", "read:or", "read:or",
                        "add:and:biometryAny+devicePasscode", "context:a", "read:and:a",
                    ], ["touch:A", "1234", "touch:A", "passcode:1234"])
                #expect(
                    story.steps == [
                        "add:or:biometryAny+devicePasscode+or 0", "read:or 0 secret of or",
                        "read:or 0 secret of or", "add:and:biometryAny+devicePasscode 0",
                        "context:a 0", "read:and:a 0 secret of and",
                    ])
                #expect(story.questions == 4)
            }
        }

        /// No finger unlocks the device, so that there is no unlock to reuse: an unlock by the passcode
        /// never counts.
        @Test func a15AnUnlockByThePasscodeIsNotReused() throws {
            try Self.run { service, reader in
                try service.keychain.lock()
                try service.keychain.unlock(passcode: SecretBytes(passcode: "1234"))
                let story = try Self.story(
                    service, reader,
                    [
                        "add:x:userPresence", "context:a", "reuse:a:900", "read:x:a", "context:b",
                        "reuse:b:10", "read:x:b",
                    ],
                    ["touch:A", "touch:A"])
                #expect(story.questions == 2)
                #expect(story.steps.last == "read:x:b 0 secret of x")
            }
        }

        @Test func withoutTheOwnersConsentFingersCountForNothing() throws {
            try Self.run(.off) { service, reader in
                let story = try Self.story(
                    service, reader,
                    [
                        "add:x:biometryAny", "add:x:biometryCurrentSet", "add:x:userPresence",
                        "read:x",
                    ],
                    ["passcode:1234"])
                #expect(
                    story.steps == [
                        "add:x:biometryAny -25293", "add:x:biometryCurrentSet -25293",
                        "add:x:userPresence 0", "read:x 0 secret of x",
                    ])
                #expect(!story.lines.contains { $0.contains("Touch the fingerprint reader") })
            }
            try Self.run(.presence) { service, reader in
                let story = try Self.story(
                    service, reader, ["add:x:biometryCurrentSet", "add:x:biometryAny"])
                #expect(
                    story.steps == ["add:x:biometryCurrentSet -4", "add:x:biometryAny 0"])
            }
        }

        @Test func aPolicyOfBiometryTakesAFingerAlone() throws {
            try Self.run { service, reader in
                let story = try Self.story(
                    service, reader,
                    ["context:a", "strength:a", "biometry:a", "biometry:a", "policy:a"],
                    [nil, "touch:A", "touch:A"])
                #expect(
                    story.steps == [
                        "context:a 0", "strength:a 1 2", "biometry:a -2", "biometry:a 0",
                        "policy:a 0",
                    ])
            }
        }

        @Test func afterUnknownFingersThePasscodeIsAskedFor() throws {
            try Self.run(.presence) { service, reader in
                let story = try Self.story(
                    service, reader, ["add:x:userPresence", "read:x"], ["touch:C:1234"])
                #expect(story.steps.last == "read:x 0 secret of x")
                #expect(story.questions == 1)
            }
        }

        @Test func afterFiveUnknownFingersNoneCountsUntilThePasscodeIsGiven() throws {
            try Self.run(.presence) { service, reader in
                let story = try Self.story(
                    service, reader,
                    [
                        "add:x:biometryAny", "context:a", "can:a", "read:x", "read:x", "can:a",
                        "read:x", "biometry:a", "policy:a", "can:a", "read:x",
                    ], ["touch:C", "touch:C", "passcode:1234", "touch:A"])
                #expect(
                    story.steps.dropFirst(2) == [
                        "can:a 0", "read:x -25293", "read:x -25293", "can:a -8", "read:x -25293",
                        "biometry:a -8", "policy:a 0", "can:a 0", "read:x 0 secret of x",
                    ])
                #expect(story.questions == 4)
                #expect(story.lines.filter { $0.contains("No finger was recognized") }.count == 5)
            }
        }

        @Test func theDomainStateChangesWithTheFingersAlone() throws {
            try Self.run { service, reader in
                func state() throws -> String {
                    let story = try Self.story(service, reader, ["context:a", "domain:a"])
                    return try #require(story.steps.last)
                }
                let first = try state()
                #expect(first.count > "domain:a none".count)
                try service.keychain.changePasscode(
                    from: SecretBytes(passcode: "1234"), to: SecretBytes(passcode: "5678"))
                try service.keychain.changePasscode(
                    from: SecretBytes(passcode: "5678"), to: SecretBytes(passcode: "1234"))
                #expect(try state() == first)
                try reader.enrol("left-thumb", as: "B", service)
                let second = try state()
                #expect(second != first)
                try reader.remove("left-thumb", service)
                #expect(![first, second].contains(try state()))
                let passcode = SecretBytes(passcode: "1234")
                try service.keychain.configureBiometry(.off, passcode: passcode)
                #expect(try state() == "domain:a none")
            }
        }

        @Test func theCommandListsEnrolsAndRemovesFingers() throws {
            try Self.run(enrols: false) { service, reader in
                let empty = try reader.result(["list"], service)
                #expect(empty.ending == .exit(0) && empty.output.isEmpty)
                try reader.enrol("right-index-finger", as: "A", service)
                try reader.enrol("left-thumb", as: "B", service)
                let two = try reader.result(["list"], service)
                #expect(
                    Set(two.output.split(separator: "\n"))
                        == ["right-index-finger", "left-thumb"])
                try reader.remove("left-thumb", service)
                #expect(try reader.result(["list"], service).output == "right-index-finger\n")
                // A wrong passcode, no finger, and one that isn't one change nothing.
                let set = try service.keychain.deviceStatus().enrolment
                let wrong = try reader.result(["remove"], service, passcode: "wrong")
                #expect(wrong.ending != .exit(0))
                #expect(try reader.result(["enrol"], service).ending == .exit(2))
                #expect(try service.keychain.deviceStatus().enrolment == set)
                #expect(try reader.result(["enrol", "nose"], service).ending == .exit(53))
                #expect(try reader.result(["list"], service).output == "right-index-finger\n")
                try reader.remove(nil, service)
                #expect(try reader.result(["list"], service).output.isEmpty)
                reader.goAway()
                #expect(try reader.result(["list"], service).ending == .exit(53))
            }
        }

        /// Without an enrolled finger, a reader or a terminal.
        @Test func whereNoFingerCanBeTakenThePasscodeIsLeft() throws {
            try Self.run(enrols: false) { service, reader in
                let steps = ["read:x", "read:y"]
                let expected = ["read:x 0 secret of x", "read:y -25308"]
                let none = try Self.story(
                    service, reader, ["add:x:userPresence", "add:y:biometryAny"] + steps,
                    ["passcode:1234"])
                #expect(none.steps.suffix(2) == expected)
                reader.goAway()
                let gone = try Self.story(service, reader, steps, ["passcode:1234"])
                #expect(gone.steps == expected)
                let nowhere = try PersonTerminal.run(service, steps, hasTerminal: false)
                #expect(nowhere.steps == ["read:x -25308", "read:y -25308"])
            }
        }
    }

    /// Who else can say that a finger was recognized, on the bus.
    @Suite struct FingerprintAttackTests {
        /// Waits for a finger; `body` happens at the question, and Control-C when the reader waits.
        private static func story(
            _ service: TestService, atQuestion: () throws -> Void = {},
            onTouch: @escaping (PersonTerminal) throws -> Void
        ) throws -> [String] {
            let terminal = try PersonTerminal(service, ["add:x:biometryAny", "read:x"])
            terminal.onTouch = { [unowned terminal] in try onTouch(terminal) }
            var results: [String] = []
            while results.count < 2 {
                switch try terminal.next({ .nothing }) {
                case .step(let step): results.append("\(step.text) \(step.result)")
                case .question: try atQuestion()
                }
            }
            return results
        }

        /// Red team: user; U, refused.
        /// Before: nothing.
        @Test func aProgramThatIsNotFprintdRecognizesNobody() throws {
            try VirtualReader.run { service, reader in
                var isAsked = false
                let steps = try Self.story(service) { terminal in
                    isAsked = true
                    try reader.pretendMatch()
                    // Long enough for a signal to be taken for fprintd's.
                    usleep(400_000)
                    terminal.type("\u{3}")
                }
                #expect(isAsked && steps.last == "read:x -128")
            }
        }

        /// Red team: user; U, refused.
        /// Before: nothing.
        @Test func aFingerForAnotherProgramApprovesNothing() throws {
            try VirtualReader.run { service, reader in
                let other = try reader.verifyElsewhere()
                defer { other.end() }
                var isAsked = false
                let steps = try Self.story(service) {
                    // The agent's program waits for the reader meanwhile.
                    usleep(500_000)
                    try reader.scan("A")
                    #expect(try other.wait() == .exit(0))
                } onTouch: { terminal in
                    isAsked = true
                    usleep(400_000)
                    terminal.type("\u{3}")
                }
                #expect(isAsked && steps.last == "read:x -128")
            }
        }

        /// The person doesn't see the question, and touches the reader for something else.
        /// Red team: user; U.
        /// Before: nothing.
        @Test func aTouchWhileAQuestionWaitsOnAHiddenTerminalIsNotStopped() throws {
            try VirtualReader.run { service, reader in
                let steps = try Self.story(service) { _ in try reader.scan("A") }
                #expect(steps.last == "read:x 0 secret of x")
            }
        }

        @Test func aReaderThatGoesAwayInTheMiddleEndsTheQuestion() throws {
            try VirtualReader.run { service, reader in
                let steps = try Self.story(service) { _ in reader.goAway() }
                #expect(steps.last == "read:x -25308")
            }
        }
    }
}

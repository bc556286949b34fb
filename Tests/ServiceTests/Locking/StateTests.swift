// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation
import Glibc
import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// The result of each operation in each state of the device.
    /// `Documentation/attack-list.md` explains the numbers in names of tests.
    @Suite struct States {
        private static let passcode = "correct horse"

        // MARK: - The matrix

        /// The state of each class's key: usable, locked, or none (∅); below that, the result of
        /// each operation on one matching row.
        private static let matrix = """
            class    N  U  L  B
            ak       ✓  ✓  ✗  ✗
            ck       ✓  ✓  ✓  ✗
            dk       ✓  ✓  ✓  ✓
            aku      ✓  ✓  ✗  ✗
            cku      ✓  ✓  ✓  ✗
            dku      ✓  ✓  ✓  ✓
            akpu     ∅  ✓  ✗  ✗

            operation           ✓       ✗       ∅
            add                 0       -25308  -25291
            add-duplicate       -25299  -25308  -25291
            add-over-tombstone  0       -25308  -
            data                0       -25308  -25300
            attributes          0       -25308  -25300
            reference           0       -25308  -25300
            none                0       -25308  -25300
            absent              -25300  -25300  -25300
            update-attribute    0       -25308  -25300
            update-secret       0       -25308  -25300
            delete              0       0       -25300
            delete-sync         0       -25308  -
            """

        private struct Matrix {
            /// Availability by class and state.
            var classes: [String: [String: String]] = [:]
            /// Status by operation and availability; none if there is no such row.
            var operations: [String: [String: Int32]] = [:]

            init(_ text: String) throws {
                for part in text.components(separatedBy: "\n\n") {
                    let lines = part.split(separator: "\n").map { $0.split(separator: " ") }
                    let head = try #require(lines.first).map(String.init)
                    for line in lines.dropFirst() {
                        try #require(line.count == head.count)
                        for (name, value) in zip(head, line).dropFirst() {
                            if head[0] == "class" {
                                classes[String(line[0]), default: [:]][name] = String(value)
                            } else {
                                operations[String(line[0]), default: [:]][name] = Int32(value)
                            }
                        }
                    }
                }
            }
        }

        @Test func s01EveryOperationInEveryStateGivesWhatTheMatrixSays() throws {
            let matrix = try Matrix(Self.matrix)
            #expect(matrix.classes.count == 7 && matrix.operations.count == 12)
            try TestService.run { service in
                let keychain = service.keychain
                try keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                try service.add(Self.rows(matrix))
                try Self.deleteTombstones(service, matrix)
                try Self.check(service, matrix, state: "U")
                try keychain.lock()
                try Self.check(service, matrix, state: "L")
                try service.crash(try service.enclave())
                try Self.check(service, matrix, state: "B")
                try keychain.unlock(passcode: SecretBytes(passcode: Self.passcode))
                try keychain.removePasscode(SecretBytes(passcode: Self.passcode))
                try Self.check(service, matrix, state: "N")
            }
        }

        /// A separate row for each operation in each state and class, so that none is affected by
        /// another.
        private static func rows(_ matrix: Matrix) -> [NewItem] {
            var items: [NewItem] = []
            for state in ["N", "U", "L", "B"] {
                for code in matrix.classes.keys {
                    for operation in matrix.operations.keys
                    where operation != "add" && operation != "absent" {
                        var item = NewItem.password(
                            operation, service: state + code,
                            accessibility: Accessibility(code: code))
                        if synchronizing.contains(operation) {
                            guard !code.hasSuffix("u") else { continue }
                            item.attributes[.synchronizable] = .integer(1)
                        }
                        items.append(item)
                    }
                }
            }
            return items
        }

        /// Operations on an item that synchronizes, which can't be in a class for this device only.
        private static let synchronizing: Set = ["delete-sync", "add-over-tombstone"]

        /// Deletes the items that the tombstones will replace.
        private static func deleteTombstones(_ service: TestService, _ matrix: Matrix) throws {
            for state in ["N", "U", "L", "B"] {
                for code in matrix.classes.keys where !code.hasSuffix("u") {
                    var query = ItemQuery.password("add-over-tombstone", service: state + code)
                    query.synchronizable = .yes
                    try service.keychain.delete(query)
                }
            }
        }

        private static func check(
            _ service: TestService, _ matrix: Matrix, state: String
        ) throws {
            #expect(try service.keychain.deviceStatus().state.rawValue == state)
            for (code, availabilities) in matrix.classes {
                let availability = try #require(availabilities[state])
                for (operation, statuses) in matrix.operations {
                    if synchronizing.contains(operation), code.hasSuffix("u") { continue }
                    let expected = try #require(statuses[availability])
                    let got = status {
                        try perform(operation, on: service, service: state + code, code)
                    }
                    #expect(got == expected, "\(operation) of \(code) in \(state)")
                }
            }
        }

        private static func perform(
            _ operation: String, on target: TestService, service: String, _ code: String
        ) throws {
            let keychain = target.keychain
            var query = ItemQuery.password(operation, service: service)
            switch operation {
            case "add", "add-duplicate":
                try keychain.add(
                    .password(
                        operation, service: service, accessibility: Accessibility(code: code)))
            case "add-over-tombstone":
                var item = NewItem.password(
                    operation, service: service, accessibility: Accessibility(code: code))
                item.attributes[.synchronizable] = .integer(1)
                try keychain.add(item)
            case "data":
                let found = try keychain.find(query)
                #expect(found.first?.secret?.testText == "secret")
            case "attributes":
                query.returning = .attributes
                let found = try keychain.find(query)
                #expect(found.first?.attributes.accessibility?.code == code)
            case "reference":
                query.returning = .persistentReference
                let found = try keychain.find(query)
                #expect(found.first?.persistentReference != nil)
            case "none", "absent":
                query.returning = []
                _ = try keychain.find(query)
            case "update-attribute":
                try keychain.update(query, applying: .setting([.label: .text("new")]))
            case "update-secret":
                try keychain.update(query, applying: .setting(secret: "new"))
            case "delete": try keychain.delete(query)
            case "delete-sync":
                query.synchronizable = .yes
                try keychain.delete(query)
            default: throw TestFailure("\(operation) is no operation.")
            }
        }

        @Test func s01UpdateToAClassWithoutAKeyChangesNothing() throws {
            try TestService.run { service in
                try service.keychain.add(.password("anna", secret: "kept", accessibility: .always))
                let before = try StoredRows.rows("genp", service.stateDirectory)
                var changes = ItemChanges.setting([.label: .text("new")], secret: "new")
                changes.attributes.accessibility = .whenPasscodeSetThisDeviceOnly
                #expect(
                    status { try service.keychain.update(.password("anna"), applying: changes) }
                        == -25291)
                #expect(try StoredRows.rows("genp", service.stateDirectory) == before)
                let found = try one(service, "anna")
                #expect(found.secret?.testText == "kept")
                #expect(found.attributes.accessibility == .always)
            }
        }

        // MARK: - Locked

        @Test func s05OneLockedRowMakesAQueryOfManyLocked() throws {
            try TestService.run { service in
                for number in 0..<3 {
                    try service.keychain.add(.password("dk \(number)", accessibility: .always))
                    try service.keychain.add(
                        .password("ak \(number)", accessibility: .whenUnlocked))
                }
                try service.keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                try service.keychain.lock()
                for fields in [.data, .attributes, .persistentReference, []] as [ReturnFields] {
                    var query = ItemQuery.password(limit: nil, returning: fields)
                    #expect(status { try service.keychain.find(query) } == -25308)
                    query.attributes.accessibility = .whenUnlocked
                    #expect(status { try service.keychain.find(query) } == -25308)
                    query.attributes.accessibility = .always
                    query.returning.insert(.attributes)
                    let found = try service.keychain.find(query)
                    #expect(
                        found.map { $0.attributes[.account] }
                            == (0..<3).map { .text("dk \($0)") })
                }
            }
        }

        @Test func s06SameItemInAnotherClassIsADuplicate() throws {
            try TestService.run { service in
                try service.keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                for stored in Accessibility.allCases {
                    try service.keychain.add(
                        .password(stored.code, secret: "kept", accessibility: stored))
                    for other in Accessibility.allCases {
                        #expect(
                            status {
                                try service.keychain.add(
                                    .password(stored.code, secret: "new", accessibility: other))
                            } == -25299, "\(other.code) over \(stored.code)")
                    }
                    let found = try one(service, stored.code)
                    #expect(found.secret?.testText == "kept")
                    #expect(found.attributes.accessibility == stored)
                }
            }
        }

        @Test func s07AddOverALockedItemIsLockedWhateverItsOwnClass() throws {
            try TestService.run { service in
                try service.keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                for stored in Accessibility.allCases {
                    try service.keychain.add(
                        .password(stored.code, secret: "kept", accessibility: stored))
                }
                func add(over account: String, _ accessibility: Accessibility) -> Int32 {
                    status {
                        try service.keychain.add(
                            .password(account, secret: "new", accessibility: accessibility))
                    }
                }
                try service.keychain.lock()
                for accessibility in [Accessibility.always, .afterFirstUnlock] {
                    for code in ["ak", "aku", "akpu"] {
                        #expect(add(over: code, accessibility) == -25308)
                    }
                    for code in ["ck", "cku", "dk", "dku"] {
                        #expect(add(over: code, accessibility) == -25299)
                    }
                }
                try service.crash(try service.enclave())
                for code in ["ak", "aku", "akpu", "ck", "cku"] {
                    #expect(add(over: code, .always) == -25308)
                }
                for code in ["dk", "dku"] { #expect(add(over: code, .always) == -25299) }
                try service.keychain.unlock(passcode: SecretBytes(passcode: Self.passcode))
                for stored in Accessibility.allCases {
                    let found = try one(service, stored.code)
                    #expect(found.secret?.testText == "kept")
                    #expect(found.attributes.accessibility == stored)
                }
            }
        }

        @Test func s18LockedItemCanBeDeletedUnlessItSynchronizes() throws {
            try TestService.run { service in
                try service.keychain.add(.password("anna", secret: "local"))
                var item = NewItem.password("anna", secret: "synchronizing")
                item.attributes[.synchronizable] = .integer(1)
                try service.keychain.add(item)
                try service.keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                try service.keychain.lock()
                var query = ItemQuery.password("anna")
                query.synchronizable = .yes
                let before = try StoredRows.rows("genp", service.stateDirectory)
                #expect(before.count == 2)
                #expect(status { try service.keychain.delete(query) } == -25308)
                #expect(try StoredRows.rows("genp", service.stateDirectory) == before)
                #expect(status { try service.keychain.delete(.password("anna")) } == 0)
                #expect(try StoredRows.rows("genp", service.stateDirectory) == [before[1]])
                try service.keychain.unlock(passcode: SecretBytes(passcode: Self.passcode))
                #expect(
                    try service.keychain.find(query).first?.secret?.testText == "synchronizing")
                #expect(reads(service, "anna") == -25300)
                #expect(status { try service.keychain.delete(query) } == 0)
                #expect(status { try service.keychain.find(query) } == -25300)
            }
        }

        // MARK: - The class that needs a passcode

        @Test func s09ItemOfAPasscodeThatWasRemovedStaysGoneUnderTheNext() throws {
            try TestService.run { service in
                let keychain = service.keychain
                var item = NewItem.password("anna", accessibility: .whenPasscodeSetThisDeviceOnly)
                item.returning = .persistentReference
                try keychain.setPasscode(SecretBytes(passcode: "one"))
                let reference = try keychain.add(item).persistentReference
                #expect(reads(service, "anna") == 0)
                try keychain.removePasscode(SecretBytes(passcode: "one"))
                #expect(reads(service, "anna") == -25300)
                #expect(status { try keychain.find(.reference(reference)) } == -25300)
                try keychain.setPasscode(SecretBytes(passcode: "two"))
                #expect(reads(service, "anna") == -25300)
                #expect(status { try keychain.find(.reference(reference)) } == -25300)
                try keychain.add(item)
                #expect(reads(service, "anna") == 0)
                #expect(status { try keychain.find(.reference(reference)) } == -25300)
                // The same passcode again doesn't restore the first one's key either.
                try keychain.removePasscode(SecretBytes(passcode: "two"))
                try keychain.setPasscode(SecretBytes(passcode: "two"))
                #expect(reads(service, "anna") == -25300)
            }
        }

        @Test func s10ItemsOutliveAChangeOfThePasscode() throws {
            try TestService.run { service in
                let keychain = service.keychain
                try keychain.setPasscode(SecretBytes(passcode: "one"))
                for accessibility in Accessibility.allCases {
                    try keychain.add(.password(accessibility.code, accessibility: accessibility))
                }
                try keychain.changePasscode(
                    from: SecretBytes(passcode: "one"), to: SecretBytes(passcode: "two"))
                for accessibility in Accessibility.allCases {
                    #expect(reads(service, accessibility.code) == 0, "\(accessibility.code)")
                }
                try keychain.lock()
                #expect(reads(service, "akpu") == -25308)
                try keychain.unlock(passcode: SecretBytes(passcode: "two"))
                try service.crash(try service.enclave())
                #expect(reads(service, "akpu") == -25308)
                try keychain.unlock(passcode: SecretBytes(passcode: "two"))
                for accessibility in Accessibility.allCases {
                    #expect(reads(service, accessibility.code) == 0, "\(accessibility.code)")
                }
            }
        }

        // MARK: - Two users

        /// The service runs as another user than the test, and serves both: it needs root.
        @Test func s17OneUsersPasscodeAndLockAreNothingToAnother() throws {
            guard geteuid() == 0 else {
                Issue.record("Only root can be two users.")
                return
            }
            var options = TestService.Options()
            options.isUnprivileged = true
            try TestService.run(options) { service in
                let root = try RootClient(service)
                try root.add("of root")
                let codes = Self.codes
                func asNobody(
                    _ body: @escaping @Sendable (KeychainConnection) throws -> Void
                ) throws {
                    try OtherUser.act(as: TestService.unprivilegedUser, on: service, body)
                }
                try asNobody { keychain in
                    for code in codes {
                        try keychain.add(.password(code, accessibility: Accessibility(code: code)))
                    }
                    try keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                    try keychain.lock()
                    #expect(status { try keychain.find(.password("ak")) } == -25308)
                }
                #expect(try root.state() == "N")
                #expect(root.read("of root") == 0)
                #expect(root.read("ak") == -25300)
                try root.add("another of root")
                // Now the other one, while the first is unlocked.
                try asNobody { try $0.unlock(passcode: SecretBytes(passcode: Self.passcode)) }
                try root.setPasscode("of root")
                try root.lock()
                #expect(try root.state() == "L")
                #expect(root.read("of root") == -25308)
                try asNobody { keychain in
                    let device = try keychain.deviceStatus()
                    #expect(device.state == .unlocked)
                    for code in codes {
                        #expect(status { try keychain.find(.password(code)) } == 0)
                    }
                }
            }
        }

        private static let codes = ["ak", "ck", "dk", "aku", "cku", "dku"]
    }
}

/// Root as a client of another user's service; the library refuses to be one.
private final class RootClient {
    private let connection: RawConnection
    private let keyPath: String
    private var writes: UInt8 = 0

    init(_ service: TestService) throws {
        connection = try RawConnection(service.socketPath)
        keyPath = service.stateDirectory + "/enclave/passcode.pub"
    }

    private func send(_ request: ClientRequest) throws -> ReceivedReply {
        guard let reply = connection.exchange(try request.frameBytes()).reply else {
            throw TestFailure("Root gets no reply.")
        }
        if case .failed(let failure) = reply {
            throw KeychainError(status: failure.status, reason: failure.reason)
        }
        return reply
    }

    func add(_ account: String) throws {
        writes += 1
        let identity = WriteIdentity(
            requestID: [UInt8](repeating: writes, count: 16), isRepeated: false)
        _ = try send(.add(.password(account), identity))
    }

    func read(_ account: String) -> Int32 {
        status { _ = try send(.find(.password(account), cursor: 0)) }
    }

    func lock() throws { _ = try send(.lock(.now, waits: true)) }

    func state() throws -> String {
        guard case .deviceStatus(let report) = try send(.deviceStatus) else {
            throw TestFailure("Root gets no status.")
        }
        return ["N", "B", "U", "L"][Int(report.state)]
    }

    /// A passcode message as PROTOCOL.md describes it under "Passcodes".
    func setPasscode(_ passcode: String) throws {
        guard case .challenge(let nonce) = try send(.challenge) else {
            throw TestFailure("Root gets no challenge.")
        }
        let key = try Data(contentsOf: URL(fileURLWithPath: keyPath))
        let bytes = [UInt8](passcode.utf8)
        let plaintext = nonce + [UInt8(bytes.count), 0] + bytes
        var sender = try HPKE.Sender(
            recipientKey: Curve25519.KeyAgreement.PublicKey(rawRepresentation: key),
            ciphersuite: HPKE.Ciphersuite(
                kem: .Curve25519_HKDF_SHA256, kdf: .HKDF_SHA256, aead: .AES_GCM_256),
            info: Data("llavero passcode 1".utf8))
        let ciphertext = try sender.seal(plaintext, authenticating: [1, 0, 0, 0, 0])
        _ = try send(
            .passcode(operation: 1, sealed: [UInt8](sender.encapsulatedKey) + [UInt8](ciphertext)))
    }
}

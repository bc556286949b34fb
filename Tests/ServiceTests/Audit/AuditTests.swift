// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecretBytes
import SecurityWire
import Synchronization
import TestSupport
import Testing

extension ServiceTests {
    /// The released daemons' audit log. Source: STORAGE.md, "Audit log".
    @Suite struct Audit {
        private static let foreignGroup = "ABCDE12345.com.example.foreign"

        /// A request that is refused for its access group.
        private static func foreignQuery() -> ItemQuery {
            var query = ItemQuery.password("anna")
            query.attributes[.accessGroup] = .text(foreignGroup)
            return query
        }

        private static func clientRecords(_ service: TestService) throws -> [AuditRecord] {
            try service.connect().auditLog().records.filter { $0.processID > 0 }
        }

        private static func files(_ service: TestService) throws -> [String] {
            try files(in: service.stateDirectory)
        }

        private static func files(in directory: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: directory)
                .filter { $0.hasPrefix("audit.") }.sorted().map { directory + "/" + $0 }
        }

        // MARK: - The records

        @Test func whatIsDoneIsNotedWithWhoAndWhichRows() throws {
            try TestService.run { service in
                var item = NewItem.password("anna", secret: "sesame")
                item.returning = [.persistentReference]
                let uuid = try #require(
                    try service.keychain.add(item).persistentReference?.uuid)
                _ = try service.keychain.find(.password("anna"))
                _ = try service.keychain.find(.password("anna", returning: [.attributes]))
                try service.keychain.update(
                    .password("anna"), applying: .setting([.label: .text("l")]))
                _ = outcome { try service.keychain.find(.password("nobody")) }
                _ = outcome { try service.keychain.find(Self.foreignQuery()) }
                try service.keychain.delete(.password("anna"))

                let records = try Self.clientRecords(service)
                #expect(
                    records.map(\.event) == [.add, .read, .read, .update, .read, .delete])
                #expect(
                    records.map(\.includesSecrets) == [false, true, false, false, false, false])
                #expect(records.map(\.status) == [0, 0, 0, 0, -34018, 0])
                #expect(records[4].reason == .denied)
                #expect(
                    records.map(\.items) == [[uuid], [uuid], [uuid], [uuid], [], [uuid]])
                let program = try FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/self/exe")
                for record in records {
                    #expect(record.processID == getpid())
                    #expect(record.userID == geteuid())
                    #expect(record.identityGrade == "U")
                    #expect(record.accessGroup == "unsigned.\(geteuid())")
                    #expect(record.application == (program as NSString).lastPathComponent)
                    #expect(record.itemClass == .genericPassword)
                    let age = Date().timeIntervalSince1970 - Double(record.microseconds) / 1e6
                    #expect((-1..<60).contains(age))
                }
            }
        }

        @Test func passcodesAndLockingAreNoted() throws {
            try TestService.run { service in
                let passcode = SecretBytes(passcode: "1234")
                try service.keychain.add(.password("anna"))
                try service.keychain.setPasscode(passcode)
                try service.keychain.lock()
                #expect(reason { try service.keychain.find(.password("anna")) } == .locked)
                let wrong = SecretBytes(passcode: "4321")
                #expect(
                    reason { try service.keychain.unlock(passcode: wrong) } == .wrongPasscode)
                try service.keychain.unlock(passcode: passcode)
                try service.keychain.removePasscode(passcode)
                let records = try Self.clientRecords(service).dropFirst()
                #expect(
                    records.map(\.event) == [
                        .setPasscode, .lock, .read, .unlock, .unlock, .removePasscode,
                    ])
                #expect(records.map(\.status) == [0, 0, -25308, -25293, 0, 0])
                #expect(
                    records.map(\.reason) == [nil, nil, .locked, .wrongPasscode, nil, nil])
            }
        }

        @Test func aFindOfManyRowsNamesThemAll() throws {
            try TestService.run { service in
                for number in 0..<300 { try service.keychain.add(.password("\(number)")) }
                let found = try service.keychain.find(
                    .password(limit: nil, returning: [.persistentReference]))
                let reads = try Self.clientRecords(service).filter { $0.event == .read }
                #expect(reads.map(\.items.count) == [128, 128, 44])
                #expect(
                    reads.flatMap(\.items) == found.compactMap { $0.persistentReference?.uuid })
                try service.keychain.delete(.password(limit: nil))
                let deletes = try Self.clientRecords(service).filter { $0.event == .delete }
                #expect(Set(deletes.flatMap(\.items)) == Set(reads.flatMap(\.items)))
            }
        }

        @Test func aWriteThatIsRepeatedIsNotedOnce() throws {
            try TestService.run { service in
                let identity = WriteIdentity(
                    requestID: (0..<16).map { _ in .random(in: 0...255) }, isRepeated: false)
                var repeated = identity
                repeated.isRepeated = true
                let item = NewItem.password("anna")
                for identity in [identity, repeated] {
                    let connection = try RawConnection(service.socketPath)
                    #expect(connection.send(try ClientRequest.add(item, identity).frameBytes()))
                    _ = connection.receive()
                }
                #expect(try Self.clientRecords(service).map(\.event) == [.add])
            }
        }

        // MARK: - Crashes

        @Test func aRefusalIsOnTheDiskBeforeItIsSent() throws {
            try TemporaryDirectory.lend { directory in
                var refusals = 0
                for round in 0..<3 {
                    try TestService.run(.init(.user, directory: directory)) { service in
                        if round == 0 {
                            try service.keychain.setPasscode(SecretBytes(passcode: "1234"))
                        }
                        let worker = try service.worker()
                        #expect(status { try service.keychain.find(Self.foreignQuery()) } == -34018)
                        let wrong = SecretBytes(passcode: "wrong \(round)")
                        #expect(
                            status { try service.keychain.unlock(passcode: wrong) } == -25293)
                        try service.crash(worker)
                        refusals += 2
                    }
                }
                try TestService.run(.init(.user, directory: directory)) { service in
                    let (records, brokenAt) = try service.keychain.auditLog()
                    #expect(brokenAt == [])
                    #expect(records.count { $0.status == -34018 } == refusals / 2)
                    #expect(records.count { $0.status == -25293 } == refusals / 2)
                }
            }
        }

        @Test func killingSecuritydBreaksNoChainAndLosesNoRefusal() throws {
            try TemporaryDirectory.lend { directory in
                var generator = SeededGenerator(seed: 77)
                let refusals = Atomic<Int>(0)
                for _ in 0..<4 {
                    try TestService.run(.init(.user, directory: directory)) { service in
                        _ = try? service.keychain.add(.password("anna"))
                        for _ in 0..<2 {
                            let worker = try service.worker()
                            let before = refusals.load(ordering: .relaxed)
                            let isStopped = Atomic<Bool>(false)
                            // Also after a failure: they wouldn't end by themselves.
                            defer { isStopped.store(true, ordering: .relaxed) }
                            let task = InParallel.Shared()
                            let (reading, refused) = (service.connect(), service.connect())
                            task.start("reader") {
                                while !isStopped.load(ordering: .relaxed) {
                                    _ = try? reading.find(.password("anna"))
                                }
                            }
                            task.start("refused") {
                                while !isStopped.load(ordering: .relaxed) {
                                    if status({ try refused.find(Self.foreignQuery()) }) == -34018 {
                                        refusals.add(1, ordering: .relaxed)
                                    }
                                }
                            }
                            // Running, however long the service took to start.
                            try Waiting.until("refusals") {
                                refusals.load(ordering: .relaxed) > before + 2
                            }
                            usleep(UInt32.random(in: 20_000..<150_000, using: &generator))
                            try service.crash(worker)
                            isStopped.store(true, ordering: .relaxed)
                            #expect(task.finish() == [])
                        }
                    }
                }
                try TestService.run(.init(.user, directory: directory)) { service in
                    let (records, brokenAt) = try service.keychain.auditLog()
                    #expect(brokenAt == [])
                    let noted = records.count { $0.status == -34018 }
                    let sent = refusals.load(ordering: .relaxed)
                    #expect(noted >= sent)
                    #expect(sent > 10)
                    #expect(records.contains { $0.event == .read && $0.status == 0 })
                    #expect(records.map(\.sequence) == Array(1...UInt64(records.count)))
                }
            }
        }

        @Test func anOrderlyEndWritesEverythingDown() throws {
            try TemporaryDirectory.lend { directory in
                try TestService.run(.init(.user, directory: directory)) { service in
                    try service.keychain.add(.password("anna"))
                    _ = try service.keychain.find(.password("anna"))
                }
                try TestService.run(.init(.user, directory: directory)) { service in
                    let records = try Self.clientRecords(service)
                    #expect(records.map(\.event) == [.add, .read])
                }
            }
        }

        @Test func aReadIsWrittenWithoutBeingAskedFor() throws {
            try TestService.run { service in
                try service.keychain.add(.password("anna"))
                try Waiting.until("the log's file") { try !Self.files(service).isEmpty }
                let size = {
                    try Self.files(service).map {
                        try Data(contentsOf: URL(fileURLWithPath: $0)).count
                    }
                }
                let before = try size()
                _ = try service.keychain.find(.password("anna"))
                try Waiting.until("the record") { try size() != before }
            }
        }

        // MARK: - Changed files

        @Test func aChangedLogIsReportedAndGoesOn() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                try TestService.run(options) { service in
                    for number in 0..<5 { try service.keychain.add(.password("\(number)")) }
                    #expect(try service.keychain.auditLog().brokenAt == [])
                }
                let file = try #require(try Self.files(in: directory + "/llavero").first)
                var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
                // The third record is somewhere after the header and two records.
                let second = 128 + Int(bytes[128]) * 64
                let third = second + Int(bytes[second]) * 64
                bytes[third + 50] ^= 1
                try bytes.write(to: URL(fileURLWithPath: file))
                try TestService.run(options) { service in
                    try service.keychain.add(.password("new"))
                    let (records, brokenAt) = try service.keychain.auditLog()
                    #expect(brokenAt == [3])
                    #expect(records.count { $0.event == .add } == 5)
                    #expect(records.first { $0.event == .chainBroken }?.number == 3)
                    #expect(try Self.files(service).count == 2)
                }
            }
        }

        @Test func aLogInAnyStateStopsNoRequest() throws {
            var generator = SeededGenerator(seed: 5)
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                for round in 0..<6 {
                    try TestService.run(options) { service in
                        try service.keychain.add(.password("\(round)"))
                        #expect(
                            status { try service.keychain.find(Self.foreignQuery()) } == -34018)
                        _ = try service.keychain.auditLog()
                    }
                    for file in try Self.files(in: directory + "/llavero") {
                        let count = Int.random(in: 0..<3000, using: &generator)
                        let junk = (0..<count).map { _ in
                            UInt8.random(in: 0...255, using: &generator)
                        }
                        try Data(junk).write(to: URL(fileURLWithPath: file))
                    }
                }
            }
        }

        // MARK: - Bounds and contents

        @Test func theLogStaysWithinEightMebibytes() throws {
            try TestService.run { service in
                for number in 0..<300 { try service.keychain.add(.password("\(number)")) }
                for _ in 0..<1900 {
                    _ = try service.keychain.find(
                        .password(limit: nil, returning: [.persistentReference]))
                }
                let (records, brokenAt) = try service.keychain.auditLog()
                #expect(brokenAt == [])
                #expect(records.first.map { $0.sequence > 1 } == true)
                let sizes = try Self.files(service).map {
                    try Data(contentsOf: URL(fileURLWithPath: $0)).count
                }
                #expect(sizes.count == 2)
                #expect(sizes.allSatisfy { $0 <= 4 << 20 })
                let sequences = records.map(\.sequence)
                #expect(zip(sequences, sequences.dropFirst()).allSatisfy { $0 + 1 == $1 })
            }
        }

        @Test func noSecretAndNoAttributeIsInTheLogOrTheUsageTimes() throws {
            let values = [
                "account": "Kunigunde Xylander", "service": "quokka.example.net",
                "secret": "bumfuzzle-3391-secret", "label": "Etikett Zymurgie",
                "foreign group": Self.foreignGroup,
            ]
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                try TestService.run(options) { service in
                    var item = NewItem.password(
                        "Kunigunde Xylander", service: "quokka.example.net",
                        secret: "bumfuzzle-3391-secret")
                    item.attributes[.label] = .text("Etikett Zymurgie")
                    try service.keychain.add(item)
                    _ = try service.keychain.find(.password("Kunigunde Xylander"))
                    _ = outcome { try service.keychain.find(Self.foreignQuery()) }
                    for record in try service.keychain.auditLog().records {
                        let text = "\(record)"
                        #expect(values.values.allSatisfy { !text.contains($0) })
                    }
                }
                var needles: [String: [UInt8]] = [:]
                for (name, value) in values { needles[name] = Array(value.utf8) }
                #expect(try FileScan.find(needles, below: directory) == [])
            }
        }

        @Test func theLogIsSealedWithAKeyThatALockedDeviceHas() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                try TestService.run(options) { service in
                    try service.keychain.add(.password("anna"))
                    try service.keychain.setPasscode(SecretBytes(passcode: "1234"))
                }
                // Before the first unlock.
                try TestService.run(options) { service in
                    #expect(reason { try service.keychain.find(.password("anna")) } == .locked)
                    let records = try Self.clientRecords(service)
                    #expect(records.map(\.event) == [.add, .setPasscode, .read])
                }
            }
        }

        @Test func pagesAndLimitsWorkOverTheConnection() throws {
            try TestService.run { service in
                try service.keychain.add(.password("anna"))
                for _ in 0..<2500 { _ = try service.keychain.find(.password("anna")) }
                var query = AuditQuery()
                let all = try service.keychain.auditLog(query).records
                #expect(all.count == 2502)
                #expect(try service.keychain.auditPage(query).records.count == 1000)
                query.limit = 1500
                #expect(try service.keychain.auditLog(query).records == all.suffix(1500))
                query.limit = 0
                query.since = all[2000].microseconds
                #expect(
                    try service.keychain.auditLog(query).records
                        == all.filter {
                            $0.microseconds >= query.since
                        })
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// The file classes with real daemons and real locks.
    @Suite struct SealedFileClasses {
        private static let passcode = "correct horse"
        private static let byteCount = 3 * 4096 + 5

        /// The operation on a file.
        enum Use: CaseIterable {
            /// A new file, from the first byte to its name.
            case create
            /// Opening and reading an existing file.
            case open
            /// Reading on with a handle that was opened while the device was unlocked.
            case readOn
            /// Finishing a file that was begun while the device was unlocked.
            case writeOn
        }

        /// The time of the operation.
        enum Moment: CaseIterable {
            case unlocked
            case locked
            case beforeFirstUnlock
        }

        /// The operations that each class allows: the table of the file classes.
        private static let allowed: [FileProtection: [Moment: Set<Use>]] = [
            .complete: [
                .unlocked: [.create, .open, .readOn, .writeOn],
                .locked: [],
                .beforeFirstUnlock: [],
            ],
            .completeUnlessOpen: [
                .unlocked: [.create, .open, .readOn, .writeOn],
                .locked: [.create, .readOn, .writeOn],
                .beforeFirstUnlock: [.create, .readOn, .writeOn],
            ],
            .completeUntilFirstUserAuthentication: [
                .unlocked: [.create, .open, .readOn, .writeOn],
                .locked: [.create, .open, .readOn, .writeOn],
                .beforeFirstUnlock: [],
            ],
            .none: [
                .unlocked: [.create, .open, .readOn, .writeOn],
                .locked: [.create, .open, .readOn, .writeOn],
                .beforeFirstUnlock: [.create, .open, .readOn, .writeOn],
            ],
        ]

        @Test(arguments: FileProtection.allCases)
        func eachClassAllowsWhatTheTableSays(_ protection: FileProtection) throws {
            let table = try #require(Self.allowed[protection])
            try SealedFolder.run { service, folder in
                try service.keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                let files = SealedFiles.small(service.keychain)
                let bytes = SealedFolder.bytes(Self.byteCount)
                try folder.seal(bytes, "old", files, protection)
                for moment in Moment.allCases {
                    try Self.unlock(service)
                    let handle = try files.open(folder.file("old"))
                    #expect(try handle.read(at: 0, count: 10) == [UInt8](bytes[..<10]))
                    var begun = try files.create(
                        folder.file("begun"), protection: protection, replacing: true)
                    try begun.write([UInt8](bytes[..<5000]))
                    try Self.enter(moment, service)
                    let may = try #require(table[moment])

                    let created = sealedFailure {
                        try folder.seal(bytes, "new", files, protection, replacing: true)
                    }
                    Self.expect(created, may.contains(.create), .create, moment)
                    let opened = sealedFailure {
                        let file = try files.open(folder.file("old"))
                        #expect(try file.read(at: 0, count: bytes.count) == bytes)
                    }
                    Self.expect(opened, may.contains(.open), .open, moment)
                    // Including data that the handle has read a moment ago.
                    for offset in [0, 9000] {
                        let readOn = sealedFailure {
                            let read = try handle.read(at: UInt64(offset), count: 10)
                            #expect(read == [UInt8](bytes[offset..<offset + 10]))
                        }
                        Self.expect(readOn, may.contains(.readOn), .readOn, moment)
                    }
                    let writtenOn = sealedFailure {
                        try begun.write([UInt8](bytes[5000...]))
                        try begun.finish()
                    }
                    Self.expect(writtenOn, may.contains(.writeOn), .writeOn, moment)

                    // Whatever the result, the file is complete once the device is unlocked.
                    try Self.unlock(service)
                    if created == nil { try Self.expectWhole("new", bytes, files, folder) }
                    #expect(try handle.read(at: 0, count: bytes.count) == bytes)
                    if writtenOn != nil {
                        try begun.write([UInt8](bytes[5000...]))
                        try begun.finish()
                    }
                    try Self.expectWhole("begun", bytes, files, folder)
                    try Self.expectWhole("old", bytes, files, folder)
                }
            }
        }

        /// Without a passcode there is no lock, for files as for items.
        @Test(arguments: FileProtection.allCases)
        func withoutAPasscodeEverythingIsAllowed(_ protection: FileProtection) throws {
            try SealedFolder.run { service, folder in
                let files = SealedFiles.small(service.keychain)
                try service.keychain.lock()
                try folder.seal([1, 2], "a", files, protection)
                let handle = try files.open(folder.file("a"))
                try service.keychain.lock(.logOut)
                #expect(try handle.read(at: 0, count: 9) == [1, 2])
                // The passcode is set later: the keys are the same, and files stay usable.
                try service.keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                #expect(try handle.read(at: 0, count: 9) == [1, 2])
                try service.keychain.removePasscode(SecretBytes(passcode: Self.passcode))
                #expect(try files.open(folder.file("a")).read(at: 0, count: 9) == [1, 2])
            }
        }

        /// The first file of a class makes its key, and the class must allow that. For complete
        /// unless open, the private half is in a class that is unavailable while the device is
        /// locked.
        @Test func aFirstKeyIsMadeOnlyWhenItsClassIsThere() throws {
            try SealedFolder.run { service, folder in
                try service.keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                let files = SealedFiles.small(service.keychain)
                try service.keychain.lock()
                for protection in [FileProtection.complete, .completeUnlessOpen] {
                    let failure = sealedFailure { try files.prepare(protection) }
                    #expect(failure?.reason == .locked)
                    #expect(
                        sealedFailure { try folder.seal([1], "x", files, protection) }?.reason
                            == .locked)
                }
                #expect(try folder.names == [])
                try Self.unlock(service)
                for protection in FileProtection.allCases { try files.prepare(protection) }
                try service.keychain.lock()
                try folder.seal([1], "x", files, .completeUnlessOpen)
                #expect(sealedFailure { _ = try files.open(folder.file("x")) }?.reason == .locked)
                try Self.unlock(service)
                #expect(try files.open(folder.file("x")).read(at: 0, count: 9) == [1])
            }
        }

        /// A file that was written while the device was locked can be opened even after a restart
        /// of the service.
        @Test func aFileWrittenWhileLockedOutlivesTheService() throws {
            try TemporaryDirectory.lend { directory in
                let folder = SealedFolder(path: directory)
                let options = TestService.Options(.user, directory: directory)
                try TestService.run(options) { service in
                    try service.keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                    let files = SealedFiles.small(service.keychain)
                    try files.prepare(.completeUnlessOpen)
                    try service.keychain.lock()
                    try folder.seal([1, 2, 3], "x", files, .completeUnlessOpen)
                    try service.crash(service.enclave())
                }
                try TestService.run(options) { service in
                    let files = SealedFiles.small(service.keychain)
                    try folder.seal([4], "y", files, .completeUnlessOpen)
                    let failure = sealedFailure { _ = try files.open(folder.file("x")) }
                    #expect(failure?.reason == .locked)
                    try Self.unlock(service)
                    #expect(try files.open(folder.file("x")).read(at: 0, count: 9) == [1, 2, 3])
                    #expect(try files.open(folder.file("y")).read(at: 0, count: 9) == [4])
                }
            }
        }

        /// The item's class decides: changing it gives existing files a stronger class.
        @Test func aStrongerClassOfTheItemHoldsForItsFiles() throws {
            try SealedFolder.run { service, folder in
                try service.keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                let files = SealedFiles.small(service.keychain)
                try folder.seal([1], "x", files)
                try service.keychain.update(
                    .password("until-first-authentication", service: "llavero.sealed-files"),
                    applying: .setting([.accessible: .text("ak")]))
                let handle = try files.open(folder.file("x"))
                try service.keychain.lock()
                #expect(sealedFailure { _ = try files.open(folder.file("x")) }?.reason == .locked)
                #expect(
                    sealedFailure { _ = try handle.read(at: 0, count: 1) }?.reason == .locked)
                try Self.unlock(service)
                #expect(try handle.read(at: 0, count: 9) == [1])
            }
        }

        /// Absent, locked, gone and unreachable are different errors.
        @Test func whyThereIsNoKeyIsTold() throws {
            try TemporaryDirectory.lend { directory in
                let folder = SealedFolder(path: directory)
                let options = TestService.Options(.user, directory: directory)
                var gone: KeychainConnection?
                try TestService.run(options) { service in
                    gone = service.keychain
                    let files = SealedFiles.small(service.keychain)
                    try service.keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                    for name in ["a", "b", "c"] {
                        let named = SealedFiles.small(service.keychain, keyName: name)
                        try folder.seal([1], name, named, .complete)
                    }
                    try SealedFiles.small(service.keychain, keyName: "a").removeKey(of: .complete)
                    // One item's secret in another item.
                    try StoredRows.execute(
                        """
                        UPDATE genp SET secret = (SELECT secret FROM genp WHERE rowid = 3) \
                        WHERE rowid = 2
                        """, service.stateDirectory)
                    #expect(
                        sealedFailure { _ = try files.open(folder.file("a")) }?.reason == .absent)
                    #expect(
                        sealedFailure { _ = try files.open(folder.file("b")) }?.reason == .keyGone)
                    try service.keychain.lock()
                    #expect(
                        sealedFailure { _ = try files.open(folder.file("c")) }?.reason == .locked)
                }
                let files = SealedFiles.small(try #require(gone))
                #expect(
                    sealedFailure { _ = try files.open(folder.file("c")) }?.reason == .unreachable)
            }
        }

        // MARK: - Helpers

        private static func unlock(_ service: TestService) throws {
            try service.keychain.unlock(passcode: SecretBytes(passcode: passcode))
        }

        private static func enter(_ moment: Moment, _ service: TestService) throws {
            switch moment {
            case .unlocked: break
            case .locked: try service.keychain.lock()
            case .beforeFirstUnlock: try service.keychain.lock(.logOut)
            }
            let state = try service.keychain.deviceStatus().state
            switch moment {
            case .unlocked: #expect(state == .unlocked)
            case .locked: #expect(state == .locked)
            case .beforeFirstUnlock: #expect(state == .beforeFirstUnlock)
            }
        }

        private static func expect(
            _ failure: SealedFileError?, _ isAllowed: Bool, _ use: Use, _ moment: Moment
        ) {
            if isAllowed {
                #expect(failure == nil, "\(use) \(moment)")
            } else {
                #expect(failure?.reason == .locked, "\(use) \(moment)")
            }
        }

        private static func expectWhole(
            _ name: String, _ bytes: [UInt8], _ files: SealedFiles, _ folder: SealedFolder
        ) throws {
            let file = try files.open(folder.file(name))
            #expect(try file.read(at: 0, count: bytes.count + 1) == bytes, "\(name)")
        }
    }
}

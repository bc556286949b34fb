// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Diagnosis
import Foundation
import IPC
import Keychain
import SecurityWire
import TestSupport
import Testing

/// Each check on a directory that was made for it.
@Suite struct CheckTests {
    private static func codes(_ check: any Check) -> [String] {
        check.run().findings.map(\.code)
    }

    private static func plant(_ path: String, mode: mode_t = 0o600) throws {
        try Data("x".utf8).write(to: URL(fileURLWithPath: path))
        guard unsafe chmod(path, mode) == 0 else { throw TestFailure(path) }
    }

    private static func makeDirectory(_ path: String, mode: mode_t = 0o700) throws {
        guard unsafe mkdir(path, mode) == 0, unsafe chmod(path, mode) == 0 else {
            throw TestFailure(path)
        }
    }

    /// A state directory as the service makes it.
    private static func withState(_ body: (Places) throws -> Void) throws {
        try TemporaryDirectory.lend { directory in
            let state = directory + "/llavero"
            try makeDirectory(state)
            try makeDirectory(state + "/enclave")
            try plant(state + "/keychain.db")
            try plant(state + "/enclave/passcode.pub", mode: 0o644)
            try body(Places(stateDirectory: state, temporaryDirectory: directory))
        }
    }

    private static func status(
        _ change: (inout DeviceReport) -> Void = { _ in }
    ) throws -> DeviceStatus {
        var report = DeviceReport(
            state: 0, passcodeSet: false, deviceKey: 1, memory: 1, failedAttempts: 0,
            secondsUntilNextAttempt: 0, usableClasses: 0, existingClasses: 0, identityGrade: "U")
        report.landlock = 1
        report.landlockVersion = 6
        report.filtersSystemCalls = true
        change(&report)
        return try #require(DeviceStatus(report))
    }

    // MARK: - The socket

    @Test func absentSocketIsNamed() throws {
        let report = ServiceCheck(
            Places(candidates: ["/a/sock", "/b/sock"], stateDirectory: "/a")
        ).run()
        #expect(report.findings.map(\.code) == ["socket-absent"])
        #expect(report.findings.first?.what.contains("/a/sock or /b/sock") == true)
        #expect(
            Self.codes(ServiceCheck(Places(socket: "/nonexistent/s", stateDirectory: "/a")))
                == ["socket-absent"])
    }

    @Test func socketThatIsOneOfAKilledServiceIsRefused() throws {
        try TemporaryDirectory.lend { directory in
            let path = directory + "/s"
            let places = Places(socket: path, stateDirectory: directory)
            let listener = try UnixSocket.listen(at: path, backlog: 1).release()
            #expect(Self.codes(ServiceCheck(places)) == [])
            close(listener)
            #expect(Self.codes(ServiceCheck(places)) == ["socket-refused"])
        }
    }

    @Test func fileInThePlaceOfTheSocketIsNoSocket() throws {
        try TemporaryDirectory.lend { directory in
            try Self.plant(directory + "/s")
            let places = Places(socket: directory + "/s", stateDirectory: directory)
            #expect(Self.codes(ServiceCheck(places)) == ["socket-is-none"])
        }
    }

    // MARK: - Directories

    @Test func directoriesAsTheServiceMakesThemAreSound() throws {
        try Self.withState { #expect(Self.codes(DirectoryCheck($0, isServed: true)) == []) }
    }

    @Test func rightsOfOthersAreFound() throws {
        try Self.withState { places in
            let state = places.stateDirectory
            unsafe chmod(state + "/keychain.db", 0o644)
            #expect(Self.codes(DirectoryCheck(places, isServed: true)) == ["file-open-to-others"])
            unsafe chmod(state + "/keychain.db", 0o600)
            unsafe chmod(state + "/enclave", 0o750)
            #expect(
                Self.codes(DirectoryCheck(places, isServed: true)) == ["directory-open-to-others"])
            unsafe chmod(state + "/enclave", 0o700)
            unsafe chmod(state, 0o755)
            #expect(
                Self.codes(DirectoryCheck(places, isServed: true)) == ["directory-open-to-others"])
            unsafe chmod(state, 0o700)
            unsafe chmod(places.temporaryDirectory, 0o777)
            #expect(Self.codes(DirectoryCheck(places, isServed: true)) == ["parent-open-to-others"])
        }
    }

    @Test func linksAndForeignOwnersAreFound() throws {
        try Self.withState { places in
            let link = places.stateDirectory + "/keychain.keys"
            guard unsafe symlink("/etc/passwd", link) == 0 else { throw TestFailure(link) }
            #expect(Self.codes(DirectoryCheck(places, isServed: true)) == ["not-a-file"])
            unsafe unlink(link)
            var others = places
            others.user = 4242
            let codes = Self.codes(DirectoryCheck(others, isServed: true))
            #expect(codes.contains("directory-of-another-user"))
            #expect(codes.contains("file-of-another-user"))
        }
    }

    @Test func stateDirectoryThatIsMissingMattersToAServiceThatAnswers() throws {
        let places = Places(stateDirectory: "/nonexistent/llavero")
        #expect(Self.codes(DirectoryCheck(places, isServed: false)) == [])
        #expect(
            Self.codes(DirectoryCheck(places, isServed: true)) == ["state-directory-elsewhere"])
    }

    @Test func runtimeDirectoryMustBeTheUsers() throws {
        try Self.withState { places in
            var places = places
            places.runtimeBase = "/nonexistent"
            #expect(
                Self.codes(DirectoryCheck(places, isServed: true)) == ["runtime-directory-absent"])
            places.runtimeBase = places.temporaryDirectory
            #expect(Self.codes(DirectoryCheck(places, isServed: true)) == [])
        }
    }

    @Test func filesOfTheSystemsServiceAreNotLookedAt() {
        let places = Places(stateDirectory: "/var/lib/llavero", user: 1000, isSystem: true)
        #expect(DirectoryCheck(places, isServed: true).run().isSkipped)
        #expect(DiskCheck(places).run().isSkipped)
    }

    // MARK: - Disk and clock

    @Test func fullAndReadOnlyDisksAreBroken() throws {
        let check = DiskCheck(Places(stateDirectory: "/s"))
        func codes(_ change: (inout DiskCheck.Room) -> Void) -> [String] {
            var room = DiskCheck.Room(
                freeByteCount: DiskCheck.smallByteCount, freeFileCount: 1000, isReadOnly: false,
                kind: 0xEF53)
            change(&room)
            return check.findings(room, at: "/s").map(\.code)
        }
        #expect(codes { _ in } == [])
        #expect(codes { $0.freeByteCount -= 1 } == ["disk-almost-full"])
        #expect(codes { $0.freeByteCount = DiskCheck.leastByteCount } == ["disk-almost-full"])
        #expect(codes { $0.freeByteCount = DiskCheck.leastByteCount - 1 } == ["disk-full"])
        #expect(codes { $0.freeFileCount = 0 } == ["disk-full"])
        #expect(codes { $0.freeFileCount = nil } == [])
        #expect(codes { $0.isReadOnly = true } == ["read-only-file-system"])
        #expect(codes { $0.kind = 0x6969 } == ["state-on-a-network"])
        #expect(codes { $0.kind = 0x0102_1994 } == ["state-in-memory"])
    }

    @Test func clockBeforeTheLastWriteIsFound() throws {
        try Self.withState { places in
            let now = Int64(time(nil))
            #expect(Self.codes(ClockCheck(places, now: now)) == [])
            #expect(
                Self.codes(ClockCheck(places, now: now - ClockCheck.tolerance - 60))
                    == ["clock-before-last-write"])
            #expect(Self.codes(ClockCheck(places, now: 0)) == ["clock-before-this-version"])
            #expect(
                Self.codes(ClockCheck(places, now: ClockCheck.earliest - 1))
                    == ["clock-before-this-version"])
        }
    }

    // MARK: - Kernel and device key

    @Test func missingFeaturesAreAdvice() throws {
        let all = KernelFeatures(landlockVersion: 6)
        #expect(Self.codes(KernelCheck(all, nil)) == [])
        #expect(Self.codes(KernelCheck(all, try Self.status())) == [])
        let none = KernelFeatures(
            landlockVersion: 0, landlockError: EPERM, secretMemoryError: EPERM, holdsPeers: false,
            scansPages: false)
        let report = KernelCheck(none, nil).run()
        #expect(
            report.findings.map(\.code)
                == ["no-landlock", "no-secret-memory", "no-peer-descriptor", "no-page-scan"])
        #expect(report.findings.allSatisfy { $0.severity == .advice })
        // What enclaved reports counts more.
        #expect(
            Self.codes(KernelCheck(none, try Self.status()))
                == ["no-peer-descriptor", "no-page-scan"])
        let weak = try Self.status {
            $0.landlock = 4
            $0.memory = 3
            $0.filtersSystemCalls = false
        }
        #expect(
            Self.codes(KernelCheck(all, weak))
                == ["no-landlock", "memory-not-locked", "no-system-call-filter"])
    }

    @Test func placeOfTheDeviceKeyIsJudged() throws {
        try Self.withState { places in
            let device = places.temporaryDirectory + "/tpmrm0"
            let chip = places.temporaryDirectory + "/tpm0"
            func codes(_ status: DeviceStatus?) -> [String] {
                Self.codes(
                    DeviceKeyCheck(places, status, resourceManager: device, chip: chip))
            }
            #expect(codes(try Self.status()) == [])
            #expect(codes(nil) == [])
            try Self.plant(chip)
            #expect(codes(try Self.status()) == ["tpm-without-resource-manager"])
            try Self.plant(places.stateDirectory + "/enclave/device.tpm")
            #expect(codes(nil) == ["tpm-of-the-keychain-absent"])
            try Self.plant(device)
            #expect(codes(nil) == [])
            #expect(codes(try Self.status()) == ["tpm-not-used"])
            let lone = try Self.status {
                $0.deviceKey = 3
                $0.passcodeSet = true
            }
            #expect(codes(lone) == ["no-recovery-code"])
        }
    }

    // MARK: - Versions, state, kept files

    @Test func differentVersionsAreFound() {
        func codes(_ service: String?, _ enclave: String?) -> [String] {
            Self.codes(VersionCheck(own: "0.2.0", service: service, enclave: enclave))
        }
        #expect(codes("0.2.0", "0.2.0") == [])
        #expect(codes("0.1.0", "0.1.0") == ["service-of-another-version"])
        #expect(codes("0.2.0", "0.1.0") == ["daemons-differ"])
        #expect(codes(nil, nil) == ["service-of-another-version"])
    }

    @Test func lockedAndDisabledStatesAreFound() throws {
        func codes(_ change: (inout DeviceReport) -> Void) throws -> [String] {
            Self.codes(StateCheck(try Self.status(change)))
        }
        #expect(try codes { _ in } == [])
        #expect(try codes { $0.state = 2 } == [])
        #expect(try codes { $0.state = 1 } == ["before-first-unlock"])
        #expect(try codes { $0.state = 3 } == ["locked"])
        #expect(try codes { $0.secondsUntilNextAttempt = 60 } == ["passcode-delayed"])
        #expect(try codes { $0.secondsUntilNextAttempt = .max } == ["passcode-disabled"])
    }

    @Test func keptFilesAndLeftDirectoriesAreFound() throws {
        try Self.withState { places in
            #expect(Self.codes(KeptFilesCheck(places)) == [])
            let kept = places.stateDirectory + "/keychain-damaged-20260102T030405Z.db"
            try Self.plant(kept)
            try Self.plant(kept + "-wal")
            let report = KeptFilesCheck(places).run()
            #expect(report.findings.map(\.code) == ["damaged-files-kept"])
            #expect(report.summary == "1")
            unsafe unlink(kept)
            let left = places.temporaryDirectory + "/llavero-ephemeral-\(places.user)-abcdef"
            try Self.makeDirectory(left)
            #expect(Self.codes(KeptFilesCheck(places)) == [])
            let lock = left + "/supervisor.lock"
            try Self.plant(lock)
            #expect(Self.codes(KeptFilesCheck(places)) == ["ephemeral-keychains-left"])
            // One that is in use isn't left.
            let file = unsafe open(lock, O_RDWR)
            defer { close(file) }
            try #require(flock(file, LOCK_EX | LOCK_NB) == 0)
            #expect(Self.codes(KeptFilesCheck(places)) == [])
        }
    }
}

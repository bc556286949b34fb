// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Glibc
import Keychain
import SecretBytes
import TestSupport

/// fprintd with libfprint's virtual reader, on a bus of its own.
final class VirtualReader {
    private static let mock = "/usr/bin/python3"

    private let directory: String
    private var processes: [TestProcess] = []

    /// The bus, for programs that ask the reader.
    var environment: [String: String] {
        ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(directory)/bus"]
    }

    private var socketPath: String { directory + "/reader" }

    /// Starts a bus, a polkit that allows everything, and fprintd.
    init(_ directory: String) throws {
        self.directory = directory
        let configuration = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig><type>system</type><listen>unix:path=\(directory)/bus</listen>
            <auth>EXTERNAL</auth><policy context="default"><allow user="*"/><allow own="*"/>
            <allow send_destination="*"/><allow receive_sender="*"/></policy></busconfig>
            """
        try configuration.write(
            toFile: directory + "/bus.conf", atomically: false, encoding: .utf8)
        try start(
            "/usr/bin/dbus-daemon",
            ["--config-file=\(directory)/bus.conf", "--nofork", "--nopidfile"])
        try Waiting.until("the bus to be there") {
            FileManager.default.fileExists(atPath: "\(directory)/bus")
        }
        try start(Self.mock, ["-m", "dbusmock", "--system", "--template", "polkitd"])
        try Waiting.until("polkit to answer") {
            let answer = try call([
                "org.freedesktop.PolicyKit1", "/org/freedesktop/PolicyKit1/Authority",
                "org.freedesktop.DBus.Mock", "AllowUnknown", "b", "true",
            ])
            return answer == .exit(0)
        }
        try FileManager.default.createDirectory(
            atPath: directory + "/fingers", withIntermediateDirectories: true)
        try start(
            "/usr/libexec/fprintd", ["-t"],
            ["FP_VIRTUAL_DEVICE_STORAGE": socketPath, "STATE_DIRECTORY": directory + "/fingers"])
        try Waiting.until("fprintd to answer") {
            let answer = try call([
                "net.reactivated.Fprint", "/net/reactivated/Fprint/Manager",
                "net.reactivated.Fprint.Manager", "GetDefaultDevice",
            ])
            return answer == .exit(0)
        }
    }

    deinit { for process in processes.reversed() { process.end() } }

    /// A device with passcode 1234 whose owner accepts fingerprints, with one enrolled finger, A.
    static func run(
        _ mode: DeviceStatus.Biometry = .sets, enrols: Bool = true,
        _ body: (TestService, VirtualReader) throws -> Void
    ) throws {
        try TemporaryDirectory.lend { directory in
            let reader = try VirtualReader(directory)
            var options = TestService.Options(.user, directory: directory)
            options.environment = reader.environment
            try TestService.run(options) { service in
                let passcode = SecretBytes(passcode: "1234")
                try service.keychain.setPasscode(passcode)
                if mode != .off {
                    try service.keychain.configureBiometry(mode, passcode: passcode)
                }
                if enrols { try reader.enrol("right-index-finger", as: "A", service) }
                try body(service, reader)
            }
        }
    }

    private func start(
        _ path: String, _ words: [String], _ added: [String: String] = [:]
    ) throws {
        var options = TestProcess.Options()
        options.environment = environment.merging(added) { _, new in new }
        processes.append(try TestProcess(path, words, options))
    }

    private func call(_ words: [String]) throws -> TestProcess.Ending? {
        var options = TestProcess.Options()
        options.environment = environment
        let address = "--address=unix:path=\(directory)/bus"
        return try TestProcess.run("/usr/bin/busctl", [address, "call"] + words, options).ending
    }

    /// A finger touches the reader as soon as a program waits for it.
    func scan(_ finger: String) throws {
        try Waiting.until("the reader to be asked") { send("SCAN " + finger) }
    }

    private func send(_ text: String) -> Bool {
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { return false }
        defer { close(socket) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array(socketPath.utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
        let connected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard connected == 0 else { return false }
        return unsafe write(socket, text, text.utf8.count) == text.utf8.count
    }

    /// Enrols a finger by `security device biometry enrol`.
    func enrol(_ name: String, as finger: String, _ service: TestService) throws {
        let process = try command(["enrol", name], service)
        guard try process.readLine() == "ready" else {
            throw TestFailure("The reader can't enrol: \(process.errorText)")
        }
        for _ in 0..<20 {
            try scan(finger)
            guard try process.readLine() == "completed" else { continue }
            guard try process.wait() == .exit(0) else {
                throw TestFailure("The finger isn't enrolled: \(process.errorText)")
            }
            return
        }
        throw TestFailure("The finger isn't enrolled.")
    }

    /// Removes one by `security device biometry remove`; nil is all.
    func remove(_ name: String?, _ service: TestService) throws {
        let process = try command(["remove"] + (name.map { [$0] } ?? []), service)
        guard try process.wait() == .exit(0) else {
            throw TestFailure("The finger isn't removed: \(process.errorText)")
        }
    }

    /// The result of a verb of `security device biometry`, which has the passcode if it wants one.
    func result(
        _ words: [String], _ service: TestService, passcode: String = "1234"
    ) throws -> (ending: TestProcess.Ending, output: String) {
        let process = try command(words, service, passcode: words == ["list"] ? nil : passcode)
        let output = try process.readAll()
        return (try process.wait(), output)
    }

    /// A program that isn't llavero's asks for a finger, and has it.
    func verifyElsewhere() throws -> TestProcess {
        var options = TestProcess.Options()
        options.environment = environment
        let process = try TestProcess("/usr/bin/fprintd-verify", [], options)
        while true {
            let line = try process.readLine()
            if line.contains("Verify started") || line.contains("Verifying:") { return process }
        }
    }

    /// A program that isn't fprintd says on the bus that a finger was recognized.
    func pretendMatch() throws {
        var options = TestProcess.Options()
        options.environment = environment
        let result = try TestProcess.run(
            "/usr/bin/busctl",
            [
                "--address=unix:path=\(directory)/bus", "emit", "/net/reactivated/Fprint/Device/0",
                "net.reactivated.Fprint.Device", "VerifyStatus", "sb", "verify-match", "true",
            ], options)
        guard result.ending == .exit(0) else { throw TestFailure("No signal: \(result.errors)") }
    }

    /// fprintd ends: the machine has no reader any more.
    func goAway() { processes.removeLast().end() }

    private func command(
        _ words: [String], _ service: TestService, passcode: String? = "1234"
    ) throws -> TestProcess {
        var options = TestProcess.Options()
        options.environment = environment.merging(["LLAVERO_SOCKET": service.socketPath]) { $1 }
        let process = try TestProcess(
            try Binaries.path("security"),
            ["device", "biometry"] + words + (passcode == nil ? [] : ["--passcode-fd", "0"]),
            options)
        if let passcode { process.write(passcode + "\n") }
        process.closeInput()
        return process
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecretBytes
import SecurityWire

/// `security device biometry`: the fingers that the machine's reader knows, and what they count for.
///
/// A change of the fingers first says so to enclaved, with the passcode: items that demand the present
/// set are then closed for good, whatever the reader does afterwards. It says so again when the change
/// is done, so that an item that was stored in between isn't open to the new finger.
enum BiometryCommand {
    private static let passcodeOption = "--passcode-fd"
    private static let program = "llavero-fingerprint"

    static func run(
        _ arguments: [String], _ connection: KeychainConnection
    ) throws(DeviceProblem) {
        var arguments = arguments
        guard let verb = arguments.first else { throw .usage }
        arguments.removeFirst()
        var finger: String?
        if let word = arguments.first, !word.hasPrefix("-") {
            finger = word
            arguments.removeFirst()
        }
        let options = try DeviceOptions(arguments, values: [passcodeOption])
        switch verb {
        case "list" where finger == nil && options.isEmpty: try carryOut(["list"])
        case "enrol":
            guard let finger else { throw .usage }
            try change(["enrol", finger], options, connection)
        case "remove":
            try change(["remove"] + (finger.map { [$0] } ?? []), options, connection)
        default: throw .usage
        }
    }

    /// `security device configure --fingerprint off|on|sets`.
    static func configure(
        _ word: String, _ options: DeviceOptions, _ connection: KeychainConnection
    ) throws(DeviceProblem) {
        let mode: DeviceStatus.Biometry
        switch word {
        case "off": mode = .off
        case "on": mode = .presence
        case "sets": mode = .sets
        default: throw .usage
        }
        guard let passcode = try passcode(options, connection) else {
            throw .keychain(KeychainError(status: SecurityStatus.param, reason: .wrongState))
        }
        do throws(KeychainError) {
            try connection.configureBiometry(mode, passcode: passcode.bytes)
        } catch { throw .keychain(error) }
    }

    /// Changes the fingers, and says so to enclaved. Without a passcode no finger counts, and no item
    /// is open to a finger: setting one doesn't bring an earlier set back.
    private static func change(
        _ words: [String], _ options: DeviceOptions, _ connection: KeychainConnection
    ) throws(DeviceProblem) {
        let passcode = try passcode(options, connection)
        func announce() throws(DeviceProblem) {
            guard let passcode else { return }
            do throws(KeychainError) {
                try connection.noteBiometryChange(passcode: passcode.bytes)
            } catch { throw .keychain(error) }
        }
        try announce()
        try carryOut(words)
        try announce()
    }

    /// - Returns: Nil while none is set.
    private static func passcode(
        _ options: DeviceOptions, _ connection: KeychainConnection
    ) throws(DeviceProblem) -> Secret? {
        guard try status(connection).passcodeSet else { return nil }
        let source = PasscodeSource(descriptor: try options.descriptor(passcodeOption))
        return try source.current("passcode: ")
    }

    private static func status(
        _ connection: KeychainConnection
    ) throws(DeviceProblem) -> DeviceStatus {
        do { return try connection.deviceStatus() } catch { throw .keychain(error) }
    }

    /// Runs the program that asks the reader; its lines are the command's output.
    private static func carryOut(_ words: [String]) throws(DeviceProblem) {
        let text = "the program for fingerprints is missing, or there is no reader"
        guard let path, let status = started(path, [program] + words), status == 0 else {
            throw .keychain(
                KeychainError(status: SecurityStatus.notAvailable, reason: .unreachable),
                advice: text)
        }
    }

    private static func started(_ path: String, _ words: [String]) -> Int32? {
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
        var child: pid_t = 0
        guard unsafe posix_spawn(&child, path, nil, nil, &pointers, environ) == 0 else {
            return nil
        }
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) < 0 {
            guard errno == EINTR else { return nil }
        }
        return status
    }

    /// Beside this program, or where packages put it.
    private static var path: String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        let own = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let folder = own.prefix(upTo: own.lastIndex(of: "/") ?? own.startIndex)
        return ["\(folder)/\(program)", "/usr/libexec/llavero/\(program)"].first {
            unsafe access($0, X_OK) == 0
        }
    }
}

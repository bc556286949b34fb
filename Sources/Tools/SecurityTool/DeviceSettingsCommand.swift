// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecretBytes
import SecurityWire

/// `security device configure`.
enum DeviceSettingsCommand {
    private static let erase = "--erase-after-failures"
    private static let unidentified = "--count-unidentified-programs"
    private static let grace = "--grace"
    private static let fingerprint = "--fingerprint"
    private static let passcode = "--passcode-fd"

    /// Changes the named settings, or prints all.
    static func configure(
        _ arguments: [String], _ connection: KeychainConnection
    ) throws(DeviceProblem) {
        let options = try DeviceOptions(
            arguments, values: [erase, unidentified, grace, fingerprint, passcode],
            flags: ["--show", "--json"])
        if options.has("--show") {
            let others = [erase, unidentified, grace, fingerprint, passcode]
            guard others.allSatisfy({ options.value($0) == nil }) else { throw .usage }
            return try show(try status(connection), isJSON: options.has("--json"))
        }
        if let word = options.value(fingerprint) {
            let others = [erase, unidentified, grace]
            guard others.allSatisfy({ options.value($0) == nil }) else { throw .usage }
            return try BiometryCommand.configure(word, options, connection)
        }
        let change = try change(options)
        let source = PasscodeSource(descriptor: try options.descriptor(passcode))
        let status = try status(connection)
        guard status.passcodeSet else {
            throw .keychain(KeychainError(status: SecurityStatus.param, reason: .wrongState))
        }
        let secret = try source.current("passcode: ")
        do throws(KeychainError) {
            try connection.configure(change(status.settings), passcode: secret.bytes)
        } catch { throw .keychain(error) }
    }

    private static func status(
        _ connection: KeychainConnection
    ) throws(DeviceProblem) -> DeviceStatus {
        do { return try connection.deviceStatus() } catch { throw .keychain(error) }
    }

    /// The result for the settings.
    private static func change(
        _ options: DeviceOptions
    ) throws(DeviceProblem) -> (DeviceSettings) -> DeviceSettings {
        let erases = try choice(options.value(erase))
        let counts = try choice(options.value(unidentified))
        var seconds: UInt16?
        if let text = options.value(grace) {
            guard let number = UInt16(text), number <= DeviceSettings.graceSecondsLimit else {
                throw .usage
            }
            seconds = number
        }
        guard erases != nil || counts != nil || seconds != nil, !options.has("--json") else {
            throw .usage
        }
        return { [erases, counts, seconds] settings in
            DeviceSettings(
                erasesAfterFailures: erases ?? settings.erasesAfterFailures,
                graceSeconds: seconds ?? settings.graceSeconds,
                countsUnidentifiedPrograms: counts ?? settings.countsUnidentifiedPrograms)
        }
    }

    private static func choice(_ word: String?) throws(DeviceProblem) -> Bool? {
        switch word {
        case nil: nil
        case "on": true
        case "off": false
        default: throw .usage
        }
    }

    private static func show(_ status: DeviceStatus, isJSON: Bool) throws(DeviceProblem) {
        let json = """
            {
              "eraseAfterFailures": \(status.settings.erasesAfterFailures),
              "countUnidentifiedPrograms": \(status.settings.countsUnidentifiedPrograms),
              "graceSeconds": \(status.settings.graceSeconds),
              "escrowRecord": \(status.hasEscrow),
              "recoveryCode": \(status.hasRecoveryCode),
              "boundRegisters": \(status.boundRegisters),
              "erasures": \(status.erasures),
              "fingerprints": "\(status.biometry.rawValue)"
            }

            """
        let text = DeviceStatusText.aligned(DeviceStatusText.settings(status))
        var output = Output(STDOUT_FILENO)
        output.put(isJSON ? json : text)
        guard output.flush() else {
            throw .keychain(KeychainError(status: SecurityStatus.io, reason: .internalFailure))
        }
    }
}

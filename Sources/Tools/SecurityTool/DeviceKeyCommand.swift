// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import Keychain
import SecretBytes
import SecurityWire

/// `security device migrate` and `bind`, and the commands for recovery codes.
enum DeviceKeyCommand {
    private static let passcode = "--passcode-fd"
    private static let recovery = "--recovery-fd"
    private static let permit = "--permit-fd"
    private static let flag = "--recovery-code"
    private static let noCode = "--no-recovery-code"

    /// Replaces the device key by one of another maker.
    static func migrate(
        _ arguments: [String], _ connection: KeychainConnection
    ) throws(DeviceProblem) {
        let options = try DeviceOptions(arguments, values: ["--to", passcode])
        let target = try maker(options.value("--to"))
        let source = PasscodeSource(descriptor: try options.descriptor(passcode))
        let secret = try present(source, connection)
        do throws(KeychainError) {
            try connection.migrateDeviceKey(to: target, passcode: secret.bytes)
        } catch { throw .keychain(error, advice: advice(error.reason, target)) }
    }

    /// Binds the passcode to registers of the TPM, or to none.
    static func bind(
        _ arguments: [String], _ connection: KeychainConnection
    ) throws(DeviceProblem) {
        let options = try DeviceOptions(
            arguments, values: ["--pcrs", passcode], flags: ["--none"])
        let registers = try registers(
            options.value("--pcrs"), isNone: arguments.contains("--none"))
        let source = PasscodeSource(descriptor: try options.descriptor(passcode))
        let secret = try source.current("passcode: ")
        do throws(KeychainError) {
            try connection.bindPasscode(toRegisters: registers, passcode: secret.bytes)
        } catch { throw .keychain(error, advice: bindingAdvice(error.reason)) }
        guard !registers.isEmpty else { return }
        Output.write(
            "The passcode unlocks while these registers hold what they hold now. Before an update of "
                + "the firmware: `security device bind --none`; after it, bind again.\n",
            to: STDERR_FILENO)
    }

    private static func registers(
        _ text: String?, isNone: Bool
    ) throws(DeviceProblem) -> Set<Int> {
        guard let text, !isNone else {
            guard isNone, text == nil else { throw .usage }
            return []
        }
        var registers: Set<Int> = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let number = Int(part), (0..<24).contains(number) else { throw .usage }
            registers.insert(number)
        }
        return registers
    }

    private static func bindingAdvice(_ reason: FailureReason) -> String? {
        guard reason == .wrongState else { return nil }
        return "There must be a TPM that keeps the device key (`security device status`), a "
            + "passcode, and a recovery code: `security device recovery-code` makes one."
    }

    // MARK: - Recovery codes

    /// Sets a passcode. If the device key is in a TPM it also makes a recovery code: otherwise
    /// clearing the TPM would lock the owner out.
    static func setPasscode(
        _ arguments: [String], _ connection: KeychainConnection
    ) throws(DeviceProblem) {
        let options = try DeviceOptions(
            arguments, values: [passcode, recovery, permit], flags: [noCode])
        let target = try options.descriptor(recovery)
        guard target == nil || !options.has(noCode) else { throw .usage }
        if let target, !EscrowCommand.isWritable(target) { throw .unwritable(isMade: false) }
        let source = PasscodeSource(descriptor: try options.descriptor(passcode))
        let status: DeviceStatus
        do throws(KeychainError) { status = try connection.deviceStatus() } catch {
            throw .keychain(error)
        }
        let isKeptByFile = status.deviceKey == "file"
        let new = try source.new()
        try permitted(options) { (permit) throws(KeychainError) in
            try connection.setPasscode(new.bytes, permit: permit)
        }
        if status.hasRecoveryCode, options.has(noCode) || (target == nil && isKeptByFile) {
            Output.write(
                "The recovery code from before is deleted. `security device recovery-code` makes a "
                    + "new one.\n", to: STDERR_FILENO)
        }
        guard !options.has(noCode), target != nil || !isKeptByFile else { return }
        guard target != nil || PasswordPrompt.hasTerminal else {
            return Output.write(
                "There is no recovery code: if the TPM is cleared or changed, nothing opens the "
                    + "keychain. `security device recovery-code` makes one.\n", to: STDERR_FILENO)
        }
        try handOut(new, target, connection, advice: "The passcode is set, and no recovery code.")
    }

    /// Makes a recovery code and writes it to a descriptor or the terminal.
    static func makeRecoveryCode(
        _ arguments: [String], _ connection: KeychainConnection
    ) throws(DeviceProblem) {
        let options = try DeviceOptions(arguments, values: [recovery, passcode, permit])
        let target = try options.descriptor(recovery)
        // If the code can't be written, none is made.
        if let target, !EscrowCommand.isWritable(target) { throw .unwritable(isMade: false) }
        if target == nil, !PasswordPrompt.hasTerminal { throw .noTerminal(recovery) }
        let source = PasscodeSource(descriptor: try options.descriptor(passcode))
        let secret = try present(source, connection)
        let code = try permitted(options) { (permit) throws(KeychainError) in
            try connection.makeRecoveryCode(passcode: secret.bytes, permit: permit)
        }
        try handOut(code, target)
    }

    /// Asks root's code from the terminal, if the service wants one and none was given.
    private static func permitted<R>(
        _ options: DeviceOptions, _ body: (PermitCode?) throws(KeychainError) -> R
    ) throws(DeviceProblem) -> R {
        var code: PermitCode?
        let descriptor = try options.descriptor(permit)
        if let descriptor { code = try permitCode(PasscodeSource(descriptor: descriptor)) }
        do throws(KeychainError) { return try body(code) } catch {
            guard error.reason == .administratorNeeded, descriptor == nil,
                PasswordPrompt.hasTerminal
            else { throw .keychain(error) }
        }
        code = try permitCode(PasscodeSource(descriptor: nil))
        do throws(KeychainError) { return try body(code) } catch { throw .keychain(error) }
    }

    private static func permitCode(_ source: PasscodeSource) throws(DeviceProblem) -> PermitCode {
        let line = try source.secret("code from root: ", option: permit)
        let text = unsafe line.bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        guard let code = PermitCode(text) else { throw .badPermit }
        return code
    }

    private static func handOut(
        _ passcode: Secret, _ target: Int32?, _ connection: KeychainConnection,
        advice: String? = nil
    ) throws(DeviceProblem) {
        let code: RecoveryCode
        do { code = try connection.makeRecoveryCode(passcode: passcode.bytes) } catch {
            throw .keychain(error, advice: advice)
        }
        try handOut(code, target)
    }

    private static func handOut(_ code: RecoveryCode, _ target: Int32?) throws(DeviceProblem) {
        guard target.map({ write(code, to: $0) }) ?? show(code) else {
            throw .unwritable(isMade: true)
        }
    }

    /// Whether a reset uses a recovery code.
    static func isRecovery(_ arguments: [String]) -> Bool {
        arguments.contains { $0 == flag || $0.hasPrefix(recovery) }
    }

    /// Removes the passcode with the recovery code.
    static func recover(
        _ arguments: [String], _ connection: KeychainConnection
    ) throws(DeviceProblem) {
        let options = try DeviceOptions(arguments, values: [recovery, "--to"], flags: [flag])
        let name = options.value("--to")
        let target = name == nil ? nil : try maker(name)
        let source = PasscodeSource(descriptor: try options.descriptor(recovery))
        let text = try source.secret("recovery code: ", option: recovery)
        guard let code = RecoveryCode(text.bytes) else { throw .badRecoveryCode }
        do throws(KeychainError) {
            try connection.reset(recoveryCode: code, to: target)
        } catch { throw .keychain(error, advice: recoveryAdvice(error.reason)) }
        Output.write(
            "There is no passcode now, and no recovery code: `security device set-passcode`, then "
                + "`security device recovery-code`.\n", to: STDERR_FILENO)
    }

    private static func recoveryAdvice(_ reason: FailureReason) -> String? {
        switch reason {
        case .wrongPasscode: "That is not the last recovery code that was made here."
        case .wrongState:
            "There is no recovery code for this keychain (`security device recovery-code` makes one), "
                + "or no passcode to take away."
        case .deviceKeyUnavailable:
            "The TPM can't make a new device key; `--to file` has a file make it."
        default: nil
        }
    }

    private static func present(
        _ source: PasscodeSource, _ connection: KeychainConnection
    ) throws(DeviceProblem) -> Secret {
        let isSet: Bool
        do throws(KeychainError) { isSet = try connection.deviceStatus().passcodeSet } catch {
            throw .keychain(error)
        }
        return isSet ? try source.current("passcode: ") : Secret(SecretBytes(byteCount: 0))
    }

    private static func write(_ code: RecoveryCode, to descriptor: Int32) -> Bool {
        var output = Output(descriptor)
        let text = code.text
        for index in 0..<text.bytes.byteCount {
            output.put(unsafe text.bytes.withUnsafeBytes { unsafe $0[index] })
        }
        output.put("\n")
        return output.flush()
    }

    private static func show(_ code: RecoveryCode) -> Bool {
        let terminal = unsafe llavero_open("/dev/tty", O_WRONLY | O_CLOEXEC | O_NOCTTY, 0)
        guard terminal >= 0 else { return false }
        defer { close(terminal) }
        Output.write(
            "With this code and the keychain's files, anyone can open them. Keep it elsewhere. It is "
                + "shown once.\n", to: terminal)
        return write(code, to: terminal)
    }

    private static func maker(
        _ text: String?
    ) throws(DeviceProblem) -> KeychainConnection.DeviceKeyMaker {
        switch text {
        case "file": .file
        case "tpm": .tpm
        default: throw .usage
        }
    }

    private static func advice(
        _ reason: FailureReason, _ maker: KeychainConnection.DeviceKeyMaker
    ) -> String? {
        switch (reason, maker) {
        case (.wrongState, _):
            "The device key is made so already; or there is a rollback to accept first, or a "
                + "keybag of another user. `security device status` tells the first."
        case (.deviceKeyUnavailable, .tpm):
            "There is no TPM that the service can use, or not now. It looks for one when it "
                + "starts: `securityd --user --device-key tpm`, by a user who may use /dev/tpmrm0. "
                + "enclaved's line in the service's log says more."
        default: nil
        }
    }
}

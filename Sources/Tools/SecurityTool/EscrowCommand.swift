// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import Keychain
import SecretBytes
import SecurityWire

/// `security device make-escrow` and `security device reset`.
enum EscrowCommand {
    private static let option = "--escrow-fd"
    private static let passcode = "--passcode-fd"

    /// Makes an escrow record and writes its key to a descriptor or the terminal.
    static func make(
        _ arguments: [String], _ connection: KeychainConnection
    ) throws(DeviceProblem) {
        let options = try DeviceOptions(arguments, values: [option, passcode])
        let target = try options.descriptor(option)
        // If the key can't be written, no record is made.
        if let target, !isWritable(target) { throw .unwritable(isMade: false) }
        if target == nil, !PasswordPrompt.hasTerminal { throw .noTerminal(option) }
        let secret = try PasscodeSource(descriptor: try options.descriptor(passcode))
            .current("passcode: ")
        let key: Secret
        do { key = try connection.makeEscrow(passcode: secret.bytes) } catch {
            throw .keychain(error)
        }
        guard target.map({ write(key, to: $0) }) ?? show(key) else {
            throw .unwritable(isMade: true)
        }
    }

    /// Removes the passcode with the key of the escrow record.
    static func reset(
        _ arguments: [String], _ connection: KeychainConnection
    ) throws(DeviceProblem) {
        let options = try DeviceOptions(arguments, values: [option])
        let source = PasscodeSource(descriptor: try options.descriptor(option))
        let text = try source.secret("escrow key: ", option: option)
        guard let key = EscrowKeyText.key(text.bytes) else { throw .badEscrowKey }
        do { try connection.reset(escrowKey: key.bytes) } catch {
            throw .keychain(error, advice: advice(error.reason))
        }
    }

    private static func advice(_ reason: FailureReason) -> String? {
        switch reason {
        case .wrongPasscode: "That is not the key of the escrow record."
        case .wrongState: "There is no escrow record; `security device make-escrow` makes one."
        default: nil
        }
    }

    static func isWritable(_ descriptor: Int32) -> Bool {
        let flags = fcntl(descriptor, F_GETFL)
        return flags >= 0 && flags & O_ACCMODE != O_RDONLY
    }

    private static func write(_ key: Secret, to descriptor: Int32) -> Bool {
        var output = Output(descriptor)
        EscrowKeyText.put(key.bytes, to: &output)
        output.put("\n")
        return output.flush()
    }

    private static func show(_ key: Secret) -> Bool {
        let terminal = unsafe llavero_open("/dev/tty", O_WRONLY | O_CLOEXEC | O_NOCTTY, 0)
        guard terminal >= 0 else { return false }
        defer { close(terminal) }
        Output.write(
            "With this key, anyone can remove the passcode. Keep it elsewhere.\n", to: terminal)
        return write(key, to: terminal)
    }
}

/// The key of an escrow record as people copy it: 64 hexadecimal digits in groups of four.
enum EscrowKeyText {
    private static let groupByteCount = 2

    /// Writes a key.
    static func put(_ key: borrowing SecretBytes, to output: inout Output) {
        for index in 0..<key.byteCount {
            if index > 0, index.isMultiple(of: groupByteCount) { output.put(UInt8(ascii: "-")) }
            let byte = unsafe key.withUnsafeBytes { unsafe $0[index] }
            output.put(digit(byte >> 4))
            output.put(digit(byte & 15))
        }
    }

    /// Reads a key; hyphens and spaces don't count.
    /// - Returns: Nil unless it has exactly 64 digits.
    static func key(_ text: borrowing SecretBytes) -> Secret? {
        let byteCount = KeychainConnection.escrowKeyByteCount
        var key = SecretBytes(byteCount: byteCount)
        var count = 0
        for index in 0..<text.byteCount {
            let character = unsafe text.withUnsafeBytes { unsafe $0[index] }
            if [UInt8(ascii: "-"), UInt8(ascii: " "), UInt8(ascii: "\r")].contains(character) {
                continue
            }
            guard let value = value(character), count < 2 * byteCount else { return nil }
            let (place, isHigh) = (count / 2, count.isMultiple(of: 2))
            unsafe key.withUnsafeMutableBytes { unsafe $0[place] |= isHigh ? value << 4 : value }
            count += 1
        }
        return count == 2 * byteCount ? Secret(key) : nil
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    private static func value(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecretBytes
import SecurityWire

/// `security device protector`: what unlocks besides the passcode.
enum ProtectorCommand {
    private static let passcode = "--passcode-fd"
    private static let keyFile = "--key-file"
    private static let keyDescriptor = "--key-fd"
    private static let credential = "--credential"
    private static let registers = "--pcrs"
    private static let user = "--user"
    private static let withTPM = "--tpm"
    private static let locks = "--then-lock"
    private static let none = SecretBytes(byteCount: 0)

    /// Carries out one of its verbs.
    static func run(
        _ arguments: [String], _ connection: KeychainConnection
    ) throws(DeviceProblem) {
        var rest = arguments
        guard !rest.isEmpty else { throw .usage }
        switch rest.removeFirst() {
        case "list": try list(rest, connection)
        case "add": try add(rest, connection)
        case "remove": try remove(rest, connection)
        case "test": try test(rest, connection)
        default: throw .usage
        }
    }

    // MARK: - Listing

    private static func list(
        _ arguments: [String], _ connection: KeychainConnection
    ) throws(DeviceProblem) {
        let options = try DeviceOptions(arguments, values: [user], flags: ["--json"])
        let subject = try userID(options)
        let found: KeychainProtectors
        do { found = try connection.protectors(ofUser: subject) } catch { throw problem(error) }
        let text = ProtectorText(found)
        Output.write(options.has("--json") ? text.json : text.plain, to: STDOUT_FILENO)
    }

    // MARK: - Adding

    private static func add(
        _ arguments: [String], _ connection: KeychainConnection
    ) throws(DeviceProblem) {
        let (name, rest) = try named(arguments)
        let options = try DeviceOptions(
            rest, values: [passcode, keyFile, keyDescriptor, credential, registers, user],
            flags: [withTPM, locks])
        let places = [keyFile, keyDescriptor, credential].filter { options.value($0) != nil }
        guard places.count + (options.has(withTPM) ? 1 : 0) == 1,
            options.has(withTPM) || options.value(registers) == nil
        else { throw .usage }
        let subject = try userID(options)
        guard !options.has(withTPM) else {
            let means = NewProtector.Means.tpm(registers: try numbers(options.value(registers)))
            return try send(
                NewProtector(name: name, means, locksAfterwards: options.has(locks)), options,
                subject, connection)
        }
        // The key lies where it must before the keybag opens with it, so that none is lost.
        let key = ProtectorKey.random()
        let output = try ProtectorKeyOutput(
            file: options.value(keyFile), descriptor: try options.descriptor(keyDescriptor),
            credential: options.value(credential), name: name)
        try output.write(key)
        let means: NewProtector.Means =
            options.value(credential) == nil ? .keyFile(key) : .credential(key)
        do throws(DeviceProblem) {
            try send(
                NewProtector(name: name, means, locksAfterwards: options.has(locks)), options,
                subject, connection)
        } catch {
            output.remove()
            throw error
        }
    }

    private static func send(
        _ protector: NewProtector, _ options: DeviceOptions, _ subject: UInt32?,
        _ connection: KeychainConnection
    ) throws(DeviceProblem) {
        let secret = try present(options, subject, connection)
        do throws(KeychainError) {
            try connection.addProtector(protector, passcode: secret.bytes, ofUser: subject)
        } catch { throw problem(error) }
    }

    // MARK: - Removing and testing

    private static func remove(
        _ arguments: [String], _ connection: KeychainConnection
    ) throws(DeviceProblem) {
        let (name, rest) = try named(arguments)
        let options = try DeviceOptions(rest, values: [passcode, user])
        let subject = try userID(options)
        let secret = try present(options, subject, connection)
        do throws(KeychainError) {
            try connection.removeProtector(
                named: name, passcode: secret.bytes, ofUser: subject)
        } catch { throw problem(error) }
    }

    private static func test(
        _ arguments: [String], _ connection: KeychainConnection
    ) throws(DeviceProblem) {
        let (name, rest) = try named(arguments)
        let options = try DeviceOptions(rest, values: [keyFile, keyDescriptor, user])
        let key = try self.key(options)
        let subject = try userID(options)
        do throws(KeychainError) {
            try connection.testProtector(
                named: name, with: key.map { .key($0) } ?? .tpm, ofUser: subject)
        } catch { throw problem(error) }
    }

    /// `device unlock` with a protector's key.
    static func unlock(
        _ arguments: [String], _ connection: KeychainConnection
    ) throws(DeviceProblem) {
        let options = try DeviceOptions(arguments, values: [keyFile, keyDescriptor])
        guard let key = try key(options) else { throw .usage }
        do { try connection.unlock(protectorKey: key) } catch { throw problem(error) }
    }

    /// Whether `device unlock` uses a protector's key.
    static func hasKey(_ arguments: [String]) -> Bool {
        arguments.contains { $0.hasPrefix(keyFile) || $0.hasPrefix(keyDescriptor) }
    }

    /// `device remove-passcode` of root for a keybag that has protectors and no passcode.
    /// - Returns: False when it isn't one: the passcode must be asked for.
    static func removeProtection(
        _ arguments: [String], _ connection: KeychainConnection
    ) throws(DeviceProblem) -> Bool {
        let options = try DeviceOptions(arguments, values: [passcode, user])
        let subject = try userID(options)
        do throws(KeychainError) {
            guard try connection.protectors(ofUser: subject).replacePasscode else {
                guard subject == nil else { throw wrongState }
                return false
            }
            try connection.removeProtection(ofUser: subject)
            return true
        } catch {
            // An older service knows no protectors.
            guard subject != nil || error.reason != .unreachable else { return false }
            throw problem(error)
        }
    }

    private static var wrongState: KeychainError {
        KeychainError(status: SecurityStatus.param, reason: .wrongState)
    }

    // MARK: - Arguments

    private static func named(
        _ arguments: [String]
    ) throws(DeviceProblem) -> (name: String, rest: [String]) {
        guard let name = arguments.first, !name.hasPrefix("-"), !name.isEmpty else {
            throw .usage
        }
        return (name, Array(arguments.dropFirst()))
    }

    private static func userID(_ options: DeviceOptions) throws(DeviceProblem) -> UInt32? {
        guard let text = options.value(user) else { return nil }
        guard let number = UserEntry.number(of: text) else { throw .usage }
        return number
    }

    private static func numbers(_ text: String?) throws(DeviceProblem) -> Set<Int> {
        guard let text else { return [] }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int($0) }
        guard numbers.count == parts.count, numbers.allSatisfy({ (0..<24).contains($0) }) else {
            throw .usage
        }
        return Set(numbers)
    }

    private static func key(_ options: DeviceOptions) throws(DeviceProblem) -> ProtectorKey? {
        let content: Secret
        switch (options.value(keyFile), try options.descriptor(keyDescriptor)) {
        case (nil, nil): return nil
        case (_?, _?): throw .usage
        case (let path?, nil):
            let file = try file(path)
            guard file.modeForOthers == nil else {
                throw .protector("\(path): other users may use it; its mode must be 600 or 400")
            }
            content = file.content
        case (nil, let descriptor?): content = try file("/dev/fd/\(descriptor)").content
        }
        let count = content.bytes.byteCount
        guard let key = ProtectorKey(file: content.bytes.slice(0..<count)) else {
            throw .protector(
                "that is no key that `security device protector add` made, or it is damaged")
        }
        return key
    }

    private static func file(_ path: String) throws(DeviceProblem) -> InputFile {
        do { return try InputFile(path, byteLimit: ProtectorKey.fileByteCount) } catch {
            throw .protector(path + error.text)
        }
    }

    /// The passcode, if one is set; another user's is root's affair.
    private static func present(
        _ options: DeviceOptions, _ subject: UInt32?, _ connection: KeychainConnection
    ) throws(DeviceProblem) -> Secret {
        let source = PasscodeSource(descriptor: try options.descriptor(passcode))
        guard subject == nil || options.value(passcode) != nil else {
            return Secret(SecretBytes(byteCount: 0))
        }
        let isSet: Bool
        do throws(KeychainError) {
            let status = try connection.deviceStatus()
            isSet = subject != nil || status.passcodeSet
        } catch { throw problem(error) }
        return isSet ? try source.current("passcode: ") : Secret(SecretBytes(byteCount: 0))
    }

    private static func problem(_ error: KeychainError) -> DeviceProblem {
        .keychain(error, advice: advice(error.reason))
    }

    private static func advice(_ reason: FailureReason) -> String? {
        switch reason {
        case .administratorNeeded:
            "Without a passcode only root changes protectors, and only root names another user. Or "
                + "set a passcode first."
        case .wrongState:
            "A protector unlocks nothing without `security device protector add`; and --tpm needs a "
                + "device key in a TPM and, with --pcrs, another way to unlock."
        default: nil
        }
    }
}

/// The list of protectors as text, and as JSON.
struct ProtectorText {
    private let found: KeychainProtectors

    init(_ found: KeychainProtectors) { self.found = found }

    /// One line for each.
    var plain: String {
        guard !found.protectors.isEmpty else { return "none\n" }
        return found.protectors.map { protector in
            var parts = [
                protector.name, Self.kind(protector.kind),
                "added \(CivilTime(sinceEpoch: protector.created).rfc3339)",
                protector.lastUsed.map { "last used \(CivilTime(sinceEpoch: $0).rfc3339)" }
                    ?? "never used",
            ]
            if protector.locksAfterwards { parts.append("then locks") }
            if !protector.boundRegisters.isEmpty {
                let numbers = protector.boundRegisters.map(String.init).joined(separator: ",")
                parts.append("PCRs \(numbers)")
            }
            return parts.joined(separator: "  ") + "\n"
        }.joined() + (found.replacePasscode ? "No passcode is set; these alone unlock.\n" : "")
    }

    /// For the status: their names.
    var names: String {
        found.protectors.isEmpty ? "none" : found.protectors.map(\.name).joined(separator: ", ")
    }

    /// An array; names have no characters that end a JSON string.
    var json: String { array(indent: "") + "\n" }

    /// The same for another object.
    func array(indent: String) -> String {
        let entries = found.protectors.map { protector in
            let numbers = protector.boundRegisters.map(String.init).joined(separator: ", ")
            let lastUsed = protector.lastUsed.map { "\"\(CivilTime(sinceEpoch: $0).rfc3339)\"" }
            return "\(indent)  {\"name\": \"\(protector.name)\", "
                + "\"kind\": \"\(Self.kind(protector.kind))\", "
                + "\"added\": \"\(CivilTime(sinceEpoch: protector.created).rfc3339)\", "
                + "\"lastUsed\": \(lastUsed ?? "null"), "
                + "\"thenLock\": \(protector.locksAfterwards), \"pcrs\": [\(numbers)]}"
        }
        return entries.isEmpty ? "[]" : "[\n\(entries.joined(separator: ",\n"))\n\(indent)]"
    }

    private static func kind(_ kind: KeychainProtector.Kind) -> String {
        switch kind {
        case .recoveryCode: "recovery-code"
        case .keyFile: "key-file"
        case .credential: "credential"
        case .tpm: "tpm"
        }
    }
}

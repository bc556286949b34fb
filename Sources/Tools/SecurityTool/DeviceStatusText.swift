// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Keychain
import SecurityWire

/// The device's status as text, and as JSON. The JSON's keys are frozen.
struct DeviceStatusText {
    let status: DeviceStatus
    let protectors: ProtectorText
    /// Seconds since 1970.
    let now: Int64

    /// One line for each property.
    var plain: String {
        var lines = [
            ("State", "\(status.state.rawValue) (\(stateWords))"),
            ("Passcode", status.passcodeSet ? "set" : "not set"),
            (
                "Device key",
                status.deviceKey
                    + (status.hardwareBacked ? " (hardware-backed)" : " (not hardware-backed)")
            ),
            ("Keys in memory", status.memory),
            ("Walls", walls),
            ("Failed attempts", String(status.failedAttempts)),
            ("Next attempt", nextAttemptAt ?? "now"),
            ("Classes", classes.map { "\($0.code) \($0.state)" }.joined(separator: ", ")),
            ("Identity grade", status.identityGrade),
            (
                "Lock asked for",
                status.secondsUntilLocked > 0 ? "in \(status.secondsUntilLocked) s" : "no"
            ),
        ]
        lines.append(("Protectors", protectors.names))
        lines += Self.settings(status)
        lines.append(
            (
                "Kept files",
                status.keptFileCount == 0
                    ? "none" : "\(status.keptFileCount) damaged; `security device recover`"
            ))
        return Self.aligned(lines)
    }

    /// The person's settings, and their effects.
    static func settings(_ status: DeviceStatus) -> [(String, String)] {
        [
            ("Grace period", "\(status.settings.graceSeconds) s"),
            (
                "Erase",
                status.settings.erasesAfterFailures
                    ? "after \(DeviceSettings.eraseAfterFailureCount) wrong passcodes"
                        + (status.settings.countsUnidentifiedPrograms
                            ? " of any program" : " of identified programs")
                    : "never"
            ),
            ("Escrow record", status.hasEscrow ? "there is one" : "none"),
            ("Recovery code", status.hasRecoveryCode ? "there is one" : "none"),
            ("Bound to PCRs", Self.list(status.boundRegisters) ?? "none"),
            ("Erasures", String(status.erasures)),
        ] + fingerprints(status)
    }

    /// What fingerprints count for, if they do.
    private static func fingerprints(_ status: DeviceStatus) -> [(String, String)] {
        let counted: String
        switch status.biometry {
        case .off: return []
        case .presence: counted = "count as presence; not proven to the keychain"
        case .sets: counted = "count, also as the enrolled set; not proven to the keychain"
        }
        let pause = status.isBiometryLockedOut ? "; none until the passcode is given" : ""
        return [("Fingerprints", counted + pause)]
    }

    private static func list(_ numbers: [Int]) -> String? {
        numbers.isEmpty ? nil : numbers.map(String.init).joined(separator: ", ")
    }

    /// A line for each name and value.
    static func aligned(_ lines: [(String, String)]) -> String {
        lines.map { name, value in
            name + ":" + String(repeating: " ", count: max(1, 17 - name.count)) + value + "\n"
        }.joined()
    }

    /// One object; `nextAttemptAt` is null when a passcode may be tried now.
    var json: String {
        let classes = classes.map { "    \"\($0.code)\": \"\($0.state)\"" }
        return """
            {
              "state": "\(status.state.rawValue)",
              "passcodeSet": \(status.passcodeSet),
              "deviceKey": "\(status.deviceKey)",
              "hardwareBacked": \(status.hardwareBacked),
              "failedAttempts": \(status.failedAttempts),
              "nextAttemptAt": \(nextAttemptAt.map { "\"\($0)\"" } ?? "null"),
              "classes": {
            \(classes.joined(separator: ",\n"))
              },
              "identityGrade": "\(identityGrade)",
              "protectors": \(protectors.array(indent: "  ")),
              "walls": {
                "landlock": "\(status.walls.landlock.rawValue)",
                "landlockVersion": \(status.walls.landlockVersion),
                "systemCallFilter": \(status.walls.filtersSystemCalls),
                "memory": "\(status.memory)"
              }
            }

            """
    }

    /// The restrictions on the process that has the keys, and those that are missing.
    private var walls: String {
        let landlock =
            switch status.walls.landlock {
            case .unknown: "Landlock not known"
            case .stands: "Landlock version \(status.walls.landlockVersion)"
            case .notInKernel: "no Landlock (the kernel has none)"
            case .switchedOff: "no Landlock (the kernel was started without)"
            case .forbidden: "no Landlock (its calls are forbidden here)"
            }
        return landlock
            + (status.walls.filtersSystemCalls ? ", system call filter" : ", no system call filter")
    }

    /// The grade without characters that would end a JSON string; no grade contains any.
    private var identityGrade: String {
        status.identityGrade.filter { $0.isASCII && ($0.isLetter || $0 == "+") }
    }

    private var stateWords: String {
        switch status.state {
        case .noPasscode: "no passcode, everything is usable"
        case .beforeFirstUnlock: "before the first unlock"
        case .unlocked: "unlocked"
        case .locked: "locked"
        }
    }

    /// When the next passcode may be tried: nil is now, the end of time is never.
    private var nextAttemptAt: String? {
        switch status.secondsUntilNextAttempt {
        case nil: "9999-12-31T23:59:59Z"
        case 0: nil
        case .some(let seconds): CivilTime(sinceEpoch: now + Int64(seconds)).rfc3339
        }
    }

    private var classes: [(code: String, state: String)] {
        Accessibility.allCases.map { accessibility in
            let state =
                status.usableClasses.contains(accessibility)
                ? "usable" : status.existingClasses.contains(accessibility) ? "locked" : "absent"
            return (accessibility.code, state)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Keychain

/// Whether the device is locked, and whether a passcode can be tried.
package struct StateCheck: Check {
    package let name = "state"
    private let status: DeviceStatus

    package init(_ status: DeviceStatus) { self.status = status }

    /// See ``Check/run()``.
    package func run() -> Report {
        Report(
            name, status.state.rawValue + (status.passcodeSet ? ", passcode set" : ", no passcode"),
            passcode + locked)
    }

    private var passcode: [Finding] {
        guard let seconds = status.secondsUntilNextAttempt else {
            let way =
                status.hasEscrow
                ? "`security device reset` with the key of the escrow record."
                : status.hasRecoveryCode
                    ? "`security device reset --recovery-code`."
                    : "Without an escrow record and a recovery code there is no way back in."
            return [
                Finding(
                    .broken, "passcode-disabled",
                    what: "After \(status.failedAttempts) wrong passcodes no further one is tried.",
                    why: "Items of locked classes stay closed.", advice: way)
            ]
        }
        guard seconds > 0 else { return [] }
        return [
            Finding(
                .advice, "passcode-delayed",
                what: "After \(status.failedAttempts) wrong passcodes the next one is tried in "
                    + "\(seconds) s.",
                why: "The right passcode is refused until then, too. After ten wrong ones none is "
                    + "tried any more.",
                advice: "Find out which program guesses: `security audit`.")
        ]
    }

    private var locked: [Finding] {
        switch status.state {
        case .noPasscode, .unlocked: return []
        case .beforeFirstUnlock:
            return [
                Finding(
                    .advice, "before-first-unlock",
                    what: "The device has not been unlocked since the service started.",
                    why: "Only items of the class \"always\" open; others fail with -25308 "
                        + "(errSecInteractionNotAllowed).",
                    advice: "`security device unlock`.")
            ]
        case .locked:
            return [
                Finding(
                    .advice, "locked", what: "The device is locked.",
                    why: "Items of the class \"when unlocked\" fail with -25308 "
                        + "(errSecInteractionNotAllowed).",
                    advice: "`security device unlock`, if that isn't what you want.")
            ]
        }
    }
}

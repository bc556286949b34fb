// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
package import Keychain

/// The TPM, and what holds the device key.
package struct DeviceKeyCheck: Check {
    package let name = "device key"
    private let places: Places
    private let status: DeviceStatus?
    private let resourceManager: String
    private let chip: String

    /// - Parameters:
    ///   - places: Where the enclave's files are.
    ///   - status: The service's report, if it answers.
    ///   - resourceManager: The TPM behind the kernel's resource manager.
    ///   - chip: The TPM without it.
    package init(
        _ places: Places, _ status: DeviceStatus?, resourceManager: String = "/dev/tpmrm0",
        chip: String = "/dev/tpm0"
    ) {
        self.places = places
        self.status = status
        self.resourceManager = resourceManager
        self.chip = chip
    }

    private enum TPM: Equatable {
        case usable
        case absent
        case withoutResourceManager
        case unusable(Int32)
    }

    private var tpm: TPM {
        let file = unsafe llavero_open(
            resourceManager, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0)
        if file >= 0 {
            close(file)
            return .usable
        }
        let error = errno
        guard FileError(number: error).isAbsence || error == ENXIO || error == ENODEV else {
            return .unusable(error)
        }
        return (try? FileFacts(chip)) == nil ? .absent : .withoutResourceManager
    }

    /// See ``Check/run()``.
    package func run() -> Report {
        let tpm = tpm
        var words = [place]
        switch tpm {
        case .usable: words.append("\(resourceManager) can be used")
        case .absent: words.append("no TPM")
        case .withoutResourceManager: words.append("\(chip) without a resource manager")
        case .unusable: words.append("\(resourceManager) can't be used")
        }
        return Report(name, words.joined(separator: ", "), findings(tpm) + withoutCode)
    }

    private var place: String {
        guard let status else { return isRecorded ? "tpm" : "not known" }
        return status.deviceKey
            + (status.hardwareBacked ? " (hardware-backed)" : " (not hardware-backed)")
    }

    /// Whether the keychain's files say that its device key is in a TPM.
    private var isRecorded: Bool {
        (try? FileFacts(places.stateDirectory + "/enclave/device.tpm")) != nil
    }

    private func findings(_ tpm: TPM) -> [Finding] {
        // The system's service may use a TPM that its users may not.
        if places.foreignFiles != nil { return [] }
        // A software TPM has another place, which only the service knows.
        let needsTPM = status.map { $0.deviceKey == "tpm" } ?? isRecorded
        let answers = status != nil
        switch tpm {
        case .usable:
            guard status?.deviceKey == "file" else { return [] }
            return [
                Finding(
                    .advice, "tpm-not-used",
                    what: "The device key is a file, although the machine has a TPM.",
                    why:
                        "A copy of the keychain's files opens on another machine, once the passcode "
                        + "is guessed there.",
                    advice:
                        "`security device migrate --to tpm`. If the service doesn't know of the "
                        + "TPM yet, start it again first.")
            ]
        case .absent, .withoutResourceManager:
            if needsTPM && !answers { return [lost("There is no \(resourceManager).")] }
            guard tpm == .withoutResourceManager else { return [] }
            return [
                Finding(
                    .advice, "tpm-without-resource-manager",
                    what: "There is \(chip), and no \(resourceManager).",
                    why: "It is a TPM 1.2, or the kernel has no resource manager for it. Then the "
                        + "device key can't be in the TPM.",
                    advice: "Switch TPM 2.0 on in the firmware's settings.")
            ]
        case .unusable(let error):
            let reason = FileError(number: error).text
            if needsTPM && !answers { return [lost("\(resourceManager): \(reason).")] }
            guard status?.deviceKey != "tpm" else { return [] }
            return [
                Finding(
                    .advice, "tpm-forbidden",
                    what: "User \(places.user) can't use \(resourceManager): \(reason).",
                    why:
                        "The device key is a file. A copy of the keychain's files opens on another "
                        + "machine, once the passcode is guessed there.",
                    advice: "As root: `usermod -aG tss USER`; then log in again, and "
                        + "`security device migrate --to tpm`.")
            ]
        }
    }

    private func lost(_ what: String) -> Finding {
        Finding(
            .broken, "tpm-of-the-keychain-absent",
            what: "The keychain's device key is in a TPM. \(what)",
            why: "Nothing opens the keychain without it, except its recovery code.",
            advice:
                "Bring the TPM back (the firmware's settings; the group of the device). If it is "
                + "gone: `security device reset --recovery-code --to file`.")
    }

    private var withoutCode: [Finding] {
        guard let status, status.hardwareBacked, status.passcodeSet, !status.hasRecoveryCode else {
            return []
        }
        return [
            Finding(
                .advice, "no-recovery-code",
                what: "The device key is in a TPM, and there is no recovery code.",
                why: "If the TPM is cleared or the machine breaks, nothing opens the keychain.",
                advice: "`security device recovery-code`, and keep the code elsewhere.")
        ]
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

extension InspectionRules {
    private static let listLimit = 64 * 1024

    /// The rules of a keychain on this device: its user trusts the teams that are in its state
    /// directory, and an administrator says where root's programs are.
    package static func ofDevice(stateDirectory: String) -> InspectionRules {
        var rules = InspectionRules(
            trust: TrustFile(path: stateDirectory + "/trusted-teams"),
            device: DeviceIdentifier.read())
        rules.detachedDirectories = [
            stateDirectory + "/signatures.d", "/usr/lib/llavero/signatures.d",
        ]
        let list = "/etc/llavero/program-directories"
        if let text = ProcessFile.content(list, limit: listLimit) {
            let spaces: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
            rules.programDirectories = ProgramDirectories(
                text.split { spaces.contains($0) }.map { String(decoding: $0, as: UTF8.self) })
        }
        return rules
    }
}

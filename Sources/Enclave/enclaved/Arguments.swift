// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The command line: `enclaved --state DIR --connections N [--device-key MAKER] [--ephemeral]`, or of
/// the system service, with `--control`, a user to become, and a directory for the public key.
struct Arguments {
    static let usage =
        "usage: enclaved --state DIR --connections N [--device-key auto|file|tpm|unix:PATH] "
        + "[--ephemeral] [--protectors UID,…] [--touch-key] [--tpm-wait SECONDS]\n"
        + "       enclaved --state DIR --control [--public DIR] [--user UID --groups GID,…] "
        + "[--device-key MAKER] [--protectors UID,…] [--tpm-wait SECONDS]"

    /// Where to make the device key of a new keychain, and where the TPM of an old one is.
    enum Maker: Equatable {
        /// A usable TPM, else a file.
        case automatic
        case file
        /// The machine's TPM, through the kernel's resource manager.
        case tpm
        /// The socket of an emulated TPM.
        case socket(path: String)

        init?(_ text: String) {
            switch text {
            case "auto": self = .automatic
            case "file": self = .file
            case "tpm": self = .tpm
            case _:
                let scheme = "unix:"
                guard text.hasPrefix(scheme), text.count > scheme.count else { return nil }
                self = .socket(path: String(text.dropFirst(scheme.count)))
            }
        }
    }

    /// The most connections: far more than securityd has threads.
    private static let connectionLimit: Int32 = 64
    private static let protectorLimit = 64
    private static let tpmWaitSecondsLimit = 300

    /// The state directory.
    let statePath: String
    /// How many connections there are, from descriptor 3 on; nil when descriptor 3 is a supervisor's,
    /// from which connections come.
    let connectionCount: Int32?
    /// The user and the groups that it becomes.
    let identity: (user: UInt32, groups: [UInt32])?
    /// Where the key is put to which passcodes are sealed, if not with the state.
    let publicPath: String?
    /// Where to make the device key.
    let maker: Maker
    /// The users for whose keybags there are keys of protectors: in files, whose descriptors come
    /// after the connections, in this order.
    let protectorUsers: [UInt32]
    /// Whether the key that proves touches comes in a pipe, whose descriptor is the last.
    let hasTouchKey: Bool
    /// How long to wait at the start for the TPM that has the device key.
    let tpmWaitSeconds: Int
    /// Whether all files are deleted when the process ends normally.
    let isEphemeral: Bool

    /// Parses the arguments; nil when they don't match the usage.
    init?(_ words: some Sequence<String>) {
        var statePath: String?
        var connectionCount: Int32?
        var maker: Maker?
        var isEphemeral = false
        var hasControl = false
        var hasTouchKey = false
        var publicPath: String?
        var user: UInt32?
        var groups: [UInt32]?
        var protectorUsers: [UInt32]?
        var tpmWaitSeconds: Int?
        var words = words.makeIterator()
        while let option = words.next() {
            if option == "--ephemeral", !isEphemeral {
                isEphemeral = true
                continue
            }
            if option == "--touch-key", !hasTouchKey {
                hasTouchKey = true
                continue
            }
            if option == "--control", !hasControl {
                hasControl = true
                continue
            }
            guard let value = words.next() else { return nil }
            switch option {
            case "--state" where statePath == nil: statePath = value
            case "--connections" where connectionCount == nil: connectionCount = Int32(value)
            case "--public" where publicPath == nil: publicPath = value
            case "--user" where user == nil: user = UInt32(value)
            case "--groups" where groups == nil: groups = Self.numbers(value)
            case "--protectors" where protectorUsers == nil:
                guard let numbers = Self.numbers(value), numbers.count <= Self.protectorLimit
                else { return nil }
                protectorUsers = numbers
            case "--tpm-wait" where tpmWaitSeconds == nil:
                guard let seconds = Int(value), (0...Self.tpmWaitSecondsLimit).contains(seconds)
                else { return nil }
                tpmWaitSeconds = seconds
            case "--device-key" where maker == nil:
                guard let named = Maker(value) else { return nil }
                maker = named
            case _: return nil
            }
        }
        guard let statePath, !statePath.isEmpty, hasControl == (connectionCount == nil),
            hasControl || (1...Self.connectionLimit).contains(connectionCount ?? 0),
            hasControl || publicPath == nil && user == nil, (user == nil) == (groups == nil),
            !hasControl || !isEphemeral && !hasTouchKey
        else { return nil }
        if let user, let groups {
            guard user != 0, !groups.isEmpty, !groups.contains(0) else { return nil }
            identity = (user, groups)
        } else {
            identity = nil
        }
        self.protectorUsers = protectorUsers ?? []
        self.tpmWaitSeconds = tpmWaitSeconds ?? 0
        self.hasTouchKey = hasTouchKey
        self.publicPath = publicPath
        self.statePath = statePath
        self.connectionCount = connectionCount
        self.maker = maker ?? .automatic
        self.isEphemeral = isEphemeral
    }

    private static func numbers(_ text: String) -> [UInt32]? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { UInt32($0) }
        return numbers.count == parts.count ? numbers : nil
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Whose the secrets are that a process stores over a bus (PROTOCOL.md, "Fronts"). The texts are frozen:
/// they are part of names of groups.
///
/// It is the bus's word, which is weaker than that of our own socket: it opens groups of the bus alone.
package enum BusOwner: Hashable, Sendable {
    /// A signed application of a trusted team, with the team's prefix.
    case application(String)
    /// A program that only root can replace, by its real path.
    case path(String)
    /// A Flatpak, by its identifier.
    case flatpak(String)
    /// A Snap, by its name.
    case snap(String)
    /// Everything else.
    case nobody

    /// Judges a process by what an inspection found.
    package init(_ facts: ProcessFacts) {
        self.init(
            application: facts.isSigned ? facts.identity.application : nil,
            rootsPath: facts.rootsPath, flatpak: facts.flatpak, snap: facts.snap)
    }

    /// What confines a process comes first: it is what the process can't leave.
    /// - Parameters:
    ///   - application: The identifier of a signed application, by the full inspection.
    ///   - rootsPath: The path of a program that is root's, by its file alone.
    ///   - flatpak: What a sandbox's own file says, in another namespace than ours.
    ///   - snap: The process's security label says it.
    package init(application: String?, rootsPath: String?, flatpak: String?, snap: String?) {
        if let snap {
            self = .snap(snap)
        } else if let flatpak {
            self = .flatpak(flatpak)
        } else if let application {
            self = .application(application)
        } else if let rootsPath, !Self.doesWhatCallersSay(rootsPath) {
            self = .path(rootsPath)
        } else {
            self = .nobody
        }
    }

    /// Its text in names of groups; empty for nobody.
    package var text: String {
        switch self {
        case .application(let identifier): "app:\(identifier)"
        case .path(let path): "path:\(path)"
        case .flatpak(let identifier): "flatpak:\(identifier)"
        case .snap(let name): "snap:\(name)"
        case .nobody: ""
        }
    }

    /// Whether it reaches nothing but its own.
    package var isSandboxed: Bool {
        switch self {
        case .flatpak, .snap: true
        case .application, .path, .nobody: false
        }
    }

    /// Programs that do on the bus what their caller says, besides those of ``SharedPrograms``.
    private static let carriers: Set<String> = [
        "secret-tool", "busctl", "gdbus", "dbus-send", "dbus-monitor", "dbus-run-session", "qdbus",
        "qdbus6", "d-feet", "bustle", "git-credential-libsecret", "git-credential-manager",
        "docker-credential-secretservice", "gh", "xdg-dbus-proxy", "bwrap", "env", "nohup",
        // Our own helpers.
        "llavero-secretservice", "llavero-agent", "llavero-session", "git-credential-llavero",
        "docker-credential-llavero",
    ]

    private static func doesWhatCallersSay(_ path: String) -> Bool {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        return carriers.contains(name) || SharedPrograms.contains(fileName: name)
            || SharedPrograms.containsRelative(fileName: name)
    }
}

/// What an inspection finds of a process that a front represents, or of a front.
package struct ProcessFacts: Sendable {
    /// Which file a program is; only ever compared.
    package struct ProgramFile: Hashable, Sendable {
        package let device: UInt64
        package let inode: UInt64

        package init(device: UInt64, inode: UInt64) {
            self.device = device
            self.inode = inode
        }
    }

    /// What it would be on our own socket: everything was looked at.
    package var identity: ClientIdentity
    /// The path of its program, if only root can have put it there; its libraries don't count.
    package var rootsPath: String?
    /// Its program's file.
    package var program: ProgramFile?
    /// The Flatpak that it says it is.
    package var flatpak: String?
    /// The Snap that its security label names.
    package var snap: String?
    /// Another process debugs it.
    package var isTraced = false
    /// Every user number of it is that of the user whose process it is said to be.
    package var isOfUser = false

    /// What is known of a process at first.
    package init(_ identity: ClientIdentity) { self.identity = identity }

    /// Leaves only what makes it nobody. A sandbox stays: nobody reaches more than a sandboxed program.
    mutating func forget() {
        identity = .unsigned(identity.userID, identity.reasons)
        (rootsPath, program) = (nil, nil)
    }

    /// Whether a trusted team signed its program and all of its code.
    var isSigned: Bool { identity.grade == .signed || identity.grade == .signedAndProtected }

    /// Whether all code in it is root's, or its team's.
    package var hasProvenCode: Bool { identity.grade != .unsigned }
}

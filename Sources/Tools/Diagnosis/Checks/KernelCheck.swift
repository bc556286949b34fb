// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC
package import Keychain

/// What this kernel, or the container's filter in front of it, lets this process have.
package struct KernelFeatures: Hashable, Sendable {
    /// The version of Landlock; 0 when there is none.
    package var landlockVersion: Int
    /// Why there is no Landlock: the error number.
    package var landlockError: Int32
    /// The error number of `memfd_secret`; 0 when it works.
    package var secretMemoryError: Int32
    /// Whether `SO_PEERPIDFD` is there (Linux 6.5).
    package var holdsPeers: Bool
    /// Whether `PAGEMAP_SCAN` is there (Linux 6.7).
    package var scansPages: Bool

    package init(
        landlockVersion: Int, landlockError: Int32 = 0, secretMemoryError: Int32 = 0,
        holdsPeers: Bool = true, scansPages: Bool = true
    ) {
        self.landlockVersion = landlockVersion
        self.landlockError = landlockError
        self.secretMemoryError = secretMemoryError
        self.holdsPeers = holdsPeers
        self.scansPages = scansPages
    }

    /// Asks the kernel, without any right.
    package static func ofThisMachine() -> KernelFeatures {
        let version = llavero_landlock_version()
        let error = version > 0 ? 0 : errno
        return KernelFeatures(
            landlockVersion: Int(max(version, 0)), landlockError: error,
            secretMemoryError: secretMemory(), holdsPeers: peers(), scansPages: pages())
    }

    private static func secretMemory() -> Int32 {
        let descriptor = llavero_memfd_secret(UInt32(O_CLOEXEC))
        guard descriptor >= 0 else { return errno }
        close(descriptor)
        return 0
    }

    private static func peers() -> Bool {
        guard let (here, there) = try? UnixSocket.pair() else { return true }
        defer {
            close(here)
            close(there)
        }
        let peer = llavero_peer_pidfd(here)
        guard peer >= 0 else { return errno != ENOPROTOOPT }
        close(peer)
        return true
    }

    private static func pages() -> Bool {
        let file = unsafe llavero_open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0)
        // Without /proc nothing is said about the kernel.
        guard file >= 0 else { return true }
        defer { close(file) }
        return llavero_scan_copied_pages(file, 0, 4096) >= 0 || errno != ENOTTY
    }
}

/// The protections that depend on the kernel: as enclaved reports them, else as this process has
/// them.
package struct KernelCheck: Check {
    package let name = "kernel"
    private let features: KernelFeatures
    private let status: DeviceStatus?

    package init(_ features: KernelFeatures, _ status: DeviceStatus?) {
        self.features = features
        self.status = status
    }

    /// See ``Check/run()``.
    package func run() -> Report {
        var findings: [Finding] = []
        var words: [String] = []
        let landlock = landlockState
        if landlock == .stands {
            words.append("Landlock \(status?.walls.landlockVersion ?? UInt32(version))")
        } else {
            words.append("no Landlock")
            findings.append(missing(landlock))
        }
        let memory = status?.memory ?? (features.secretMemoryError == 0 ? "memfd_secret" : "mlock")
        words.append(memory)
        findings += self.memory(memory)
        if let status, !status.walls.filtersSystemCalls {
            findings.append(
                Finding(
                    .advice, "no-system-call-filter",
                    what: "enclaved has no filter for system calls.",
                    why: "An attacker who takes enclaved over can use every call of the kernel.",
                    advice: "Use a kernel with seccomp (CONFIG_SECCOMP_FILTER)."))
        }
        words.append(features.holdsPeers ? "SO_PEERPIDFD" : "no SO_PEERPIDFD")
        words.append(features.scansPages ? "PAGEMAP_SCAN" : "no PAGEMAP_SCAN")
        return Report(name, words.joined(separator: ", "), findings + identity)
    }

    private var version: Int { features.landlockVersion }

    // MARK: - Landlock

    private var landlockState: DeviceStatus.Walls.Landlock {
        if let status, status.walls.landlock != .unknown { return status.walls.landlock }
        guard version <= 0 else { return .stands }
        switch features.landlockError {
        case ENOSYS: return .notInKernel
        case EOPNOTSUPP: return .switchedOff
        default: return .forbidden
        }
    }

    private func missing(_ landlock: DeviceStatus.Walls.Landlock) -> Finding {
        let (reason, advice) =
            switch landlock {
            case .notInKernel:
                ("the kernel has none", "Use a kernel with CONFIG_SECURITY_LANDLOCK.")
            case .switchedOff:
                (
                    "the kernel was started without it",
                    "Add landlock to the list `lsm=` of the kernel's command line."
                )
            case .forbidden, .unknown, .stands:
                (
                    "its calls are forbidden here",
                    "Let the container's system call filter allow landlock_create_ruleset, "
                        + "landlock_add_rule and landlock_restrict_self."
                )
            }
        return Finding(
            .advice, "no-landlock", what: "There is no Landlock: \(reason).",
            why: "If an attacker takes enclaved over, only seccomp limits which files it reaches.",
            advice: advice)
    }

    // MARK: - Memory

    private func memory(_ kind: String) -> [Finding] {
        switch kind {
        case "mlock":
            let reason =
                switch features.secretMemoryError {
                case 0: "enclaved could not get it"
                case EPERM, EACCES: "it is forbidden here"
                default: "the kernel has none, or it is switched off"
                }
            return [
                Finding(
                    .advice, "no-secret-memory",
                    what: "Keys are not in memory of memfd_secret: \(reason).",
                    why: "Root's debugger, and a bug in the kernel, can read them.",
                    advice: "Start Linux before 6.5 with `secretmem.enable=1`; in a container, "
                        + "let the system call filter allow memfd_secret.")
            ]
        case "unlocked":
            return [
                Finding(
                    .advice, "memory-not-locked", what: "Keys are in memory that may be swapped.",
                    why: "They can stay on the disk, in the swap space.",
                    advice:
                        "Raise the limit of locked memory (`ulimit -l`, LimitMEMLOCK=), let the "
                        + "system call filter allow mlock, or use no swap space.")
            ]
        default: return []
        }
    }

    // MARK: - Identity

    private var identity: [Finding] {
        var findings: [Finding] = []
        if !features.holdsPeers {
            findings.append(
                Finding(
                    .advice, "no-peer-descriptor",
                    what: "The kernel has no SO_PEERPIDFD (Linux 6.5).",
                    why:
                        "The service finds a client's process by its number, which another process "
                        + "could have by then. It checks the sender of each message as well.",
                    advice: "Use a newer kernel."))
        }
        if !features.scansPages {
            findings.append(
                Finding(
                    .advice, "no-page-scan", what: "The kernel has no PAGEMAP_SCAN (Linux 6.7).",
                    why: "The service reads the page table of signed programs page by page: their "
                        + "first call takes longer.",
                    advice: "Use a newer kernel."))
        }
        return findings
    }
}

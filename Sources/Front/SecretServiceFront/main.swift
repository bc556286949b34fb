// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC
import Keychain
import Sandbox
import SecretBytes
import SecretChannels
import SecretService

// `llavero-secretservice`: serves org.freedesktop.secrets on the session bus of its user, from the
// keychain. It is started by the bus or by systemd, and ends with the bus.

/// Ends with a status, after a text.
func stop(_ status: Int32, _ text: String) -> Never {
    var text = text
    text.withUTF8 { bytes in
        let target = status == 0 ? STDOUT_FILENO : STDERR_FILENO
        _ = unsafe write(target, bytes.baseAddress, bytes.count)
    }
    exit(status)
}

/// A variable of the environment; nil if it is empty. The bus's library doesn't look for its address
/// where the program has a group of its own, so this is its user's word.
func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
}

/// Raises the limit of descriptors for many clients, up to the hard limit.
func raiseDescriptorLimit() {
    let descriptors = __rlimit_resource_t(7)
    var limit = rlimit()
    guard unsafe getrlimit(descriptors, &limit) == 0 else { return }
    limit.rlim_cur = min(limit.rlim_max, 16384)
    _ = unsafe setrlimit(descriptors, &limit)
}

let usage = """
    usage: llavero-secretservice

      Serves org.freedesktop.secrets on the session bus, from the keychain, until the bus ends.

    """
let words = CommandLine.arguments.dropFirst()
if words == ["--help"] { stop(0, usage) }
guard words.isEmpty else { stop(2, usage) }
let log = ServiceLog(program: "llavero-secretservice")
let directory = variable("XDG_RUNTIME_DIR") ?? "/run/user/\(getuid())"
let address = variable("DBUS_SESSION_BUS_ADDRESS") ?? "unix:path=\(directory)/bus"
_ = signal(SIGPIPE, SIG_IGN)
SecretMemory.preferSecretMemory()
raiseDescriptorLimit()
do {
    try Sandbox.harden()
    let store = ChannelStore(
        locate: { ServiceLocation.current },
        whileInspected: { isInspected in try? Sandbox.setInspectable(isInspected) })
    let host = try SecretServiceHost(
        address: address, store: store, portal: store.portalKeys
    ) {
        UInt64(clamping: time(nil))
    }
    try host.run {
        do throws(SandboxError) { try Sandbox.enterForBus() } catch {
            log.write(nil, .error, "\(error)")
            exit(1)
        }
    }
} catch {
    switch (error as? BusFailure)?.number {
    case EEXIST:
        log.write(nil, .error, "Another process owns \(SecretServiceHost.busName) on this bus.")
        // The unit has this status: a new start would find the same.
        exit(3)
    case ECONNRESET:
        log.write(nil, .notice, "The session bus has ended.")
        exit(0)
    default:
        log.write(nil, .error, "There is no session bus, or it can't be used: \(error)")
        exit(1)
    }
}

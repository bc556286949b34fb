// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Enclave
import EnclaveState
import EnclaveWire
import Glibc
import IPC
import PasscodeDeriver
import Sandbox
import SecretBytes

/// The process from its start to its main loop.
///
/// The order matters. The deriver is forked before there is any secret, because its pages would be
/// shared. All steps that need a path or a new descriptor come before the sandbox.
enum EnclaveProcess {
    private static let firstConnection: Int32 = 3
    private static let publicKeyFile = "passcode.pub"

    /// Runs to the end.
    /// - Returns: The exit status.
    static func run() -> Int32 {
        guard let arguments = Arguments(CommandLine.arguments.dropFirst()) else {
            Console.say(Arguments.usage)
            return 2
        }
        do {
            try become(arguments.identity)
            try Sandbox.reexecuteHardened()
            try prepare(arguments)
            let directory = try StateDirectory(statePath: arguments.statePath)
            let selection = try DeviceKeySelection(arguments, directory)
            try Sandbox.enterFamily()
            let deriver = try DeriverProcess.start(selection.tpm)
            return try serve(arguments, directory, selection, deriver)
        } catch {
            Console.say("\(error)")
            return 1
        }
    }

    /// Becomes the user whose process it is, before it has opened anything. Executed again, it is that
    /// user already.
    private static func become(_ identity: (user: UInt32, groups: [UInt32])?) throws {
        guard let identity, geteuid() != identity.user || getegid() != identity.groups[0] else {
            return
        }
        let groups = identity.groups
        guard
            unsafe llavero_become_user(identity.user, groups[0], groups, groups.count) == 0
        else { throw SystemError("setresuid") }
    }

    /// Closes inherited descriptors, and makes the process ignore the terminal's signals.
    private static func prepare(_ arguments: Arguments) throws {
        for signal in [SIGINT, SIGHUP, SIGPIPE] { Glibc.signal(signal, SIG_IGN) }
        umask(0)
        SecretMemory.preferSecretMemory()
        llavero_return_freed_memory()
        let end = touchKeyNumber(arguments) + (arguments.hasTouchKey ? 1 : 0)
        for number in firstConnection..<end {
            guard fcntl(number, F_SETFD, FD_CLOEXEC) == 0 else { throw SystemError("connections") }
        }
        guard llavero_close_range(UInt32(end), .max, 0) == 0 else {
            throw SystemError("close_range")
        }
    }

    private static func serve(
        _ arguments: Arguments, _ directory: StateDirectory, _ selection: DeviceKeySelection,
        _ deriver: DeriverConnection
    ) throws -> Int32 {
        let state = FileState(directory) { Console.say("\($0)") }
        let enclave = Enclave(
            deviceKey: try selection.deviceKey(deriver),
            exchange: DeviceKeySwitch(
                directory, state, deriver, hasTPM: selection.tpm != nil),
            state: state, tiesFiles: !arguments.isEphemeral, touchKey: touchKey(arguments),
            clock: secondsSinceBoot,
            date: secondsSince1970, notify: Console.say)
        // The directory of the public key is opened and closed before the sandbox.
        let place = try arguments.publicPath.map { (path) throws(StateDirectoryError) in
            try StateDirectory(publicPath: path)
        }
        try (place ?? directory).write(publicKeyFile, enclave.publicKey, mode: 0o644)
        let source: ConnectionSource =
            if let count = arguments.connectionCount {
                .given(
                    (0..<count).map { Connection(Descriptor(owning: firstConnection + $0)) })
            } else {
                .supervisor(ControlSocket(Descriptor(owning: firstConnection)))
            }
        var loop = ServiceLoop(
            enclave: enclave, deriver: deriver, isEphemeral: arguments.isEphemeral, source)
        let walls = try Sandbox.enter(
            stateDirectory: directory.rawValue, hasFamily: true)
        let told = EnclaveWalls(walls)
        // `security device status` always reports it; the log only when one is missing.
        if told.landlock != .stands { Console.say(told.description) }
        loop.note(told)
        loop.unlockAtStart(protectorKeys(arguments))
        return loop.run()
    }

    private static func touchKeyNumber(_ arguments: Arguments) -> Int32 {
        firstConnection + (arguments.connectionCount ?? 1) + Int32(arguments.protectorUsers.count)
    }

    private static func touchKey(_ arguments: Arguments) -> Secret? {
        guard arguments.hasTouchKey else { return nil }
        let pipe = Descriptor(owning: touchKeyNumber(arguments))
        guard let key = TouchKey.read(pipe) else { return nil }
        return Secret(key)
    }

    /// The files with keys of protectors, and whose keybags they unlock.
    private static func protectorKeys(_ arguments: Arguments) -> [ProtectorKeyFile] {
        let first = firstConnection + (arguments.connectionCount ?? 1)
        return arguments.protectorUsers.enumerated().map { offset, user in
            ProtectorKeyFile(user: user, Descriptor(owning: first + Int32(offset)))
        }
    }

    /// For people: when a protector was added, and last used.
    private static func secondsSince1970() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(clamping: time.tv_sec)
    }

    /// Time asleep counts, too: a delay also passes with a closed lid.
    private static func secondsSinceBoot() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return UInt64(clamping: time.tv_sec)
    }
}

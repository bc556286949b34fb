// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Enclave
import EnclaveState
import Foundation
import Glibc
import IPC
import Keychain
import SecretBytes
import Synchronization
import TestSupport

/// The files of a state directory whose service is stopped.
enum StateFiles {
    /// Copies another directory's database into this one.
    static func copyDatabase(from source: String, to target: String) throws {
        for suffix in ["", "-wal", "-shm"] {
            let path = StoredRows.path(target) + suffix
            if FileManager.default.fileExists(atPath: path) {
                try FileManager.default.removeItem(atPath: path)
            }
            guard FileManager.default.fileExists(atPath: StoredRows.path(source) + suffix) else {
                continue
            }
            try FileManager.default.copyItem(atPath: StoredRows.path(source) + suffix, toPath: path)
        }
    }

    /// Copies the files that a running service would have after a power cut; there must be no
    /// writes meanwhile.
    static func copyRunning(_ source: String, to target: String) throws {
        try FileManager.default.createDirectory(
            atPath: target, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let files = try FileManager.default.contentsOfDirectory(atPath: source)
        for name in files where name.hasPrefix("keychain.") || name == "enclave" {
            try FileManager.default.copyItem(
                atPath: source + "/" + name, toPath: target + "/" + name)
        }
    }

    /// Copies another directory's device key into this one.
    static func copyDeviceKey(from source: String, to target: String) throws {
        for name in try enclaveFiles(target, beginningWith: "device.key") {
            try FileManager.default.removeItem(atPath: target + "/enclave/" + name)
        }
        for name in try enclaveFiles(source, beginningWith: "device.key") {
            try FileManager.default.copyItem(
                atPath: source + "/enclave/" + name, toPath: target + "/enclave/" + name)
        }
    }

    /// Writes a user's count of wrong passcodes.
    static func countAttempts(_ failures: UInt32, _ state: String, user: UInt32) throws {
        let directory = try StateDirectory(statePath: state)
        let deviceKey = try FileDeviceKey(directory)
        let number = (0..<4).map { UInt8(truncatingIfNeeded: user >> (8 * $0)) }
        let root = try deviceKey.tangle(.keybag, SecretBytes(copying: number))
        func key(_ label: String) -> SymmetricKey {
            Cryptography.derive(from: root.bytes.symmetricKey(), info: [UInt8](label.utf8))
        }
        guard let file = try directory.read("keybag.\(user)", limit: Keybag.byteCountLimit) else {
            throw TestFailure("There is no keybag.")
        }
        let keybag = try Keybag(file, signingKey: key("llavero.keybag.signature.1"))
        let record = AttemptRecord(sequence: 7, failures: failures)
        try directory.write(
            "attempts.\(user)",
            record.file(uuid: keybag.uuid, key: key("llavero.keybag.attempts.1")))
    }

    /// The content of the keybags, by their names.
    static func keybags(_ state: String) throws -> [String: Data] {
        var keybags: [String: Data] = [:]
        for name in try enclaveFiles(state, beginningWith: "keybag.") {
            keybags[name] = try Data(contentsOf: URL(fileURLWithPath: state + "/enclave/" + name))
        }
        return keybags
    }

    private static func enclaveFiles(_ state: String, beginningWith prefix: String) throws
        -> [String]
    {
        try FileManager.default.contentsOfDirectory(atPath: state + "/enclave")
            .filter { $0.hasPrefix(prefix) }
    }
}

/// System calls that Swift has no names for.
private enum SystemCall {
    private typealias Function = @convention(c) (Int, Int, Int, Int, Int) -> Int

    #if arch(arm64)
        static let send = 206
        static let trace = 117
        static let setUser = 147
    #else
        static let send = 44
        static let trace = 101
        static let setUser = 117
    #endif

    static func call(_ number: Int, _ a: Int, _ b: Int, _ c: Int, _ d: Int = 0) throws -> Int {
        guard let symbol = unsafe dlsym(nil, "syscall") else {
            throw TestFailure("The C library has no syscall.")
        }
        return unsafe unsafeBitCast(symbol, to: Function.self)(number, a, b, c, d)
    }
}

/// Runs work as another user, on a separate thread: the other threads keep their user.
enum OtherUser {
    /// Runs `body`; its connections are made by that user.
    /// - Returns: The error, as text.
    static func run(_ user: UInt32, _ body: @escaping @Sendable () throws -> Void) -> [String] {
        let thread = InParallel.Shared()
        thread.start("user \(user)") {
            // The C library's function would change all threads.
            let number = Int(user)
            guard try SystemCall.call(SystemCall.setUser, number, number, number) == 0 else {
                throw TestFailure("This thread can't become user \(user): error \(errno).")
            }
            try body()
        }
        return thread.finish()
    }

    /// Runs `body` with a connection to a service that another user made; it may be the test's own
    /// user.
    static func act(
        as user: UInt32, on service: TestService,
        _ body: @escaping @Sendable (KeychainConnection) throws -> Void
    ) throws {
        let location = ServiceLocation(socketPath: service.socketPath)
        guard user != geteuid() else { return try body(KeychainConnection(location: location)) }
        let failures = run(user) { try body(KeychainConnection(location: location)) }
        guard failures.isEmpty else { throw TestFailure("\(failures)") }
    }
}

/// Counts a process's system calls of one kind, as its debugger.
final class SystemCallCounter: Sendable {
    /// The calls that can be counted.
    enum Kind {
        /// Messages sent to a socket.
        case send

        fileprivate var number: Int {
            switch self {
            case .send: SystemCall.send
            }
        }
    }

    /// See `ptrace(2)`.
    private enum Request {
        static let system = 24
        static let seize = 0x4206
        static let interrupt = 0x4207
        static let information = 0x420e
        static let systemStopsAreMarked = 1
    }

    private let pid: Int32
    private let number: Int
    private let count = Atomic<Int>(0)
    private let isAttached = Atomic<Bool>(false)
    private let isOver = Atomic<Bool>(false)
    private let thread = InParallel.Shared()

    /// Counts from now on.
    init(of pid: Int32, counting kind: Kind) throws {
        self.pid = pid
        number = kind.number
        thread.start("debugger") { [self] in try trace() }
        do {
            try Waiting.until("the debugger") { isAttached.load(ordering: .acquiring) }
        } catch {
            isOver.store(true, ordering: .releasing)
            throw TestFailure("\(error) \(thread.finish())")
        }
    }

    /// Detaches from the process.
    /// - Returns: The calls.
    func finish() throws -> Int {
        isOver.store(true, ordering: .releasing)
        let failures = thread.finish()
        guard failures.isEmpty else { throw TestFailure("\(failures)") }
        return count.load(ordering: .acquiring)
    }

    private func ask(_ request: Int, _ address: Int = 0, _ data: Int = 0) throws {
        guard try SystemCall.call(SystemCall.trace, request, Int(pid), address, data) >= 0 else {
            throw TestFailure("ptrace \(request) fails: error \(errno).")
        }
    }

    /// One thread does everything, because only that thread may control the process; it detaches
    /// when the thread ends.
    private func trace() throws {
        try ask(Request.seize, 0, Request.systemStopsAreMarked)
        try ask(Request.interrupt)
        while true {
            guard let status = nextStop() else {
                // A call is counted before it is carried out.
                if isOver.load(ordering: .acquiring) { return }
                continue
            }
            guard status & 0xFF == 0x7F else { throw TestFailure("The process has ended.") }
            let signal = status >> 8 & 0xFF
            if signal == SIGTRAP | 0x80 {
                try look()
                try ask(Request.system)
            } else if status >> 16 != 0 {
                // Our own interruption.
                try ask(Request.system)
                isAttached.store(true, ordering: .releasing)
            } else {
                try ask(Request.system, 0, Int(signal))
            }
        }
    }

    private func nextStop() -> Int32? {
        var status: Int32 = 0
        let all = Int32(bitPattern: 0x4000_0000)
        if unsafe waitpid(pid, &status, WNOHANG | all) == pid { return status }
        usleep(20)
        return nil
    }

    /// `struct ptrace_syscall_info`: u8 1 at an entry; u64 number of the call at 24.
    private func look() throws {
        var information = [UInt64](repeating: 0, count: 11)
        try unsafe information.withUnsafeMutableBytes { bytes in
            let address = Int(bitPattern: bytes.baseAddress)
            try ask(Request.information, bytes.count, address)
        }
        if information[0] & 0xFF == 1, information[3] == UInt64(number) {
            count.add(1, ordering: .acquiringAndReleasing)
        }
    }
}

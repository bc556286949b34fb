// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import CSeccomp
import Glibc

/// The system calls that change files, and the one that reads databases, as the kernel's filter
/// stops them for the launcher.
enum FileCall: CaseIterable {
    case pread64
    case write, pwrite64, writev, pwritev
    case fsync, fdatasync
    case ftruncate, fallocate
    case openat
    case rename, renameat, renameat2, link, linkat
    case unlink, unlinkat
    case mkdir, mkdirat

    /// Its number on this processor; nil if there is no such call.
    var number: Int32? {
        let number = unsafe seccomp_syscall_resolve_name("\(self)")
        return number >= 0 ? number : nil
    }

    /// How it names its file.
    enum Naming {
        case descriptor
        /// By a path in this argument.
        case path(Int)
        /// By a directory in this argument and a path in the next.
        case directory(Int)
    }

    var naming: Naming {
        switch self {
        case .pread64, .write, .pwrite64, .writev, .pwritev, .fsync, .fdatasync, .ftruncate,
            .fallocate:
            .descriptor
        case .rename, .link, .unlink, .mkdir: .path(0)
        case .openat, .renameat, .renameat2, .linkat, .unlinkat, .mkdirat: .directory(0)
        }
    }

    /// Whether it needs disk space.
    var needsSpace: Bool {
        switch self {
        case .write, .pwrite64, .writev, .pwritev, .fallocate, .openat, .mkdir, .mkdirat: true
        // A file that grows this way only has a hole.
        case .ftruncate, .fsync, .fdatasync, .pread64: false
        case .rename, .renameat, .renameat2, .link, .linkat, .unlink, .unlinkat: false
        }
    }

    /// Whether it can be carried out by half.
    var canBeShort: Bool { self == .write || self == .pwrite64 }
}

/// The fault, and the call at which it happens.
enum Fault {
    case none
    /// The call isn't carried out and returns an error.
    case fail(at: Int, error: Int32)
    /// The next write from this call on writes half of its bytes.
    case short(from: Int)
    /// The process ends as by `kill -9`, before the call.
    case kill(at: Int)
    /// From this call on the disk is full.
    case full(from: Int)
    /// From this call on the file system is mounted read-only.
    case readOnly(from: Int)
    /// These bytes of the database can't be read any more; reading them is an error. Needs
    /// ``FaultSupervisor/filter(holdsReads:)`` with reads.
    case unreadable(Range<UInt64>)

    /// Parses a line such as `fail 7 28`.
    init?(_ words: [Substring]) {
        let numbers = words.dropFirst().compactMap { Int($0) }
        guard numbers.count == words.count - 1 else { return nil }
        switch (words.first, numbers.count) {
        case ("none", 0): self = .none
        case ("fail", 2): self = .fail(at: numbers[0], error: Int32(truncatingIfNeeded: numbers[1]))
        case ("short", 1): self = .short(from: numbers[0])
        case ("kill", 1): self = .kill(at: numbers[0])
        case ("full", 1): self = .full(from: numbers[0])
        case ("readonly", 1): self = .readOnly(from: numbers[0])
        case ("unreadable", 2):
            guard let start = UInt64(exactly: numbers[0]), let count = UInt64(exactly: numbers[1])
            else { return nil }
            self = .unreadable(start..<start + count)
        default: return nil
        }
    }
}

/// Decides about each call that changes a file below a directory, of a program and all its
/// descendants.
///
/// Lines on standard input: a fault (see ``Fault``), which restarts the count and is answered with
/// `ok`; `count`, answered with the number of calls since then, and the number of failed ones;
/// `calls`, answered with their names.
struct FaultSupervisor: ~Copyable {
    /// Becomes readable when a call waits.
    let listener: Int32
    private let directory: String
    private let callsByNumber: [Int32: FileCall]
    private var fault = Fault.none
    private var count = 0
    private var struck = 0
    private var names: [String] = []

    private static let nameLimit = 100_000
    private static let database = "/keychain.db"
    private static let notify: UInt32 = 0x7FC0_0000
    private static let proceed: UInt32 = 1
    private static let creates = UInt64(O_CREAT)

    /// Sets the filter, in the process to be supervised.
    /// - Parameter holdsReads: Whether it also stops reads, which is slow.
    /// - Returns: The descriptor that the supervisor needs; nil when the filter can't be loaded.
    static func filter(holdsReads: Bool) -> Int32? {
        guard let filter = unsafe seccomp_init(SCMP_ACT_ALLOW) else { return nil }
        for call in FileCall.allCases where call != .pread64 || holdsReads {
            guard let number = call.number else { continue }
            guard unsafe seccomp_rule_add_array(filter, notify, number, 0, []) == 0 else {
                return nil
            }
        }
        guard unsafe seccomp_load(filter) == 0 else { return nil }
        let listener = unsafe seccomp_notify_fd(filter)
        return listener >= 0 ? listener : nil
    }

    /// Supervises.
    /// - Parameters:
    ///   - listener: From ``filter()``, of the other process.
    ///   - directory: Calls for files elsewhere are allowed and not counted.
    init(listener: Int32, directory: String) {
        self.listener = listener
        self.directory = directory
        var calls: [Int32: FileCall] = [:]
        for call in FileCall.allCases {
            if let number = call.number { calls[number] = call }
        }
        callsByNumber = calls
    }

    /// Carries out a command line.
    /// - Returns: The answer.
    mutating func obey(_ line: Substring) -> String {
        let words = line.split(separator: " ")
        switch words.first {
        case "count": return "\(count) \(struck)"
        case "calls": return names.joined(separator: " ")
        default:
            guard let fault = Fault(words) else { return "unknown words" }
            self.fault = fault
            count = 0
            struck = 0
            names = []
            return "ok"
        }
    }

    /// Receives one stopped call and decides.
    mutating func serve() {
        var request: UnsafeMutablePointer<seccomp_notif>?
        var response: UnsafeMutablePointer<seccomp_notif_resp>?
        guard unsafe seccomp_notify_alloc(&request, &response) == 0, let request = unsafe request,
            let response = unsafe response
        else { return }
        defer { unsafe seccomp_notify_free(request, response) }
        guard unsafe seccomp_notify_receive(listener, request) == 0 else { return }
        let call = unsafe HeldCall(request.pointee)
        unsafe response.pointee = seccomp_notif_resp()
        unsafe response.pointee.id = request.pointee.id
        switch decide(call) {
        case .letThrough: unsafe response.pointee.flags = Self.proceed
        case .error(let error): unsafe response.pointee.error = -error
        case .wrote(let count): unsafe response.pointee.val = Int64(count)
        }
        _ = unsafe seccomp_notify_respond(listener, response)
    }

    private enum Decision {
        case letThrough
        case error(Int32)
        case wrote(Int)
    }

    private mutating func decide(_ held: HeldCall) -> Decision {
        guard let call = callsByNumber[held.number] else { return .letThrough }
        if call == .pread64 { return decideRead(held) }
        guard changes(held, call) else { return .letThrough }
        count += 1
        if names.count < Self.nameLimit { names.append("\(call)") }
        switch fault {
        case .none: return .letThrough
        case .fail(let place, let error):
            guard count == place else { return .letThrough }
            struck += 1
            return .error(error)
        case .short(let place):
            guard count >= place, struck == 0, call.canBeShort, let half = held.writeHalf(call)
            else { return .letThrough }
            struck += 1
            return .wrote(half)
        case .kill(let place):
            guard count == place else { return .letThrough }
            struck += 1
            Glibc.kill(held.process, SIGKILL)
            return .error(EINTR)
        case .full(let place):
            guard count >= place, call.needsSpace, call != .openat || !held.opensWhatExists
            else { return .letThrough }
            struck += 1
            return .error(ENOSPC)
        case .readOnly(let place):
            // Such a file system has nothing to sync.
            guard count >= place, call != .fsync, call != .fdatasync else { return .letThrough }
            struck += 1
            return .error(EROFS)
        case .unreadable: return .letThrough
        }
    }

    private mutating func decideRead(_ held: HeldCall) -> Decision {
        guard case .unreadable(let bytes) = fault else { return .letThrough }
        let (size, offset) = (held.arguments[2], held.arguments[3])
        guard offset < bytes.upperBound, bytes.lowerBound < offset &+ size,
            let path = held.path(ofDescriptor: held.arguments[0]), path.hasPrefix(directory),
            path.hasSuffix(Self.database)
        else { return .letThrough }
        struck += 1
        return .error(EIO)
    }

    /// Whether a call changes a file below the directory.
    private func changes(_ held: HeldCall, _ call: FileCall) -> Bool {
        if call == .openat, held.arguments[2] & Self.creates == 0 { return false }
        let path: String? =
            switch call.naming {
            case .descriptor: held.path(ofDescriptor: held.arguments[0])
            case .path(let place): held.text(held.arguments[place])
            case .directory(let place):
                held.path(held.text(held.arguments[place + 1]), from: held.arguments[place])
            }
        return path?.hasPrefix(directory) ?? false
    }
}

/// A call of another process that waits for a decision.
private struct HeldCall {
    let process: Int32
    let number: Int32
    let arguments: [UInt64]

    private static let pathLimit = 4096
    private static let atWorkingDirectory = UInt64(UInt32(bitPattern: AT_FDCWD))

    init(_ request: seccomp_notif) {
        process = Int32(bitPattern: request.pid)
        number = request.data.nr
        let all = request.data.args
        arguments = [all.0, all.1, all.2, all.3, all.4, all.5]
    }

    /// The path of one of the process's descriptors.
    func path(ofDescriptor descriptor: UInt64) -> String? {
        Self.link("/proc/\(process)/fd/\(Int32(truncatingIfNeeded: descriptor))")
    }

    /// A path as the process resolves it.
    func path(_ text: String?, from directory: UInt64) -> String? {
        guard let text else { return nil }
        if text.hasPrefix("/") { return text }
        let base =
            directory & 0xFFFF_FFFF == Self.atWorkingDirectory
            ? Self.link("/proc/\(process)/cwd") : path(ofDescriptor: directory)
        return base.map { $0 + "/" + text }
    }

    /// For an `openat`: whether the file exists, and so needs no disk space.
    var opensWhatExists: Bool {
        path(text(arguments[1]), from: arguments[0]).map { unsafe access($0, F_OK) == 0 } ?? false
    }

    /// Text in the process's memory.
    func text(_ address: UInt64) -> String? {
        // A page at a time: the memory after the text may not be readable.
        var bytes: [UInt8] = []
        while bytes.count < Self.pathLimit {
            let next = address + UInt64(bytes.count)
            guard let part = memory(next, count: Int(4096 - next % 4096)) else { return nil }
            if let end = part.firstIndex(of: 0) {
                return String(decoding: bytes + part[..<end], as: UTF8.self)
            }
            bytes += part
        }
        return nil
    }

    /// Carries out the first half of a write for the process.
    /// - Returns: How many bytes; nil when that isn't possible.
    func writeHalf(_ call: FileCall) -> Int? {
        let count = Int(truncatingIfNeeded: arguments[2]) / 2
        guard count > 0, let bytes = memory(arguments[1], count: count) else { return nil }
        let watch = llavero_pidfd_open(process)
        guard watch >= 0 else { return nil }
        defer { close(watch) }
        // The process's own open file: the write also advances its offset.
        let file = SystemCall().value(
            SystemCall.takeDescriptor, Int(watch), Int(Int32(truncatingIfNeeded: arguments[0])), 0)
        guard file >= 0 else { return nil }
        defer { close(Int32(file)) }
        let written = unsafe bytes.withUnsafeBytes { bytes in
            unsafe call == .pwrite64
                ? pwrite(
                    Int32(file), bytes.baseAddress, count, Int(truncatingIfNeeded: arguments[3]))
                : Glibc.write(Int32(file), bytes.baseAddress, count)
        }
        return written > 0 ? written : nil
    }

    private func memory(_ address: UInt64, count: Int) -> [UInt8]? {
        let file = unsafe llavero_open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC, 0)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: count)
        let read = unsafe pread(file, &bytes, count, Int(bitPattern: UInt(address)))
        return read == count ? bytes : nil
    }

    private static func link(_ path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: pathLimit)
        let count = unsafe readlink(path, &bytes, bytes.count)
        guard count > 0 else { return nil }
        return String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

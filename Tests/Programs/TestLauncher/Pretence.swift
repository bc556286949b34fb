// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CSeccomp
import Glibc

/// Makes the kernel look different to the started programs.
enum Pretence {
    private static let memfdSecret: Int32 = 447
    private static let landlock: [Int32] = [444, 445, 446]
    private static let setDumpable: UInt64 = 4
    /// SCMP_ACT_ERRNO(0) and SCMP_ACT_ERRNO(ENOSYS): the call isn't carried out, and returns this
    /// error.
    private static let withoutEffect: UInt32 = 0x0005_0000
    private static let unknown = withoutEffect | UInt32(ENOSYS)
    private static let forbidden = withoutEffect | UInt32(EPERM)
    /// The level SOL_SOCKET of socket options, and SO_PEERPIDFD (asm-generic/socket.h).
    private static let socketLevel: UInt64 = 1
    private static let peerDescriptor: UInt64 = 77
    /// PAGEMAP_SCAN (linux/fs.h).
    private static let pageScan: UInt64 = 0xC060_6610
    /// Of a request that is an `int`, the upper half isn't the kernel's business.
    private static let lowerHalf: UInt64 = 0xFFFF_FFFF

    /// Sets a filter that the programs inherit.
    /// - Parameters:
    ///   - hidesSecretMemory: memfd_secret fails as on a kernel without it.
    ///   - forbidsSecretMemory: memfd_secret fails as in a container that forbids it.
    ///   - forbidsLandlock: So do Landlock's calls.
    ///   - staysDumpable: PR_SET_DUMPABLE succeeds and does nothing.
    ///   - isOldKernel: SO_PEERPIDFD and PAGEMAP_SCAN fail as on Linux 6.1.
    /// - Returns: False when the filter can't be made or loaded.
    static func begin(
        hidesSecretMemory: Bool, forbidsSecretMemory: Bool, forbidsLandlock: Bool,
        staysDumpable: Bool, isOldKernel: Bool
    ) -> Bool {
        guard
            hidesSecretMemory || forbidsSecretMemory || forbidsLandlock || staysDumpable
                || isOldKernel
        else { return true }
        guard let filter = unsafe seccomp_init(SCMP_ACT_ALLOW) else { return false }
        defer { unsafe seccomp_release(filter) }
        if hidesSecretMemory {
            guard unsafe seccomp_rule_add_array(filter, unknown, memfdSecret, 0, []) == 0 else {
                return false
            }
        }
        let refused =
            (forbidsSecretMemory ? [memfdSecret] : []) + (forbidsLandlock ? landlock : [])
        for number in refused {
            guard unsafe seccomp_rule_add_array(filter, forbidden, number, 0, []) == 0 else {
                return false
            }
        }
        if staysDumpable {
            let option = scmp_arg_cmp(
                arg: 0, op: SCMP_CMP_EQ, datum_a: setDumpable, datum_b: 0)
            let prctl = unsafe seccomp_syscall_resolve_name("prctl")
            guard unsafe seccomp_rule_add_array(filter, withoutEffect, prctl, 1, [option]) == 0
            else { return false }
        }
        if isOldKernel {
            guard unsafe beOld(filter) else { return false }
        }
        return unsafe seccomp_load(filter) == 0
    }

    private static func beOld(_ filter: scmp_filter_ctx) -> Bool {
        let level = scmp_arg_cmp(arg: 1, op: SCMP_CMP_EQ, datum_a: socketLevel, datum_b: 0)
        let option = scmp_arg_cmp(arg: 2, op: SCMP_CMP_EQ, datum_a: peerDescriptor, datum_b: 0)
        let request = scmp_arg_cmp(
            arg: 1, op: SCMP_CMP_MASKED_EQ, datum_a: lowerHalf, datum_b: pageScan)
        let getOption = unsafe seccomp_syscall_resolve_name("getsockopt")
        let control = unsafe seccomp_syscall_resolve_name("ioctl")
        guard
            unsafe seccomp_rule_add_array(
                filter, withoutEffect | UInt32(ENOPROTOOPT), getOption, 2, [level, option]) == 0
        else { return false }
        return unsafe seccomp_rule_add_array(
            filter, withoutEffect | UInt32(ENOTTY), control, 1, [request]) == 0
    }
}

/// A system call that Swift has no name for. The address is looked up before a sandbox is entered.
struct SystemCall {
    private typealias Function = @convention(c) (Int, Int, Int, Int, Int, Int, Int) -> Int
    private let function: Function

    init() {
        guard let symbol = unsafe dlsym(nil, "syscall") else {
            preconditionFailure("the C library has no syscall")
        }
        function = unsafe unsafeBitCast(symbol, to: Function.self)
    }

    /// Calls.
    /// - Returns: 0 for success, else the error number.
    func callAsFunction(_ number: Int, _ arguments: Int...) -> Int32 {
        errno = 0
        return make(number, arguments) < 0 ? errno : 0
    }

    /// Calls.
    /// - Returns: The call's result.
    func value(_ number: Int, _ arguments: Int...) -> Int { make(number, arguments) }

    private func make(_ number: Int, _ arguments: [Int]) -> Int {
        let a = arguments + [0, 0, 0, 0, 0, 0]
        return function(number, a[0], a[1], a[2], a[3], a[4], a[5])
    }

    #if arch(arm64)
        static let ptrace = 117
        static let processReadMemory = 270
    #else
        static let ptrace = 101
        static let processReadMemory = 310
    #endif
    static let takeDescriptor = 438
    static let openProcess = 434
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation

/// The keychain's own processes, measured from outside.
enum Daemons {
    /// Resident memory in KiB of the processes that serve this benchmark's keychain, by name.
    static func residentKibibytes() -> [(name: String, kibibytes: Int)] {
        processes().compactMap { process, name in resident(process).map { (name, $0) } }
    }

    /// Processor time that processes have used, in nanoseconds, added up.
    static func processorNanoseconds(_ processes: [Int]) -> UInt64 {
        processes.reduce(0) { sum, process in
            var clock = clockid_t()
            var time = timespec()
            guard clock_getcpuclockid(pid_t(process), &clock) == 0,
                clock_gettime(clock, &time) == 0
            else { return sum }
            return sum + UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        }
    }

    /// The processes that serve this benchmark's keychain.
    static func processes() -> [(process: Int, name: String)] {
        let state = stateDirectory
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        var found: [(Int, String)] = []
        for process in names.compactMap(Int.init).sorted() {
            guard let line = FileManager.default.contents(atPath: "/proc/\(process)/cmdline")
            else { continue }
            let words = line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            guard words.contains(where: { $0.hasPrefix(state) }), let name = words.first,
                ["securityd", "enclaved"].contains(name)
            else { continue }
            found.append((process, name))
        }
        return found
    }

    /// The directory of the ephemeral keychain.
    static var stateDirectory: String {
        let socket = ProcessInfo.processInfo.environment["LLAVERO_SOCKET"] ?? ""
        return (socket as NSString).deletingLastPathComponent
    }

    private static func resident(_ process: Int) -> Int? {
        guard let text = FileManager.default.contents(atPath: "/proc/\(process)/status") else {
            return nil
        }
        for line in String(decoding: text, as: UTF8.self).split(separator: "\n")
        where line.hasPrefix("VmRSS:") {
            return Int(line.split(separator: " ").dropLast().last ?? "")
        }
        return nil
    }

    /// From start to end of `security find-generic-password -w`.
    static func commandLineTool(account: String, count: Int) -> Samples? {
        let path = ProcessInfo.processInfo.environment["LLAVERO_SECURITY_TOOL"] ?? ""
        guard FileManager.default.isExecutableFile(atPath: path) else { return nil }
        return measure(count) { _ in
            let arguments = [
                "security", "find-generic-password", "-s", "bench.example", "-a", account, "-w",
            ]
            var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
            words.append(nil)
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
            var process: pid_t = 0
            guard posix_spawn(&process, path, &actions, nil, words, environ) == 0 else { abort() }
            var status: Int32 = 0
            waitpid(process, &status, 0)
            guard status == 0 else {
                FileHandle.standardError.write(Data("security: wait status \(status)\n".utf8))
                exit(1)
            }
            posix_spawn_file_actions_destroy(&actions)
            for word in words { free(word) }
        }
    }
}

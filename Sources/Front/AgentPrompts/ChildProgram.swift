// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

/// The programs that the agent starts and ends.
enum ChildProgram {
    /// Starts a program with these ends as its input and output, and nothing else of this process.
    static func spawn(
        _ path: String, _ words: [String], _ environment: [String],
        _ input: Int32, _ output: Int32
    ) -> pid_t? {
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        unsafe llavero_spawn_close_from(&actions, 3)
        var none = sigset_t()
        var all = sigset_t()
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
        var words: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) }
        unsafe words.append(nil)
        var variables: [UnsafeMutablePointer<CChar>?] = unsafe environment.map {
            unsafe strdup($0)
        }
        unsafe variables.append(nil)
        defer {
            for index in unsafe words.indices { unsafe free(words[index]) }
            for index in unsafe variables.indices { unsafe free(variables[index]) }
        }
        var child: pid_t = 0
        guard unsafe posix_spawn(&child, path, &actions, &attributes, &words, &variables) == 0
        else { return nil }
        return child
    }

    /// Ends a child: it is asked to, and killed when its time is over.
    /// - Parameters:
    ///   - process: The child; its number is free afterwards.
    ///   - milliseconds: How long it may take.
    static func end(_ process: pid_t, milliseconds: Int) {
        kill(process, SIGTERM)
        var status: Int32 = 0
        for _ in 0..<milliseconds {
            if unsafe waitpid(process, &status, WNOHANG) != 0 { return }
            usleep(1000)
        }
        kill(process, SIGKILL)
        _ = unsafe waitpid(process, &status, 0)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// A program that tests run and kill, never part of a release: an application with one of the three
// wrappers, or with the calls of the originals.
//
//     team                                  the team identifier, or `none`
//     serve                                 these, one a line of standard input:
//         WRAPPER save NAME VALUE [CLASS]   `ok`, or `failed STATUS`
//         WRAPPER load NAME                 the value, or `failed STATUS`
//         WRAPPER delete NAME
//         set ID KEY VALUE [CLASS]          of KeychainItemWrapper
//         get ID KEY
//         threads WRAPPER NAME COUNT that many threads use one name; the errors
//         create ID WHO                     sets account and data of an identifier, on two threads
//         values the values that JNKeychain doesn't return unchanged
//         keep USER SERVICE PASSWORD        `stored`, `kept` or `failed STATUS`, of SFHFKeychainUtils
//         hold ID keeps one object of KeychainItemWrapper; then for it: held get KEY held set KEY
//         VALUE
//         held threads COUNT that many threads use it; the errors
//     tasks                                 these, in a task, one a line of standard input:
//         WRAPPER save NAME VALUE           `ok`, or `failed REASON`
//         WRAPPER load NAME [MILLISECONDS]  the value, or `failed REASON`
//         WRAPPER delete NAME
//         WRAPPER cancel NAME `asked`; after another line the result of a cancelled load
//     main sync|async WRAPPER NAME          loads on the main actor: `asked`, `value VALUE`, and meanwhile
//                                           `tick` while the main actor works, `beat` in any case
//     churn WRAPPER NAME saves 1, 2, 3, … forever, and prints each when it is saved
//
// WRAPPER is item, jn, sfhf, or one of these with `original-` before it.

import Foundation
import JNKeychain

func say(_ line: String) {
    print(line)
    // On a pipe, output would be buffered.
    fflush(nil)
}

let words = Array(CommandLine.arguments.dropFirst())
switch words.first {
case "team": say(JNKeychain.getBundleSeedIdentifier() ?? "none")
case "serve":
    while let line = readLine() {
        say(Commands.answer(line.split(separator: " ").map(String.init)))
    }
case "tasks": Tasks.serve()
case "team-task": Tasks.sayTeam()
case "main":
    guard words.count == 4 else { exit(2) }
    Tasks.loadOnMain(words[1], words[2], words[3])
case "churn":
    guard words.count == 3, let chosen = wrapper(words[1]) else { exit(2) }
    for number in 1... {
        let status = chosen.save(words[2], String(number), nil)
        say(status == 0 ? "\(number)" : "failed \(status)")
    }
default: exit(2)
}

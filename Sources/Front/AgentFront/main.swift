// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import AgentPrompts
import Glibc
import IPC
import Sandbox
import SecretBytes

// `llavero-agent --key FILE [--pinentry PROGRAM]`, with securityd's connection as descriptor 3 and, in
// a pipe, the key of touches as descriptor 4. The supervisor starts it.
let words = CommandLine.arguments
let pinentry = words.count == 5 && words[3] == "--pinentry" ? words[4] : nil
guard words.count == 3 || pinentry != nil, words[1] == "--key" else {
    let usage = "llavero-agent is started by securityd.\n"
    _ = unsafe write(STDERR_FILENO, usage, usage.utf8.count)
    exit(2)
}
do throws(SandboxError) { try Sandbox.harden() } catch { exit(1) }
SecretMemory.preferSecretMemory()
for number in [SIGINT, SIGHUP, SIGPIPE, SIGTTOU, SIGTTIN] { _ = signal(number, SIG_IGN) }
_ = fcntl(3, F_SETFD, FD_CLOEXEC)
/// Nil where the supervisor gives none.
func touchKey() -> Secret? {
    guard fcntl(4, F_SETFD, FD_CLOEXEC) == 0 else { return nil }
    let pipe = Descriptor(owning: 4)
    guard let key = TouchKey.read(pipe) else { return nil }
    return Secret(key)
}
var environment: [String: String] = [:]
for name in AgentSession.names {
    if let value = unsafe getenv(name) { environment[name] = unsafe String(cString: value) }
}
Agent(
    socket: MessageSocket(Descriptor(owning: 3)), keyPath: words[2], pinentry: pinentry,
    session: AgentSession(environment), touchKey: touchKey()
).run()

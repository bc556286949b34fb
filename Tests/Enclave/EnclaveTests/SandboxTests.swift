// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import EnclaveState
import EnclaveWire
import Glibc
import KeychainVocabulary
import PasscodeDeriver
import Sandbox
import SecretBytes
import Testing

/// Each test runs in a separate process, which ends inside the sandbox.
@Suite struct SandboxTests {
    @Test func theEnclaveWorksInsideItsSandbox() async {
        await #expect(processExitsWith: .exitCode(42)) {
            let state = try SandboxTests.stateDirectory()
            let records = FileState(state) { _ in }
            let deviceKey = try FileDeviceKey(state)
            _ = try Sandbox.enter(stateDirectory: state.rawValue)
            // Twice: the second time the keybag exists.
            for round in 0..<2 {
                let enclave = Enclave(
                    deviceKey: deviceKey, state: records, clock: { 1 }, notify: { _ in })
                guard SandboxTests.works(enclave) else { _exit(Int32(round)) }
            }
            var counting = Enclave(
                deviceKey: deviceKey, state: records, clock: { 1 }, notify: { _ in })
            guard RealEnclave.passcode(.set, "right", &counting) == .success,
                RealEnclave.passcode(.unlock, "wrong", &counting) == .wrongPasscode,
                RealEnclave.passcode(.unlock, "right", &counting) == .success
            else { _exit(4) }
            let job = DerivationJob(
                cost: .given(.floor), salt: [UInt8](repeating: 1, count: 32),
                passcode: Secret(.random(byteCount: 8)))
            guard case .derived = PasscodeDeriver.run(job) else { _exit(2) }
            let large = SecretBytes(byteCount: 1 << 20)
            let pages = [UInt8](repeating: 1, count: 8 << 20)
            guard large.byteCount + pages.count > 0 else { _exit(3) }
            _exit(42)
        }
        Self.removeDirectory()
    }

    @Test func aSocketEndsTheProcess() async {
        await #expect(processExitsWith: .signal(SIGSYS)) {
            _ = try Sandbox.enter(stateDirectory: nil)
            _ = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            _exit(0)
        }
    }

    @Test func anotherProgramEndsTheProcess() async {
        await #expect(processExitsWith: .signal(SIGSYS)) {
            _ = try Sandbox.enter(stateDirectory: nil)
            SandboxTests.startAnotherProgram()
            _exit(0)
        }
    }

    @Test func executableMemoryEndsTheProcess() async {
        await #expect(processExitsWith: .signal(SIGSYS)) {
            _ = try Sandbox.enter(stateDirectory: nil)
            _ = unsafe mmap(
                nil, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            _exit(0)
        }
    }

    @Test func filesOutsideTheDirectoryAreDenied() async {
        await #expect(processExitsWith: .exitCode(42)) {
            let walls = try Sandbox.enter(stateDirectory: nil)
            // Without Landlock in the kernel this can't be tested.
            guard walls.landlockVersion > 0 else { _exit(42) }
            guard unsafe fopen("/etc/passwd", "r") == nil, errno == EACCES else { _exit(1) }
            _exit(42)
        }
    }

    private static func startAnotherProgram() {
        var words: [UnsafeMutablePointer<CChar>?] = unsafe [nil]
        _ = unsafe execve("/bin/true", &words, &words)
    }

    /// A fixed path, so that the test can remove the files of the process that ended.
    private static let path = "/tmp/llavero-sandbox-test-\(geteuid())"

    private static func removeDirectory() {
        for name in [
            "device.key", "device.key.2", "keybag.1", "keybag.1.2", "keybag.7", "keybag.7.2",
            "attempts.7",
        ] {
            unsafe unlink("\(path)/enclave/\(name)")
        }
        unsafe rmdir("\(path)/enclave")
        unsafe rmdir(path)
    }

    private static func stateDirectory() throws -> StateDirectory {
        removeDirectory()
        unsafe mkdir(path, 0o700)
        return try StateDirectory(statePath: path)
    }

    /// A secret is sealed and opened, and a nonce is made.
    private static func works(_ enclave: consuming Enclave) -> Bool {
        guard
            let binding = SecretBinding(
                protectionClass: .ak, context: [UInt8](repeating: 1, count: 32))
        else { return false }
        let secret = SecretToSeal(binding: binding, secret: SecretBytes(copying: [1, 2, 3]))
        guard case .reply(let reply) = enclave.handle(.seal(secret), user: 1),
            case .sealed(let sealed) = reply
        else { return false }
        let rows = [SealedSecret(binding: binding, sealed: sealed)]
        guard case .reply(let opened) = enclave.handle(.open(rows), user: 1),
            case .opened(let results) = opened, case .secret = results.first
        else { return false }
        guard case .reply(let challenge) = enclave.handle(.challenge, user: 1),
            case .challenge = challenge
        else { return false }
        return true
    }
}

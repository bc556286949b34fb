// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Enclave
package import EnclaveWire
import Glibc
package import IPC
package import SecretBytes

/// enclaved's side of the connection to its child: what takes long is begun and its reply taken
/// later, one job at a time; short calls wait, for what was begun before them as well.
package final class DeriverConnection {
    /// The child has ended, or says something that is no reply.
    package struct Gone: Error, Sendable {}

    /// The end of something that was begun.
    package enum News {
        case derived(DerivationOutcome)
        /// A device key has counted, or why not.
        case counted(any DeviceKey, DeviceKeyFailure?)
    }

    /// What the child is yet to reply to.
    private enum Begun {
        case derivation
        case counting(any DeviceKey)
    }

    /// Longer than any operation of a TPM takes.
    private static let milliseconds = 22_000
    /// Longer than any derivation with one, shorter than securityd waits.
    private static let newsMilliseconds = 25_000

    private let socket: DeriverSocket
    /// In the order of the replies.
    private var begun: [Begun] = []
    private var early: [News] = []
    private var isGone = false
    private var lastNews = 0

    /// Takes over a connected stream socket.
    package init(_ socket: consuming Descriptor) { self.socket = DeriverSocket(descriptor: socket) }

    /// For waiting; readable once something that was begun is done.
    package var rawValue: Int32 { socket.descriptor.rawValue }

    /// Whether `takeNews` has something to give although the socket isn't readable: a call came
    /// between, or the child is gone.
    package var hasNews: Bool { !early.isEmpty || isGone }

    /// How long the child may still take for what was begun, in milliseconds; nothing: there is nothing.
    package var millisecondsLeft: Int? {
        begun.isEmpty ? nil : max(lastNews + Self.newsMilliseconds - Self.now(), 0)
    }

    /// Hands over a job.
    package func start(_ job: DerivationJob) throws(Gone) {
        try begin(.derivation, DeriverMessages.encode(job))
    }

    /// Has the child's device key count.
    func startCounting(
        _ key: any DeviceKey, to number: UInt64, isCertain: Bool
    ) throws(DeviceKeyFailure) {
        let content = DeriverMessages.encode(counting: number, isCertain: isCertain)
        do throws(Gone) {
            try begin(
                .counting(key),
                DeriverMessages.message(DeriverMessages.Kind.count.rawValue, content))
        } catch { throw .gone }
    }

    /// It fits into the socket's buffer, so that this doesn't wait.
    private func begin(_ what: Begun, _ message: borrowing SecretBytes) throws(Gone) {
        guard !isGone, socket.send(message) else {
            isGone = true
            throw Gone()
        }
        if begun.isEmpty { lastNews = Self.now() }
        begun.append(what)
    }

    /// Takes the reply to what was begun first; to be called once the socket is readable, or there
    /// is news.
    package func takeNews() throws(Gone) -> News {
        early.isEmpty ? try receiveNews() : early.removeFirst()
    }

    private func receiveNews() throws(Gone) -> News {
        guard !isGone, let first = begun.first,
            let (status, content) = socket.receiveMessage(within: Self.milliseconds)
        else {
            isGone = true
            throw Gone()
        }
        begun.removeFirst()
        lastNews = Self.now()
        switch first {
        case .counting(let key):
            let isDone = status == DeriverMessages.success
            return .counted(key, isDone ? nil : DeviceKeyFailure(rawValue: status) ?? .failed)
        case .derivation:
            guard let outcome = try? DeriverMessages.decodeOutcome(status, content.bytes) else {
                isGone = true
                throw Gone()
            }
            return .derived(outcome)
        }
    }

    /// Asks for something else, and waits.
    func call(
        _ kind: DeriverMessages.Kind, _ content: [UInt8] = [], _ secrets: [Secret] = []
    ) throws(DeviceKeyFailure) -> Secret {
        guard !isGone else { throw .gone }
        guard socket.send(DeriverMessages.message(kind.rawValue, content, secrets)) else {
            isGone = true
            throw .gone
        }
        while !begun.isEmpty {
            do { early.append(try receiveNews()) } catch { throw .gone }
        }
        guard let (status, content) = socket.receiveMessage(within: Self.milliseconds) else {
            isGone = true
            throw .gone
        }
        guard status == DeriverMessages.success else {
            throw DeviceKeyFailure(rawValue: status) ?? .failed
        }
        return content
    }

    private static func now() -> Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }

    // MARK: - Making device keys

    /// Makes a device key in the child's TPM.
    /// - Returns: What is to be kept of it; with a counter, it is to be used next.
    package func makeDeviceKey(hasCounter: Bool) throws(DeviceKeyFailure) -> [UInt8] {
        try call(.make, [hasCounter ? 1 : 0]).array
    }

    /// Uses a device key of the child's TPM.
    /// - Returns: What is to be kept from now on.
    package func useDeviceKey(_ record: [UInt8]) throws(DeviceKeyFailure) -> [UInt8] {
        try call(.use, record).array
    }

    /// Makes another counter in the place of one that is gone.
    /// - Returns: What is to be kept from now on.
    package func renewCounter() throws(DeviceKeyFailure) -> [UInt8] {
        try call(.renewCounter).array
    }

    /// Gives the counter's room in the TPM back.
    package func removeCounter() throws(DeviceKeyFailure) { _ = try call(.removeCounter) }

    /// Takes an index out of the child's TPM.
    /// - Throws: when it may still be there; one that is gone is no failure.
    package func release(_ index: HeldIndex) throws(DeviceKeyFailure) {
        _ = try call(.release, DeriverMessages.encode(index))
    }

    /// The device key that a job has made is used from now on.
    package func takeNext() throws(DeviceKeyFailure) { _ = try call(.takeNext) }

    /// The device key that a job has made isn't used: nothing of it stays in the TPM.
    /// - Parameter sealed: What it has sealed, if anything.
    /// - Throws: when the child can't be asked.
    package func giveUpNext(releasing sealed: [UInt8]?) throws(DeviceKeyFailure) {
        _ = try call(.giveUpNext, sealed ?? [])
    }

    /// The device key that is used isn't any more.
    package func retire() throws(DeviceKeyFailure) { _ = try call(.retire) }
}

/// The device key that the child has in its TPM.
package final class RemoteDeviceKey: DeviceKey {
    /// What keeps it.
    package let maker: DeviceKeyMaker
    private let connection: DeriverConnection
    private let registersOf: ([UInt8]) -> PlatformRegisters
    private let indexOf: (_ sealed: [UInt8]?, _ user: UInt32?) -> HeldIndex?
    private let keep: ([UInt8]) throws(DeviceKeyFailure) -> Void

    /// Calls the child.
    /// - Parameters:
    ///   - maker: What keeps it.
    ///   - connection: To the child.
    ///   - registersOf: Tells what sealed bytes say.
    ///   - indexOf: Tells what the TPM keeps for sealed bytes of a user; without them, the counter.
    ///   - keep: Takes another record of the same key.
    package init(
        maker: DeviceKeyMaker, _ connection: DeriverConnection,
        registersOf: @escaping ([UInt8]) -> PlatformRegisters,
        indexOf: @escaping (_ sealed: [UInt8]?, _ user: UInt32?) -> HeldIndex?,
        keep: @escaping ([UInt8]) throws(DeviceKeyFailure) -> Void
    ) {
        self.maker = maker
        self.connection = connection
        self.registersOf = registersOf
        self.indexOf = indexOf
        self.keep = keep
    }

    /// Asks the child.
    package func tangle(
        _ purpose: TanglePurpose, _ input: borrowing SecretBytes
    ) throws(DeviceKeyFailure) -> Secret {
        let copy = Secret(input.prefix(input.byteCount))
        let tangled = try connection.call(.tangle, [purpose.rawValue], [copy])
        guard tangled.bytes.byteCount == Cryptography.keyByteCount else { throw .failed }
        return tangled
    }

    /// Jobs bring this with them: nothing asks for it here.
    package func enrol(
        _ derived: Secret, context: [UInt8], attemptLimit: UInt32, _ binding: RegisterBinding
    ) throws(DeviceKeyFailure) -> (material: PasscodeMaterial, sealed: [UInt8]) { throw .failed }

    /// Jobs bring this with them: nothing asks for it here.
    package func open(
        _ derived: Secret, sealed: [UInt8], context: [UInt8]
    ) throws(DeviceKeyFailure) -> PasscodeMaterial { throw .failed }

    /// Nobody is asked.
    package func index(of sealed: [UInt8], user: UInt32) -> HeldIndex? { indexOf(sealed, user) }

    /// Nobody is asked.
    package var counter: HeldIndex? { indexOf(nil, nil) }

    /// Nobody is asked.
    package func registers(of sealed: [UInt8]) -> PlatformRegisters { registersOf(sealed) }

    /// Asks the child.
    package func readCounter() throws(DeviceKeyFailure) -> UInt64 {
        let bytes = try connection.call(.readCounter).array
        guard bytes.count == 8 else { throw .failed }
        return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Asks the child, and keeps what tells of the new one.
    package func renewCounter() throws(DeviceKeyFailure) { try keep(try connection.renewCounter()) }

    /// Asks the child.
    package func incrementCounter() throws(DeviceKeyFailure) {
        _ = try connection.call(.incrementCounter)
    }

    /// Asks the child, and doesn't wait: a TPM takes its time, and enclaved has others to answer.
    package func beginCounting(
        to number: UInt64, isCertain: Bool
    ) throws(DeviceKeyFailure) -> Bool {
        try connection.startCounting(self, to: number, isCertain: isCertain)
        return false
    }
}

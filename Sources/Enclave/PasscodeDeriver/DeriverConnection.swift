// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Enclave
package import EnclaveWire
import Glibc
package import IPC
package import SecretBytes

/// enclaved's side of the connection to its child. Long operations are started, one job at a time,
/// and their replies are read later. Short calls wait, also for operations that were started before
/// them.
package final class DeriverConnection {
    /// The child has ended, or has sent an invalid reply.
    package struct Gone: Error, Sendable {}

    /// The result of an operation that was started.
    package enum News {
        case derived(DerivationOutcome)
        /// A device key has incremented its counter, or why not.
        case counted(any DeviceKey, DeviceKeyFailure?)
    }

    /// The operations without a reply so far.
    private enum Begun {
        case derivation
        case counting(any DeviceKey)
    }

    /// Longer than any operation of a TPM takes.
    private static let milliseconds = 22_000
    /// Longer than any derivation with one, shorter than securityd's wait.
    private static let newsMilliseconds = 25_000

    private let socket: DeriverSocket
    /// In the order of the replies.
    private var begun: [Begun] = []
    private var early: [News] = []
    private var isGone = false
    private var lastNews = 0

    /// Takes ownership of a connected stream socket.
    package init(_ socket: consuming Descriptor) { self.socket = DeriverSocket(descriptor: socket) }

    /// For waiting; readable once an operation is done.
    package var rawValue: Int32 { socket.descriptor.rawValue }

    /// Whether `takeNews` has a result although the socket isn't readable: a short call read it
    /// meanwhile, or the child has ended.
    package var hasNews: Bool { !early.isEmpty || isGone }

    /// The time that the child still has for its operations, in milliseconds; nil: there are none.
    package var millisecondsLeft: Int? {
        begun.isEmpty ? nil : max(lastNews + Self.newsMilliseconds - Self.now(), 0)
    }

    /// Sends a job.
    package func start(_ job: DerivationJob) throws(Gone) {
        try begin(.derivation, DeriverMessages.encode(job))
    }

    /// Asks the child's device key to increment its counter.
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

    /// It fits into the socket's buffer, so this doesn't block.
    private func begin(_ what: Begun, _ message: borrowing SecretBytes) throws(Gone) {
        guard !isGone, socket.send(message) else {
            isGone = true
            throw Gone()
        }
        if begun.isEmpty { lastNews = Self.now() }
        begun.append(what)
    }

    /// Reads the reply to the oldest operation; call it once the socket is readable, or there is
    /// news.
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

    /// Makes a short call, and waits for its reply.
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
    /// - Returns: Its record; one with a counter must be used next.
    package func makeDeviceKey(hasCounter: Bool) throws(DeviceKeyFailure) -> [UInt8] {
        try call(.make, [hasCounter ? 1 : 0]).array
    }

    /// Uses a device key of the child's TPM.
    /// - Returns: The record to keep from now on.
    package func useDeviceKey(_ record: [UInt8]) throws(DeviceKeyFailure) -> [UInt8] {
        try call(.use, record).array
    }

    /// Makes a new counter, which replaces a lost one.
    /// - Returns: The record to keep from now on.
    package func renewCounter() throws(DeviceKeyFailure) -> [UInt8] {
        try call(.renewCounter).array
    }

    /// Deletes the counter from the TPM.
    package func removeCounter() throws(DeviceKeyFailure) { _ = try call(.removeCounter) }

    /// Deletes an index from the child's TPM.
    /// - Throws: when it may still exist; a missing one is no failure.
    package func release(_ index: HeldIndex) throws(DeviceKeyFailure) {
        _ = try call(.release, DeriverMessages.encode(index))
    }

    /// From now on the device key that a job has made is used.
    package func takeNext() throws(DeviceKeyFailure) { _ = try call(.takeNext) }

    /// The device key that a job has made will not be used: all of it is deleted from the TPM.
    /// - Parameter sealed: The bytes that it has sealed, if any.
    /// - Throws: when the child can't be asked.
    package func giveUpNext(releasing sealed: [UInt8]?) throws(DeviceKeyFailure) {
        _ = try call(.giveUpNext, sealed ?? [])
    }

    /// The current device key isn't used any more.
    package func retire() throws(DeviceKeyFailure) { _ = try call(.retire) }
}

/// The device key in the child's TPM.
package final class RemoteDeviceKey: DeviceKey {
    /// Where it is stored.
    package let maker: DeviceKeyMaker
    private let connection: DeriverConnection
    private let registersOf: ([UInt8]) -> PlatformRegisters
    private let indexOf: (_ sealed: [UInt8]?, _ user: UInt32?) -> HeldIndex?
    private let keep: ([UInt8]) throws(DeviceKeyFailure) -> Void

    /// Calls the child.
    /// - Parameters:
    ///   - maker: Where it is stored.
    ///   - connection: To the child.
    ///   - registersOf: Reads the registers from sealed bytes.
    ///   - indexOf: The TPM index for sealed bytes of a user; without them, the counter.
    ///   - keep: Stores a new record of the same key.
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

    /// Jobs do this themselves: this is never called.
    package func enrol(
        _ derived: Secret, context: [UInt8], attemptLimit: UInt32, _ binding: RegisterBinding
    ) throws(DeviceKeyFailure) -> (material: PasscodeMaterial, sealed: [UInt8]) { throw .failed }

    /// Jobs do this themselves: this is never called.
    package func open(
        _ derived: Secret, sealed: [UInt8], context: [UInt8]
    ) throws(DeviceKeyFailure) -> PasscodeMaterial { throw .failed }

    /// Without asking the child.
    package func index(of sealed: [UInt8], user: UInt32) -> HeldIndex? { indexOf(sealed, user) }

    /// Without asking the child.
    package var counter: HeldIndex? { indexOf(nil, nil) }

    /// Without asking the child.
    package func registers(of sealed: [UInt8]) -> PlatformRegisters { registersOf(sealed) }

    /// Asks the child.
    package func readCounter() throws(DeviceKeyFailure) -> UInt64 {
        let bytes = try connection.call(.readCounter).array
        guard let value = UInt64(littleEndianBytes: bytes) else { throw .failed }
        return value
    }

    /// Asks the child, and stores the record of the new one.
    package func renewCounter() throws(DeviceKeyFailure) { try keep(try connection.renewCounter()) }

    /// Asks the child.
    package func incrementCounter() throws(DeviceKeyFailure) {
        _ = try connection.call(.incrementCounter)
    }

    /// Asks the child without waiting, since a TPM is slow, and enclaved has other requests to
    /// answer.
    package func beginCounting(
        to number: UInt64, isCertain: Bool
    ) throws(DeviceKeyFailure) -> Bool {
        try connection.startCounting(self, to: number, isCertain: isCertain)
        return false
    }
}

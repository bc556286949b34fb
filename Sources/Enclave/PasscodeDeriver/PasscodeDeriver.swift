// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Enclave
import EnclaveWire
package import IPC
import SecretBytes

/// The child's TPM and the device key in it, if there is one.
package protocol DeviceKeyHost: AnyObject {
    /// The device key; nil before it was made or named.
    /// - Parameter indexNumber: The index for the next enrolment; nil: any.
    /// - Returns: The device key.
    func deviceKey(indexNumber: UInt32?) -> (any DeviceKey)?
    /// Makes a device key.
    /// - Returns: Its record. For a device key with a counter, call `use` with the record.
    func make(hasCounter: Bool) throws(DeviceKeyFailure) -> [UInt8]
    /// Uses the device key with this record.
    /// - Returns: The record to keep from now on.
    func use(_ record: [UInt8]) throws(DeviceKeyFailure) -> [UInt8]
    /// The counter isn't used any more.
    func removeCounter() throws(DeviceKeyFailure)
    /// Makes a new counter, which replaces a lost one.
    /// - Returns: The record to keep from now on.
    func renewCounter() throws(DeviceKeyFailure) -> [UInt8]
    /// Makes a second device key beside the current one.
    /// - Parameters:
    ///   - counterNumber: The number of its counter, if it has one.
    ///   - indexNumber: The index of the first passcode.
    /// - Returns: Its record, and the device key.
    /// - Throws: the TPM's failure.
    func makeNext(
        counterNumber: UInt32?, indexNumber: UInt32
    ) throws(DeviceKeyFailure) -> (record: [UInt8], key: any DeviceKey)
    /// From now on the new device key is used.
    func takeNext() throws(DeviceKeyFailure)
    /// The new device key will not be used: all of it is deleted.
    /// - Parameter sealed: The bytes that it has sealed; empty if none.
    func giveUpNext(releasing sealed: [UInt8])
    /// The current device key isn't used any more.
    func retire()
    /// Deletes an index.
    /// - Throws: when it may still exist; a missing one is no failure.
    func release(_ index: HeldIndex) throws(DeviceKeyFailure)
}

/// The child's side: derives keys from passcodes, and talks to the TPM, until its parent has ended.
///
/// It is a separate process for three reasons: enclaved answers other requests meanwhile, the
/// memory of a derivation returns to the system, and the TPM's replies are parsed in a process
/// without class keys.
package enum PasscodeDeriver {
    /// Serves one request after another; returns at end of file, or when a request is not one.
    package static func serve(
        _ socket: consuming Descriptor, _ host: (any DeviceKeyHost)? = nil,
        scrub: () -> Void = {}
    ) {
        let socket = DeriverSocket(descriptor: socket)
        while carryOutOne(socket, host) { scrub() }
    }

    /// A separate call, so that its stack frames are unused when the stack is overwritten.
    private static func carryOutOne(
        _ socket: borrowing DeriverSocket, _ host: (any DeviceKeyHost)?
    ) -> Bool {
        guard let (number, content) = socket.receiveMessage(),
            let kind = DeriverMessages.Kind(rawValue: number)
        else { return false }
        guard kind != .derive else {
            guard let job = try? DeriverMessages.decodeJob(content.bytes) else { return false }
            let outcome =
                if case .make(let making) = job.work { make(making, job, host) } else {
                    run(job, host?.deviceKey(indexNumber: job.work?.indexNumber))
                }
            return socket.send(DeriverMessages.encode(outcome))
        }
        do throws(DeviceKeyFailure) {
            return socket.send(try answer(kind, content, host))
        } catch {
            return socket.send(DeriverMessages.message(error.rawValue))
        }
    }

    // MARK: - Derivation

    /// Derives, and does the device key's part, if the device key is in this process.
    package static func run(
        _ job: DerivationJob, _ deviceKey: (any DeviceKey)? = nil
    ) -> DerivationOutcome {
        let outcome = derive(job)
        guard let deviceKey, let work = job.work,
            case .derived(let derived, let parameters) = outcome
        else { return outcome }
        do throws(DeviceKeyFailure) {
            switch work {
            case .open(let sealed, let context):
                return .opened(try deviceKey.open(derived, sealed: sealed, context: context))
            case .enrol(let context, let limit, _, let binding):
                let made = try deviceKey.enrol(
                    derived, context: context, attemptLimit: limit, binding)
                return .enrolled(made.material, sealed: made.sealed, parameters)
            case .make: return .refused(.failed)
            }
        } catch { return .refused(error) }
    }

    /// Derives, if there is a passcode, and makes a device key.
    private static func make(
        _ making: DeviceKeyMaking, _ job: DerivationJob, _ host: (any DeviceKeyHost)?
    ) -> DerivationOutcome {
        guard let host else { return .refused(.absent) }
        var derivation: (key: Secret, parameters: DerivationParameters)?
        if job.passcode.bytes.byteCount > 0 {
            guard case .derived(let key, let parameters) = derive(job) else { return .failed }
            derivation = (key, parameters)
        }
        do throws(DeviceKeyFailure) {
            let made = try host.makeNext(
                counterNumber: making.counterNumber, indexNumber: making.indexNumber)
            let root = try made.key.tangle(.keybag, SecretBytes(copying: making.rootInput))
            let binding = try made.key.tangle(.binding, SecretBytes(copying: making.bindingInput))
            let counter = making.counterNumber != nil ? try made.key.readCounter() : nil
            guard let derivation else {
                return .made(
                    MadeDeviceKey(
                        record: made.record, root: root, binding: binding, counter: counter,
                        passcode: nil))
            }
            let enrolled = try made.key.enrol(
                derivation.key, context: making.context, attemptLimit: making.attemptLimit,
                .to(.none))
            let passcode = MadeDeviceKey.Passcode(
                material: enrolled.material, sealed: enrolled.sealed,
                parameters: derivation.parameters)
            return .made(
                MadeDeviceKey(
                    record: made.record, root: root, binding: binding, counter: counter,
                    passcode: passcode))
        } catch {
            host.giveUpNext(releasing: [])
            return .refused(error)
        }
    }

    private static func derive(_ job: DerivationJob) -> DerivationOutcome {
        switch job.cost {
        case .calibrated:
            guard let result = Argon2id.calibrate(job.passcode, salt: job.salt) else {
                return .failed
            }
            return .derived(result.key, result.parameters)
        case .given(let parameters):
            guard
                let key = Argon2id.derive(job.passcode, salt: job.salt, parameters: parameters)
            else { return .failed }
            return .derived(key, parameters)
        case .none:
            let count = job.passcode.bytes.byteCount
            guard count == Argon2id.keyByteCount else { return .failed }
            return .derived(Secret(job.passcode.bytes.slice(0..<count)), .floor)
        }
    }

    // MARK: - The device key

    private static func answer(
        _ kind: DeriverMessages.Kind, _ content: Secret, _ host: (any DeviceKeyHost)?
    ) throws(DeviceKeyFailure) -> SecretBytes {
        guard let host else { throw .absent }
        let success = DeriverMessages.success
        switch kind {
        case .derive: throw .failed
        case .make:
            let hasCounter = content.array == [1]
            return DeriverMessages.message(success, try host.make(hasCounter: hasCounter))
        case .use:
            return DeriverMessages.message(success, try host.use(content.array))
        case .removeCounter:
            try host.removeCounter()
            return DeriverMessages.message(success)
        case .renewCounter:
            return DeriverMessages.message(success, try host.renewCounter())
        case .takeNext:
            try host.takeNext()
            return DeriverMessages.message(success)
        case .giveUpNext:
            host.giveUpNext(releasing: content.array)
            return DeriverMessages.message(success)
        case .retire:
            host.retire()
            return DeriverMessages.message(success)
        case .release:
            guard let index = try? DeriverMessages.decodeIndex(content.bytes) else {
                throw .failed
            }
            try host.release(index)
            return DeriverMessages.message(success)
        case .tangle, .readCounter, .incrementCounter, .count:
            guard let key = host.deviceKey(indexNumber: nil) else { throw .absent }
            return try answer(kind, content, key)
        }
    }

    private static func answer(
        _ kind: DeriverMessages.Kind, _ content: Secret, _ key: any DeviceKey
    ) throws(DeviceKeyFailure) -> SecretBytes {
        let success = DeriverMessages.success
        switch kind {
        case .tangle:
            let count = content.bytes.byteCount
            guard count > 0,
                let purpose = TanglePurpose(
                    rawValue: unsafe content.bytes.withUnsafeBytes { unsafe $0[0] })
            else { throw .failed }
            let tangled = try key.tangle(purpose, content.bytes.slice(1..<count))
            return DeriverMessages.message(success, [], [tangled])
        case .readCounter:
            var writer = ByteWriter()
            writer.u64(try key.readCounter())
            return DeriverMessages.message(success, writer.bytes)
        case .incrementCounter:
            try key.incrementCounter()
            return DeriverMessages.message(success)
        case .count:
            guard let (number, isCertain) = try? DeriverMessages.decodeCounting(content.bytes)
            else { throw .failed }
            _ = try key.beginCounting(to: number, isCertain: isCertain)
            return DeriverMessages.message(success)
        case .derive, .release, .make, .use, .removeCounter, .renewCounter, .takeNext,
            .giveUpNext, .retire:
            throw .failed
        }
    }
}

extension PasscodeWork {
    /// The number of the index for an enrolment.
    fileprivate var indexNumber: UInt32? {
        guard case .enrol(_, _, let number, _) = self else { return nil }
        return number
    }
}

extension Secret {
    /// For bytes of a message that aren't secret.
    var array: [UInt8] { unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) } }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
package import SecretBytes

/// The conditions for opening a passcode's value, besides the passcode.
package enum TPMRegisterBinding: Hashable, Sendable {
    /// None.
    case none
    /// Registers of the SHA-256 bank must keep their current values; bit n stands for register n.
    case registers(mask: UInt32)
    /// The registers of an earlier `enrol` must keep their current values.
    case asBefore(sealed: [UInt8])
}

/// The result of a passcode in the TPM.
package struct TPMOpenedEntropy: Sendable {
    /// The device key's output for the derived passcode.
    package let tangled: Secret
    /// 32 random bytes.
    package let entropy: Secret
}

// An index counts wrong passcodes and refuses after a limit; the right one resets the count. The
// policy of a sealed object has two parts. One requires the index's authorization value. The other
// requires the object's own authorization value, which the TPM protects against guessing. Both
// values need the device key.
//
// The index can be written once: its policy requires a signature by a key that is discarded
// afterwards. So its count can't be reset, and it can't be replaced: an index's name contains that
// it has been written, and the first part of the policy is bound to the name.
extension TPMDevice {
    private static let indexLabel = "llavero.tpm.index.1"
    private static let objectLabel = "llavero.tpm.object.1"
    private static let numberTries = 8

    /// Makes an index and a sealed random value for a new passcode.
    /// - Parameters:
    ///   - input: The device key's input: the derived passcode, and its purpose.
    ///   - context: The context that the value is bound to.
    ///   - attemptLimit: The most wrong passcodes in a row.
    ///   - binding: The other conditions of an unlock.
    ///   - number: The number of the index; nil: any.
    /// - Returns: The opened values, and the bytes to store.
    /// - Throws: the TPM's failure; the index is deleted again, if the TPM does that.
    package func enrol(
        _ input: Secret, context: [UInt8], attemptLimit: UInt32,
        _ binding: TPMRegisterBinding = .none, number: UInt32? = nil
    ) throws(TPMFailure) -> (opened: TPMOpenedEntropy, sealed: [UInt8]) {
        let tangled = try authenticate(input)
        let indexValue = tangled.derived(Self.indexLabel, context)
        let objectValue = tangled.derived(Self.objectLabel, context)
        let entropy = Secret(.random(byteCount: TPMKeyDerivation.digestByteCount))
        let mask = try mask(binding)
        let key = P256.Signing.PrivateKey()
        let verifier = TPMTemplates.verifier(key.publicKey)
        let policy = TPMPolicy.signed(by: TPMTemplates.name(verifier))
        let index = try define(policy, indexValue, number)
        let sealed: TPMSealedEntropy
        do throws(TPMFailure) {
            sealed = try perform { (loaded) throws(TPMFailure) in
                try self.write(attemptLimit, to: index, loaded, key, verifier)
                let registers = try self.state(mask)
                let objectPolicy = Self.policy(index, registers)
                let object = try self.connection.create(
                    TPMTemplates.sealed(policy: objectPolicy), below: loaded.storageKey.handle,
                    loaded.session, authorization: objectValue, data: entropy)
                return TPMSealedEntropy(
                    number: index.number, writePolicy: policy, object: object,
                    registers: registers)
            }
            // A value that can't be opened must never protect a keybag.
            let proof = try open(sealed, indexValue, objectValue)
            guard proof.bytes.isEqual(to: entropy.bytes) else { throw .garbage }
        } catch {
            _ = try? perform { (loaded) throws(TPMFailure) in
                try? self.connection.undefine(index.fresh, loaded.session)
                try? self.connection.undefine(index.written, loaded.session)
            }
            throw error
        }
        return (TPMOpenedEntropy(tangled: tangled, entropy: entropy), sealed.bytes)
    }

    /// Opens the result of `enrol`: seven commands, eight if it is bound to registers.
    /// - Throws: `wrongAuthorization` for another passcode, which is then counted; `exhausted`
    ///   after too many; `otherRegisters` for the right one if the machine was started differently;
    ///   `replaced` when the index is missing or another one; `lockout` when the whole TPM refuses;
    ///   other TPM failures.
    package func open(
        _ input: Secret, sealed: [UInt8], context: [UInt8]
    ) throws(TPMFailure) -> TPMOpenedEntropy {
        let entropy = try TPMSealedEntropy(sealed)
        let tangled = try authenticate(input)
        return TPMOpenedEntropy(
            tangled: tangled,
            entropy: try open(
                entropy, tangled.derived(Self.indexLabel, context),
                tangled.derived(Self.objectLabel, context)))
    }

    /// Deletes the index of an earlier passcode: data that was sealed with it can't be opened any
    /// more.
    package func release(_ sealed: [UInt8]) throws(TPMFailure) {
        let entropy = try TPMSealedEntropy(sealed)
        try perform { (loaded) throws(TPMFailure) in
            try self.connection.undefine(entropy.index.written, loaded.session)
        }
    }

    // MARK: - Steps

    private func mask(_ binding: TPMRegisterBinding) throws(TPMFailure) -> UInt32 {
        switch binding {
        case .none: return 0
        case .registers(let mask):
            guard TPMRegisters(mask: mask) != nil else { throw .code(ResponseCode.value) }
            return mask
        case .asBefore(let sealed):
            return try TPMSealedEntropy(sealed).registers?.registers.mask ?? 0
        }
    }

    /// The current values of registers; nil for none.
    private func state(_ mask: UInt32) throws(TPMFailure) -> TPMRegisterState? {
        guard let registers = TPMRegisters(mask: mask) else { return nil }
        return try connection.state(of: registers)
    }

    private static func policy(_ index: TPMIndex, _ registers: TPMRegisterState?) -> [UInt8] {
        let passcode = TPMPolicy.authValue(after: TPMPolicy.secret(of: index.written.name))
        guard let registers else { return passcode }
        return TPMPolicy.registers(registers, after: passcode)
    }

    private func define(
        _ policy: [UInt8], _ value: Secret, _ number: UInt32?
    ) throws(TPMFailure) -> TPMIndex {
        for _ in 0..<(number == nil ? Self.numberTries : 1) {
            let index = TPMIndex.attempts(number ?? Self.randomIndexNumber(), policy: policy)
            let isDefined = try perform { (loaded) throws(TPMFailure) in
                try self.connection.define(index, authorization: value, loaded.session)
            }
            if isDefined { return index }
        }
        throw .full
    }

    private func write(
        _ limit: UInt32, to index: TPMIndex, _ loaded: Loaded, _ key: P256.Signing.PrivateKey,
        _ verifier: [UInt8]
    ) throws(TPMFailure) {
        let handle = try connection.loadVerifier(verifier)
        defer { connection.flush(handle.number) }
        let policy = try connection.startSession(.policy, saltedTo: loaded.storageKey)
        do throws(TPMFailure) {
            try connection.policySigned(policy, by: handle, key)
            let value = TPMWriter.bytes { writer in
                writer.u32(0)
                writer.u32(limit)
            }
            try connection.write(value, to: index.fresh, by: policy)
        } catch {
            connection.flush(policy.handle)
            throw error
        }
    }

    /// An authorization failure counts only if the index is ours: an attacker with the owner's
    /// authorization may have replaced it. If its name can't be read, the failure counts.
    private func judged(_ failure: TPMFailure, _ index: TPMHandle) -> TPMFailure {
        guard failure == .wrongAuthorization || failure == .exhausted,
            let name = try? connection.name(ofIndex: index.number), name != index.name
        else { return failure }
        return .replaced
    }

    private func open(
        _ sealed: TPMSealedEntropy, _ indexValue: Secret, _ objectValue: Secret
    ) throws(TPMFailure) -> Secret {
        try perform { (loaded) throws(TPMFailure) in
            let policy = try self.connection.startSession(.policy, saltedTo: loaded.storageKey)
            do throws(TPMFailure) {
                do throws(TPMFailure) {
                    try self.connection.policySecret(
                        policy, of: sealed.index.written, authorization: indexValue,
                        loaded.session)
                } catch {
                    throw self.judged(error.ofIndex, sealed.index.written)
                }
                try self.connection.policyAuthValue(policy)
                if let registers = sealed.registers {
                    try self.connection.policyRegisters(policy, registers)
                }
                let object = try self.connection.load(
                    sealed.object, below: loaded.storageKey.handle, loaded.session)
                defer { self.connection.flush(object.number) }
                let entropy = try self.connection.unseal(
                    object, authorization: objectValue, policy)
                guard entropy.bytes.byteCount == TPMKeyDerivation.digestByteCount else {
                    throw .garbage
                }
                return entropy
            } catch {
                self.connection.flush(policy.handle)
                throw error
            }
        }
    }
}

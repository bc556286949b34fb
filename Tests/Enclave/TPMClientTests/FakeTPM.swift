// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import CryptoExtras
import TPMClient

/// A TPM that knows its own keys and implements the protocol correctly, written only from the TPM's
/// specification and Documentation/TPM.md. It stores values, but enforces nothing that a TPM
/// guarantees. Its replies can be changed before they are authenticated.
final class FakeTPM: TPMTransport {
    /// The parts of a reply before its session is added.
    struct Answer {
        var code: UInt32 = 0
        var handle: UInt32?
        /// The first parameter, if the client requests its encryption.
        var secret: [UInt8]?
        var parameters: [UInt8] = []
    }

    /// An object, by its private area.
    struct Object {
        var name: [UInt8]
        var authorization: [UInt8] = []
        var data: [UInt8] = []
    }

    struct Index {
        var publicArea: [UInt8]
        var authorization: [UInt8]
        var isWritten = false
        var value: UInt64 = 0

        /// Bit 29 of the attributes: the index has been written.
        var name: [UInt8] {
            var area = publicArea
            if isWritten { area[6] |= 0x20 }
            return FakeCryptography.name(area)
        }
    }

    private struct Session {
        var key: [UInt8]
        var nonceTPM: [UInt8]
    }

    static let registerValue = [UInt8](repeating: 0x52, count: 32)
    private static let key = P256.KeyAgreement.PrivateKey()
    private static let point = [UInt8](key.publicKey.x963Representation.dropFirst())

    /// Changes the reply of a command.
    var change: (UInt32, inout Answer) -> Void = { _, _ in }
    /// Changes all bytes of a reply.
    var changeFrame: (inout [UInt8]) -> Void = { _ in }
    /// The number of received commands whose MAC is wrong for the keys of this TPM.
    private(set) var wrongCommandCount = 0
    /// All sealed values, the latest last.
    private(set) var sealedData: [[UInt8]] = []
    private(set) var objects: [[UInt8]: Object] = [:]
    private(set) var indexes: [UInt32: Index] = [:]
    private var sessions: [UInt32: Session] = [:]
    private var loaded: [UInt32: Object] = [:]
    private var nextNumber: UInt32 = 1
    private var generator: SplitMix

    init(seed: UInt64) { generator = SplitMix(state: seed) }

    /// A second TPM with the same memory, without the loaded objects.
    init(copying other: FakeTPM, seed: UInt64) {
        generator = SplitMix(state: seed)
        objects = other.objects
        indexes = other.indexes
        nextNumber = other.nextNumber
    }

    func random(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }

    func exchange(_ command: [UInt8], deadline: Int) throws(TPMFailure) -> [UInt8] {
        var frame = answer(command)
        changeFrame(&frame)
        // As the transport on a descriptor does.
        return [UInt8](frame.prefix(4096))
    }

    // MARK: - Frames

    private func answer(_ command: [UInt8]) -> [UInt8] {
        var reader = FakeReader(command)
        let tag = reader.number(2)
        _ = reader.number(4)
        let code = reader.number(4)
        let handles = (0..<Self.handleCount(code)).map { _ in reader.number(4) }
        guard tag == 0x8002 else {
            var answer = execute(code, handles, [], reader.rest)
            change(code, &answer)
            return Self.frame(answer, 0x8001, answer.parameters)
        }
        var area = FakeReader(reader.raw(Int(reader.number(4))))
        let number = area.number(4)
        let nonce = area.sized()
        let attributes = area.number(1)
        let mac = area.sized()
        guard let session = sessions[number] else {
            var answer = execute(code, handles, [], reader.rest)
            // The storage key's session isn't a session.
            if number != 0x4000_0009 { answer = Answer(code: 0x910) }
            change(code, &answer)
            return Self.frame(
                answer, 0x8002,
                FakeBytes.u32(answer.parameters.count) + answer.parameters
                    + FakeBytes.sized([]) + [1] + FakeBytes.sized([]))
        }
        let names = handles.flatMap(name(of:))
        let digest = FakeCryptography.digest(FakeBytes.u32(Int(code)) + names + reader.rest)
        let authorization = value(of: handles[0])
        let valueKey = session.key + authorization
        let macKey = code == 0x137 ? session.key : valueKey
        let wanted = FakeCryptography.authenticate(
            digest + nonce + session.nonceTPM + [UInt8(attributes)], macKey)
        if wanted != mac { wrongCommandCount += 1 }
        var secret: [UInt8] = []
        if attributes & 0x20 != 0 {
            let key = FakeCryptography.derive(valueKey, "CFB", nonce + session.nonceTPM)
            secret = FakeCryptography.transform(reader.sized(), key, isEncrypting: false)
        }
        var answer = execute(code, handles, secret, reader.rest)
        change(code, &answer)
        return wrap(
            answer, code, number, nonce: nonce, attributes: UInt8(attributes), macKey, valueKey)
    }

    /// Adds an authenticated session to a reply.
    private func wrap(
        _ answer: Answer, _ code: UInt32, _ number: UInt32, nonce: [UInt8], attributes: UInt8,
        _ macKey: [UInt8], _ valueKey: [UInt8]
    ) -> [UInt8] {
        guard answer.code == 0 else { return Self.frame(answer, 0x8001, []) }
        let nonceTPM = random(32)
        var parameters = answer.parameters
        if let secret = answer.secret {
            let key = FakeCryptography.derive(valueKey, "CFB", nonceTPM + nonce)
            parameters =
                FakeBytes.sized(FakeCryptography.transform(secret, key, isEncrypting: true))
                + parameters
        }
        let digest = FakeCryptography.digest(
            FakeBytes.u32(0) + FakeBytes.u32(Int(code)) + parameters)
        let mac = FakeCryptography.authenticate(
            digest + nonceTPM + nonce + [attributes], macKey)
        sessions[number]?.nonceTPM = nonceTPM
        return Self.frame(
            answer, 0x8002,
            FakeBytes.u32(parameters.count) + parameters + FakeBytes.sized(nonceTPM)
                + [attributes] + FakeBytes.sized(mac))
    }

    private static func frame(_ answer: Answer, _ tag: Int, _ rest: [UInt8]) -> [UInt8] {
        // A failure has no session and no parameters.
        guard answer.code == 0 else {
            return FakeBytes.u16(0x8001) + FakeBytes.u32(10) + FakeBytes.u32(Int(answer.code))
        }
        let body = (answer.handle.map { FakeBytes.u32(Int($0)) } ?? []) + rest
        return FakeBytes.u16(tag) + FakeBytes.u32(10 + body.count) + FakeBytes.u32(0) + body
    }

    private static func handleCount(_ code: UInt32) -> Int {
        switch code {
        case 0x122, 0x134, 0x137, 0x14E, 0x151, 0x160, 0x176: 2
        case 0x12A, 0x131, 0x153, 0x155, 0x157, 0x15E, 0x165, 0x169, 0x16B, 0x17F: 1
        case _: 0
        }
    }

    private func name(of handle: UInt32) -> [UInt8] {
        loaded[handle]?.name ?? indexes[handle]?.name ?? FakeBytes.u32(Int(handle))
    }

    private func value(of handle: UInt32) -> [UInt8] {
        loaded[handle]?.authorization ?? indexes[handle]?.authorization ?? []
    }

    // MARK: - Commands

    private func execute(
        _ code: UInt32, _ handles: [UInt32], _ secret: [UInt8], _ rest: [UInt8]
    ) -> Answer {
        var reader = FakeReader(rest)
        switch code {
        case 0x131: return createPrimary()
        case 0x176: return startSession(&reader)
        case 0x153: return create(secret, &reader)
        case 0x157: return load(&reader)
        case 0x167: return loadExternal(&reader)
        case 0x155:
            let mac = FakeCryptography.authenticate(secret, [UInt8]("device key".utf8))
            return Answer(secret: mac)
        case 0x15E:
            return Answer(secret: loaded[handles[0]]?.data ?? [])
        case 0x165:
            loaded[handles[0]] = nil
            sessions[handles[0]] = nil
            return Answer()
        case 0x151, 0x160:
            // A time-out and a ticket, both empty.
            return Answer(
                parameters: FakeBytes.sized([]) + FakeBytes.u16(0x8023)
                    + FakeBytes.u32(0x4000_0007) + FakeBytes.sized([]))
        case 0x17A: return capability(&reader)
        case 0x17E: return registers(&reader)
        case _: return index(code, handles, secret, &reader)
        }
    }

    private func index(
        _ code: UInt32, _ handles: [UInt32], _ secret: [UInt8], _ reader: inout FakeReader
    ) -> Answer {
        switch code {
        case 0x12A:
            let area = reader.sized()
            let number = FakeBytes.number(area.prefix(4))
            guard indexes[number] == nil else { return Answer(code: 0x14C) }
            indexes[number] = Index(publicArea: area, authorization: secret)
            return Answer()
        case 0x122:
            return Answer(code: indexes.removeValue(forKey: handles[1]) == nil ? 0x28B : 0)
        case 0x169:
            guard let index = indexes[handles[0]] else { return Answer(code: 0x18B) }
            return Answer(
                parameters: FakeBytes.sized(index.publicArea) + FakeBytes.sized(index.name))
        case 0x134, 0x137:
            indexes[handles[0]]?.isWritten = true
            indexes[handles[0]]?.value += 1
            return Answer()
        case 0x14E:
            let value = indexes[handles[0]]?.value ?? 0
            return Answer(
                parameters: FakeBytes.sized(FakeBytes.u32(0) + FakeBytes.u32(Int(value))))
        // Startup and the parts of a policy have no reply parameters.
        case _: return Answer()
        }
    }

    private func number(_ kind: UInt32) -> UInt32 {
        nextNumber += 1
        return kind | nextNumber
    }

    private func createPrimary() -> Answer {
        let area =
            FakeCryptography.storageKeyHead + FakeBytes.sized([UInt8](Self.point[..<32]))
            + FakeBytes.sized([UInt8](Self.point[32...]))
        let handle = number(0x8000_0000)
        loaded[handle] = Object(name: FakeCryptography.name(area))
        return Answer(handle: handle, parameters: FakeBytes.sized(area))
    }

    private func startSession(_ reader: inout FakeReader) -> Answer {
        let nonce = reader.sized()
        var encrypted = FakeReader(reader.sized())
        let x = encrypted.sized()
        let y = encrypted.sized()
        guard let key = try? P256.KeyAgreement.PublicKey(x963Representation: [4] + x + y),
            let shared = try? Self.key.sharedSecretFromKeyAgreement(with: key)
        else { return Answer(code: 0x2D5) }
        let salt = FakeCryptography.agree(shared, x + [UInt8](Self.point[..<32]))
        let kind = reader.number(1)
        let nonceTPM = random(32)
        let handle = number(kind == 0 ? 0x0200_0000 : 0x0300_0000)
        sessions[handle] = Session(
            key: FakeCryptography.derive(salt, "ATH", nonceTPM + nonce), nonceTPM: nonceTPM)
        return Answer(handle: handle, parameters: FakeBytes.sized(nonceTPM))
    }

    private func create(_ secret: [UInt8], _ reader: inout FakeReader) -> Answer {
        var sensitive = FakeReader(secret)
        let authorization = sensitive.sized()
        let data = sensitive.sized()
        // An object's unique value is last, and empty in a template.
        let area = [UInt8](reader.sized().dropLast(2)) + FakeBytes.sized(random(32))
        let privateArea = random(96)
        objects[privateArea] = Object(
            name: FakeCryptography.name(area), authorization: authorization, data: data)
        if !data.isEmpty { sealedData.append(data) }
        return Answer(parameters: FakeBytes.sized(privateArea) + FakeBytes.sized(area))
    }

    private func load(_ reader: inout FakeReader) -> Answer {
        let object = objects[reader.sized()] ?? Object(name: [])
        let handle = number(0x8000_0000)
        loaded[handle] = object
        // With any public area: the client checks its name.
        let name = FakeCryptography.name(reader.sized())
        loaded[handle]?.name = name
        return Answer(handle: handle, parameters: FakeBytes.sized(name))
    }

    private func loadExternal(_ reader: inout FakeReader) -> Answer {
        _ = reader.sized()
        let name = FakeCryptography.name(reader.sized())
        let handle = number(0x8000_0000)
        loaded[handle] = Object(name: name)
        return Answer(handle: handle, parameters: FakeBytes.sized(name))
    }

    private func capability(_ reader: inout FakeReader) -> Answer {
        let capability = reader.number(4)
        guard capability == 6 else {
            // No handles.
            return Answer(
                parameters: [0] + FakeBytes.u32(Int(capability)) + FakeBytes.u32(0))
        }
        return Answer(
            parameters: [0] + FakeBytes.u32(6) + FakeBytes.u32(1) + FakeBytes.u32(0x106)
                + [UInt8]("FAKE".utf8))
    }

    private func registers(_ reader: inout FakeReader) -> Answer {
        let selection = reader.rest
        let count = selection.suffix(3).reduce(0) { $0 + $1.nonzeroBitCount }
        let values = (0..<count).flatMap { _ in FakeBytes.sized(Self.registerValue) }
        return Answer(
            parameters: FakeBytes.u32(1) + selection + FakeBytes.u32(count) + values)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import SecretBytes

/// A command's number.
/// Source: TPM 2.0 Library, part 2, 6.5.2.
enum TPMCommand: UInt32 {
    case undefineIndex = 0x122
    case defineIndex = 0x12A
    case createPrimary = 0x131
    case increment = 0x134
    case writeIndex = 0x137
    case startup = 0x144
    case readIndex = 0x14E
    case policySecret = 0x151
    case create = 0x153
    case hmac = 0x155
    case load = 0x157
    case unseal = 0x15E
    case policySigned = 0x160
    case flush = 0x165
    case loadExternal = 0x167
    case readIndexPublic = 0x169
    case policyAuthValue = 0x16B
    case startSession = 0x176
    case capability = 0x17A
    case readRegisters = 0x17E
    case policyRegisters = 0x17F
}

/// An object that a command uses, and its name, which the session's MAC covers.
struct TPMHandle: Hashable, Sendable {
    let number: UInt32
    let name: [UInt8]

    init(_ number: UInt32, name: [UInt8]) {
        self.number = number
        self.name = name
    }

    /// An object without a name is named by its number.
    init(_ number: UInt32) {
        self.init(number, name: TPMWriter.bytes { $0.u32(number) })
    }

    static let owner = TPMHandle(0x4000_0001)
    static let null = TPMHandle(0x4000_0007)
}

/// A response.
struct TPMResponse {
    var handle: UInt32?
    var parameters: TPMReader
    /// The first parameter, if the session encrypts it; it is not in `parameters`.
    var secret: Secret?
}

/// Sends commands to a TPM one after another, and checks their responses.
package final class TPMConnection {
    /// The time limit of one operation, whatever the TPM reports.
    package static let operationMilliseconds = 15_000
    /// The time limit of an operation that other requests wait for.
    static let shortMilliseconds = 4_000
    /// After a timeout, or when it was busy until the end, a TPM must answer one command within
    /// this time.
    static let silentMilliseconds = 500

    private static let passwordSession: UInt32 = 0x4000_0009
    private static let withSessions: UInt16 = 0x8002
    private static let withoutSessions: UInt16 = 0x8001

    private let transport: any TPMTransport
    private let milliseconds: Int
    private var deadline = 0
    private var fullDeadline = 0
    private var wasOutOfReach = false
    /// How many commands have been sent.
    package private(set) var commandCount = 0

    /// Uses a transport.
    /// - Parameters:
    ///   - transport: Carries the commands.
    ///   - operationMilliseconds: How long one operation may take.
    package init(
        _ transport: any TPMTransport,
        operationMilliseconds: Int = TPMConnection.operationMilliseconds
    ) {
        self.transport = transport
        milliseconds = operationMilliseconds
    }

    /// Starts the time limit of an operation.
    func beginOperation(isShort: Bool = false) {
        let now = TPMClock.now()
        fullDeadline = now + (isShort ? min(milliseconds, Self.shortMilliseconds) : milliseconds)
        deadline = wasOutOfReach ? min(fullDeadline, now + Self.silentMilliseconds) : fullDeadline
    }

    // MARK: - Commands

    /// Runs a command without authorization.
    func run(
        _ command: TPMCommand, _ handles: [TPMHandle] = [], _ parameters: [UInt8] = [],
        givesHandle: Bool = false
    ) throws(TPMFailure) -> TPMResponse {
        let bytes = Self.frame(Self.withoutSessions, command, handles, parameters)
        var (tag, reader) = try exchange(bytes)
        guard tag == Self.withoutSessions else { throw .garbage }
        let handle = givesHandle ? try reader.u32() : nil
        return TPMResponse(handle: handle, parameters: reader)
    }

    /// Runs a command whose first handle is authorized by a session.
    /// - Parameters:
    ///   - command: The command.
    ///   - handles: Its objects; the first one is authorized.
    ///   - authorization: The authorization.
    ///   - secret: The first parameter's content, encrypted by the session.
    ///   - parameters: The others.
    ///   - givesHandle: Whether the response begins with a handle.
    /// - Returns: The response, its session checked and its secret decrypted.
    /// - Throws: why it failed.
    func run(
        _ command: TPMCommand, _ handles: [TPMHandle], _ authorization: TPMAuthorization,
        secret: Secret? = nil, _ parameters: [UInt8] = [], givesHandle: Bool = false
    ) throws(TPMFailure) -> TPMResponse {
        let session = authorization.session
        let nonce = TPMSession.nonce()
        let valueKey = TPMKeyDerivation.join(session.key, authorization.value)
        let macKey = authorization.provesValue ? valueKey : session.key
        var attributes = authorization.attributes
        var all = parameters
        if let secret {
            attributes.insert(.encryptsCommand)
            let key = TPMKeyDerivation.derive(valueKey, "CFB", nonce, session.nonceTPM)
            let encrypted = TPMKeyDerivation.encrypt(secret.bytes, key)
            all = TPMWriter.bytes { $0.sized(encrypted) } + parameters
        }
        let commandDigest = TPMKeyDerivation.digest(
            TPMWriter.bytes { $0.u32(command.rawValue) } + handles.flatMap(\.name) + all)
        let mac = TPMKeyDerivation.authenticate(
            commandDigest + nonce + session.nonceTPM + [attributes.rawValue], macKey)
        let area = TPMWriter.bytes { writer in
            writer.u32(session.handle)
            writer.sized(nonce)
            writer.u8(attributes.rawValue)
            writer.sized(mac)
        }
        let bytes = Self.frame(
            Self.withSessions, command, handles,
            TPMWriter.bytes { $0.u32(UInt32(area.count)) } + area + all)
        return try finish(
            try exchange(bytes), command, session, nonce: nonce, macKey: macKey,
            valueKey: valueKey, attributes, givesHandle: givesHandle)
    }

    /// Runs a command whose first handle has an empty authorization value and that has no secret
    /// parameter.
    func runUnprotected(
        _ command: TPMCommand, _ handles: [TPMHandle], _ parameters: [UInt8],
        givesHandle: Bool = false
    ) throws(TPMFailure) -> TPMResponse {
        let area = TPMWriter.bytes { writer in
            writer.u32(Self.passwordSession)
            writer.sized([])
            writer.u8(TPMSession.Attributes.continues.rawValue)
            writer.sized([])
        }
        let bytes = Self.frame(
            Self.withSessions, command, handles,
            TPMWriter.bytes { $0.u32(UInt32(area.count)) } + area + parameters)
        var (tag, reader) = try exchange(bytes)
        guard tag == Self.withSessions else { throw .garbage }
        let handle = givesHandle ? try reader.u32() : nil
        let count = Int(try reader.u32())
        return TPMResponse(handle: handle, parameters: TPMReader(try reader.raw(count)))
    }

    private func finish(
        _ response: (tag: UInt16, reader: TPMReader), _ command: TPMCommand,
        _ session: TPMSession, nonce: [UInt8], macKey: SymmetricKey, valueKey: SymmetricKey,
        _ attributes: TPMSession.Attributes, givesHandle: Bool
    ) throws(TPMFailure) -> TPMResponse {
        guard response.tag == Self.withSessions else { throw .garbage }
        var reader = response.reader
        let handle = givesHandle ? try reader.u32() : nil
        let count = Int(try reader.u32())
        let parameters = try reader.raw(count)
        let nonceTPM = try reader.sized(64)
        let answered = try reader.u8()
        let mac = try reader.sized(64)
        try reader.finish()
        let digest = TPMKeyDerivation.digest(
            TPMWriter.bytes {
                $0.u32(ResponseCode.success)
                $0.u32(command.rawValue)
            } + parameters)
        guard nonceTPM.count == TPMKeyDerivation.digestByteCount,
            HMAC<SHA256>.isValidAuthenticationCode(
                mac, authenticating: digest + nonceTPM + nonce + [answered], using: macKey)
        else { throw .garbage }
        session.roll(nonceTPM)
        var result = TPMResponse(handle: handle, parameters: TPMReader(parameters))
        if attributes.contains(.encryptsResponse) {
            let key = TPMKeyDerivation.derive(valueKey, "CFB", nonceTPM, nonce)
            result.secret = TPMKeyDerivation.decrypt(try result.parameters.sized(), key)
        }
        return result
    }

    // MARK: - Frames

    private static func frame(
        _ tag: UInt16, _ command: TPMCommand, _ handles: [TPMHandle], _ rest: [UInt8]
    ) -> [UInt8] {
        TPMWriter.bytes { writer in
            writer.u16(tag)
            writer.u32(UInt32(10 + 4 * handles.count + rest.count))
            writer.u32(command.rawValue)
            for handle in handles { writer.u32(handle.number) }
            writer.raw(rest)
        }
    }

    /// Sends again as long as the TPM asks for a retry.
    private func exchange(
        _ command: [UInt8]
    ) throws(TPMFailure) -> (tag: UInt16, reader: TPMReader) {
        var pause = 1
        while true {
            commandCount += 1
            let response: [UInt8]
            do throws(TPMFailure) {
                response = try transport.exchange(command, deadline: deadline)
            } catch {
                wasOutOfReach = wasOutOfReach || error == .timedOut
                throw error
            }
            var reader = TPMReader(response)
            let tag = try reader.u16()
            guard try reader.u32() == UInt32(response.count) else { throw .garbage }
            let code = try reader.u32()
            guard ResponseCode.temporary.contains(code) else {
                wasOutOfReach = false
                deadline = fullDeadline
                guard code == ResponseCode.success else { throw TPMFailure(responseCode: code) }
                return (tag, reader)
            }
            guard TPMClock.now() + pause < deadline else {
                wasOutOfReach = true
                throw .busy
            }
            TPMClock.pause(milliseconds: pause)
            pause = min(2 * pause, 200)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
package import KeychainVocabulary

// MARK: - Layout

extension EnclaveRequest {
    /// u8 operation; u8, of which bit 0 says that the program is identified, and bit 1 that it is
    /// root's; encapsulated key; ciphertext.
    static func decodePasscode(
        _ reader: inout ByteReader
    ) throws(DecodingFailure) -> EnclaveRequest {
        guard let operation = PasscodeOperation(rawValue: try unsafe reader.u8()) else {
            throw DecodingFailure()
        }
        let caller = try unsafe reader.u8()
        guard caller <= 3 else { throw DecodingFailure() }
        let encapsulatedKey = try unsafe reader.array(encapsulatedKeyByteCount)
        guard unsafe reader.remaining <= passcodeCiphertextLimit else { throw DecodingFailure() }
        let ciphertext = unsafe [UInt8](reader.rest())
        return .passcode(
            operation, encapsulatedKey: encapsulatedKey, ciphertext: ciphertext,
            isIdentified: caller & 1 != 0, isRoot: caller & 2 != 0)
    }
}

extension MessageBuffer {
    mutating func appendPasscode(
        _ operation: PasscodeOperation, _ encapsulatedKey: [UInt8], _ ciphertext: [UInt8],
        isIdentified: Bool, isRoot: Bool
    ) {
        u8(operation.rawValue)
        u8((isIdentified ? 1 : 0) | (isRoot ? 2 : 0))
        bytes(encapsulatedKey)
        bytes(ciphertext)
    }
}

// MARK: - Call

extension EnclaveClient {
    /// Sends a sealed passcode.
    /// - Parameters:
    ///   - operation: The passcode's operation; sealed with it.
    ///   - sealed: The 32-byte encapsulated key, then the ciphertext.
    ///   - userID: The user whose passcode it is; sealed with it.
    ///   - isIdentified: Whether the program that sent it has a grade better than U.
    ///   - isRoot: Whether root sent it.
    /// - Throws: enclaved's verdict; `undecodable` also when it was sealed to the key of an
    ///   enclaved that has been restarted since; `gone` and `unreachable` when it wasn't sent;
    ///   `outcomeUnknown` when no reply came.
    package mutating func passcode(
        operation: PasscodeOperation, sealed: [UInt8], userID: UInt32,
        isIdentified: Bool = false, isRoot: Bool = false
    ) throws(EnclaveCallError) {
        let split = EnclaveRequest.encapsulatedKeyByteCount
        guard sealed.count > split,
            sealed.count - split <= EnclaveRequest.passcodeCiphertextLimit
        else { throw .malformed }
        let request = EnclaveRequest.passcode(
            operation, encapsulatedKey: [UInt8](sealed[..<split]),
            ciphertext: [UInt8](sealed[split...]), isIdentified: isIdentified, isRoot: isRoot)
        request.encode(requestID: try link.nextRequestID(), userID: userID, into: &link.buffer)
        let reply: EnclaveReply
        do throws(EnclaveCallError) {
            reply = try link.reply(
                to: .passcode, milliseconds: Self.passcodeDeadlineMilliseconds)
        } catch { throw .outcomeUnknown }
        try finish(reply)
    }

    private mutating func finish(_ reply: consuming EnclaveReply) throws(EnclaveCallError) {
        switch consume reply {
        case .done: return
        case let reply: throw link.unexpected(reply)
        }
    }
}

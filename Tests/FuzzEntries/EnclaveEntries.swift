// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Enclave
import EnclaveWire
import Foundation
import IPC
import SecretBytes

/// The contents of the enclave's files, and its messages.
enum EnclaveEntries {
    private static let signingKey = SymmetricKey(data: [UInt8](repeating: 7, count: 32))
    private static let signatureByteCount = 8 + 32

    /// The bytes before the signature, which the entry computes: otherwise no input would get past
    /// it. A valid keybag of this version encodes to exactly the same bytes.
    static func keybag(_ data: Data) {
        let bytes = [UInt8](data)
        precondition((try? Keybag(bytes, signingKey: signingKey)) == nil, "a forged signature")
        let signature = Cryptography.authenticate(bytes, using: signingKey)
        let signed = bytes + [UInt8]("SIGN".utf8) + [0, 0, 0, 32] + signature
        guard let keybag = try? Keybag(signed, signingKey: signingKey) else { return }
        let again = keybag.encode(signingKey: signingKey)
        let isFirstVersion = bytes[8..<12].elementsEqual([0, 0, 0, 1])
        precondition(again == signed || isFirstVersion, "a keybag has two forms")
        precondition(
            (try? Keybag(again, signingKey: signingKey))?.uuid == keybag.uuid,
            "a keybag can't be read again")
    }

    /// The bytes before the check, which the entry computes. A valid list encodes to exactly the
    /// same bytes.
    static func releaseList(_ data: Data) {
        let bytes = [UInt8](data)
        let key = SymmetricKey(data: [UInt8]("llavero.releases.1".utf8))
        let file = bytes + Cryptography.authenticate(bytes, using: key).prefix(16)
        guard let list = ReleaseList(file) else { return }
        precondition(list.file == file, "a list has two forms")
        precondition((1...64).contains(list.indexes.count), "a list of any length")
    }

    /// A message to the enclave: u16 kind, then the payload.
    static func request(_ data: Data) {
        guard let (kind, payload) = parts(data) else { return }
        let decoded = unsafe payload.withUnsafeBytes { bytes -> [UInt8]? in
            do {
                let request = try unsafe EnclaveRequest.decode(kind, payload: bytes)
                var buffer = MessageBuffer()
                request.encode(requestID: 1, userID: 2, into: &buffer)
                return unsafe buffer.withUnsafeBytes { unsafe [UInt8]($0) }
            } catch { return nil }
        }
        guard let decoded else { return }
        precondition(
            decoded.dropFirst(EnclaveHeader.byteCount).elementsEqual(payload),
            "a request has two forms")
    }

    /// A message from the enclave: u16 kind, u16 status, then the payload.
    static func reply(_ data: Data) {
        guard let (kind, rest) = parts(data), rest.count >= 2 else { return }
        let status = UInt16(rest[0]) | UInt16(rest[1]) << 8
        let payload = Array(rest.dropFirst(2))
        let decoded = unsafe payload.withUnsafeBytes { bytes -> [UInt8]? in
            do {
                let reply = try unsafe EnclaveReply.decode(kind, status: status, payload: bytes)
                var buffer = MessageBuffer()
                reply.encode(kind: kind.rawValue, requestID: 1, userID: 2, into: &buffer)
                return unsafe buffer.withUnsafeBytes { unsafe [UInt8]($0) }
            } catch { return nil }
        }
        // A failure has no payload.
        guard let decoded, status == 0 else { return }
        precondition(
            decoded.dropFirst(EnclaveHeader.byteCount).elementsEqual(payload),
            "a reply has two forms")
    }

    private static func parts(_ data: Data) -> (EnclaveMessageKind, [UInt8])? {
        let bytes = [UInt8](data)
        guard bytes.count >= 2,
            let kind = EnclaveMessageKind(rawValue: UInt16(bytes[0]) | UInt16(bytes[1]) << 8)
        else { return nil }
        return (kind, Array(bytes.dropFirst(2)))
    }

    // MARK: - Seeds

    static var keybags: [Data] {
        let keys = Dictionary(
            uniqueKeysWithValues: ProtectionClass.allCases.filter { $0 != .akpu }.map {
                ($0, [UInt8](repeating: $0.rawValue, count: 40))
            })
        let plain = Keybag(uuid: [UInt8](0..<16), generation: 3, passcode: nil, wrappedKeys: keys)
        let bytes = plain.encode(signingKey: signingKey)
        return [Data(bytes.dropLast(signatureByteCount)), Data("VERS\0\0\0\u{4}".utf8)]
    }

    static var releaseLists: [Data] {
        let counter = HeldIndex(user: nil, number: 0x0180_0001, place: HeldIndex.anywhere)
        let passcode = HeldIndex(
            user: 1000, number: 0x01BF_FFFF, place: [UInt8](repeating: 5, count: 32))
        return [[counter], [counter, passcode]].map { indexes in
            Data(ReleaseList(indexes).file.dropLast(16))
        }
    }

    private static func message(_ kind: EnclaveMessageKind, _ payload: [UInt8]) -> Data {
        Data([UInt8(kind.rawValue), 0] + payload)
    }

    static var requests: [Data] {
        let row = [UInt8(7)] + [UInt8](repeating: 1, count: 32) + [3, 0, 0, 0, 9, 9, 9]
        let name: [UInt8] = [1, 6, 1, 0, 0, 0]
        return [
            message(.status, []), message(.challenge, []), message(.lock, [1]),
            message(.passcode, [2] + [UInt8](repeating: 5, count: 64)),
            message(.awaitLock, [1, 0, 0, 0]), message(.assertion, [1, 0, 0, 0, 0, 60, 0]),
            message(.makeTableKey, name),
            message(.openTableKey, name + [UInt8](repeating: 4, count: 60)),
            message(.seal, [7] + [UInt8](repeating: 1, count: 40)),
            message(.open, [2, 0] + row + row), message(.verify, [1, 0] + row),
            message(.rebind, [7] + [UInt8](repeating: 1, count: 32) + row),
        ]
    }

    static var replies: [Data] {
        [
            message(.status, [0, 0] + [UInt8](repeating: 1, count: 64)),
            message(.challenge, [0, 0] + [UInt8](repeating: 1, count: 32)),
            message(.lock, [0, 0, 1, 0, 0, 0, 2, 0, 0, 0]), message(.open, [1, 0, 3, 0, 0, 0]),
            message(.open, [0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 8, 9, 2, 0, 0, 0, 0, 0]),
            message(.verify, [0, 0, 2, 0, 0, 0, 3, 0]), message(.passcode, [5, 0, 9, 0, 0, 0]),
            message(.makeTableKey, [0, 0] + [UInt8](repeating: 1, count: 92)),
            message(.awaitLock, [0, 0] + [UInt8](repeating: 1, count: 14)),
        ]
    }
}

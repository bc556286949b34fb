// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import SecretBytes
import SecurityWire
import Testing

/// A frame's bytes, secrets included.
private func bytes(_ frame: EncodedFrame) -> [UInt8] {
    frame.secrets.reduce(into: frame.bytes) { bytes, secret in
        unsafe secret.bytes.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }
}

private func secret(_ text: String) -> Secret {
    let bytes = Array(text.utf8)
    return Secret(unsafe SecretBytes(byteCount: bytes.count) { unsafe $0.copyBytes(from: bytes) })
}

private func decodeRequest(_ bytes: [UInt8]) throws -> ClientRequest {
    try unsafe bytes.withUnsafeBytes { bytes in
        guard bytes.count >= FrameHeader.byteCount else { throw WireError.malformed }
        let header = try unsafe FrameHeader(
            decoding: UnsafeRawBufferPointer(rebasing: bytes[..<FrameHeader.byteCount]))
        guard bytes.count == FrameHeader.byteCount + header.bodyByteCount else {
            throw WireError.malformed
        }
        let body = unsafe UnsafeRawBufferPointer(rebasing: bytes[FrameHeader.byteCount...])
        let split = header.messageByteCount
        return try unsafe ClientRequest(
            decoding: header.kind, message: UnsafeRawBufferPointer(rebasing: body[..<split]),
            secret: UnsafeRawBufferPointer(rebasing: body[split...]))
    }
}

private let identity = WriteIdentity(requestID: Array(1...16), isRepeated: true)

private func sampleItem() -> NewItem {
    var item = NewItem(.genericPassword)
    item.attributes[.account] = .text("zoë")
    item.attributes[.service] = .data([0, 255, 1])
    item.attributes[.generic] = .integer(-7)
    item.attributes[.creator] = .integer(1_633_771_873)
    item.attributes[.accessible] = .text("cku")
    item.attributes[.synchronizable] = .integer(1)
    item.attributes[.creationDate] = .date(12.5)
    item.attributes[.comment] = .real(0.5)
    item.secret = secret("hunter2")
    item.returning = [.data, .persistentReference]
    return item
}

/// The items of a keychain that moves in come from a stranger.
@Suite struct AdoptionCodingTests {
    @Test func anAdoptionSurvivesTheWire() throws {
        var first = sampleItem()
        first.attributes[.accessGroup] = .text("unsigned.1000")
        first.returning = []
        var second = NewItem(.key)
        second.attributes[.accessGroup] = .text("ABCDE12345.app")
        let frame = try ClientRequest.adoption(
            .adopt(AdoptedItems([first, second, first], skipsExisting: true), identity)
        ).encoded(sequence: 3)
        guard case .adoption(.adopt(let adopted, let name)) = try decodeRequest(bytes(frame)) else {
            Issue.record("not an adoption")
            return
        }
        #expect(adopted.skipsExisting)
        #expect(name.requestID == identity.requestID && name.isRepeated)
        #expect(adopted.items.map(\.itemClass) == [.genericPassword, .key, .genericPassword])
        #expect(adopted.items[0].attributes == first.attributes)
        #expect(adopted.items[1].secret == nil)
        for item in [adopted.items[0], adopted.items[2]] {
            #expect(item.secret.map { $0.bytes.isEqual(to: secret("hunter2").bytes) } == true)
        }
        let export = try ClientRequest.adoption(.export(cursor: [1, 2])).encoded(sequence: 4)
        guard case .adoption(.export([1, 2])) = try decodeRequest(bytes(export)) else {
            Issue.record("not an export")
            return
        }
    }

    @Test func strangeAdoptionsAreRefused() throws {
        func head(_ message: [UInt8], secrets: Int = 0) -> [UInt8] {
            let counts = [message.count, secrets].flatMap { count in
                (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
            }
            return counts + [1, 0, UInt8(FrameKind.adoption.rawValue), 0, 1, 0, 0, 0] + message
                + [UInt8](repeating: 7, count: secrets)
        }
        let name: [UInt8] = [0x1A, 16] + Array(1...16)
        // A generic password in the group "g", without a secret, and with one of a byte.
        let plain: [UInt8] = [0x12, 7, 8, 1, 0x12, 3, 0x7A, 1, 0x67]
        let secret: [UInt8] = [0x12, 9, 8, 1, 0x12, 3, 0x7A, 1, 0x67, 0x20, 1]
        func isRefused(_ message: [UInt8], secrets: Int = 0) -> Bool {
            (try? decodeRequest(head(message, secrets: secrets))) == nil
        }
        #expect(!isRefused(plain + name))
        #expect(!isRefused(secret + name, secrets: 1))
        // Without a name, without items, with both purposes, with too few or too many secrets.
        #expect(isRefused(plain))
        #expect(isRefused(name))
        #expect(isRefused(plain + name + [0x0A, 0]))
        #expect(isRefused(secret + name))
        #expect(isRefused(plain + name, secrets: 1))
        #expect(isRefused(secret + name, secrets: 2))
        // An identity, an unknown class, no group, an empty group, an unknown field.
        #expect(isRefused([0x12, 7, 8, 5, 0x12, 3, 0x7A, 1, 0x67] + name))
        #expect(isRefused([0x12, 7, 8, 9, 0x12, 3, 0x7A, 1, 0x67] + name))
        #expect(isRefused([0x12, 2, 8, 1] + name))
        #expect(isRefused([0x12, 6, 8, 1, 0x12, 2, 0x7A, 0] + name))
        #expect(isRefused([0x12, 9, 8, 1, 0x12, 3, 0x7A, 1, 0x67, 0x38, 1] + name))
        // One item more than the limit.
        let many = [[UInt8]](repeating: plain, count: AdoptionRequest.itemCount).flatMap { $0 }
        #expect(!isRefused(many + name))
        #expect(isRefused(many + plain + name))
    }
}

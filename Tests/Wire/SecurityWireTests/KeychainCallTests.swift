// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import KeychainVocabulary
import SecretBytes
import SecurityWire
import Testing

/// A frame's bytes, secrets included.
private func bytes(_ frame: EncodedFrame) -> [UInt8] {
    frame.secrets.reduce(into: frame.bytes) { bytes, secret in
        unsafe secret.bytes.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }
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

/// The messages about keychains between a client and securityd.
@Suite struct KeychainCallTests {
    private static func id(_ byte: UInt8) throws -> KeychainID {
        try #require(KeychainID([UInt8](repeating: byte, count: 16)))
    }

    private static let letter = [UInt8](repeating: 7, count: 80)
    private static let path =
        [UInt8]("/home/u/Library/Keychains/a \"b\"\n.keychain-db".utf8) + [0xFF]

    private static func calls() throws -> [KeychainCall] {
        let settings = try #require(
            KeychainSettings(locksOnSleep: false, usesInterval: true, intervalSeconds: 21_600))
        return try [
            .list(after: .login), .list(after: id(3)),
            .create(id(1), path: path, settings, letter: letter),
            .unlock(id(1), letter: letter), .changePassword(id(2), letter: letter),
            .lock(nil), .lock(id(1)), .configure(id(1), settings), .delete(id(1), force: true),
            .delete(id(1), force: false), .setSearchList([]),
            .setSearchList([.login, id(2), id(1)]), .setDefault(nil), .setDefault(.login),
        ]
    }

    private static func decoded(_ bytes: [UInt8]) -> KeychainCall? {
        unsafe bytes.withUnsafeBytes { try? unsafe KeychainCall(decoding: $0) }
    }

    private static func listing(_ bytes: [UInt8]) -> KeychainListing? {
        unsafe bytes.withUnsafeBytes { try? unsafe KeychainListing(decoding: $0) }
    }

    @Test func callsComeBackAsTheyWereSent() throws {
        for call in try Self.calls() { #expect(Self.decoded(call.encoded) == call) }
    }

    @Test func cutAndLengthenedCallsAreRefused() throws {
        for call in try Self.calls() {
            let bytes = call.encoded
            for count in 0..<bytes.count {
                let cut = Self.decoded(Array(bytes.prefix(count)))
                // A letter is the rest: a shorter one is another letter, which enclaved refuses.
                #expect(cut == nil || cut != call)
            }
            switch call {
            case .create, .unlock, .changePassword: break
            default: #expect(Self.decoded(bytes + [0]) == nil, "\(call)")
            }
        }
    }

    @Test func flippedBytesNeverTrap() throws {
        for call in try Self.calls() {
            let bytes = call.encoded
            for index in bytes.indices {
                for bit in UInt8(0)..<8 {
                    var flipped = bytes
                    flipped[index] ^= 1 << bit
                    #expect(Self.decoded(flipped) != call)
                }
            }
        }
    }

    /// Only a search list, a default and a position in a listing may be login.
    @Test func loginHasNoPasswordOfItsOwn() throws {
        let login = KeychainID.login
        for call in [
            KeychainCall.create(login, path: Self.path, KeychainSettings(), letter: Self.letter),
            .unlock(login, letter: Self.letter), .changePassword(login, letter: Self.letter),
            .lock(login), .configure(login, KeychainSettings()), .delete(login, force: true),
        ] {
            #expect(Self.decoded(call.encoded) == nil, "\(call)")
        }
    }

    @Test func pathsAreAbsoluteAndOfAtMost4096Bytes() throws {
        let longest = [0x2F] + [UInt8](repeating: 0x61, count: 4095)
        for (path, isPath) in [
            (longest, true), (longest + [0x61], false), ([], false), ([0x61], false),
            ([0x2F, 0], false),
        ] {
            let call = KeychainCall.create(
                try Self.id(1), path: path, KeychainSettings(), letter: Self.letter)
            #expect((Self.decoded(call.encoded) == call) == isPath, "\(path.count)")
        }
    }

    @Test func aSearchListHasEachKeychainOnce() throws {
        let twice = KeychainCall.setSearchList([try Self.id(1), try Self.id(1)])
        #expect(Self.decoded(twice.encoded) == nil)
        let all = (0..<1001).map { number in
            [UInt8](repeating: 0, count: 14) + [UInt8(number >> 8), UInt8(number & 0xFF)]
        }
        for (count, isAccepted) in [(1001, true), (1002, false)] {
            let uuids = all + (count > 1001 ? [[UInt8](repeating: 9, count: 16)] : [])
            let call = KeychainCall.setSearchList(uuids.compactMap(KeychainID.init))
            #expect((Self.decoded(call.encoded) == call) == isAccepted)
        }
    }

    @Test func listingsComeBackAsTheyWereSent() throws {
        var listing = KeychainListing()
        #expect(Self.listing(listing.encoded) == listing)
        listing.hasMore = true
        listing.searchList = [.login, try Self.id(2)]
        listing.defaultKeychain = .login
        listing.keychains = [
            KeychainEntry(
                try Self.id(2), path: Self.path, KeychainSettings(), isUnlocked: true),
            KeychainEntry(
                try Self.id(3), path: [0x2F], KeychainSettings(), isUnlocked: false),
        ]
        let bytes = listing.encoded
        #expect(Self.listing(bytes) == listing)
        for count in 0..<bytes.count { #expect(Self.listing(Array(bytes.prefix(count))) == nil) }
        #expect(Self.listing(bytes + [0]) == nil)
        for index in bytes.indices {
            var flipped = bytes
            flipped[index] ^= 0x80
            #expect(Self.listing(flipped) != listing)
        }
    }

    // MARK: - Items

    private static let identity = WriteIdentity(
        requestID: Array(1...16), isRepeated: false)

    @Test func aKeychainSurvivesTheWireAndLoginHasNoName() throws {
        let id = try #require(KeychainID([UInt8](1...16)))
        let wanted: [(sent: KeychainID?, received: KeychainID?)] = [
            (nil, nil), (.login, nil), (id, id),
        ]
        for (sent, received) in wanted {
            var query = ItemQuery(.genericPassword)
            query.keychain = sent
            var item = NewItem(.genericPassword)
            item.keychain = sent
            let find = try ClientRequest.find(query, cursor: 0).encoded(sequence: 1)
            let add = try ClientRequest.add(item, Self.identity).encoded(sequence: 1)
            guard case .find(let found, _) = try decodeRequest(bytes(find)),
                case .add(let added, _) = try decodeRequest(bytes(add))
            else {
                Issue.record("neither a find nor an add")
                return
            }
            #expect(found.keychain == received)
            #expect(added.keychain == received)
        }
        // All queries of a write are about one keychain.
        var query = ItemQuery(.genericPassword)
        query.keychain = id
        query.besides = [ItemQuery(.genericPassword)]
        let mixed = try ClientRequest.delete(query, Self.identity).encoded(sequence: 1)
        #expect(throws: WireError.malformed) { _ = try decodeRequest(bytes(mixed)) }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Testing
import TrustWire

/// The messages by which something of the network is wanted and given.
@Suite struct FetchRequestTests {
    private func decoded(_ bytes: [UInt8]) -> FetchRequest? {
        unsafe bytes.withUnsafeBytes { unsafe try? FetchRequest(decoding: $0) }
    }

    @Test func requestsHaveTheDocumentedLayout() {
        let request = FetchRequest(.response, address: "http://a", body: [7, 8])
        #expect(
            request.encoded() == [1, 8, 0, 0, 0] + Array("http://a".utf8) + [2, 0, 0, 0, 7, 8])
        #expect(decoded(request.encoded()) == request)
        let list = FetchRequest(.list, address: "http://ü/")
        #expect(decoded(list.encoded()) == list)
    }

    @Test func otherBytesAreNoRequest() {
        let bytes = FetchRequest(.issuers, address: "http://a", body: [7]).encoded()
        for count in 0..<bytes.count { #expect(decoded(Array(bytes.prefix(count))) == nil) }
        #expect(decoded(bytes + [0]) == nil)
        #expect(decoded([0] + bytes.dropFirst()) == nil)
        #expect(decoded([4] + bytes.dropFirst()) == nil)
        #expect(decoded([1, 1, 0, 0, 0, 0xFF, 0, 0, 0, 0]) == nil)
        let long = String(repeating: "a", count: FetchLimits.addressByteCount + 1)
        #expect(decoded(FetchRequest(.list, address: long).encoded()) == nil)
    }

    @Test func contentAndNothingAreApart() throws {
        func delivery(_ reply: [UInt8]?) throws -> TrustDelivery {
            let bytes = TrustCall.encoded(fetched: reply)
            return try unsafe bytes.withUnsafeBytes { unsafe try TrustDelivery(decoding: $0) }
        }
        #expect(try delivery(nil) == .fetched(nil))
        #expect(try delivery(FetchReply.encoded(nil)) == .fetched(nil))
        #expect(try delivery(FetchReply.encoded([])) == .fetched([]))
        #expect(try delivery(FetchReply.encoded([1, 2])) == .fetched([1, 2]))
        #expect(try delivery([2, 1]) == .fetched(nil))
    }

    @Test func trustdsWishIsCarriedUnread() {
        let message = TrustResponse.fetch([9, 9])
        #expect(message.encoded() == [3, 9, 9])
        #expect(TrustResponse(decoding: [3, 9, 9]) == message)
        let long = [3] + [UInt8](repeating: 0, count: FetchLimits.requestByteCount)
        #expect(TrustResponse(decoding: long) == nil)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials

extension WireChallengeReply {
    init(_ nonce: [UInt8]) {
        self.init()
        self.nonce = Data(nonce)
    }
}

extension ReceivedReply {
    /// Decodes a nonce for a passcode.
    static func decodeChallenge(_ content: FrameContent) throws(WireError) -> ReceivedReply {
        let reply: WireChallengeReply = try unsafe content.decoded()
        guard reply.nonce.count == 32 else { throw .malformed }
        return .challenge([UInt8](reply.nonce))
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials

extension ClientRequest {
    /// Decodes the proof that a connection owes.
    static func decodeProve(_ content: FrameContent) throws(WireError) -> ClientRequest {
        let request: WireProof = try unsafe content.decoded()
        guard request.nonce.count == 32 else { throw .malformed }
        return .prove([UInt8](request.nonce))
    }
}

extension WireProof {
    init(_ nonce: [UInt8]) {
        self.init()
        self.nonce = Data(nonce)
    }
}

extension ReceivedReply {
    /// Decodes the demand for a proof, or that it was accepted.
    static func decodeProve(_ content: FrameContent) throws(WireError) -> ReceivedReply {
        let reply: WireProof = try unsafe content.decoded()
        guard reply.nonce.isEmpty || reply.nonce.count == 32 else { throw .malformed }
        return .prove([UInt8](reply.nonce))
    }
}

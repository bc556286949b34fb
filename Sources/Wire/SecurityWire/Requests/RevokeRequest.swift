// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials

extension ClientRequest {
    /// Decodes the end of a write.
    static func decodeRevoke(_ content: FrameContent) throws(WireError) -> ClientRequest {
        let request: WireRevokeRequest = try unsafe content.decodedAlone()
        guard request.requestID.count == 16 else { throw .malformed }
        return .revoke(requestID: [UInt8](request.requestID))
    }
}

extension WireRevokeRequest {
    init(_ requestID: [UInt8]) {
        self.init()
        self.requestID = Data(requestID)
    }
}

extension WireRevokeReply {
    init(wasCarriedOut: Bool) {
        self.init()
        self.wasCarriedOut = wasCarriedOut
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

extension ClientRequest {
    /// Decodes a delete.
    static func decodeDelete(_ content: FrameContent) throws(WireError) -> ClientRequest {
        let request: WireDeleteRequest = try unsafe content.decodedAlone()
        let query = try ItemQuery(request.query, besides: request.besides)
        return .delete(query, try WriteIdentity(request.identity))
    }
}

extension ItemQuery {
    /// The message of a delete.
    func message(_ write: WriteIdentity) -> WireDeleteRequest {
        var message = WireDeleteRequest()
        message.query = self.message
        message.besides = besides.map(\.message)
        message.identity = write.message
        return message
    }
}

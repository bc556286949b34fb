// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

extension ClientRequest {
    /// Decodes a find; its reply is in FoundRows.swift.
    static func decodeFind(_ content: FrameContent) throws(WireError) -> ClientRequest {
        let message: WireQuery = try unsafe content.decodedAlone()
        return .find(try ItemQuery(message), cursor: message.cursor)
    }
}

extension ItemQuery {
    /// The message of a find.
    func message(cursor: UInt64) -> WireQuery {
        var message = self.message
        message.cursor = cursor
        return message
    }
}

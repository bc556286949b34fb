// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import KeychainVocabulary

extension ClientRequest {
    /// Decodes how long to hold the device unlocked.
    static func decodeAssertion(_ content: FrameContent) throws(WireError) -> ClientRequest {
        let message: WireAssertionRequest = try unsafe content.decoded()
        guard let seconds = UInt16(exactly: message.seconds),
            AssertionBounds.seconds.contains(seconds)
        else { throw .malformed }
        return .assertion(seconds: seconds)
    }
}

extension WireAssertionRequest {
    init(seconds: UInt16) {
        self.init()
        self.seconds = UInt32(seconds)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecretBytes

extension FrameContent {
    /// The bytes of a question for trustd, or of its answer: they aren't protobuf, and securityd doesn't
    /// read them.
    func bytesAlone() throws(WireError) -> [UInt8] {
        guard unsafe !hasSecret else { throw .malformed }
        return unsafe [UInt8](message)
    }

    /// The bytes of a request for transcoder, or of its answer: all of them are secret.
    func secretAlone() throws(WireError) -> Secret {
        guard unsafe message.isEmpty, unsafe hasSecret else { throw .malformed }
        return Secret(unsafe SecretBytes(copying: secret))
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials

extension ClientRequest {
    /// Decodes a sealed passcode.
    static func decodePasscode(_ content: FrameContent) throws(WireError) -> ClientRequest {
        let request: WirePasscodeRequest = try unsafe content.decodedAlone()
        guard let operation = UInt8(exactly: request.operation),
            request.sealed.count <= ItemLimits.sealedPasscodeByteCount,
            request.permit.utf8.count <= PermitCode.textByteLimit
        else { throw .malformed }
        return .passcode(
            operation: operation, sealed: [UInt8](request.sealed), permit: request.permit)
    }
}

extension WirePasscodeRequest {
    init(operation: UInt8, sealed: [UInt8], permit: String) {
        self.init()
        self.operation = UInt32(operation)
        self.sealed = Data(sealed)
        self.permit = permit
    }
}

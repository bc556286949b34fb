// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials

extension ClientRequest {
    /// Decodes a passcode that opens a group.
    static func decodeOpenGroup(_ content: FrameContent) throws(WireError) -> ClientRequest {
        let request: WireOpenGroupRequest = try unsafe content.decodedAlone()
        guard request.group.isGroupName,
            request.sealed.count <= ItemLimits.sealedPasscodeByteCount
        else { throw .malformed }
        return .openGroup(request.group, sealed: [UInt8](request.sealed))
    }
}

extension WireOpenGroupRequest {
    init(_ group: String, sealed: [UInt8]) {
        self.init()
        self.group = group
        self.sealed = Data(sealed)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Made by Scripts/generate-c-interface; edits here are lost.
// swift-format-ignore-file

import CSecurityObjects
import Foundation
import LlaveroSecurity

/// The meaning of a status, in one English sentence.
@_cdecl("SecCopyErrorMessageString")
public func interfaceSecCopyErrorMessageString(
    _ status: Int32, _ reserved: UnsafeMutableRawPointer?
) -> UnsafeRawPointer? {
    return unsafe given(LlaveroSecurity.SecCopyErrorMessageString(status, reserved))
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Made by Scripts/generate-c-interface; edits here are lost.
// swift-format-ignore-file

import CSecurityObjects
import Foundation
import LlaveroSecurity

/// Fills memory with random bytes from the kernel.
@_cdecl("SecRandomCopyBytes")
public func interfaceSecRandomCopyBytes(
    _ random: UnsafeRawPointer?, _ count: Int, _ bytes: UnsafeMutableRawPointer?
) -> Int32 {
    guard let bytes = unsafe bytes
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecRandomCopyBytes(random.map { OpaquePointer($0) }, count, bytes)
}

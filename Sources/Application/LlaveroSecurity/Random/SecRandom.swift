// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Glibc

/// A source of random bytes.
public typealias SecRandomRef = OpaquePointer

/// The one source there is: the kernel's.
@safe public nonisolated(unsafe) let kSecRandomDefault: SecRandomRef! = nil

/// Fills memory with random bytes of the kernel.
/// - Parameters:
///   - random: Not looked at, as Apple's doesn't: there is one source.
///   - count: How many bytes `bytes` has room for.
///   - bytes: What to fill.
/// - Returns: `errSecSuccess`; `errSecParam` for a negative count; `errSecInternalComponent` if the
///   kernel gives none (then nothing may be used of `bytes`).
@discardableResult
public func SecRandomCopyBytes(
    _ random: SecRandomRef?, _ count: Int, _ bytes: UnsafeMutableRawPointer
) -> Int32 {
    guard count >= 0 else { return errSecParam }
    // `getentropy` gives at most 256 bytes a call, all or none.
    for start in stride(from: 0, to: count, by: 256) {
        guard unsafe getentropy(bytes + start, min(256, count - start)) == 0 else {
            return errSecInternalComponent
        }
    }
    return errSecSuccess
}

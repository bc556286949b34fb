// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Glibc

/// A source of random bytes.
public typealias SecRandomRef = OpaquePointer

/// The only source: the kernel.
@safe public nonisolated(unsafe) let kSecRandomDefault: SecRandomRef! = nil

/// Fills memory with random bytes from the kernel.
/// - Parameters:
///   - random: Ignored, as by Apple's function: there is one source.
///   - count: How many bytes `bytes` has room for.
///   - bytes: The memory to fill.
/// - Returns: `errSecSuccess`; `errSecParam` for a negative count; `errSecInternalComponent` if the
///   kernel returns none (then `bytes` must not be used).
@discardableResult
public func SecRandomCopyBytes(
    _ random: SecRandomRef?, _ count: Int, _ bytes: UnsafeMutableRawPointer
) -> Int32 {
    guard count >= 0 else { return errSecParam }
    // `getentropy` returns at most 256 bytes a call, all or none.
    for start in stride(from: 0, to: count, by: 256) {
        guard unsafe getentropy(bytes + start, min(256, count - start)) == 0 else {
            return errSecInternalComponent
        }
    }
    return errSecSuccess
}

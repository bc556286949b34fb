// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import SecurityWire

/// What a status means, in one English sentence.
/// - Parameters:
///   - status: Any status; one that is unknown gives its number.
///   - reserved: Nil.
/// - Returns: The sentence; never nil.
public func SecCopyErrorMessageString(
    _ status: OSStatus, _ reserved: UnsafeMutableRawPointer?
) -> CFString? {
    NSString(string: SecurityStatus.message(for: status))
}

/// A status as an error of `NSOSStatusErrorDomain`.
func error(_ status: OSStatus, _ description: String? = nil) -> NSError {
    NSError(
        domain: NSOSStatusErrorDomain, code: Int(status),
        userInfo: [
            NSLocalizedDescriptionKey: description ?? SecurityStatus.message(for: status)
        ])
}

/// Fails a function that returns an object.
/// - Parameters:
///   - target: Where to put the reason.
///   - status: The reason.
///   - description: The reason in words; nil is what the status means.
/// - Returns: Nil.
func refused<Object>(
    _ target: UnsafeMutablePointer<Unmanaged<CFError>?>?, _ status: OSStatus,
    _ description: String? = nil
) -> Object? {
    if let target = unsafe target {
        unsafe target.pointee = Unmanaged.passRetained(error(status, description))
    }
    return nil
}

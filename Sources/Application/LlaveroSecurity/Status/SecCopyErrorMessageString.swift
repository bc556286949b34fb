// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import SecurityWire

/// The meaning of a status, in one English sentence.
/// - Parameters:
///   - status: Any status; for an unknown one the result contains its number.
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
///   - description: The reason as text; nil for the meaning of the status.
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

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import Keychain
import SecurityWire

/// A program as the service identifies it. The only one is this program.
///
/// Nothing is read from the program's own file: only the service's evaluation of the signature
/// counts.
public final class SecTask: NSObject, @unchecked Sendable {
    // `@unchecked Sendable`: it has no content; `NSObject` itself isn't Sendable.
    override fileprivate init() {}
}

/// The type of tasks.
public func SecTaskGetTypeID() -> CFTypeID { TypeID.task }

/// This program.
/// - Parameter allocator: Ignored.
/// - Returns: Never nil.
public func SecTaskCreateFromSelf(_ allocator: CFAllocator?) -> SecTask? { SecTask() }

/// The value of a program's entitlement that the service honors: a text, an array of texts or a
/// truth value, as far as the program's provisioning profile allows it. The service itself sets
/// `application-identifier`, `com.apple.application-identifier` and
/// `com.apple.developer.team-identifier`.
/// - Parameters:
///   - task: The program.
///   - entitlement: The name.
///   - error: Where to put the reason when the service can't be asked; an entitlement that the
///     program doesn't have is no error.
/// - Returns: Nil when the program doesn't have it.
public func SecTaskCopyValueForEntitlement(
    _ task: SecTask, _ entitlement: CFString, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFTypeRef? {
    let name = entitlement as String
    switch asked({ () throws(KeychainError) in try processConnection.entitlements([name]) }) {
    case .success(let values): return values[name]?.object
    case .failure(let failure): return unsafe refused(error, failure.status)
    }
}

/// The values of several entitlements, as ``SecTaskCopyValueForEntitlement(_:_:_:)`` returns them.
/// - Parameters:
///   - task: The program.
///   - entitlements: The names.
///   - error: Where to put the reason when the service can't be asked; `errSecParam` for names that
///     aren't texts.
/// - Returns: Those that the program has, by their names; nil with an error.
public func SecTaskCopyValuesForEntitlements(
    _ task: SecTask, _ entitlements: CFArray, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFDictionary? {
    guard let names = entitlements as? [String] else { return unsafe refused(error, errSecParam) }
    switch asked({ () throws(KeychainError) in try processConnection.entitlements(names) }) {
    case .success(let values): return values.mapValues(\.object) as NSDictionary
    case .failure(let failure): return unsafe refused(error, failure.status)
    }
}

/// The program's identifier in its signature, without the team's prefix.
/// - Parameters:
///   - task: The program.
///   - error: Where to put the reason when the service can't be asked.
/// - Returns: Nil without an error when the program isn't signed by a team that the device trusts.
public func SecTaskCopySigningIdentifier(
    _ task: SecTask, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFString? {
    switch asked({ () throws(KeychainError) in try processConnection.callerIdentity() }) {
    case .success(let identity):
        return identity.application.map { application in
            NSString(string: application.drop { $0 != "." }.dropFirst().description)
        }
    case .failure(let failure): return unsafe refused(error, failure.status)
    }
}

private func asked<Value>(
    _ question: () throws(KeychainError) -> Value
) -> Result<Value, KeychainError> {
    do throws(KeychainError) { return .success(try question()) } catch { return .failure(error) }
}

extension EntitlementValue {
    fileprivate var object: NSObject {
        switch self {
        case .text(let text): NSString(string: text)
        case .texts(let texts): texts.map { NSString(string: $0) } as NSArray
        case .flag(let flag): NSNumber(value: flag)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import Keychain
import SecurityWire

/// A program as the service knows it. There is one: this program.
///
/// Nothing is read from the program's own file: whatever a signature says, what counts is what the
/// service made of it.
public final class SecTask: NSObject, @unchecked Sendable {
    // `@unchecked Sendable`: there is nothing in it; `NSObject` isn't Sendable as such.
    override fileprivate init() {}
}

/// The type of tasks.
public func SecTaskGetTypeID() -> CFTypeID { TypeID.task }

/// This program.
/// - Parameter allocator: Not looked at.
/// - Returns: Never nil.
public func SecTaskCreateFromSelf(_ allocator: CFAllocator?) -> SecTask? { SecTask() }

/// What an entitlement of a program has for a value, as the service goes by it: texts, arrays of
/// texts and truth values, as far as the program's provisioning profile allows them. What the
/// service itself sets are `application-identifier`, `com.apple.application-identifier` and
/// `com.apple.developer.team-identifier`.
/// - Parameters:
///   - task: The program.
///   - entitlement: The name.
///   - error: Where to put the reason when it can't be told; an entitlement that the program doesn't
///     have is no error.
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

/// The values of several entitlements, as ``SecTaskCopyValueForEntitlement(_:_:_:)`` has them.
/// - Parameters:
///   - task: The program.
///   - entitlements: The names.
///   - error: Where to put the reason when it can't be told; `errSecParam` for names that aren't
///     texts.
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

/// What the program's signature calls it, without the team's prefix.
/// - Parameters:
///   - task: The program.
///   - error: Where to put the reason when it can't be told.
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

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

internal import Dispatch
public import Foundation

// A service of Apple's stores the passwords that a web site shares with its applications, and asks
// the site whether it trusts the application. There is no such service here, and every call returns
// an error: nothing is stored, and nothing is found.

/// The key of the password in a result of `SecRequestSharedWebCredential`.
@safe public nonisolated(unsafe) let kSecSharedPassword: CFString! = "spwd"

private func unavailable() -> NSError {
    error(errSecServiceNotAvailable, "There is no service for shared web credentials here.")
}

/// Stores or, with a nil password, deletes a password of a web site.
/// - Parameters:
///   - fqdn: The site.
///   - account: The account.
///   - password: The password.
///   - completionHandler: Called once, on one of the system's queues, with an error with the code
///     `errSecServiceNotAvailable`. Nothing has changed.
public func SecAddSharedWebCredential(
    _ fqdn: CFString, _ account: CFString, _ password: CFString?,
    _ completionHandler: @escaping @Sendable (CFError?) -> Void
) {
    DispatchQueue.global().async { completionHandler(unavailable()) }
}

/// Requests passwords of a web site.
/// - Parameters:
///   - fqdn: The site; nil for all of the application's.
///   - account: The account; nil for all.
///   - completionHandler: Called once, on one of the system's queues, with nil and an error with
///     the code `errSecServiceNotAvailable`.
public func SecRequestSharedWebCredential(
    _ fqdn: CFString?, _ account: CFString?,
    _ completionHandler: @escaping @Sendable (CFArray?, CFError?) -> Void
) {
    DispatchQueue.global().async { completionHandler(nil, unavailable()) }
}

/// A random password: four groups of three characters with hyphens between. The letters and digits
/// can't be mistaken for one another, with at least one capital, one small letter and one digit.
/// About 69 bits.
/// - Returns: 15 characters; nil if the kernel returns no random bytes.
public func SecCreateSharedWebCredentialPassword() -> CFString? {
    let capitals = Array("ABCDEFGHJKLMNPQRSTUVWXYZ")
    let small = Array("abcdefghijkmnopqrstuvwxyz")
    let digits = Array("23456789")
    let alphabet = capitals + small + digits
    while true {
        var characters: [Character] = []
        while characters.count < 12 {
            var byte: UInt8 = 0
            guard unsafe SecRandomCopyBytes(kSecRandomDefault, 1, &byte) == errSecSuccess else {
                return nil
            }
            // The same chance for each: values beyond the last full range are discarded.
            guard byte < 256 / alphabet.count * alphabet.count else { continue }
            characters.append(alphabet[Int(byte) % alphabet.count])
        }
        let kinds = [capitals, small, digits]
        guard kinds.allSatisfy({ kind in characters.contains { kind.contains($0) } }) else {
            continue
        }
        let groups = stride(from: 0, to: 12, by: 3).map { String(characters[$0..<$0 + 3]) }
        return NSString(string: groups.joined(separator: "-"))
    }
}

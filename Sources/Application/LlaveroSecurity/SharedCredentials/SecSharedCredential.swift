// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

internal import Dispatch
public import Foundation

// Passwords that a web site and its applications share are kept by a service of Apple's, which asks
// the site whether the application is one of its own. There is no such service here, and every call
// says so: nothing is stored, and nothing is found.

/// The key of the password in what `SecRequestSharedWebCredential` finds.
@safe public nonisolated(unsafe) let kSecSharedPassword: CFString! = "spwd"

private func unavailable() -> NSError {
    error(errSecServiceNotAvailable, "There is no service for shared web credentials here.")
}

/// Stores or, with a nil password, deletes a password of a web site.
/// - Parameters:
///   - fqdn: The site.
///   - account: The account.
///   - password: The password.
///   - completionHandler: Called once, on a queue of the system's, with an error with the code
///     `errSecServiceNotAvailable`. Nothing has changed.
public func SecAddSharedWebCredential(
    _ fqdn: CFString, _ account: CFString, _ password: CFString?,
    _ completionHandler: @escaping @Sendable (CFError?) -> Void
) {
    DispatchQueue.global().async { completionHandler(unavailable()) }
}

/// Asks for passwords of a web site.
/// - Parameters:
///   - fqdn: The site; nil for all of the application's.
///   - account: The account; nil for all.
///   - completionHandler: Called once, on a queue of the system's, with nil and an error with the
///     code `errSecServiceNotAvailable`.
public func SecRequestSharedWebCredential(
    _ fqdn: CFString?, _ account: CFString?,
    _ completionHandler: @escaping @Sendable (CFArray?, CFError?) -> Void
) {
    DispatchQueue.global().async { completionHandler(nil, unavailable()) }
}

/// A random password: four groups of three characters with hyphens between, of letters and digits that
/// can't be taken for one another; at least one each of capitals, small letters and digits. About 69
/// bits.
/// - Returns: 15 characters; nil if the kernel gives no random bytes.
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
            // The same chance for each: what is left over at the end is thrown away.
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

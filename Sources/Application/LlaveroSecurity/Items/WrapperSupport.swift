// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Foundation
package import Keychain
package import SecretBytes
package import SecurityWire

/// What the wrapper modules share with the calls on items: the connection, and how objects become
/// attributes and secrets.
package enum WrapperSupport {
    /// The connection that the calls of this process use.
    package static var connection: KeychainConnection { processConnection }
    /// The same connection, for tasks.
    package static let service = KeychainService(processConnection)

    /// The value of an attribute that an object stands for, by the rules of `SecItem…`.
    /// - Throws: ``FailureReason/invalidRequest`` with `errSecParam` for an object that the attribute
    ///   doesn't take.
    package static func value(
        _ object: Any, for attribute: Attribute
    ) throws(KeychainError) -> AttributeValue {
        guard let object = bridged(object) else { throw invalid(errSecParam) }
        do throws(ItemFailure) { return try AttributeValue(object, for: attribute) } catch {
            throw invalid(error.status)
        }
    }

    /// The object that stands for the value of an attribute: `String`, `Data`, `Date` or a number.
    package static func object(_ value: AttributeValue) -> Any {
        switch value {
        case .text(let text): text
        case .data(let bytes): Data(bytes)
        case .integer(let value): Int(value)
        case .real(let value): value
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        }
    }

    /// The attribute that a key of a dictionary names.
    /// - Throws: ``FailureReason/invalidRequest`` with `errSecNoSuchAttr` when generic passwords
    ///   have no such attribute.
    package static func attribute(_ key: Any) throws(KeychainError) -> Attribute {
        guard let name = name(key), let attribute = Attribute(rawValue: name),
            attribute.isKnown(in: .genericPassword)
        else { throw invalid(errSecNoSuchAttr) }
        return attribute
    }

    /// The text of a key; nil when it is none.
    package static func name(_ key: Any) -> String? {
        (key as? NSString).map { $0 as String } ?? key as? String
    }

    /// An accessibility, by a constant `kSecAttrAccessible…`.
    /// - Throws: ``FailureReason/invalidRequest`` with `errSecParam` when it is none.
    package static func accessibility(_ constant: Any) throws(KeychainError) -> Accessibility {
        guard let accessibility = name(constant).flatMap(Accessibility.init(code:)) else {
            throw invalid(errSecParam)
        }
        return accessibility
    }

    /// A failure that never left this process.
    package static func invalid(_ status: OSStatus) -> KeychainError {
        KeychainError(status: status, reason: .invalidRequest)
    }

    /// A failure as the wrappers' callers know it: of `NSOSStatusErrorDomain`, with the status as
    /// its code, and the typed error under `NSUnderlyingErrorKey`.
    package static func cocoaError(_ failure: KeychainError) -> NSError {
        NSError(
            domain: NSOSStatusErrorDomain, code: Int(failure.status),
            userInfo: [
                NSLocalizedDescriptionKey: SecurityStatus.message(for: failure.status),
                NSUnderlyingErrorKey: failure,
            ])
    }

    /// A value as the object that it is on Apple's platforms; nil for one that is no value of a
    /// property list.
    private static func bridged(_ value: Any) -> AnyObject? {
        switch value {
        case let object as NSObject: object
        case let text as String: NSString(string: text)
        case let data as Data: NSData(data: data)
        case let date as Date:
            NSDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
        case let flag as Bool: NSNumber(value: flag)
        case let number as Int: NSNumber(value: number)
        case let number as Int64: NSNumber(value: number)
        case let number as UInt32: NSNumber(value: number)
        case let number as Double: NSNumber(value: number)
        default: nil
        }
    }
}

extension WrapperSupport {
    /// A secret with the bytes of a text, without copies in between.
    package static func secret(_ text: String) -> Secret {
        var text = text
        return text.withUTF8 {
            unsafe Secret(SecretBytes(copying: UnsafeRawBufferPointer($0)))
        }
    }

    /// A secret with the bytes of data.
    package static func secret(_ data: Data) -> Secret {
        unsafe data.withUnsafeBytes { unsafe Secret(SecretBytes(copying: $0)) }
    }

    /// A copy of a secret, in ordinary memory.
    package static func data(_ secret: Secret) -> Data {
        unsafe secret.bytes.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> Data in
            unsafe Data(bytes)
        }
    }

    /// A secret as text; nil when it isn't UTF-8.
    package static func text(_ secret: Secret) -> String? {
        unsafe secret.bytes.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> String? in
            unsafe String(validating: bytes, as: UTF8.self)
        }
    }
}

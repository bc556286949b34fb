// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import FuzzEntries
import Security

/// Converts between the model's values and objects.
struct Bridge {
    /// No dictionary can contain it.
    private final class Opaque: NSObject {}

    private let certificates: [SecCertificate]
    private let keys: [SecKey]
    private let accessControls: [String: SecAccessControl]

    struct BadSample: Error {}

    init() throws {
        certificates = try Derived.certificates.map {
            guard let object = SecCertificateCreateWithData(nil, $0 as CFData) else {
                throw BadSample()
            }
            return object
        }
        keys = try KeySample.all.indices.map { number in
            let sample = KeySample.all[number]
            let attributes: [CFString: Any] = [
                kSecAttrKeyType: sample.isRSA
                    ? kSecAttrKeyTypeRSA : kSecAttrKeyTypeECSECPrimeRandom,
                kSecAttrKeyClass: sample.isPrivate
                    ? kSecAttrKeyClassPrivate : kSecAttrKeyClassPublic,
            ]
            let data = Derived.key(number) as CFData
            guard let object = SecKeyCreateWithData(data, attributes as CFDictionary, nil)
            else { throw BadSample() }
            return object
        }
        accessControls = try ["ak", "ck", "dku"].reduce(into: [:]) { result, name in
            guard
                let object = SecAccessControlCreateWithFlags(
                    nil, name as CFString, SecAccessControlCreateFlags(rawValue: 0), nil)
            else { throw BadSample() }
            result[name] = object
        }
    }

    // MARK: - To objects

    func dictionary(_ entries: Entries, _ bytes: (Reference) -> Data) -> NSDictionary {
        let result = NSMutableDictionary(capacity: entries.count)
        for (name, value) in entries {
            let object = object(value, bytes)
            switch name {
            case .text(let text): result.setObject(object, forKey: text as NSString)
            case .number(let number): result.setObject(object, forKey: NSNumber(value: number))
            case .data: result.setObject(object, forKey: Data([1]) as NSData)
            }
        }
        return result
    }

    private func object(_ value: Value, _ bytes: (Reference) -> Data) -> NSObject {
        switch value {
        case .string(let text): text as NSString
        case .data(let data): data as NSData
        case .number(let number): NSNumber(value: number)
        case .boolean(let flag): NSNumber(value: flag)
        case .date(let seconds): NSDate(timeIntervalSinceReferenceDate: seconds)
        case .null: NSNull()
        case .array(let values): values.map { object($0, bytes) } as NSArray
        case .object: Opaque()
        case .accessControl(let accessible): accessControls[accessible] ?? Opaque()
        case .certificate(let number): certificates[number]
        case .key(let number): keys[number]
        case .identity(let certificate, let key):
            SecIdentityCreate(nil, certificates[certificate], keys[key]) ?? Opaque()
        case .reference(let reference): bytes(reference) as NSData
        }
    }

    // MARK: - From objects

    static func observed(_ object: CFTypeRef?) -> Observed {
        switch object {
        case nil: return .nothing
        case let text as NSString: return .value(.string(text as String))
        case let data as NSData: return .value(.data(data as Data))
        case let date as NSDate: return .value(.date(date.timeIntervalSinceReferenceDate))
        case let number as NSNumber: return .value(value(number))
        case let array as NSArray: return .array(array.map { observed($0 as AnyObject) })
        case let dictionary as NSDictionary:
            var result: [String: Observed] = [:]
            for (key, value) in dictionary {
                result[key as? String ?? "\(type(of: key))"] = observed(value as AnyObject)
            }
            return .dictionary(result)
        case let certificate as SecCertificate:
            return .certificate(SecCertificateCopyData(certificate) as Data)
        case let identity as SecIdentity: return observed(identity)
        case is SecAccessControl: return .accessControl
        case let object?: return .object("\(type(of: object))")
        }
    }

    private static func observed(_ identity: SecIdentity) -> Observed {
        var certificate: SecCertificate?
        var key: SecKey?
        guard unsafe SecIdentityCopyCertificate(identity, &certificate) == errSecSuccess,
            unsafe SecIdentityCopyPrivateKey(identity, &key) == errSecSuccess,
            let certificate, let key, let data = SecKeyCopyExternalRepresentation(key, nil)
        else { return .object("an identity without its halves") }
        return .identity(
            certificate: SecCertificateCopyData(certificate) as Data, key: data as Data)
    }

    /// Numbers that were made from a Boolean are distinguished from others.
    private static func value(_ number: NSNumber) -> Value {
        let kind = unsafe UInt8(bitPattern: number.objCType.pointee)
        if kind == UInt8(ascii: "c") || kind == UInt8(ascii: "B") {
            return .boolean(number.boolValue)
        }
        if kind == UInt8(ascii: "d") || kind == UInt8(ascii: "f") {
            return number.doubleValue == number.doubleValue.rounded()
                ? .number(number.int64Value) : .string("real \(number.doubleValue)")
        }
        return .number(number.int64Value)
    }
}

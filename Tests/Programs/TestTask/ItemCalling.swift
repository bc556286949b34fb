// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security

/// Makes the calls of `SecItem.h` that standard input asks for. A request line and its answer are
/// property lists in Base64. A request has the `call`, its `query` and, for an update, the
/// `changes`. An answer has the `status` and, after a success, the `result` if there is one.
///
/// Objects are encoded as dictionaries: `certificate` has a certificate's DER, `key` a private
/// key's representation on P-256, and an identity has both.
enum ItemCalling {
    static func run() {
        while let line = readLine() {
            print(answer(line) ?? "unreadable")
            // On a pipe, output would be buffered.
            fflush(nil)
        }
    }

    private static func answer(_ line: String) -> String? {
        guard let data = Data(base64Encoded: line),
            let list = unsafe try? PropertyListSerialization.propertyList(from: data, format: nil),
            let request = list as? [String: Any], let call = request["call"] as? String,
            var query = request["query"] as? [String: Any]
        else { return nil }
        if let parts = query["v_Ref"] as? [String: Data] { query["v_Ref"] = object(parts) }
        var result: CFTypeRef?
        let status: OSStatus
        switch call {
        case "add": status = unsafe SecItemAdd(query as NSDictionary, &result)
        case "copy": status = unsafe SecItemCopyMatching(query as NSDictionary, &result)
        case "update":
            let changes = request["changes"] as? [String: Any] ?? [:]
            status = SecItemUpdate(query as NSDictionary, changes as NSDictionary)
        case "delete": status = SecItemDelete(query as NSDictionary)
        default: return nil
        }
        var answer: [String: Any] = ["status": Int(status)]
        if let result { answer["result"] = plain(result) }
        let encoded = try? PropertyListSerialization.data(
            fromPropertyList: answer, format: .binary, options: 0)
        return encoded?.base64EncodedString()
    }

    /// The object of these parts.
    private static func object(_ parts: [String: Data]) -> AnyObject? {
        let certificate = parts["certificate"].flatMap {
            SecCertificateCreateWithData(nil, $0 as NSData)
        }
        let attributes: NSDictionary = ["type": "73", "kcls": "1"]
        let key = parts["key"].flatMap { SecKeyCreateWithData($0 as NSData, attributes, nil) }
        if let certificate, let key { return SecIdentityCreate(nil, certificate, key) }
        return certificate ?? key
    }

    /// A result in the types of a property list.
    private static func plain(_ value: Any) -> Any {
        switch value {
        case let list as [Any]: return list.map(plain)
        case let dictionary as [String: Any]: return dictionary.mapValues(plain)
        case let certificate as SecCertificate:
            return ["certificate": SecCertificateCopyData(certificate) as Data]
        case let key as SecKey: return representation(key)
        case let identity as SecIdentity:
            var certificate: SecCertificate?
            var key: SecKey?
            guard unsafe SecIdentityCopyCertificate(identity, &certificate) == errSecSuccess,
                unsafe SecIdentityCopyPrivateKey(identity, &key) == errSecSuccess,
                let certificate, let key
            else { return "an identity without its halves" }
            return representation(key).merging(
                ["certificate": SecCertificateCopyData(certificate) as Data]) { $1 }
        case is SecAccessControl: return "an access control"
        default: return value
        }
    }

    private static func representation(_ key: SecKey) -> [String: Data] {
        ["key": SecKeyCopyExternalRepresentation(key, nil) as Data? ?? Data()]
    }
}

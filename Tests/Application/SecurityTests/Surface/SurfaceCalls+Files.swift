// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security

extension SurfaceCalls {
    /// Import and export.
    var files: [String: () -> Bool] {
        func exported() -> CFData? {
            var data: CFData?
            unsafe SecItemExport(certificate, .formatX509Cert, [], nil, &data)
            return data
        }
        let isSame = { (items: CFArray?) in
            (items as? [SecCertificate]).map { $0 == [certificate] } ?? false
        }
        return [
            "SecItemExport": { exported() == SecCertificateCopyData(certificate) },
            "SecKeychainItemExport": {
                var data: CFData?
                return unsafe SecKeychainItemExport(certificate, .formatUnknown, [], nil, &data)
                    == errSecSuccess && data == SecCertificateCopyData(certificate)
            },
            "SecItemImport": {
                guard let data = exported() else { return false }
                var items: CFArray?
                var format = SecExternalFormat.formatUnknown
                return unsafe SecItemImport(data, nil, &format, nil, [], nil, nil, &items)
                    == errSecSuccess && format == .formatX509Cert && isSame(items)
            },
            "SecKeychainItemImport": {
                guard let data = exported() else { return false }
                var items: CFArray?
                var type = SecExternalItemType.itemTypeUnknown
                return unsafe SecKeychainItemImport(data, nil, nil, &type, [], nil, nil, &items)
                    == errSecSuccess && type == .itemTypeCertificate && isSame(items)
            },
            "SecPKCS12Import": {
                var items: CFArray?
                let data = Data([1]) as CFData
                return unsafe SecPKCS12Import(data, [:] as CFDictionary, &items) == errSecDecode
                    && items == nil
            },
        ]
    }
}

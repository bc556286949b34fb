// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import XCTest

// No import of Security here either.

final class UntouchedItemTests: XCTestCase {
    private let item: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrService: "untouched tests",
    ]

    override func tearDown() { SecItemDelete(item as CFDictionary) }

    private func add(_ more: [CFString: Any] = [:]) -> OSStatus {
        let secret: [CFString: Any] = [kSecValueData: Data("secret".utf8)]
        return SecItemAdd(item.merging(secret.merging(more) { $1 }) { $1 } as CFDictionary, nil)
    }

    func testAnItemIsStoredAndRead() {
        XCTAssertEqual(add(), errSecSuccess)
        var result: CFTypeRef?
        let query = item.merging([kSecReturnData: true]) { $1 }
        XCTAssertEqual(SecItemCopyMatching(query as CFDictionary, &result), errSecSuccess)
        XCTAssertEqual(result as? Data, Data("secret".utf8))
    }

    /// `SIGNED_FOR` names the group that this bundle is signed for. Without it the bundle isn't signed, and has
    /// no group of a team.
    func testAGroupIsGrantedToASignedBundleAlone() {
        let group = ProcessInfo.processInfo.environment["SIGNED_FOR"]
        let status = add([kSecAttrAccessGroup: group ?? "TEAMAAAAAA.shared"])
        guard let group else { return XCTAssertEqual(status, errSecMissingEntitlement) }
        XCTAssertEqual(status, errSecSuccess)
        var result: CFTypeRef?
        let query = item.merging([kSecReturnAttributes: true]) { $1 }
        XCTAssertEqual(SecItemCopyMatching(query as CFDictionary, &result), errSecSuccess)
        let attributes = result as? [CFString: Any]
        XCTAssertEqual(attributes?[kSecAttrAccessGroup] as? String, group)
    }
}

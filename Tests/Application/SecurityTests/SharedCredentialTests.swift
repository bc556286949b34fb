// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

@Suite struct SharedCredentialTests {
    private func code(_ error: CFError?) -> OSStatus? { error.map { OSStatus(CFErrorGetCode($0)) } }

    @Test func storingDeletingAndAskingSayThatThereIsNoService() async {
        for password in ["secret", nil] as [CFString?] {
            let stored = await withCheckedContinuation { told in
                SecAddSharedWebCredential("example.org", "anna", password) { error in
                    told.resume(returning: self.code(error))
                }
            }
            #expect(stored == errSecServiceNotAvailable)
        }
        let found = await withCheckedContinuation { told in
            SecRequestSharedWebCredential("example.org", nil) { found, error in
                told.resume(returning: found == nil ? self.code(error) : errSecSuccess)
            }
        }
        #expect(found == errSecServiceNotAvailable)
    }

    @Test func aNewPasswordHasFourGroupsOfAllKindsAndIsAnotherEachTime() {
        var seen: Set<String> = []
        for _ in 0..<200 {
            let password = SecCreateSharedWebCredentialPassword() as String? ?? ""
            #expect(password.split(separator: "-").map(\.count) == [3, 3, 3, 3])
            #expect(password.contains { $0.isUppercase } && password.contains { $0.isLowercase })
            #expect(password.contains { $0.isNumber })
            #expect(!password.contains { "0O1lI".contains($0) })
            seen.insert(password)
        }
        #expect(seen.count == 200)
    }
}

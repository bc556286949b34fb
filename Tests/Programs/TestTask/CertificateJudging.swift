// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security

/// Judges a server's certificate with the calls of `SecTrust`.
///
/// Words are the certificate's file, DER, the anchor's, and `yes`, `no` or `default`: whether the
/// network may be used. It prints whether the certificate is trusted, and what
/// `SecTrustGetNetworkFetchAllowed` says.
enum CertificateJudging {
    static func run(_ words: [String]) {
        let certificates = words.prefix(2).compactMap { file in
            (try? Data(contentsOf: URL(fileURLWithPath: file))).flatMap {
                SecCertificateCreateWithData(nil, $0 as NSData)
            }
        }
        guard words.count == 3, certificates.count == 2 else { exit(2) }
        var made: SecTrust?
        let policy = SecPolicyCreateSSL(true, "server.example" as NSString)
        guard
            unsafe SecTrustCreateWithCertificates(certificates[0], policy, &made) == errSecSuccess,
            let trust = made
        else { exit(1) }
        guard
            SecTrustSetAnchorCertificates(trust, [certificates[1]] as NSArray) == errSecSuccess,
            words[2] == "default"
                || SecTrustSetNetworkFetchAllowed(trust, words[2] == "yes") == errSecSuccess
        else { exit(1) }
        let isTrusted = SecTrustEvaluateWithError(trust, nil)
        var isAllowed = DarwinBoolean(false)
        unsafe SecTrustGetNetworkFetchAllowed(trust, &isAllowed)
        print(
            isTrusted ? "trusted," : "not trusted,", isAllowed.boolValue ? "allowed" : "not allowed"
        )
    }
}

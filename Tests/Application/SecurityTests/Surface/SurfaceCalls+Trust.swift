// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Dispatch
import Foundation
import Security
import Synchronization

extension SurfaceCalls {
    /// A trust object for a time at which the certificate is valid.
    private func asked(anchored: Bool) -> SecTrust? {
        var found: SecTrust?
        unsafe SecTrustCreateWithCertificates(certificate, nil, &found)
        guard let found, let start = SecCertificateCopyNotValidBeforeDate(certificate) else {
            return nil
        }
        SecTrustSetVerifyDate(found, start)
        SecTrustSetAnchorCertificates(
            found, (anchored ? [certificate] : [SecCertificate]()) as CFArray)
        return found
    }

    /// Evaluations, and what is known after them.
    var judgements: [String: () -> Bool] {
        guard let good = asked(anchored: true), let bad = asked(anchored: false) else { return [:] }
        return [
            "SecTrustEvaluateWithError": {
                var error: CFError?
                return unsafe SecTrustEvaluateWithError(good, &error) && error == nil
                    && !SecTrustEvaluateWithError(bad, &error)
                    && error?.code == Int(errSecCreateChainFailed)
            },
            "SecTrustEvaluateAsyncWithError": {
                let answer = Mutex<Bool?>(nil)
                let done = DispatchSemaphore(value: 0)
                let status = SecTrustEvaluateAsyncWithError(good, .global()) { _, isTrusted, _ in
                    answer.withLock { $0 = isTrusted }
                    done.signal()
                }
                return status == errSecSuccess && done.wait(timeout: .now() + 60) == .success
                    && answer.withLock { $0 } == true
            },
            "SecTrustEvaluate": {
                var result = SecTrustResultType.invalid
                let isGood =
                    unsafe SecTrustEvaluate(good, &result) == errSecSuccess
                    && result == .unspecified
                return unsafe isGood && SecTrustEvaluate(bad, &result) == errSecSuccess
                    && result == .recoverableTrustFailure
            },
            "SecTrustEvaluateAsync": {
                let answer = Mutex(SecTrustResultType.invalid)
                let done = DispatchSemaphore(value: 0)
                let status = SecTrustEvaluateAsync(bad, .global()) { _, result in
                    answer.withLock { $0 = result }
                    done.signal()
                }
                return status == errSecSuccess && done.wait(timeout: .now() + 60) == .success
                    && answer.withLock { $0 } == .recoverableTrustFailure
                    && SecTrustEvaluateAsync(bad, nil) { _, _ in } == errSecParam
            },
            "SecTrustGetTrustResult": {
                var result = SecTrustResultType.invalid
                _ = SecTrustEvaluateWithError(good, nil)
                return unsafe SecTrustGetTrustResult(good, &result) == errSecSuccess
                    && result == .unspecified
            },
            "SecTrustGetCertificateCount": { SecTrustGetCertificateCount(good) == 1 },
            "SecTrustGetCertificateAtIndex": {
                SecTrustGetCertificateAtIndex(good, 0) == certificate
                    && SecTrustGetCertificateAtIndex(good, 1) == nil
            },
            "SecTrustCopyCertificateChain": {
                (SecTrustCopyCertificateChain(good) as? [SecCertificate]) == [certificate]
            },
            "SecTrustCopyExceptions": { SecTrustCopyExceptions(bad) != nil },
            "SecTrustSetExceptions": {
                guard let again = asked(anchored: false) else { return false }
                return SecTrustSetExceptions(again, SecTrustCopyExceptions(again))
                    && SecTrustEvaluateWithError(again, nil)
                    && !SecTrustSetExceptions(again, nil)
            },
            "SecTrustCopyProperties": { SecTrustCopyProperties(bad)?.count == 1 },
            "SecTrustCopyResult": {
                SecTrustCopyResult(good)?[kSecTrustResultValue] as? UInt32
                    == SecTrustResultType.unspecified.rawValue
            },
            "SecTrustCopyAnchorCertificates": {
                var roots: CFArray?
                return unsafe SecTrustCopyAnchorCertificates(&roots) == errSecSuccess
                    && roots?.count ?? 0 > 50
            },
            "SecTrustSetOCSPResponse": {
                SecTrustSetOCSPResponse(bad, Data([1]) as CFData) == errSecSuccess
                    && SecTrustSetOCSPResponse(bad, "text" as CFString) == errSecParam
                    && SecTrustSetOCSPResponse(bad, nil) == errSecSuccess
            },
            "SecTrustSetOptions": {
                guard let late = asked(anchored: true) else { return false }
                SecTrustSetVerifyDate(late, NSDate(timeIntervalSinceReferenceDate: -1e9))
                let wasRefused = !SecTrustEvaluateWithError(late, nil)
                return wasRefused && SecTrustSetOptions(late, .allowExpired) == errSecSuccess
                    && SecTrustEvaluateWithError(late, nil)
            },
        ]
    }

    // MARK: - Trust settings

    /// Calls in a domain that has settings for the certificate, and only for it.
    private func withSettings(
        _ domain: SecTrustSettingsDomain, _ body: () -> Bool
    ) -> Bool {
        let rule: [String: Any] = [
            kSecTrustSettingsResult: SecTrustSettingsResult.deny.rawValue,
            kSecTrustSettingsPolicy: SecPolicyCreateSSL(true, nil),
        ]
        guard
            SecTrustSettingsSetTrustSettings(certificate, domain, rule as NSDictionary)
                == errSecSuccess
        else { return false }
        defer { SecTrustSettingsRemoveTrustSettings(certificate, domain) }
        return body()
    }

    /// Trust settings, in the domains of the user and of the machine.
    var settings: [String: () -> Bool] {
        [
            "SecTrustSettingsSetTrustSettings": {
                let wrong = ["kSecTrustSettingsResult": "deny"] as NSDictionary
                return withSettings(.user) { true } && withSettings(.admin) { true }
                    && SecTrustSettingsSetTrustSettings(certificate, .user, wrong) == errSecParam
                    && SecTrustSettingsSetTrustSettings(certificate, .system, nil)
                        == errSecDataNotModifiable
            },
            "SecTrustSettingsCopyTrustSettings": {
                withSettings(.user) {
                    var list: CFArray?
                    let status = unsafe SecTrustSettingsCopyTrustSettings(
                        certificate, .user, &list)
                    let rule = (list as? [[String: Any]])?.first
                    return status == errSecSuccess
                        && rule?[kSecTrustSettingsResult] as? UInt32 == 3
                        && rule?[kSecTrustSettingsPolicy] is SecPolicy
                }
            },
            "SecTrustSettingsRemoveTrustSettings": {
                var list: CFArray?
                let isRemoved = withSettings(.admin) {
                    SecTrustSettingsRemoveTrustSettings(certificate, .admin) == errSecSuccess
                }
                let status = unsafe SecTrustSettingsCopyTrustSettings(certificate, .admin, &list)
                return isRemoved && status == errSecNoTrustSettings
                    && SecTrustSettingsRemoveTrustSettings(certificate, .admin)
                        == errSecItemNotFound
                    && SecTrustSettingsRemoveTrustSettings(certificate, .system)
                        == errSecDataNotModifiable
            },
            "SecTrustSettingsCopyCertificates": {
                withSettings(.user) {
                    var list: CFArray?
                    return unsafe SecTrustSettingsCopyCertificates(.user, &list) == errSecSuccess
                        && list as? [SecCertificate] == [certificate]
                        && SecTrustSettingsCopyCertificates(.system, &list) == errSecSuccess
                        && list?.count ?? 0 > 50
                        && SecTrustSettingsCopyCertificates(.admin, &list)
                            == errSecNoTrustSettings
                }
            },
            "SecTrustSettingsCopyModificationDate": {
                withSettings(.user) {
                    var date: CFDate?
                    let status = unsafe SecTrustSettingsCopyModificationDate(
                        certificate, .user, &date)
                    return status == errSecSuccess
                        && abs(date?.timeIntervalSinceNow ?? 100) < 60
                }
            },
            "SecTrustSettingsCreateExternalRepresentation": {
                withSettings(.admin) { external(.admin) != nil && external(.user) == nil }
            },
            "SecTrustSettingsImportExternalRepresentation": {
                var bytes: CFData?
                guard
                    withSettings(
                        .admin,
                        {
                            bytes = external(.admin)
                            return bytes != nil
                        }),
                    let bytes
                else { return false }
                defer { SecTrustSettingsRemoveTrustSettings(certificate, .user) }
                let wrong = Data("list".utf8) as CFData
                return SecTrustSettingsImportExternalRepresentation(.user, bytes) == errSecSuccess
                    && external(.user) == bytes
                    && SecTrustSettingsImportExternalRepresentation(.user, wrong)
                        == errSecInvalidTrustSettings
                    && external(.user) == bytes
                    && SecTrustSettingsImportExternalRepresentation(.system, bytes)
                        == errSecDataNotModifiable
            },
        ]
    }

    private func external(_ domain: SecTrustSettingsDomain) -> CFData? {
        var bytes: CFData?
        return unsafe SecTrustSettingsCreateExternalRepresentation(domain, &bytes)
            == errSecSuccess ? bytes : nil
    }
}

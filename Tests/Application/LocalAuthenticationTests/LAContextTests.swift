// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import LocalAuthentication
import Security
import Testing

@Suite struct LAContextTests {
    private static let obstacles: [(LAPolicy, LAError.Code)] = [
        (.deviceOwnerAuthenticationWithBiometrics, .biometryNotAvailable),
        (.deviceOwnerAuthenticationWithBiometricsOrWatch, .biometryNotAvailable),
        (.deviceOwnerAuthenticationWithWatch, .companionNotAvailable),
    ]

    private func canEvaluate(_ context: LAContext, _ policy: LAPolicy) -> (Bool, NSError?) {
        var error: NSError?
        let can = unsafe context.canEvaluatePolicy(policy, error: &error)
        return (can, error)
    }

    private func evaluated(_ context: LAContext, _ policy: LAPolicy) async -> (Bool, Int?) {
        await withCheckedContinuation { continuation in
            context.evaluatePolicy(policy, localizedReason: "reason") { isDone, error in
                continuation.resume(returning: (isDone, (error as NSError?)?.code))
            }
        }
    }

    @Test func aDeviceWithoutBiometrySaysSo() async {
        let context = LAContext()
        #expect(context.biometryType == .none)
        #expect(context.evaluatedPolicyDomainState == nil)
        for (policy, code) in Self.obstacles {
            let (can, error) = canEvaluate(context, policy)
            #expect(!can && error?.code == code.rawValue && error?.domain == LAErrorDomain)
            let (isDone, evaluatedCode) = await evaluated(context, policy)
            #expect(!isDone && evaluatedCode == code.rawValue)
            do {
                let isDone = try await context.evaluatePolicy(policy, localizedReason: "reason")
                Issue.record("somebody was authenticated: \(isDone)")
            } catch { #expect((error as? LAError)?.code == code) }
        }
    }

    /// Without a service the library can't know that there is no passcode, and can't authenticate.
    @Test func nobodyIsAskedForThePasscode() async {
        let codes = [LAError.Code.passcodeNotSet, .notInteractive].map(\.rawValue)
        let (can, error) = canEvaluate(LAContext(), .deviceOwnerAuthentication)
        #expect(!can && codes.contains(error?.code ?? 0))
        let (isDone, code) = await evaluated(LAContext(), .deviceOwnerAuthentication)
        #expect(!isDone && codes.contains(code ?? 0))
    }

    @Test func anInvalidatedContextIsOver() async {
        let context = LAContext()
        #expect(context.setCredential(Data([1]), type: .applicationPassword))
        context.invalidate()
        #expect(!context.isCredentialSet(.applicationPassword))
        #expect(!context.setCredential(Data([1]), type: .applicationPassword))
        let (isDone, code) = await evaluated(context, .deviceOwnerAuthentication)
        #expect(!isDone && code == LAError.Code.invalidContext.rawValue)
    }

    @Test func accessControlsThatAskForNothingAreSatisfied() async throws {
        func control(_ flags: SecAccessControlCreateFlags) -> SecAccessControl? {
            SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleWhenUnlocked, flags, nil)
        }
        let context = LAContext()
        let open = try #require(control(.privateKeyUsage))
        let isProven = try await context.evaluateAccessControl(
            open, operation: .useKeySign, localizedReason: "reason")
        #expect(isProven)
        for flags: SecAccessControlCreateFlags in [
            .userPresence, .biometryAny, .devicePasscode, .applicationPassword,
            [.privateKeyUsage, .userPresence],
        ] {
            let closed = try #require(control(flags))
            await #expect(throws: LAError.self) {
                try await context.evaluateAccessControl(
                    closed, operation: .useItem, localizedReason: "reason")
            }
            let isProven = await withCheckedContinuation { continuation in
                context.evaluateAccessControl(
                    closed, operation: .useItem, localizedReason: "reason"
                ) { isProven, error in
                    continuation.resume(returning: isProven || error == nil)
                }
            }
            #expect(!isProven)
        }
    }

    @Test func credentialsComeAndGo() {
        let context = LAContext()
        #expect(!context.isCredentialSet(.applicationPassword))
        #expect(context.setCredential(Data("secret".utf8), type: .applicationPassword))
        #expect(context.isCredentialSet(.applicationPassword))
        #expect(context.setCredential(nil, type: .applicationPassword))
        #expect(!context.isCredentialSet(.applicationPassword))
        #expect(!context.setCredential(Data("1234".utf8), type: .smartCardPIN))
    }

    @Test func settingsAreKeptWithinTheirBounds() {
        let context = LAContext()
        for (given, kept) in [
            (10.0, 10.0), (-1, 0), (301, 300), (.infinity, 300), (.nan, 0),
            (LATouchIDAuthenticationMaximumAllowableReuseDuration, 300),
        ] {
            context.touchIDAuthenticationAllowableReuseDuration = given
            #expect(context.touchIDAuthenticationAllowableReuseDuration == kept)
        }
        context.localizedFallbackTitle = ""
        context.localizedCancelTitle = "No"
        context.localizedReason = "why"
        context.interactionNotAllowed = true
        #expect(context.localizedFallbackTitle == "" && context.localizedCancelTitle == "No")
        #expect(context.localizedReason == "why" && context.interactionNotAllowed)
    }

    @Test func errorsAreOnesOfApples() {
        let error: any Error = LAError(.userCancel)
        #expect((error as? LAError)?.code == .userCancel)
        #expect((error as NSError).code == -2 && (error as NSError).domain == LAErrorDomain)
        do { throw error } catch LAError.userCancel {} catch {
            Issue.record("The error wasn't caught by its code.")
        }
        let plain: any Error = LAError.make()
        #expect((plain as? LAError)?.code == .biometryNotAvailable)
    }

    @Test func aContextIsAValueOfAQuery() {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecUseAuthenticationContext: LAContext(),
            kSecUseItemList: [String](),
        ]
        // The query fails because of the item list: a context that is an `LAContext` is accepted.
        let status = SecItemCopyMatching(query as CFDictionary, nil)
        #expect(status == errSecParam)
        let context: AnyHashable = LAContext()
        #expect(context == context)
    }

    @Test func contextsAreUsedFromManyThreads() {
        let context = Shared(context: LAContext())
        DispatchQueue.concurrentPerform(iterations: 64) { number in
            context.context.touchIDAuthenticationAllowableReuseDuration = Double(number)
            context.context.setCredential(Data([1]), type: .applicationPassword)
            if number == 63 { context.context.invalidate() }
        }
        #expect(!context.context.setCredential(nil, type: .applicationPassword))
    }

    private struct Shared: @unchecked Sendable { let context: LAContext }
}

extension LAError {
    fileprivate static func make() -> any Error {
        var error: NSError?
        _ = unsafe LAContext().canEvaluatePolicy(
            .deviceOwnerAuthenticationWithBiometrics, error: &error)
        return LAError(_nsError: error ?? NSError(domain: "", code: 0))
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// A program that tests sign and run, never part of a release: prints the results of `SecTask` for
// itself, or of the calls on items and certificates.
//
//     NAME…    the identifier, then a line for each entitlement: its value, `absent` or `failed STATUS`
//     items    see ``ItemCalling``
//     judge …  see ``CertificateJudging``
//     bundle   the bundle's identifier, or `none`

import Foundation
import Security

func text(_ value: CFTypeRef?, _ failure: Unmanaged<CFError>?) -> String {
    if let failure = unsafe failure { return unsafe "failed \(failure.takeRetainedValue().code)" }
    switch value {
    case nil: return "absent"
    case let texts as [String]: return texts.joined(separator: " ")
    case let text as String: return text
    case let flag as Bool: return "\(flag)"
    case .some(let other): return "strange \(other)"
    }
}

if CommandLine.arguments.dropFirst() == ["items"] {
    ItemCalling.run()
    exit(0)
}
if CommandLine.arguments.dropFirst().first == "judge" {
    CertificateJudging.run(Array(CommandLine.arguments.dropFirst(2)))
    exit(0)
}
if CommandLine.arguments.dropFirst() == ["bundle"] {
    print(Bundle.main.bundleIdentifier ?? "none")
    exit(0)
}
guard let task = SecTaskCreateFromSelf(nil), CFGetTypeID(task) == SecTaskGetTypeID() else {
    exit(1)
}
var failure: Unmanaged<CFError>?
unsafe print(text(unsafe SecTaskCopySigningIdentifier(task, &failure), unsafe failure))
let names = Array(CommandLine.arguments.dropFirst())
for name in names {
    var failure: Unmanaged<CFError>?
    let value = unsafe SecTaskCopyValueForEntitlement(task, name as CFString, &failure)
    unsafe print(text(value, unsafe failure))
}
let all = SecTaskCopyValuesForEntitlements(task, names as CFArray, nil)
print(all.map { "\($0.count)" } ?? "failed")

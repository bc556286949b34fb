// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import SecurityWire

extension ItemClass {
    /// How many attributes Apple's class has: more attribute keys are errSecParam, whatever they
    /// are. Source: Apple's SecItem, as observed.
    var attributeCount: Int {
        switch self {
        case .genericPassword: 38
        case .internetPassword: 48
        case .certificate: 33
        case .key: 51
        case .identity: 84
        }
    }
}

extension ParsedQuery.Limit {
    init(_ object: AnyObject) throws(ItemFailure) {
        if let text = object as? NSString {
            switch text as String {
            case "m_LimitOne": self = .one
            case "m_LimitAll": self = .all
            default: throw ItemFailure(errSecParam)
            }
            return
        }
        guard let number = object as? NSNumber, !isBoolean(number) else {
            throw ItemFailure(errSecParam)
        }
        let value = number.doubleValue
        guard value.isFinite else { throw ItemFailure(errSecParam) }
        // A negative number is SQLite's "no limit"; numbers that no keychain reaches are the same.
        if value <= -1 || value >= Double(Int32.max) {
            self = .all
        } else {
            let count = Int(value)
            self = count == 1 ? .one : .number(count)
        }
    }
}

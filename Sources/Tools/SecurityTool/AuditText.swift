// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecurityWire

/// Records of the audit log as lines, and as JSON. The JSON's keys are frozen.
enum AuditText {
    /// One line: number, time, event, outcome, program, items.
    static func line(_ record: AuditRecord) -> String {
        var words = [padded(String(record.sequence), 7), time(record)]
        words.append(padded(record.event.name, -15))
        words.append(padded(outcome(record), -14))
        if record.processID == 0 {
            if record.number > 0 { words.append(String(record.number)) }
        } else {
            words.append("uid \(record.userID) pid \(record.processID)")
            words += [record.identityGrade, quoted(record.accessGroup)]
            if !record.applicationGroup.isEmpty {
                words.append("(\(quoted(record.applicationGroup)))")
            }
            words.append(quoted(record.application))
            if let itemClass = record.itemClass { words.append(itemClass.rawValue) }
            words += record.items.map(uuid)
            if record.number > 0 { words.append("and \(record.number) more") }
        }
        var line = words.joined(separator: " ")
        while line.last == " " { line.removeLast() }
        return line + "\n"
    }

    /// One object with all records and the breaks of the chain.
    static func put(
        _ records: [AuditRecord], brokenAt: [UInt64], asJSONTo output: inout Output
    ) {
        output.put("{\n  \"records\": [")
        for (index, record) in records.enumerated() {
            output.put(index == 0 ? "\n    " : ",\n    ")
            output.put(json(record))
        }
        output.put(records.isEmpty ? "],\n" : "\n  ],\n")
        let numbers = brokenAt.map(String.init).joined(separator: ", ")
        output.put("  \"brokenAt\": [\(numbers)]\n}\n")
    }

    private static func json(_ record: AuditRecord) -> String {
        let itemClass = record.itemClass.map { quoted($0.rawValue) } ?? "null"
        let items = record.items.map { quoted(uuid($0)) }.joined(separator: ", ")
        let group = record.applicationGroup
        let applicationGroup = group.isEmpty ? "null" : quoted(group)
        let fields = [
            "\"record\": \(record.sequence)", "\"time\": \(quoted(time(record)))",
            "\"event\": \(quoted(record.event.name))", "\"status\": \(record.status)",
            "\"reason\": \(record.reason.map { quoted("\($0)") } ?? "null")",
            "\"secrets\": \(record.includesSecrets)", "\"uid\": \(record.userID)",
            "\"pid\": \(record.processID)", "\"grade\": \(quoted(record.identityGrade))",
            "\"accessGroup\": \(quoted(record.accessGroup))",
            "\"applicationGroup\": \(applicationGroup)",
            "\"application\": \(quoted(record.application))", "\"class\": \(itemClass)",
            "\"items\": [\(items)]", "\"number\": \(record.number)",
        ]
        return "{" + fields.joined(separator: ", ") + "}"
    }

    private static func outcome(_ record: AuditRecord) -> String {
        guard record.status == 0 else { return "refused \(record.status)" }
        return record.includesSecrets ? "secret" : "ok"
    }

    /// The time to the millisecond.
    private static func time(_ record: AuditRecord) -> String {
        let milliseconds = Int64((Double(record.microseconds) / 1000).rounded(.down))
        let seconds = milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000
        let rest = String(milliseconds - seconds * 1000)
        let text = CivilTime(sinceEpoch: min(max(seconds, -1 << 37), 1 << 37)).rfc3339
        return text.dropLast() + "." + String(repeating: "0", count: max(0, 3 - rest.count)) + rest
            + "Z"
    }

    /// In the form of RFC 9562.
    static func uuid(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789ABCDEF")
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append("-") }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return text
    }

    /// A JSON string; also used in lines, so that a program's name can't imitate other parts.
    static func quoted(_ text: String) -> String {
        let digits = Array("0123456789abcdef")
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            default:
                let isPlain = scalar.properties.generalCategory.isPrintable
                if isPlain {
                    quoted.unicodeScalars.append(scalar)
                } else {
                    for unit in String(scalar).utf16 {
                        quoted += "\\u"
                        for shift in [12, 8, 4, 0] {
                            quoted.append(digits[Int(unit >> UInt16(shift)) & 15])
                        }
                    }
                }
            }
        }
        return quoted + "\""
    }

    /// Padded with spaces: before the text, or after it for a negative width.
    private static func padded(_ text: String, _ width: Int) -> String {
        let spaces = String(repeating: " ", count: max(0, abs(width) - text.count))
        return width < 0 ? text + spaces : spaces + text
    }
}

extension Unicode.GeneralCategory {
    /// Not a control character, a line separator, or an invisible character.
    fileprivate var isPrintable: Bool {
        switch self {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
            .paragraphSeparator:
            false
        default: true
        }
    }
}

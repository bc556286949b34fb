// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Which addresses may be connected to for a question about certificates: the value of `fetch` in
/// `trust.conf`.
///
/// `off`: none. `on`: those of the public networks. Ranges: those; `on` and ranges: both.
package struct FetchRules: Equatable, Sendable {
    /// The value, as it was read.
    package let text: String
    private let hasPublic: Bool
    private let ranges: [AddressRange]

    /// None.
    package static let off = FetchRules(text: "off", hasPublic: false, ranges: [])

    private init(text: String, hasPublic: Bool, ranges: [AddressRange]) {
        self.text = text
        self.hasPublic = hasPublic
        self.ranges = ranges
    }

    private static let rangeLimit = 64

    /// - Returns: Nil for what is none of these values.
    package init?(_ text: String) {
        let words = text.split { $0 == " " || $0 == "," || $0 == "\t" }
        guard !words.isEmpty, words.count <= Self.rangeLimit else { return nil }
        let names = words.filter { $0 == "on" || $0 == "off" }
        let ranges = words.filter { $0 != "on" && $0 != "off" }.compactMap(AddressRange.init)
        guard names.count <= 1, names.count + ranges.count == words.count,
            names.first != "off" || words.count == 1
        else { return nil }
        self.text = words.joined(separator: ",")
        hasPublic = names.first == "on"
        self.ranges = ranges
    }

    /// Whether nothing is fetched.
    package var isOff: Bool { !hasPublic && ranges.isEmpty }

    /// Whether an address may be connected to.
    /// - Parameter address: 4 or 16 bytes.
    /// - Returns: False also for what is no address.
    package func allows(_ address: [UInt8]) -> Bool {
        var address = address
        // The same host as without the prefix.
        if address.count == 16, address.starts(with: Self.mapped) {
            address = Array(address[12...])
        }
        if ranges.contains(where: { $0.contains(address) }) { return true }
        return hasPublic && Self.isPublic(address)
    }

    private static let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]

    private static func isPublic(_ address: [UInt8]) -> Bool {
        switch address.count {
        case 4: !special.contains { $0.contains(address) }
        case 16:
            global.contains { $0.contains(address) } && !special.contains { $0.contains(address) }
        default: false
        }
    }

    private static let global = ["2000::/3"].compactMap { AddressRange($0[...]) }

    /// This host, private and shared networks, loopback, link-local, protocols', documentation's,
    /// multicast, reserved; and those whose address names another one (Teredo, 6to4).
    private static let special = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
        "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16",
        "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
    ].compactMap { AddressRange($0[...]) }
}

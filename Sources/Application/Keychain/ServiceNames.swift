// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Names of services, for which an identity can be preferred.
package enum ServiceNames {
    /// The names that a URL matches: itself without its query, each folder above with a slash at its
    /// end, its host, and `*.` with each domain above that. Any other name matches itself.
    package static func including(_ name: String) -> [String] {
        let scheme = name.indices.first { name[$0...].hasPrefix("://") }
        guard let scheme, scheme != name.startIndex else { return [name] }
        let start = name.index(scheme, offsetBy: 3)
        var address = name.prefix { $0 != "?" }
        guard start <= address.endIndex else { return [name] }
        var names = [String(address)]
        let host = address[start...].prefix { $0 != "/" }
        let root = host.endIndex
        while let slash = address[root...].dropLast().lastIndex(of: "/") {
            address = address[...slash]
            names.append(String(address))
        }
        let hostName = host.split(separator: "@").last?.prefix { $0 != ":" } ?? ""
        if !hostName.isEmpty, !hostName.hasPrefix("[") { names.append(String(hostName)) }
        let labels = hostName.split(separator: ".")
        for count in stride(from: labels.count - 1, to: 0, by: -1) {
            names.append("*." + labels.suffix(count).joined(separator: "."))
        }
        return names
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CPublicSuffix
import Glibc

/// Host names and addresses in certificates (RFC 6125, RFC 9525): alternative names alone, never the
/// common name.
enum HostNames {
    /// Whether a certificate names a host.
    /// - Parameters:
    ///   - names: The certificate's alternative names.
    ///   - host: A name, or an address as text.
    /// - Returns: Whether one of the names is the host's.
    static func matches(_ names: CertificateUses.Names?, _ host: String) -> Bool {
        guard let names else { return false }
        if let address = address(host) { return names.networkAddresses.contains(address) }
        guard let wanted = labels(host.hasSuffix(".") ? String(host.dropLast()) : host) else {
            return false
        }
        return names.hosts.contains { covers($0, wanted) }
    }

    /// Whether a name of a certificate is one of a host: labels of letters, digits, hyphens and
    /// underscores; `*` alone as the first one.
    static func isHostName(_ name: String) -> Bool {
        guard let labels = labels(name) else { return false }
        return labels.dropFirst().allSatisfy { $0 != "*" }
            && (labels.first != "*" || labels.count > 1)
    }

    private static func covers(_ name: String, _ wanted: [String]) -> Bool {
        guard let labels = labels(name), labels.count == wanted.count else { return false }
        guard labels.first == "*" else { return labels == wanted }
        let rest = labels.dropFirst()
        guard !rest.isEmpty, !isPublicSuffix(rest.joined(separator: ".")) else { return false }
        return rest.elementsEqual(wanted.dropFirst())
    }

    /// The lower-case labels; nil for what isn't a host's name.
    private static func labels(_ name: String) -> [String]? {
        guard !name.isEmpty, name.utf8.count <= 253 else { return nil }
        let labels = name.lowercased().split(separator: ".", omittingEmptySubsequences: false)
        for label in labels where label != "*" {
            guard (1...63).contains(label.utf8.count), label.first != "-", label.last != "-",
                label.utf8.allSatisfy({
                    (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D
                        || $0 == 0x5F
                })
            else { return nil }
        }
        return labels.map(String.init)
    }

    /// Whether names directly below it belong to different owners, as below `co.uk`. The list is
    /// compiled into the library.
    private static func isPublicSuffix(_ name: String) -> Bool {
        guard let list = unsafe psl_builtin() else { return true }
        return unsafe psl_is_public_suffix(list, name) != 0
    }

    /// The bytes of an IPv4 or IPv6 address; nil for any other text.
    static func address(_ text: String) -> [UInt8]? {
        var four = in_addr()
        if unsafe inet_pton(AF_INET, text, &four) == 1 {
            return unsafe withUnsafeBytes(of: &four) { unsafe Array($0) }
        }
        var six = in6_addr()
        let bare =
            text.hasPrefix("[") && text.hasSuffix("]")
            ? String(text.dropFirst().dropLast()) : text
        if unsafe inet_pton(AF_INET6, bare, &six) == 1 {
            return unsafe withUnsafeBytes(of: &six) { unsafe Array($0) }
        }
        return nil
    }
}

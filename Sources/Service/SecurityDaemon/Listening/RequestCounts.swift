// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import SecurityWire
import Synchronization

/// How many requests of each kind have been answered, and why others failed: for a monitor. It has no
/// name of a user, a program or an item.
package final class RequestCounts: Sendable {
    private struct Counts {
        var answered: [String: UInt64] = [:]
        var failed: [String: UInt64] = [:]
    }

    private let counts = Mutex(Counts())

    /// Nothing has been counted.
    package init() {}

    /// Counts a reply.
    package func count(_ reply: ServiceReply) {
        counts.withLock { counts in
            if case .failed(let failure) = reply {
                counts.failed["\(failure.reason)", default: 0] += 1
            } else {
                counts.answered[reply.requestName, default: 0] += 1
            }
        }
    }

    /// The counts in the text format of Prometheus.
    /// - Parameter start: When the process started, in seconds since 1970.
    /// - Returns: Whole lines.
    package func text(start: Int) -> String {
        let (answered, failed) = counts.withLock { ($0.answered, $0.failed) }
        var lines = [
            "# HELP llavero_start_time_seconds When securityd started.",
            "# TYPE llavero_start_time_seconds gauge",
            "llavero_start_time_seconds \(start)",
            "# HELP llavero_requests_total Requests that securityd has answered.",
            "# TYPE llavero_requests_total counter",
        ]
        lines += answered.sorted { $0.key < $1.key }
            .map { "llavero_requests_total{request=\"\($0.key)\"} \($0.value)" }
        lines += [
            "# HELP llavero_failures_total Requests that securityd has refused, by reason.",
            "# TYPE llavero_failures_total counter",
        ]
        lines += failed.sorted { $0.key < $1.key }
            .map { "llavero_failures_total{reason=\"\($0.key)\"} \($0.value)" }
        return lines.joined(separator: "\n") + "\n"
    }
}

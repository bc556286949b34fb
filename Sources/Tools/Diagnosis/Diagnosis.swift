// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Keychain

/// Looks at everything that a keychain needs, and says what is wrong.
///
/// No check waits without a limit, and none needs more than its caller's rights.
package struct Diagnosis: Sendable {
    private let places: Places
    private let deadline: Duration
    private let now: Int64
    private let explain: @Sendable (KeychainError) -> String

    /// How long the checks may take, each time that this process waits for some.
    package static let checkTime = Duration.seconds(5)
    /// The most that `LLAVERO_DEADLINE_MS` can make of the wait for an answer.
    private static let longestDeadline = Duration.seconds(60)

    /// - Parameters:
    ///   - places: Where to look.
    ///   - deadline: For the service's answer.
    ///   - now: What the clock says, in seconds since 1970.
    ///   - explain: A failure of the service, in words.
    package init(
        _ places: Places, deadline: Duration?, now: Int64,
        explain: @escaping @Sendable (KeychainError) -> String
    ) {
        self.places = places
        self.deadline = min(deadline ?? Self.checkTime, Self.longestDeadline)
        self.now = now
        self.explain = explain
    }

    /// Runs all checks. The process must have one thread.
    package func run() -> [Report] {
        var service = finish([BoundedRun(ServiceCheck(places))])[0]
        var status: DeviceStatus?
        if service.findings.isEmpty, let socket = places.socket {
            switch ask(socket) {
            case .success(let answer): status = answer
            case .failure(let problem): service = problem.report
            }
        }
        let around: [any Check] = [
            DirectoryCheck(places, isServed: status != nil), DiskCheck(places),
            ClockCheck(places, now: now), KernelCheck(.ofThisMachine(), status),
            DeviceKeyCheck(places, status), KeptFilesCheck(places),
        ]
        return [service] + finish(around.map(BoundedRun.init)) + reported(status)
    }

    /// What the service alone knows.
    private func reported(_ status: DeviceStatus?) -> [Report] {
        guard let status else {
            let reason = "no service answers"
            return [
                .skipped("versions", because: "tool \(VersionCheck.own); \(reason)"),
                .skipped("state", because: reason),
            ]
        }
        return [VersionCheck(status).run(), StateCheck(status).run()]
    }

    private func finish(_ runs: [BoundedRun]) -> [Report] {
        let end = ContinuousClock.now + Self.checkTime
        return runs.map { $0.finish(by: end) }
    }

    // MARK: - The service

    private struct Problem: Error {
        let report: Report
    }

    private func ask(_ socket: String) -> Result<DeviceStatus, Problem> {
        let connection = KeychainConnection(
            location: ServiceLocation(socketPath: socket, deadline: deadline))
        let start = ContinuousClock.now
        do throws(KeychainError) { return .success(try connection.deviceStatus()) } catch {
            let isLate = start.duration(to: .now) >= deadline
            return .failure(
                Problem(
                    report: isLate
                        ? ServiceCheck.unanswered(socket, within: deadline)
                        : ServiceCheck.failed(socket, error, explain(error))))
        }
    }
}

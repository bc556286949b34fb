// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Writes that must not be carried out any more, should they still come: their bytes may lie in the
/// socket of a connection that nobody has read yet. With the process its connections end, so this
/// needs no disk.
struct RevokedWrites {
    private struct Name: Hashable {
        let requestID: [UInt8]
        let userID: UInt32
    }

    private var ends: [Name: ContinuousClock.Instant] = [:]

    /// Bytes are read within milliseconds, or not before the process goes on after having been
    /// stopped; it then reads first what came first.
    private static let lifetime = Duration.seconds(120)
    private static let capacity = 16_384

    /// Notes a write.
    /// - Throws: ``DaemonError/overloaded`` when more were revoked than there is room for.
    mutating func add(_ requestID: [UInt8], userID: UInt32) throws(DaemonError) {
        let now = ContinuousClock.now
        if ends.count >= Self.capacity { ends = ends.filter { $0.value > now } }
        guard ends.count < Self.capacity else { throw .overloaded }
        ends[Name(requestID: requestID, userID: userID)] = now + Self.lifetime
    }

    /// Whether a write was revoked.
    func has(_ requestID: [UInt8], userID: UInt32) -> Bool {
        !ends.isEmpty && ends[Name(requestID: requestID, userID: userID)] != nil
    }
}

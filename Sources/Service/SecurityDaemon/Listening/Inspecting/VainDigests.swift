// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import CodeIdentity

/// Long files whose digest was taken in vain: it isn't taken again for a while, however the file is
/// changed.
package struct VainDigests: Sendable {
    private struct Entry {
        let device: UInt64
        let inode: UInt64
        let identity: ClientIdentity
        let until: ContinuousClock.Instant
    }

    /// How long a file is remembered.
    package static let patience = Duration.seconds(10)
    private static let limit = 256
    /// A shorter file's digest takes no more than some milliseconds.
    package static let longByteCount: Int64 = 32 << 20
    private var entries: [Entry] = []

    /// No file.
    package init() {}

    /// Notes a file whose digest showed that its program is nobody.
    package mutating func note(
        _ file: FileIdentity, _ identity: ClientIdentity, now: ContinuousClock.Instant
    ) {
        entries.removeAll { $0.until <= now }
        guard file.byteCount >= Self.longByteCount, entries.count < Self.limit else { return }
        entries.append(
            Entry(
                device: file.device, inode: file.inode, identity: identity,
                until: now + Self.patience))
    }

    /// Who a user's program of this file was, if its digest isn't to be taken now.
    package func identity(
        _ file: FileIdentity, userID: UInt32, now: ContinuousClock.Instant
    ) -> ClientIdentity? {
        entries.first {
            $0.device == file.device && $0.inode == file.inode && $0.until > now
                && $0.identity.userID == userID
        }?.identity
    }
}

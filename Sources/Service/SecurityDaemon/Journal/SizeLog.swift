// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Logging
import SecurityWire

/// Logs items that are larger than keychains are meant for: only their sizes. They are stored
/// anyway. Source: Apple's securityd, as observed.
final class SizeLog {
    private let log: Logger
    /// When the next line may be written.
    private var nextLine = ContinuousClock.now

    private static let usualSecretByteCount = 32 * 1024
    private static let usualAttributesByteCount = 2048
    /// A client that stores many of them can't fill the log.
    private static let pause = Duration.seconds(60)

    init(_ log: Logger) { self.log = log }

    /// Logs the item that will be stored, if it is large.
    func note(secretByteCount: Int?, _ attributes: ItemAttributes) {
        let attributesByteCount = attributes.entries.reduce(0) { $0 + $1.value.byteCount }
        let secretByteCount = secretByteCount ?? 0
        guard
            secretByteCount > Self.usualSecretByteCount
                || attributesByteCount > Self.usualAttributesByteCount
        else { return }
        let now = ContinuousClock.now
        guard now >= nextLine else { return }
        nextLine = now + Self.pause
        log.warning(
            "a large item is stored",
            metadata: [
                "secretBytes": "\(secretByteCount)", "attributeBytes": "\(attributesByteCount)",
            ])
    }
}

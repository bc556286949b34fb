// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC
package import Logging

extension LogMessage {
    /// The key of a line's metadata under which its log finds this.
    package static let metadataKey = "message-id"

    /// A line's metadata, with what happened.
    package func metadata(_ others: Logger.Metadata = [:]) -> Logger.Metadata {
        others.merging([Self.metadataKey: .string(rawValue)]) { _, new in new }
    }
}

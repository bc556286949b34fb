// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import SessionRules

/// The options of each user: the system's file, then one of the user's. Read at each event, so that a
/// change needs no restart.
final class OptionFiles {
    /// For all users.
    private let common: String
    private let directory: String?
    private let log: ServiceLog
    /// What has been said of a file: once is enough.
    private var said: Set<String> = []

    /// - Parameters:
    ///   - common: The file for all users.
    ///   - directory: Has a file for each user who has options of their own, by name; nil in user
    ///     mode.
    ///   - log: The log.
    init(common: String, directory: String?, log: ServiceLog) {
        self.common = common
        self.directory = directory
        self.log = log
    }

    /// The options of a user.
    func options(of userName: String) -> SessionOptions {
        var options = SessionOptions()
        for path in paths(userName) {
            guard let text = SmallFile.read(path, limit: SessionOptions.byteCountLimit) else {
                continue
            }
            let (found, unknown) = SessionOptions.reading(text, over: options)
            options = found
            if !unknown.isEmpty { complain(path, unknown) }
        }
        return options
    }

    private func complain(_ path: String, _ lines: [Int]) {
        let numbers = lines.map(String.init).joined(separator: ", ")
        let text = "\(path): lines \(numbers) aren't understood; the rest is used."
        if said.insert(text).inserted { log.write(nil, .warning, text) }
    }

    private func paths(_ userName: String) -> [String] {
        guard let directory, !userName.isEmpty, !userName.hasPrefix("."), !userName.contains("/")
        else { return [common] }
        return [common, directory + "/" + userName]
    }
}

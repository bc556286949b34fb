// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// When wrong passcodes destroy the class keys. No other code decides it.
enum ErasurePolicy {
    /// Whether so many wrong passcodes erase everything of the user.
    ///
    /// Any program of the user can guess. An unidentified program must not destroy the data of the
    /// others, so its guesses only disable the passcode, unless the settings say otherwise.
    static func isDue(_ settings: Keybag.Settings, _ attempts: AttemptCounter) -> Bool {
        guard settings.eraseAfter > 0, attempts.failures >= settings.eraseAfter else {
            return false
        }
        return settings.erasesForUnidentified || !attempts.hasUnidentified
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// What a program says and hears in calls: `import Keychain` is all that it needs.
@_exported public import SecretBytes
@_exported public import SecurityWire

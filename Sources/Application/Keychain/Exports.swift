// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// The types that calls take and return: a program needs only `import Keychain`.
@_exported public import SecretBytes
@_exported public import SecurityWire

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Apple's name for what is in LlaveroSecurity. A package whose other dependencies look for a module
/// of this name uses that one, under an alias (Interop/Certificates).
@_exported public import LlaveroSecurity

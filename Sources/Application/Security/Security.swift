// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Apple's name for the module LlaveroSecurity. If other dependencies of a package check for a
/// module of this name, the package imports LlaveroSecurity under an alias (Interop/Certificates).
@_exported public import LlaveroSecurity

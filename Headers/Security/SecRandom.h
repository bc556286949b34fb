// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors
// Made by Scripts/generate-c-interface; edits here are lost.

// Random bytes.

#ifndef SECURITY_SECRANDOM_H
#define SECURITY_SECRANDOM_H

#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/// A source of random bytes.
typedef const struct __SecRandom *SecRandomRef;

/// The one source there is: the kernel's.
CF_EXPORT const SecRandomRef _Nullable kSecRandomDefault;

/// Fills memory with random bytes from the kernel.
/// - Parameters:
///   - random: Ignored, as by Apple's function: there is one source.
///   - count: How many bytes bytes has room for.
///   - bytes: The memory to fill.
/// - Returns: errSecSuccess; errSecParam for a negative count; errSecInternalComponent if the
///   kernel returns none (then bytes must not be used).
CF_EXPORT int SecRandomCopyBytes(SecRandomRef _Nullable random, size_t count, void *bytes);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif

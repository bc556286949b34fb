// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors
// Made by Scripts/generate-c-interface; edits here are lost.

// Programs as the service knows them.

#ifndef SECURITY_SECTASK_H
#define SECURITY_SECTASK_H

#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/// The type of tasks.
CF_EXPORT CFTypeID SecTaskGetTypeID(void);

/// This program.
/// - Parameter allocator: Ignored.
/// - Returns: Never NULL.
CF_EXPORT SecTaskRef _Nullable SecTaskCreateFromSelf(CFAllocatorRef _Nullable allocator);

/// The value of a program's entitlement that the service honors: a text, an array of texts or a
/// truth value, as far as the program's provisioning profile allows it. The service itself sets
/// application-identifier, com.apple.application-identifier and
/// com.apple.developer.team-identifier.
/// - Parameters:
///   - task: The program.
///   - entitlement: The name.
///   - error: Where to put the reason when the service can't be asked; an entitlement that the
///     program doesn't have is no error.
/// - Returns: NULL when the program doesn't have it.
CF_EXPORT CFTypeRef _Nullable SecTaskCopyValueForEntitlement(
    SecTaskRef task, CFStringRef entitlement, CFErrorRef _Nullable *_Nullable error);

/// The values of several entitlements, as SecTaskCopyValueForEntitlement returns them.
/// - Parameters:
///   - task: The program.
///   - entitlements: The names.
///   - error: Where to put the reason when the service can't be asked; errSecParam for names that
///     aren't texts.
/// - Returns: Those that the program has, by their names; NULL with an error.
CF_EXPORT CFDictionaryRef _Nullable SecTaskCopyValuesForEntitlements(
    SecTaskRef task, CFArrayRef entitlements, CFErrorRef _Nullable *_Nullable error);

/// The program's identifier in its signature, without the team's prefix.
/// - Parameters:
///   - task: The program.
///   - error: Where to put the reason when the service can't be asked.
/// - Returns: NULL without an error when the program isn't signed by a team that the device trusts.
CF_EXPORT CFStringRef _Nullable SecTaskCopySigningIdentifier(
    SecTaskRef task, CFErrorRef _Nullable *_Nullable error);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif

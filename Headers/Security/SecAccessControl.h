// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors
// Made by Scripts/generate-c-interface; edits here are lost.

// What must be proven before an item is used.

#ifndef SECURITY_SECACCESSCONTROL_H
#define SECURITY_SECACCESSCONTROL_H

#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/// What must be proven before an item is used.
typedef CF_OPTIONS(CFOptionFlags, SecAccessControlCreateFlags) {
    /// The device's owner is present, proven by biometry or passcode.
    kSecAccessControlUserPresence = 1,
    /// Any enrolled biometry.
    kSecAccessControlBiometryAny = 2,
    /// The former name of biometryAny.
    kSecAccessControlTouchIDAny = 2,
    /// Biometry as enrolled when the item was made.
    kSecAccessControlBiometryCurrentSet = 8,
    /// The former name of biometryCurrentSet.
    kSecAccessControlTouchIDCurrentSet = 8,
    /// The device's passcode.
    kSecAccessControlDevicePasscode = 16,
    /// A paired device.
    kSecAccessControlCompanion = 32,
    /// The former name of companion.
    kSecAccessControlWatch = 32,
    /// One of the constraints is enough.
    kSecAccessControlOr = 16384,
    /// All constraints are needed.
    kSecAccessControlAnd = 32768,
    /// The constraints apply to the use of a private key.
    kSecAccessControlPrivateKeyUsage = 1073741824,
    /// A password that the application asks for.
    kSecAccessControlApplicationPassword = 0x80000000UL,
};

/// The type of access controls.
CF_EXPORT CFTypeID SecAccessControlGetTypeID(void);

/// Makes an access control.
/// - Parameters:
///   - allocator: Ignored.
///   - protection: A kSecAttrAccessible… value.
///   - flags: What must be proven. User presence can be combined only with an application password
///     and private-key use. "Or" excludes "and", and any biometry excludes the current set.
///   - error: Where to put the reason, errSecParam.
/// - Returns: NULL for an invalid combination.
CF_EXPORT SecAccessControlRef _Nullable SecAccessControlCreateWithFlags(
    CFAllocatorRef _Nullable allocator, CFTypeRef protection, SecAccessControlCreateFlags flags,
    CFErrorRef _Nullable *_Nullable error);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif

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
    /// That the device's owner is there, by biometry or passcode.
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
    /// The constraints are about use of a private key.
    kSecAccessControlPrivateKeyUsage = 1073741824,
    /// A password that the application asks for.
    kSecAccessControlApplicationPassword = 0x80000000UL,
};

/// The type of access controls.
CF_EXPORT CFTypeID SecAccessControlGetTypeID(void);

/// Makes an access control.
/// - Parameters:
///   - allocator: Not looked at.
///   - protection: A kSecAttrAccessible… value.
///   - flags: What must be proven. User presence goes only with an application password and
///     private-key use; "or" doesn't go with "and", nor any biometry with the current set.
///   - error: Where to put the reason, errSecParam.
/// - Returns: NULL for a combination that can't be meant.
CF_EXPORT SecAccessControlRef _Nullable SecAccessControlCreateWithFlags(
    CFAllocatorRef _Nullable allocator, CFTypeRef protection, SecAccessControlCreateFlags flags,
    CFErrorRef _Nullable *_Nullable error);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors
// Made by Scripts/generate-c-interface; edits here are lost.

// The keychain, with the names and types of Apple's framework of this name.

#ifndef SECURITY_SECURITY_H
#define SECURITY_SECURITY_H

#include <Security/SecBase.h>
#include <Security/SecItem.h>
#include <Security/SecAccessControl.h>
#include <Security/SecRandom.h>
#include <Security/SecCertificate.h>
#include <Security/SecCertificateOIDs.h>
#include <Security/SecKey.h>
#include <Security/SecCertificateRequest.h>
#include <Security/SecIdentity.h>
#include <Security/SecPolicy.h>
#include <Security/SecTrust.h>
#include <Security/SecTrustSettings.h>
#include <Security/SecImportExport.h>
#include <Security/SecTask.h>
#include <Security/SecKeychain.h>
#include <Security/SecKeychainItem.h>

#endif

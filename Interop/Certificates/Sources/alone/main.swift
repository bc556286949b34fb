// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import X509

#if canImport(Security)
    #error("a target that doesn't depend on Security found it")
#endif

let name = try DistinguishedName { CommonName("Llavero") }
precondition(name.description == "CN=Llavero")

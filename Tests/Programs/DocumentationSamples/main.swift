// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// The code of the documentation's pages, compiled; a test runs it with a separate keychain.
// `TidyTests` compares each Swift block of a page with the regions between `// sample: NAME` and
// `// end sample` in this folder: several regions of one name in a file are one block, in order,
// with an empty line between them.

import Glibc

let samples = readmeSamples + securitySamples + keychainSamples + sealedFileSamples

var failures = 0
for sample in samples {
    do {
        try await sample.run()
        print("ok \(sample.name)")
    } catch {
        print("failed \(sample.name): \(error)")
        failures += 1
    }
}
exit(failures == 0 ? 0 : 1)

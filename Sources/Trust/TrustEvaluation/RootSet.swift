// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import TrustWire

/// The system's roots, as one reading of their file gave them.
package final class RootSet: Sendable {
    private let pool: CertificatePool
    /// In the order of the file.
    package let certificates: [JudgedCertificate]

    /// Reads a bundle of PEM; blocks that aren't certificates are left out.
    /// - Parameters:
    ///   - bundle: The bundle.
    ///   - exported: Certificates that are in the bundle because trust settings trusted them when it was
    ///     made: for them the settings of now count, and nothing else.
    package init(bundle: [UInt8], without exported: Set<[UInt8]> = []) {
        var pool = CertificatePool()
        var certificates: [JudgedCertificate] = []
        for der in PEMText.blocks("CERTIFICATE", in: bundle).prefix(Self.largestCount) {
            guard !exported.contains(der), let root = JudgedCertificate(der), !pool.contains(root)
            else { continue }
            pool.add(root)
            certificates.append(root)
        }
        self.pool = pool
        self.certificates = certificates
    }

    /// Debian's bundle has about 140.
    private static let largestCount = 4096

    func contains(_ certificate: JudgedCertificate) -> Bool { pool.contains(certificate) }

    func issuers(of certificate: JudgedCertificate) -> [JudgedCertificate] {
        pool.issuers(of: certificate)
    }
}

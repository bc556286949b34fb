// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import SecretBytes
import TrustWire

/// Certificates in a file: PEM, or one as DER.
enum CertificateFile {
    private static let largestByteCount = 4 << 20

    /// Why there are none.
    enum Problem: Error {
        case unreadable
        case noCertificate
    }

    /// The certificates of a file, in order; never empty.
    static func read(_ path: String) throws(Problem) -> [[UInt8]] {
        let bytes = try contents(path)
        let blocks = PEMText.blocks("CERTIFICATE", in: bytes)
        let found = blocks.isEmpty ? [bytes] : blocks
        guard found.allSatisfy({ DERElements.only($0[...])?.tag == DERTag.sequence }) else {
            throw .noCertificate
        }
        return found
    }

    /// The bytes of a file; no secret is expected in it.
    static func contents(_ path: String) throws(Problem) -> [UInt8] {
        do throws(InputFile.Problem) {
            let file = try InputFile(path, byteLimit: largestByteCount)
            return unsafe file.content.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
        } catch { throw .unreadable }
    }

    /// Writes a new or existing file, readable by all.
    /// - Returns: Whether all of it was written.
    static func write(_ bytes: [UInt8], to path: String) -> Bool {
        let file = unsafe fopen(path, "we")
        guard let file = unsafe file else { return false }
        let isWritten = unsafe fwrite(bytes, 1, bytes.count, file) == bytes.count
        return unsafe fclose(file) == 0 && isWritten
    }
}

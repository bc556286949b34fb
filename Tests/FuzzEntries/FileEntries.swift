// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CredentialFiles
import Foundation
import SecretBytes
import SecurityDaemon
import SecurityWire

/// Files: those of other programs, and the audit log's.
enum FileEntries {
    static func netrc(_ data: Data) {
        unsafe data.withUnsafeBytes { bytes in
            let content = unsafe SecretBytes(copying: bytes)
            _ = try? Netrc.parse(content)
        }
    }

    static func gitCredentials(_ data: Data) {
        unsafe data.withUnsafeBytes { bytes in
            let content = unsafe SecretBytes(copying: bytes)
            _ = try? GitCredentials.parse(content)
        }
    }

    static func auditRecord(_ data: Data) {
        unsafe data.withUnsafeBytes { bytes in
            _ = unsafe AuditRecord.isPlaintext(bytes)
        }
    }

    // MARK: - Seeds

    static var netrcFiles: [Data] {
        [
            "machine a.example login me password \"s e\\\"cret\"\n",
            "# comment\nmachine b port imaps user you account x password #p\ndefault login l "
                + "password p\nmacdef init\nls\n\nmachine c port 8080 login z password y",
            "machine", "",
        ].map { Data($0.utf8) }
    }

    static var gitFiles: [Data] {
        [
            "https://me:p%40ss@example.com:8443/path%20x\n", "# c\n\nhttp://u:p@[::1]/\n",
            "cert://:x@%2Fpath\n",
        ].map { Data($0.utf8) }
    }

    static var auditRecords: [Data] {
        [Data(repeating: 0, count: 128), Data((0..<192).map { UInt8($0) })]
    }
}

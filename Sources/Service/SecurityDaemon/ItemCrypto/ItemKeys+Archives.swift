// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire

extension ItemKeys {
    /// Has enclaved seal secrets of an open archive for rows of this keychain, about one MiB a call.
    /// - Returns: For each the sealed secret; nil for one that doesn't open.
    func restoreSecrets(
        _ secrets: [ArchivedSecret], session: UInt32, userID: UInt32
    ) throws(DaemonError) -> [[UInt8]?] {
        var sealed: [[UInt8]?] = []
        var rest = secrets[...]
        while !rest.isEmpty {
            var (count, byteCount) = (0, 0)
            for secret in rest {
                byteCount += secret.sealed.count + 256
                guard count == 0 || byteCount <= Self.batchByteCount, count < BackupLayout.rowLimit
                else { break }
                count += 1
            }
            let batch = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
            do throws(EnclaveCallError) {
                let restored = try enclave.restoreSecrets(session: session, batch, userID: userID)
                for secret in restored { sealed.append(try Self.bytes(of: secret)) }
            } catch { throw DaemonError(error) }
        }
        return sealed
    }

    private static func bytes(of secret: RestoredSecret) throws(EnclaveCallError) -> [UInt8]? {
        switch secret {
        case .sealed(let bytes): return bytes
        case .failure(.locked): throw .locked
        case .failure: return nil
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import KeychainVocabulary
package import SecretBytes
import SecurityWire

/// Makes keychains and their markers.
package enum KeychainCreation {
    /// Writes the marker, then has the service make the keychain; without it the marker goes again.
    /// - Parameters:
    ///   - path: As ``UserKeychain/path(of:)`` gives it.
    ///   - password: 0 to 1023 bytes.
    ///   - connection: The connection, which may delete and configure the keychain then.
    /// - Throws: `errSecDuplicateKeychain`; `errSecWrPerm` and others where no marker can be written;
    ///   as ``KeychainConnection/createKeychain(_:path:_:password:)``.
    package static func make(
        _ path: [UInt8], _ password: Secret, _ connection: KeychainConnection
    ) throws(KeychainError) {
        let home = UserKeychain.home
        guard !KeychainPath.isLogin(path, home: home) else { throw .keychainExists }
        let others = try connection.keychains().keychains
        var unmarked: KeychainID?
        if KeychainMarker.exists(at: path) {
            // What a command that was cut short has left is replaced, and nothing else.
            guard let marker = try? KeychainMarker.read(at: path, userID: geteuid()),
                !marker.id.isLogin, !others.contains(where: { $0.id == marker.id })
            else { throw .keychainExists }
        } else {
            unmarked = others.first(where: { $0.path == path })?.id
        }
        KeychainMarker.makeFolder(home: home)
        let uuid = (0..<KeychainLimits.uuidByteCount).map { _ in UInt8.random(in: 0...255) }
        guard let id = KeychainID(uuid) else { throw .invalidKeychain }
        // The marker comes first: where none can be written nothing is deleted, and another command at
        // the same path sees it.
        let marker = KeychainMarker(id)
        try marker.write(to: path, suffix: suffix())
        do throws(KeychainError) {
            if let unmarked { try connection.deleteKeychain(unmarked) }
            try connection.createKeychain(id, path: path, KeychainSettings(), password: password)
        } catch {
            let isThere =
                error.reason == .unknownOutcome
                ? try connection.keychains().keychains.contains { $0.id == id } : false
            guard isThere else {
                marker.remove(from: path, userID: geteuid())
                throw error
            }
        }
        try markLogin()
    }

    /// Writes login's marker, which says that there are other keychains.
    package static func markLogin() throws(KeychainError) {
        let login = KeychainPath.login(home: UserKeychain.home)
        guard !KeychainMarker.exists(at: login) else { return }
        try KeychainMarker(.login).write(to: login, suffix: suffix())
    }

    /// Of a file under construction: threads of one process may make keychains at a time.
    package static func suffix() -> [UInt8] {
        [UInt8](".\(getpid()).\(UInt32.random(in: 0...(.max))).tmp".utf8)
    }
}

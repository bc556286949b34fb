// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecretBytes
import SecurityWire
import TranscodingWire

/// What `import` and `export` share.
enum FileFormats {
    private static let named: [String: CodingFormat] = [
        "openssl": .openSSL, "openssh1": .ssh, "openssh2": .ssh2, "raw": .raw, "pkcs7": .pkcs7,
        "pkcs8": .wrappedPKCS8, "pkcs12": .pkcs12, "netscape": .netscape, "x509": .x509,
        "pemseq": .pemSequence,
    ]

    /// Why a command ends.
    enum Problem: Error {
        case usage
        /// It was printed.
        case said(Int32)
        case failed(TranscodingFailure)
        case keychain(KeychainError)
    }

    /// The format of an option's word.
    static func format(_ word: String) throws(Problem) -> CodingFormat {
        guard let format = named[word] else { throw .usage }
        return format
    }

    /// The keychain of an option's word; without one the default keychain.
    static func keychain(
        _ word: Word?, _ connection: KeychainConnection
    ) throws(Problem) -> CertificateKeychain {
        do throws(KeychainError) { return try CertificateKeychain.named(word, connection) } catch {
            complain(
                "security: SecKeychainOpen \(word?.string ?? "<NULL>"): "
                    + SecurityStatus.message(for: error.status))
            throw .said(1)
        }
    }

    /// Prints what failed.
    /// - Returns: The exit status.
    static func complained(_ problem: Problem, at function: String, _ command: Command) -> Int32 {
        switch problem {
        case .usage: return command.usageError()
        case .said(let status): return status
        case .keychain(let error):
            let isOfRoot = error.reason == .administratorNeeded
            _ = complain(
                error, at: function,
                advice: isOfRoot ? "In the System keychain of a machine only root stores." : nil)
        case .failed(let failure):
            complain("security: \(function): \(SecurityStatus.message(for: status(failure)))")
            if failure == .encryptedSSH {
                complain(
                    "security: The key has a passphrase. `ssh-keygen -p -N '' -f COPY` removes that "
                        + "from a copy of the file.")
            }
        }
        return 1
    }

    private static func status(_ failure: TranscodingFailure) -> Int32 {
        switch failure {
        case .passphraseNeeded: SecurityStatus.passphraseRequired
        case .passphraseWrong: SecurityStatus.pkcs12VerifyFailure
        case .unknownFormat: SecurityStatus.unknownFormat
        case .unsupported, .encryptedSSH: SecurityStatus.unsupportedFormat
        case .tooMuch: SecurityStatus.decode
        case .failed: SecurityStatus.internalComponent
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecurityWire
import TrustWire

/// The command `llavero-export-trust`: makes the machine's trust settings count for programs that read
/// Debian's list of roots.
enum ExportTrust {
    private static let usage = """
        usage: llavero-export-trust [--sysroot DIRECTORY] [--socket PATH]

          Writes the certificates that the machine's trust settings trust for TLS servers to
          /usr/local/share/ca-certificates/llavero, deletes those that it wrote before and that
          aren't trusted any more, and runs update-ca-certificates. Root runs it.

          --sysroot DIRECTORY  Does all that in the system below DIRECTORY, by chroot.
          --socket PATH        Takes the settings of another service than the machine's. It lists
                               each certificate and asks first.

        """

    private struct Options {
        var root = ""
        var socket: String?

        init?(_ words: [String]) {
            var rest = words[...]
            while let word = rest.popFirst() {
                guard let value = rest.popFirst(), value.hasPrefix("/") else { return nil }
                switch word {
                case "--sysroot": root = value == "/" ? "" : value
                case "--socket": socket = value
                default: return nil
                }
            }
        }
    }

    static func run(_ words: [String]) -> Int32 {
        if words == ["--help"] {
            FileHandle.standardOutput.write(Data(usage.utf8))
            return 0
        }
        guard let options = Options(words) else {
            say(usage)
            return 2
        }
        guard geteuid() == 0 else { return fail("only root changes the machine's list of roots") }
        let bundle: TrustedBundle
        do throws(KeychainError) {
            let location = ServiceLocation(
                socketPath: options.socket ?? ServiceLocation.systemSocket)
            let settings = try KeychainConnection(location: location).trustSettings(.machine)
            bundle = TrustedBundle(user: TrustSettings(), machine: settings, roots: [])
        } catch {
            return fail(
                "the machine's trust settings can't be read: "
                    + SecurityStatus.message(for: error.status))
        }
        for (entry, reason) in bundle.omitted { say(omission(entry, reason)) }
        if options.socket != nil, !confirm(bundle.trusted) {
            return fail("nothing was changed")
        }
        do throws(ExportFailure) {
            let export = try TrustExport(root: options.root, wanted: bundle.trusted)
            try export.carryOut()
            print(export.summary)
            return 0
        } catch { return fail(error.text) }
    }

    private static func omission(
        _ entry: TrustSettings.Entry, _ reason: TrustedBundle.Omission
    ) -> String {
        let name = CertificateSubject.summary(entry.certificate)
        let text =
            switch reason {
            case .denied: "is denied here; the machine's list can't say that"
            case .limited: "is trusted here with limits, which the machine's list can't have"
            case .notARoot: "isn't a self-signed authority"
            case .unknown: "is known by its digest alone"
            }
        let digest = ExternalTrustSettings.hex(entry.digest)
        return "Not exported: \(name.isEmpty ? digest : name) \(text).\n"
    }

    /// Asks on standard input.
    private static func confirm(_ certificates: [[UInt8]]) -> Bool {
        for certificate in certificates {
            let digest = ExternalTrustSettings.hex(CertificateOutline.sha256(certificate))
            say("\(CertificateSubject.summary(certificate))\n  SHA-256 \(digest)\n")
        }
        say(
            certificates.isEmpty
                ? "Nothing is trusted there. Delete what was exported before? [y/N] "
                : "Shall all programs of this machine trust these and no others of llavero's? [y/N] "
        )
        let answer = readLine(strippingNewline: true)
        if isatty(STDIN_FILENO) == 0 { say("\n") }
        return answer == "y" || answer == "yes"
    }

    private static func fail(_ text: String) -> Int32 {
        say("llavero-export-trust: \(text)\n")
        return 1
    }

    private static func say(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}

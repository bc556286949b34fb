// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

/// The command `llavero-export-trust`, in a mount namespace where the machine's list is a copy.
@Suite(.enabled(if: geteuid() == 0, "only root has mount namespaces"))
struct ExportTrustTests {
    /// The real script, but for a run after `fail` was made: that one fails and changes nothing.
    private static let update = """
        #!/bin/sh
        if [ -e WORK/fail ]; then rm WORK/fail; exit 1; fi
        exec WORK/real "$@"

        """
    private static let outside = """
        mkdir -p /usr/local/share/ca-certificates
        mount --bind "$1/ssl" /etc/ssl
        mount --bind "$1/local" /usr/local/share/ca-certificates
        mount --bind "$1/update" /usr/sbin/update-ca-certificates
        exec "$2/securityd" --ephemeral -- sh -c "$3" inside "$1" "$2"
        """
    /// What each word of the answer says: a status of the export, `listed` or `-`, the files of
    /// certificates that are exported, and of those that are removed, and the verdict.
    private static let beginning = """
        cd "$1"
        PATH="$2:$PATH"
        folder=/usr/local/share/ca-certificates/llavero
        count() { find $folder -name "$1" | wc -l; }
        round() {
            yes | llavero-export-trust --socket "$LLAVERO_SOCKET" > /dev/null 2>&1
            status=$?
            listed=-
            openssl verify -CAfile /etc/ssl/certs/ca-certificates.crt -no-CApath root.pem \
                > /dev/null 2>&1 && listed=listed
            verdict=bad
            security verify-cert -c server.pem -c authority.pem -p ssl -n server.example \
                > /dev/null 2>&1 && verdict=good
            echo "$status $listed $(count '*.crt') $(count '*.removed') $verdict"
        }

        """

    private func lines(_ script: String) throws -> [String] {
        try TemporaryDirectory.lend { directory in
            _ = try TestCertificates(in: directory)
            let files = FileManager.default
            try files.copyItem(atPath: "/etc/ssl", toPath: directory + "/ssl")
            try files.copyItem(
                atPath: "/usr/sbin/update-ca-certificates", toPath: directory + "/real")
            try files.createDirectory(
                atPath: directory + "/local", withIntermediateDirectories: false)
            try Self.update.replacingOccurrences(of: "WORK", with: directory)
                .write(toFile: directory + "/update", atomically: true, encoding: .utf8)
            for name in ["update", "real"] {
                try files.setAttributes(
                    [.posixPermissions: 0o755], ofItemAtPath: directory + "/" + name)
            }
            var options = TestProcess.Options()
            options.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
            let words = ["-m", "--propagation", "private", "sh", "-euc", Self.outside, "outside"]
            let result = try TestProcess.run(
                "/usr/bin/unshare",
                words + [directory, Binaries.directory, Self.beginning + script], options)
            #expect(result.errors == "")
            return result.output.split(separator: "\n").map(String.init)
        }
    }

    @Test func aFailedUpdateIsRepeated() throws {
        let lines = try lines(
            """
            security add-trusted-cert -d root.pem
            round
            security remove-trusted-cert -d root.pem
            touch fail
            round
            round
            round
            """)
        #expect(
            lines == [
                "0 listed 1 0 good",
                // The list has it still, so it isn't forgotten, and isn't a root of the system.
                "1 listed 0 1 bad",
                "0 - 0 0 bad",
                "0 - 0 0 bad",
            ])
    }

    @Test func whatIsTrustedAgainAfterAFailedUpdateIsExportedAgain() throws {
        let lines = try lines(
            """
            security add-trusted-cert -d root.pem
            touch fail
            round
            round
            security remove-trusted-cert -d root.pem
            touch fail
            round
            security add-trusted-cert -d root.pem
            round
            """)
        #expect(
            lines == [
                "1 - 1 0 good", "0 listed 1 0 good", "1 listed 0 1 bad", "0 listed 1 0 good",
            ])
    }
}

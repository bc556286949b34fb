// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
package import Keychain

/// Whether the tool, securityd and enclaved have the same version.
package struct VersionCheck: Check {
    package let name = "versions"
    private let own: String
    private let service: String?
    private let enclave: String?

    /// - Parameters:
    ///   - own: The tool's version.
    ///   - service: securityd's; nil if it reports none.
    ///   - enclave: enclaved's; nil if it reports none.
    package init(own: String, service: String?, enclave: String?) {
        self.own = own
        self.service = service
        self.enclave = enclave
    }

    /// The versions of this program and of the daemons that answered.
    package init(_ status: DeviceStatus) {
        self.init(
            own: Self.own, service: status.serviceVersion, enclave: status.enclaveVersion)
    }

    /// The version of this program.
    package static var own: String { Release.own.description }

    /// See ``Check/run()``.
    package func run() -> Report {
        let service = service ?? "unknown"
        let enclave = enclave ?? "unknown"
        var findings: [Finding] = []
        if service != enclave {
            findings.append(
                Finding(
                    .broken, "daemons-differ",
                    what: "securityd has the version \(service), and enclaved \(enclave).",
                    why: "The two understand each other only if they are of one version.",
                    advice: "Install all programs again, and start the service again."))
        }
        if service != own {
            findings.append(
                Finding(
                    .advice, "service-of-another-version",
                    what: "The service has the version \(service), and this tool \(own).",
                    why: "After an upgrade, the old service goes on until it is started again.",
                    advice: "Start the service again. If that doesn't help, `which securityd` and "
                        + "`which security` are of two installations."))
        }
        return Report(name, "tool \(own), securityd \(service), enclaved \(enclave)", findings)
    }
}

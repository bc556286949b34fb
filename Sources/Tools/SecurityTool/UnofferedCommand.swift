// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Commands of macOS that have no counterpart here, each with the reason.
enum UnofferedCommand {
    /// - Returns: Nil for a command that is offered, or that isn't one of macOS.
    static func reason(_ name: String) -> String? { reasons[name] }

    private static let reasons: [String: String] = [
        "authorize": authorization, "authorizationdb": authorization,
        "execute-with-privileges": "programs get root's rights from sudo or pkexec",
        "translocate-create": translocation, "translocate-policy-check": translocation,
        "translocate-status-check": translocation, "translocate-original-path": translocation,
        "filevault": "disks are encrypted by cryptsetup",
        "create-filevaultmaster-keychain": "disks are encrypted by cryptsetup",
        "platformsso": "logins by a provider of identities are PAM's",
        "install-mds": modules, "create-db": modules,
        "smartcards": cards, "export-smartcard": cards,
        "leaks": "valgrind looks for leaks",
        "requirement-evaluate":
            "signatures are made and judged by llavero-codesign, which has no requirements",
    ]

    private static let authorization = "rights of this system are polkit's: see pkcheck"
    private static let translocation = "programs run where they are"
    private static let modules = "there are no security modules and no databases of theirs"
    private static let cards = "cards are used through PKCS #11: see pkcs11-tool"
}

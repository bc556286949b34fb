// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

extension SecretServicePolicy {
    /// Programs of desktops that write and read each other's secrets on purpose. Schemas as libsecret
    /// sends them; paths as distributions have them, with libexec and without.
    package static let shippedFamilies = [
        family(
            "gnome-online-accounts", ["org.gnome.OnlineAccounts"],
            programs: ["gnome-control-center"], helpers: ["goa-daemon", "goa-identity-service"]),
        family(
            "evolution", ["org.gnome.Evolution.Data.Source"], programs: ["evolution"],
            helpers: [
                "evolution-source-registry", "evolution-addressbook-factory",
                "evolution-calendar-factory", "evolution-user-prompter",
                "evolution-data-server/evolution-alarm-notify",
            ]),
        family(
            "networkmanager", ["org.freedesktop.NetworkManager.Connection"],
            programs: [
                "gnome-shell", "nm-applet", "nm-connection-editor", "gnome-control-center",
                "cinnamon", "plasmashell",
            ], helpers: []),
        family(
            "gvfs", ["org.gnome.keyring.NetworkPassword"], programs: [],
            helpers: gvfs.flatMap { [$0, "gvfs/\($0)"] }),
        family(
            "pinentry", ["org.gnupg.Passphrase"],
            programs: [
                "pinentry-gnome3", "pinentry-gtk-2", "pinentry-gtk", "pinentry-qt", "pinentry-qt5",
                "pinentry-qt4", "pinentry-curses", "pinentry-tty", "pinentry-fltk", "pinentry-tqt",
            ], helpers: []),
        family(
            "kwallet", ["org.qt.keychain"],
            programs: [
                "kwalletd6", "ksecretd", "kwallet-query", "kwalletmanager", "kwalletmanager5",
                "nextcloud", "owncloud",
            ], helpers: []),
    ]

    private static let gvfs = [
        "gvfsd", "gvfsd-smb", "gvfsd-smb-browse", "gvfsd-sftp", "gvfsd-ftp", "gvfsd-dav",
        "gvfsd-http", "gvfsd-afp", "gvfsd-afp-browse", "gvfsd-nfs", "gvfsd-google", "gvfsd-wsdd",
        "gvfsd-admin",
    ]

    private static func family(
        _ name: String, _ schemas: [String], programs: [String], helpers: [String]
    ) -> Family {
        Family(
            name: name, schemas: schemas,
            paths: programs.map { "/usr/bin/\($0)" }
                + helpers.flatMap { ["/usr/libexec/\($0)", "/usr/lib/\($0)"] })
    }
}

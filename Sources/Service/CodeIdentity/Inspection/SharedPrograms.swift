// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Programs that do what their caller, a script or a file says: that one of them runs says nothing
/// about who is asking. They have the grade U, wherever they lie and whichever team signed them. The
/// list is explained in Documentation/interpreters.md.
package enum SharedPrograms {
    private static let names: Set<String> = [
        // Shells.
        "sh", "bash", "dash", "zsh", "ksh", "mksh", "fish", "busybox", "tcsh", "csh", "pwsh",
        // Languages.
        "python", "pypy", "perl", "ruby", "node", "nodejs", "deno", "bun", "lua", "luajit", "php",
        "tclsh", "wish", "expect", "guile", "java", "dotnet", "mono", "R", "Rscript", "julia",
        "octave", "awk", "gawk", "mawk", "nawk", "original-awk", "gjs", "gjs-console", "erl",
        "beam.smp", "elixir", "iex", "ghci", "ocaml", "ocamlrun", "racket", "sbcl", "clisp",
        "swift", "swift-frontend", "swift-driver", "swift-build", "lli", "tcc", "emacs", "vim",
        "nvim", "ed", "sed", "make", "gmake", "ninja", "sqlite3", "sqlcipher",
        // What loads or looks into other programs.
        "ld", "gdb", "gdbserver", "lldb", "lldb-server", "strace", "ltrace", "perf", "valgrind",
        "rr", "frida", "wine", "wine64", "wine-preloader", "wine64-preloader",
        // What carries bytes for anybody.
        "socat", "nc", "ncat", "netcat", "ssh", "sshd", "curl", "openssl",
        // Our own tool, which works in the group that its user's programs share.
        "security",
    ]
    private static let prefixes = [
        "ld-linux", "ld-musl", "ld64.so", "ld.so", "qemu-", "memcheck-", "emacs-",
    ]

    /// Libraries that are a language: a program that has one mapped does what a script says.
    private static let languages = [
        "libperl", "libpython", "libpypy", "libruby", "libnode", "liblua", "libluajit", "libphp",
        "libtcl", "libguile", "libjvm", "libcoreclr", "libmonosgen", "libmono-", "libR.",
        "libjulia",
        "liboctinterp", "libmozjs", "libgjs", "libjavascriptcoregtk", "libbeam", "libmruby",
        "libchibi", "libecl", "libgforth",
    ]

    /// Whether a program of this file name is one of them; versions at its end don't matter.
    package static func contains(fileName: String) -> Bool {
        let name = present(fileName)
        if names.contains(name) || prefixes.contains(where: { name.hasPrefix($0) }) { return true }
        var plain = name[...]
        while let last = plain.last, last.isNumber || last == "." || last == "-" {
            plain.removeLast()
        }
        return names.contains(String(plain))
    }

    /// Whether an unsigned program of this file name is a variety of one of them, as Debian's
    /// alternatives are (`vim.basic`, `nc.openbsd`, `perl5.36-x86_64-linux-gnu`, `gdb-multiarch`):
    /// the name is one of them up to a digit, a dot or a hyphen.
    package static func containsRelative(fileName: String) -> Bool {
        let name = present(fileName)
        let stem = name.prefix { !$0.isNumber && $0 != "." && $0 != "-" }
        return contains(fileName: name) || names.contains(String(stem))
    }

    /// Whether a library is a language.
    static func isLanguage(library path: String) -> Bool {
        let name = path.split(separator: "/").last ?? ""
        return languages.contains { name.utf8.starts(with: $0.utf8) }
    }

    private static func present(_ fileName: String) -> String {
        fileName.hasSuffix(" (deleted)") ? String(fileName.dropLast(10)) : fileName
    }
}

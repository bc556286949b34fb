// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ArgumentParser
import CodeIdentity
import CodeSigning
import FoundationEssentials
import Glibc

@main
struct CodeSign: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "llavero-codesign",
        abstract: "Sign programs, check their signatures and show them.",
        usage: """
            llavero-codesign -s IDENTITY [-f] [-i IDENTIFIER] [--entitlements FILE] \
            [--profile FILE] [-o library] [--info-plist] [--detached DIRECTORY] PATH...
            llavero-codesign -v PATH...
            llavero-codesign -d [-v] [--entitlements -] PATH...
            llavero-codesign --remove-signature PATH...
            """)

    @Option(name: .shortAndLong, help: "Sign as: a certificate's name or serial number, or a team.")
    var sign: String?

    @Flag(name: .shortAndLong, help: "Replace a signature that is there.")
    var force = false

    @Flag(name: .shortAndLong, help: "Show the signature.")
    var display = false

    @Flag(name: .long, help: "Check the signature.")
    var verify = false

    @Flag(name: .shortAndLong, help: "Check the signature; with -d and -s: say more.")
    var verbose: Int

    @Flag(name: .long, help: "Take the signature out.")
    var removeSignature = false

    @Option(name: .shortAndLong, help: "The application's identifier (default: the file's name).")
    var identifier: String?

    @Option(
        name: .long,
        help: "A property list of entitlements to sign; with -d, where to write them (- to print).")
    var entitlements: String?

    @Option(
        name: .long,
        help: "The provisioning profile to embed; it must list the application groups asked for.")
    var profile: String?

    @Option(name: .shortAndLong, help: "Flags of the signature, with commas between: library.")
    var options: String?

    @Flag(
        name: .long,
        help: ArgumentHelp(
            """
            Also write Info.plist beside the program, with the identifier, so that \
            Bundle.main.bundleIdentifier is it. One that has another identifier stays, and the \
            program isn't signed.
            """))
    var infoPlist = false

    @Option(name: .long, help: "Put the signature into this directory, not into the program.")
    var detached: String?

    @Option(name: .long, help: "Where teams and keys are kept.")
    var directory: String?

    @Argument(help: "The programs.")
    var paths: [String]

    mutating func validate() throws {
        let modes = [sign != nil, display, removeSignature, sign == nil && !display && isChecking]
        guard modes.filter({ $0 }).count == 1 else {
            throw ValidationError("One of -s, -d, -v and --remove-signature is needed.")
        }
        _ = try flags()
    }

    private var isChecking: Bool { verify || verbose > 0 }

    func run() throws {
        var hasFailed = false
        for path in paths {
            do {
                if let sign {
                    try self.sign(path, as: sign)
                } else if display {
                    try show(path)
                } else if removeSignature {
                    try DeveloperDirectory.examineOutput(path)
                    let program = try Program(path)
                    try program.replace(with: SectionWriter.unsigned(program.bytes))
                } else {
                    try check(path)
                }
            } catch {
                let text = (error as? SignatureProblem)?.rawValue ?? "\(error)"
                complain("\(path): \(text)")
                hasFailed = true
            }
        }
        if hasFailed { throw ExitCode(1) }
    }

    // MARK: - The three jobs

    private func sign(_ path: String, as identity: String) throws {
        let environment = ProcessInfo.processInfo.environment
        let now = Int64(Date().timeIntervalSince1970)
        let signer = try DeveloperDirectory(path: directory, environment: environment)
            .signer(identity, now: now)
        if detached == nil { try DeveloperDirectory.examineOutput(path) }
        let program = try Program(path)
        var options = ProgramSigner.Options(
            identifier: identifier ?? URL(fileURLWithPath: path).lastPathComponent, signedAt: now)
        options.flags = try flags()
        if let entitlements {
            options.entitlements = try DeveloperDirectory.read(entitlements)
        }
        if let profile {
            options.profile = try SignedDocument(decoding: DeveloperDirectory.read(profile))
        }
        let bundle = infoPlist ? try BundleInformation(beside: path, options.identifier) : nil
        if let detached {
            let container = try signer.sign(program.bytes, options, isDetached: true)
            let digest = try CodeDigest.of(ELFFile(ByteSource(program.bytes)))
            let name = detached + "/" + SignedExecutable.detachedName(digest)
            try DeveloperDirectory.write(container.encoded, name, mode: 0o644)
            if verbose > 0 { complain("\(path): signed, the signature is \(name)") }
        } else {
            try program.replace(
                with: signer.signed(program.bytes, options, replacing: force))
            if verbose > 0 { complain("\(path): signed [\(options.identifier)]") }
        }
        try bundle?.write()
    }

    private func check(_ path: String) throws {
        _ = try read(path).signature.get()
        complain("\(path): valid on disk")
    }

    private func show(_ path: String) throws {
        let executable = try read(path)
        let verified = try executable.signature.get()
        if let entitlements {
            let xml = try Program(path).entitlements ?? []
            if entitlements == "-" {
                write(xml, to: STDOUT_FILENO)
            } else {
                try DeveloperDirectory.write(xml, entitlements, mode: 0o644)
            }
            return
        }
        let signature = verified.signature
        var lines = [
            "Executable=\(URL(fileURLWithPath: path).path)", "Identifier=\(signature.identifier)",
            "Format=ELF 64-bit", "Flags=\(signature.flags.words)",
            "TeamIdentifier=\(signature.team)",
        ]
        if verbose > 0 {
            lines += [
                "CodeDigest=\(DeveloperDirectory.hexadecimal(executable.codeDigest))",
                "Authority=\(verified.developer.name)", "Authority=\(verified.root.name)",
                "Certificate=\(DeveloperDirectory.hexadecimal(verified.developer.serial))",
                "Signed Time=\(Self.date(signature.signedAt))",
                "Expires=\(Self.date(verified.developer.notAfter))",
            ]
        }
        if let profile = verified.profile {
            lines.append("Profile=\(profile.name) (\(profile.applicationPattern))")
        } else if let problem = verified.profileProblem {
            lines.append("Profile=none that counts: \(problem.rawValue)")
        }
        complain(lines.joined(separator: "\n"))
    }

    // MARK: - Helpers

    private func read(_ path: String) throws -> SignedExecutable {
        try SignedExecutable(ByteSource(Program(path).bytes)) { digest in
            detached.flatMap {
                try? DeveloperDirectory.read($0 + "/" + SignedExecutable.detachedName(digest))
            }
        }
    }

    private func flags() throws -> CodeSignature.Flags {
        var flags: CodeSignature.Flags = []
        for word in (options ?? "").split(separator: ",") {
            guard word == "library" else { throw ValidationError("\(word) is no flag.") }
            flags.insert(.libraryValidation)
        }
        return flags
    }

    private static func date(_ seconds: Int64) -> String {
        guard abs(seconds) < 253_402_300_800 else { return "never" }
        return Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    }
}

/// A program's file.
private struct Program {
    let path: String
    let bytes: [UInt8]

    init(_ path: String) throws {
        self.path = path
        var status = stat()
        // Reading a FIFO would block, and a device may have no end.
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let bytes = try? DeveloperDirectory.read(path)
        else {
            throw SignatureProblem.unreadable
        }
        self.bytes = bytes
    }

    /// Its `.entitlements` section.
    var entitlements: [UInt8]? {
        get throws {
            let file = try ELFFile(ByteSource(bytes))
            return try file.sectionBytes(
                SignedExecutable.entitlementsSection, in: file.sections(),
                limit: PropertyList.byteLimit)
        }
    }

    /// Replaces a file, and keeps its rights and owner.
    func replace(with bytes: [UInt8]) throws {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw SignatureProblem.unreadable }
        try DeveloperDirectory.write(bytes, path, mode: status.st_mode & 0o7777)
    }
}

extension CodeSignature.Flags {
    fileprivate var words: String {
        contains(.libraryValidation) ? "0x\(String(rawValue, radix: 16))(library)" : "0x0(none)"
    }
}

/// Writes a line to standard error, as codesign does.
private func complain(_ line: String) {
    write(Array((line + "\n").utf8), to: STDERR_FILENO)
}

/// Writes all bytes, or as many as the reader takes.
private func write(_ bytes: [UInt8], to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = unsafe rest.withUnsafeBytes {
            unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecurityWire

extension Command {
    /// `security seal`: seals a file, or standard input. Not a command of macOS.
    static let seal = Command(
        name: "seal",
        usage: """
            [--class CLASS] [--key NAME] [--force] FILE|- [SEALED|-]
                   seal --prepare [--class CLASS] [--key NAME]
                FILE             What to seal, or - for standard input; it stays
                SEALED           The sealed file, or - for standard output (default: FILE.sealed)
                --class CLASS    When it opens: complete (while unlocked), complete-unless-open (the
                                 same; can be written while locked), until-first-authentication
                                 (from the first unlock on; the default), none (always)
                --key NAME       Under another key than the usual one of the class
                --force          Replace a file that is there
                --prepare        Make the key alone, if there is none: for complete-unless-open,
                                 before files are sealed while the device is locked
            """,
        help: "Encrypt a file; its key is in the keychain. What it has is also authenticated.",
        run: { SealCommand.seal($0, $1) })

    /// `security unseal`: decrypts a sealed file. Not a command of macOS.
    static let unseal = Command(
        name: "unseal",
        usage: """
            [--force] SEALED|- [FILE|-]
                SEALED           The sealed file, or - for standard input; it stays
                FILE             The new file, or - for standard output (default: SEALED without
                                 .sealed); a file gets its name when all of it is authentic, what
                                 goes to standard output is whole only if the exit status is 0
                --force          Replace a file that is there
            """,
        help: "Decrypt a file that `seal` made, unless it was changed or cut off.",
        run: { SealCommand.unseal($0, $1) })
}

/// The arguments of both commands.
private struct SealWords {
    var protection = FileProtection.completeUntilFirstUserAuthentication
    var keyName = ""
    var isReplacing = false
    var isPreparing = false
    private(set) var paths: [String] = []

    /// Nil for invalid arguments.
    init?(_ words: Words, isSealing: Bool) {
        var areOptionsOver = false
        var index = 1
        while index < words.count {
            let word = words[index].string
            index += 1
            guard !areOptionsOver, word.hasPrefix("--") else {
                guard areOptionsOver || word == "-" || !word.hasPrefix("-") else { return nil }
                paths.append(word)
                continue
            }
            switch word {
            case "--": areOptionsOver = true
            case "--force": isReplacing = true
            case "--prepare" where isSealing: isPreparing = true
            case "--class" where isSealing && index < words.count:
                guard let value = FileProtection(name: words[index].string) else { return nil }
                protection = value
                index += 1
            case "--key" where isSealing && index < words.count:
                keyName = words[index].string
                index += 1
            default: return nil
            }
        }
        let counts = isPreparing ? 0...0 : 1...2
        guard counts.contains(paths.count), !paths.contains("") else { return nil }
    }
}

private enum SealCommand {
    private static let pipe = "-"
    private static let mebibyte: UInt64 = 1 << 20

    static func seal(_ words: Words, _ session: Session) -> Int32 {
        guard let words = SealWords(words, isSealing: true) else {
            return Command.seal.usageError()
        }
        let files = SealedFiles(
            session.connection, accessGroup: session.accessGroup, keyName: words.keyName)
        guard let source = words.paths.first else {
            return report("seal", "the key") { () throws(SealedFileError) in
                try files.prepare(words.protection)
            }
        }
        let isPipe = source == pipe
        let target = words.paths.count > 1 ? words.paths[1] : isPipe ? pipe : source + ".sealed"
        guard target != pipe || isatty(STDOUT_FILENO) == 0 else {
            complain("security: seal: a sealed file isn't for a terminal; name one, or redirect it")
            return 2
        }
        let progress = Progress("Sealing", source)
        return report("seal", isPipe ? target : source, target) { () throws(SealedFileError) in
            if isPipe {
                var writer = try Self.writer(target, words, files)
                try writer.writeAll(ofDescriptor: STDIN_FILENO, progress.show)
                try writer.finish()
            } else {
                let input = try SealedFileInput(source)
                var writer = try Self.writer(target, words, files)
                try writer.writeAll(of: input, progress.show)
                try writer.finish()
            }
        }
    }

    static func unseal(_ words: Words, _ session: Session) -> Int32 {
        guard let words = SealWords(words, isSealing: false) else {
            return Command.unseal.usageError()
        }
        let source = words.paths[0]
        guard let target = words.paths.count > 1 ? words.paths[1] : defaultTarget(source) else {
            complain("security: unseal: \(source) doesn't end in .sealed: name the new file")
            return 2
        }
        let files = SealedFiles(session.connection, accessGroup: session.accessGroup)
        let progress = Progress("Unsealing", source)
        return report("unseal", InputFile.name(of: source), target) { () throws(SealedFileError) in
            if target == pipe {
                var stream = try Self.stream(source, files)
                try SealedFiles.write(&stream, to: STDOUT_FILENO, progress.show)
            } else {
                let stream = try Self.stream(source, files)
                try SealedFiles.write(
                    stream, to: target, replacing: words.isReplacing, progress.show)
            }
        }
    }

    private static func writer(
        _ target: String, _ words: SealWords, _ files: SealedFiles
    ) throws(SealedFileError) -> SealedFileWriter {
        if target == pipe {
            return try files.create(descriptor: STDOUT_FILENO, protection: words.protection)
        }
        return try files.create(
            target, protection: words.protection, replacing: words.isReplacing)
    }

    private static func stream(
        _ source: String, _ files: SealedFiles
    ) throws(SealedFileError) -> SealedFileStream {
        if source == pipe { return try files.stream(descriptor: STDIN_FILENO) }
        return try files.open(source).stream()
    }

    private static func defaultTarget(_ source: String) -> String? {
        if source == pipe { return pipe }
        let suffix = SealedFiles.suffix
        guard source.hasSuffix(suffix), source.count > suffix.count else { return nil }
        let target = String(source.dropLast(suffix.count))
        return target.hasSuffix("/") ? nil : target
    }

    // MARK: - Output

    /// Shows the progress of long work; the total is the size of the file that is read.
    private final class Progress {
        private let bar: ProgressBar

        init(_ verb: String, _ source: String) {
            var status = stat()
            let isFile =
                unsafe source != pipe && stat(source, &status) == 0
                && status.st_mode & S_IFMT == S_IFREG
            bar = ProgressBar(verb, of: isFile ? Int(UInt64(status.st_size) / mebibyte) : 0)
        }

        func show(_ byteCount: UInt64) { bar.show(Int(byteCount / mebibyte)) }
    }

    private static func report(
        _ name: String, _ source: String, _ target: String = "",
        _ body: () throws(SealedFileError) -> Void
    ) -> Int32 {
        do throws(SealedFileError) {
            try body()
            return 0
        } catch { return status(error, name, source, target) }
    }

    /// Prints the error.
    private static func status(
        _ error: SealedFileError, _ name: String, _ source: String, _ target: String
    ) -> Int32 {
        let text: String
        switch error {
        case .keychain(let failure):
            return complain(failure, at: name)
        case .notSealed: text = "\(source): isn't a sealed file"
        case .newerVersion(let version):
            text = "\(source): a newer version of this program made it (format \(version))"
        case .damaged(.end):
            text = "\(source): was changed, cut off or appended to after it was sealed"
        case .damaged: text = "\(source): was changed after it was sealed"
        case .badKey: text = "\(source): the item of its key has something else in it"
        case .exists: text = "\(target): is there already; --force replaces it"
        case .notRegularFile:
            text = "\(source), \(target): only files can be named; - reads from a pipe"
        case .system(let code):
            let message = unsafe strerror(code).map { unsafe String(cString: $0) }
            text = "\(source), \(target): \(message ?? "error \(code)")"
        case .ended: text = "\(source): can't be written on"
        case .otherProcess: text = "\(source): another process opened it"
        }
        complain("security: \(name): \(text)")
        return 1
    }
}

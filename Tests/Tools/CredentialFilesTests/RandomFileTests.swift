// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CredentialFiles
import Foundation
import Testing

/// Random files: written files are read unchanged, and damaged ones do no harm.
@Suite struct RandomFileTests {
    /// `LLAVERO_SEED` repeats a run.
    private static let seed =
        ProcessInfo.processInfo.environment["LLAVERO_SEED"].flatMap(UInt64.init)
        ?? UInt64.random(in: 0 ... .max)

    @Test func writtenNetrcFilesComeBack() throws {
        var random = FileMaker(seed: Self.seed)
        for _ in 0..<2_000 {
            let logins = random.logins(hasPath: false)
            let bytes = random.netrc(logins)
            let file = try Format.netrc.parse(bytes)
            #expect(file.logins == logins, "seed \(Self.seed)")
        }
    }

    @Test func writtenGitCredentialsComeBack() throws {
        var random = FileMaker(seed: Self.seed)
        for _ in 0..<2_000 {
            let logins = random.logins(hasPath: true)
            let bytes = random.gitCredentials(logins)
            let file = try Format.gitCredentials.parse(bytes)
            #expect(file.logins == logins, "seed \(Self.seed)")
        }
    }

    /// Two parses of each text give the same result: logins, or a line number that the file has.
    @Test func anyBytesAreParsedOrRefusedWithALineOfTheFile() throws {
        var random = FileMaker(seed: Self.seed)
        var accepted = 0
        for round in 0..<20_000 {
            let bytes = random.spoiltFile(isNetrc: round % 2 == 0)
            for format in Format.allCases {
                let results = (0..<2).map { _ -> Result<Parsed, BadLine> in
                    do throws(BadLine) { return .success(try format.parse(bytes)) } catch {
                        return .failure(error)
                    }
                }
                #expect(results[0] == results[1], "seed \(Self.seed)")
                let lineCount = bytes.count { $0 == 10 } + 1
                switch results[0] {
                case .success(let file):
                    accepted += file.logins.isEmpty ? 0 : 1
                    #expect(file.lines.allSatisfy { (1...lineCount).contains($0) })
                    #expect(file.lines == file.lines.sorted(), "seed \(Self.seed)")
                    let size = file.logins.reduce(0) { $0 + $1.secret.count + $1.server.utf8.count }
                    #expect(size <= bytes.count, "nothing is made up, seed \(Self.seed)")
                case .failure(let error):
                    #expect((1...lineCount).contains(error.line), "seed \(Self.seed)")
                }
            }
        }
        #expect(accepted > 1_000, "most changes are small")
    }
}

/// Makes random logins and files of them.
private struct FileMaker {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// SplitMix64.
    private mutating func next(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((z ^ (z >> 31)) % UInt64(bound))
    }

    private mutating func chance(_ percent: Int) -> Bool { next(100) < percent }

    private mutating func pick<T>(_ values: [T]) -> T { values[next(values.count)] }

    private mutating func text(_ alphabet: String, _ bounds: ClosedRange<Int>) -> String {
        let letters = Array(alphabet.unicodeScalars)
        var text = String.UnicodeScalarView()
        for _ in 0..<(bounds.lowerBound + next(bounds.count)) { text.append(pick(letters)) }
        return String(text)
    }

    mutating func logins(hasPath: Bool) -> [Login] {
        (0..<next(6)).map { _ in
            let codes = [("https", "htps"), ("http", "http"), ("imaps", "imps"), ("ssh", "ssh ")]
            let special = "ab1 #\"\\'%:/?@&=[]$`äЖ日\u{300}"
            return Login(
                text("abcxyz019.-é", 1...20), text(special, 0...12), text(special + "\r\t", 0...24),
                networkProtocol: hasPath ? pick(codes).1 : nil,
                port: chance(30) ? 1 + next(65_535) : 0,
                path: hasPath && chance(40) ? "p" + text(special, 0...9) + "q" : "")
        }
    }

    // MARK: - netrc

    mutating func netrc(_ logins: [Login]) -> [UInt8] {
        var text = ""
        for login in logins {
            noise(&text)
            text += pick(["machine", "MACHINE", "Machine"]) + space() + word(login.server)
            var parts = [
                pick(["login", "user"]) + space() + word(login.account),
                "password" + space() + word(String(decoding: login.secret, as: UTF8.self)),
            ]
            if login.port != 0 { parts.append("port \(login.port)") }
            if chance(20) { parts.append("account" + space() + word("guest \"")) }
            for index in parts.indices { parts.swapAt(index, next(parts.count)) }
            for part in parts {
                text += (chance(10) ? " # login password \"\n" : space()) + part
            }
            text += "\n"
        }
        noise(&text)
        return [UInt8](text.utf8)
    }

    private mutating func noise(_ text: inout String) {
        if chance(20) { text += "# a comment password x\n" }
        if chance(10) { text += "macdef init\nmachine \"not one\n put %\n\n" }
        if chance(20) { text += "\r\n \n" }
    }

    private mutating func space() -> String { pick([" ", "\t", "  ", "\n", "\r\n", " \n\t"]) }

    private mutating func word(_ value: String) -> String {
        let needsQuotes =
            value.isEmpty || value.utf8.first == 0x22
            || value.utf8.contains { $0 == 0x20 || (9...13).contains($0) }
        guard needsQuotes || chance(30) else { return value }
        var word = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"", "\\": word += "\\\(scalar)"
            case "\r": word += chance(50) ? "\\r" : "\r"
            case "\t": word += chance(50) ? "\\t" : "\t"
            default: word.unicodeScalars.append(scalar)
            }
        }
        return word + "\""
    }

    // MARK: - git

    mutating func gitCredentials(_ logins: [Login]) -> [UInt8] {
        let schemes = ["htps": "https", "http": "http", "imps": "imaps", "ssh ": "ssh"]
        var text = ""
        for login in logins {
            if chance(20) { text += "\n" }
            let secret = login.secret.map { encoded($0) }.joined()
            let port = login.port == 0 ? "" : pick([":", "%3a", "%3A"]) + "\(login.port)"
            let path = login.path.isEmpty ? pick(["", "/", "//"]) : "/" + encoded(login.path)
            text += schemes[login.networkProtocol ?? ""] ?? "https"
            text += "://\(encoded(login.account)):\(secret)@\(encoded(login.server))\(port)\(path)"
            text += pick(["\n", "\r\n", " \n"])
        }
        return [UInt8](text.utf8)
    }

    private mutating func encoded(_ text: String) -> String {
        text.utf8.map { encoded($0) }.joined()
    }

    private mutating func encoded(_ byte: UInt8) -> String {
        let isPlain = byte > 0x20 && byte < 0x7F && !"#%/:?@[]".utf8.contains(byte)
        if isPlain, chance(90) { return String(UnicodeScalar(byte)) }
        let digits = String(byte, radix: 16, uppercase: chance(50))
        return "%" + (digits.count == 1 ? "0" : "") + digits
    }

    // MARK: - Damaged files

    mutating func spoiltFile(isNetrc: Bool) -> [UInt8] {
        if chance(5) { return (0..<next(300)).map { _ in UInt8(next(256)) } }
        let logins = logins(hasPath: !isNetrc)
        var bytes = isNetrc ? netrc(logins) : gitCredentials(logins)
        for _ in 0..<(1 + next(4)) where !bytes.isEmpty {
            let place = next(bytes.count)
            let special: [UInt8] = [0, 9, 10, 13, 32, 34, 35, 37, 47, 58, 64, 91, 92, 93, 255]
            switch next(5) {
            case 0: bytes[place] = pick(special)
            case 1: bytes.insert(pick(special), at: place)
            case 2: bytes.remove(at: place)
            case 3: bytes.removeLast(bytes.count - place)
            default:
                let end = min(bytes.count, place + next(20))
                bytes += bytes[place..<end]
            }
        }
        return bytes
    }
}

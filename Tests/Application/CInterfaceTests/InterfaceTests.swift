// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import TestSupport
import Testing

/// The declarations in the headers.
struct Interface {
    /// Functions, constants that are objects, and named numbers.
    var functions: Set<String> = []
    var texts: Set<String> = []
    var numbers: Set<String> = []
    var types: Set<String> = []

    /// All names.
    var all: Set<String> { functions.union(texts).union(numbers).union(types) }

    /// Reads the installed headers.
    static func headers() throws -> Interface {
        _ = try Prefix.library()
        let folder = Prefix.path + "/include/Security/"
        var found = Interface()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let text = try String(contentsOfFile: folder + name, encoding: .utf8)
                .split(separator: "\n").filter { !$0.contains("///") }.joined(separator: "\n")
            found.read(text)
        }
        return found
    }

    private mutating func read(_ text: String) {
        for match in text.matches(of: /CF_EXPORT const \w+ (?:_Nullable )?(\w+);/) {
            texts.insert(String(match.1))
        }
        texts.remove("kSecRandomDefault")
        for match in text.matches(of: /CF_EXPORT [\w* ]*?[ *](\w+)\(/) {
            functions.insert(String(match.1))
        }
        for match in text.matches(of: /\n    (\w+) = [^;]*?,/) { numbers.insert(String(match.1)) }
        for match in text.matches(of: /typedef (?:const )?(?:struct )?[\w]+ \*?(\w+);/) {
            types.insert(String(match.1))
        }
        for match in text.matches(of: /typedef CF_(?:ENUM|OPTIONS)\(\w+, (\w+)\)/) {
            types.insert(String(match.1))
        }
    }
}

@Suite struct InterfaceTests {
    /// A row of the list of symbols.
    private struct Symbol {
        let kind: Substring
        let name: String
    }

    private static func symbols(_ list: String = "api-symbols") throws -> [Symbol] {
        let path = Binaries.packageRoot + "/Tests/Vectors/\(list).tsv"
        return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
            .map { line in
                let fields = line.split(separator: "\t")
                // The list has the class's name; C has a pointer to it.
                let name = fields[2] == "SecTask" ? "SecTaskRef" : String(fields[2])
                return Symbol(kind: fields[1], name: name)
            }
    }

    @Test func theHeadersDeclareEverySymbol() throws {
        let headers = try Interface.headers()
        let symbols = try Self.symbols()
        #expect(symbols.count > 1000)
        for symbol in symbols {
            let isThere =
                switch symbol.kind {
                case "function": headers.functions.contains(symbol.name)
                case "constant":
                    headers.texts.contains(symbol.name) || symbol.name == "kSecRandomDefault"
                case "type": headers.types.contains(symbol.name)
                default: headers.numbers.contains(symbol.name)
                }
            #expect(isThere, "\(symbol.kind) \(symbol.name)")
        }
    }

    /// Names that are in the headers but not in the lists must also be in the Swift module.
    @Test func theHeadersDeclareNothingElse() throws {
        let headers = try Interface.headers()
        let known = Set(
            try (Self.symbols() + Self.symbols("api-symbols-keychains")).map(\.name))
        let functions = headers.functions.subtracting(known)
        #expect(
            functions == ["SecGenerateSelfSignedCertificate", "SecGenerateCertificateRequest"])
        var source = ""
        let folder = Binaries.packageRoot + "/Sources/Application/LlaveroSecurity"
        for path in try #require(FileManager.default.enumerator(atPath: folder)) {
            guard let path = path as? String, path.hasSuffix(".swift") else { continue }
            source += try String(contentsOfFile: folder + "/" + path, encoding: .utf8)
        }
        let members: Set = [
            "kSecFormatSSHv2", "kSecItemTypeAggregate", "kSecTrustSettingsDomainSystem",
            "kSecTrustSettingsResultUnspecified", "kSecCredentialTypeNoUI",
            "kSecKeyAlgorithmEdDSASignatureMessageCurve25519SHA512",
        ]
        for name in headers.texts.union(headers.numbers).subtracting(known).subtracting(members) {
            #expect(source.contains("let \(name):"), "\(name)")
        }
    }

    @Test func theLibraryExportsTheInterfaceAlone() throws {
        let headers = try Interface.headers()
        let listed = try Prefix.shell("nm -D --defined-only '\(try Prefix.library())'")
        var exported: Set<String> = []
        for line in listed.split(separator: "\n") {
            let fields = line.split(separator: " ")
            // An upper-case letter is a global symbol, A the name of the version.
            guard fields.count == 3, fields[1] != "A", fields[1] == fields[1].uppercased() else {
                continue
            }
            exported.insert(String(fields[2].split(separator: "@")[0]))
        }
        #expect(exported == headers.functions.union(headers.texts).union(["kSecRandomDefault"]))
        let header = try Prefix.shell("readelf -dW '\(try Prefix.library())'")
        #expect(header.contains("Library soname: [libSecurity.so.1]"))
    }

    /// A program that uses every name links and runs; its numbers are those of Swift.
    @Test func everyNameLinks() throws {
        let headers = try Interface.headers()
        var source = """
            #include <Security/Security.h>
            #include <stdio.h>
            int main(void) {
                unsigned long sum = 0;

            """
        for name in headers.functions.sorted() { source += "    sum += (unsigned long)&\(name);\n" }
        for name in headers.texts.sorted() { source += "    sum += \(name) != NULL;\n" }
        let numbers = headers.numbers.sorted()
        for name in numbers { source += "    printf(\"%ld\\n\", (long)\(name));\n" }
        let structures = [
            unsafe MemoryLayout<SecItemImportExportKeyParameters>.size,
            unsafe MemoryLayout<SecKeyImportExportParameters>.size,
            unsafe MemoryLayout<CSSM_DATA>.size,
        ]
        source += """
                printf("%zu %zu %zu\\n", sizeof(SecItemImportExportKeyParameters),
                       sizeof(SecKeyImportExportParameters), sizeof(CSSM_DATA));
                return sum ? 0 : 1;
            }
            """
        try TemporaryDirectory.lend { directory in
            let file = directory + "/all.c"
            try source.write(toFile: file, atomically: true, encoding: .utf8)
            let result = try CProgram(file, in: directory).run(service: nil)
            #expect(result.ending == .exit(0))
            let lines = result.output.split(separator: "\n")
            #expect(lines.count == numbers.count + 1)
            #expect(lines.last == Substring(structures.map(String.init).joined(separator: " ")))
            let value = { (name: String) in
                numbers.firstIndex(of: name).flatMap { Int(lines[$0]) }
            }
            #expect(value("errSecItemNotFound") == Int(errSecItemNotFound))
            #expect(value("errSecInteractionNotAllowed") == Int(errSecInteractionNotAllowed))
            #expect(value("kSecAccessControlApplicationPassword") == 1 << 31)
            #expect(value("kSecPaddingPKCS1SHA256") == 0x8004)
            #expect(value("kSecRevocationUseAnyAvailableMethod") == 3)
            let codes = try Self.secureTransportCodes()
            #expect(codes.count == 76)
            for code in codes { #expect(value(code.name) == code.number, "\(code.name)") }
        }
    }

    /// Secure Transport's result codes, as published.
    private static func secureTransportCodes() throws -> [(name: String, number: Int)] {
        let path = Binaries.packageRoot + "/Tests/Vectors/ssl-status.tsv"
        return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
            .map { line in
                let fields = line.split(separator: "\t")
                return (String(fields[0]), try #require(Int(fields[1])))
            }
    }

    /// A name that isn't defined is 0, and so is the version that is built for. Source of the rule: the
    /// numbers in AvailabilityVersions.h of macOS.
    @Test func everyVersionOfApplesSystemsHasItsNumber() throws {
        _ = try Prefix.library()
        let path = Prefix.path + "/include/AvailabilityVersions.h"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        var count: [String: Int] = [:]
        for match in text.matches(of: /#define ([A-Z_]+?)_(\d+)_(\d+)(?:_(\d+))? (\d+)\n/) {
            let major = try #require(Int(match.2))
            let minor = try #require(Int(match.3))
            let patch = match.4.flatMap { Int($0) } ?? 0
            let isOld = match.1.contains("MAC") && major == 10 && minor < 10
            let number = isOld ? 1000 + minor * 10 : major * 10_000 + minor * 100 + patch
            #expect(Int(match.5) == number, "\(match.0)")
            count[String(match.1), default: 0] += 1
        }
        let families = [
            "__MAC": 80, "__IPHONE": 97, "__TVOS": 65, "__WATCHOS": 65, "__VISIONOS": 20,
            "__BRIDGEOS": 41, "__DRIVERKIT": 29, "MAC_OS_X_VERSION": 34, "MAC_OS_VERSION": 46,
        ]
        #expect(Set(count.keys) == Set(families.keys))
        for (family, least) in families { #expect(count[family, default: 0] >= least, "\(family)") }
        let definitions = text.split(separator: "\n").filter { $0.hasPrefix("#define ") }
        // All but the header's own name.
        #expect(definitions.count == count.values.reduce(1, +))
    }

    @Test func whatIsCommittedIsWhatTheGeneratorMakes() throws {
        try TemporaryDirectory.lend { directory in
            let root = Binaries.packageRoot
            try Prefix.shell("python3 '\(root)/Scripts/generate-c-interface' '\(directory)'")
            var count = 0
            for path in try #require(FileManager.default.enumerator(atPath: directory)) {
                guard let path = path as? String,
                    let made = FileManager.default.contents(atPath: directory + "/" + path)
                else { continue }
                count += 1
                #expect(made == FileManager.default.contents(atPath: root + "/" + path), "\(path)")
            }
            #expect(count > 20)
        }
    }
}

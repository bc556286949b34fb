// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

/// Programs in C, C++ and Python with the files that `make install` has installed, and the released
/// daemons.
@Suite struct CProgramTests {
    /// Compiles a program in a separate folder, and runs it with a separate keychain.
    private func check(
        _ source: String, flags: String = "", arguments: [String] = [], claims: Int = 1
    ) throws {
        try TemporaryDirectory.lend { directory in
            let program = try CProgram(source, flags: flags, in: directory)
            let service = try TestService.start()
            defer { _ = try? service.stop() }
            let result = try program.run(arguments, service: service)
            #expect(result.ending == .exit(0), "\(result.errors)")
            try expectClaims(result, atLeast: claims)
        }
    }

    /// A program that ends early, or checks nothing, hasn't succeeded.
    private func expectClaims(_ result: TestProcess.Result, atLeast least: Int) throws {
        let line = result.output.split(separator: "\n").last { $0.hasSuffix(" failures") } ?? ""
        let numbers = line.split(separator: " ").compactMap { Int($0) }
        try #require(numbers.count == 2, "\(result.output)\(result.errors)")
        #expect(numbers[0] >= least)
        #expect(numbers[1] == 0)
    }

    @Test func everyResultHasItsShapeAndOneOwner() throws {
        try check("shapes.c", claims: 39_000)
    }

    @Test func keysCertificatesAndTrustAreReached() throws { try check("parts.c", claims: 150) }

    @Test func whatIsGotOfAnObjectBelongsToIt() throws {
        let folder = Binaries.packageRoot + "/Sources/Application/CSecurityObjects"
        let sources = ["Objects", "Values", "Constants"].map { "'\(folder)/\($0).c'" }
        try check(
            "kept.c", flags: "-I '\(folder)/include' " + sources.joined(separator: " "), claims: 14)
    }

    @Test func badInputHasItsStatusAndNoCrash() throws { try check("badinput.c", claims: 220) }

    /// What Apple's si-12 asserts, 18 steps with each of 8 items, and 9 steps beyond it.
    @Test func tombstonesAreLeftKeptAndRemovedAsInApplesTest() throws {
        try check("tombstones.c", claims: 8 * (18 + 9))
    }

    @Test func passwordsHaveObjectsAndListsOfThemMeanNothingElse() throws {
        try check("passwordobjects.c", claims: 70)
    }

    @Test func keychainsAreMadeUsedAndDeleted() throws {
        try TemporaryDirectory.lend { directory in
            let program = try CProgram("keychains.c", in: directory)
            let service = try TestService.start()
            defer { _ = try? service.stop() }
            let result = try program.run(service: service, under: ["HOME=\(directory)"])
            #expect(result.ending == .exit(0), "\(result.errors)")
            try expectClaims(result, atLeast: 55)
        }
    }

    @Test func foundationsObjectsAndAProgramsOwnAreToldFromOthers() throws {
        try check("swiftobjects.swift", claims: 50)
    }

    @Test func eightThreadsShareObjectsAndTheKeychain() throws {
        try check("threads.c", claims: 25)
    }

    @Test func cPlusPlusUsesTheHeaders() throws { try check("cplusplus.cc") }

    @Test func theDocumentedLineCompilesCPlusPlusToo() throws {
        try TemporaryDirectory.lend { directory in
            let source = Binaries.packageRoot + "/Tests/Programs/CInterface/cplusplus.cc"
            let program = try CProgram(asDocumented: source, in: directory)
            let service = try TestService.start()
            defer { _ = try? service.stop() }
            let result = try program.run(service: service)
            #expect(result.ending == .exit(0), "\(result.errors)")
            try expectClaims(result, atLeast: 1)
        }
    }

    @Test(arguments: ["", "-fPIE -pie", "-fno-pic -no-pie", "-fcf-runtime-abi=swift", "-O2"])
    func constantsAreThereBeforeMain(flags: String) throws {
        let texts = try Interface.headers().texts
        #expect(texts.count > 300)
        try check("early.c", flags: flags, arguments: texts.sorted(), claims: texts.count)
    }

    @Test func aProgramThatIsNotPositionIndependentHasCopiesOfItsConstants() throws {
        // The program of the test above, for both kinds.
        try TemporaryDirectory.lend { directory in
            let program = try CProgram("early.c", flags: "-fno-pic -no-pie", in: directory)
            let relocations = try Prefix.shell("readelf -rW '\(program.path)'")
            #expect(relocations.contains("_COPY"))
        }
    }

    @Test func theExampleDoesWhatItSays() throws {
        try TemporaryDirectory.lend { directory in
            let source = Binaries.packageRoot + "/Examples/C/keychain.c"
            let program = try CProgram(asDocumented: source, in: directory)
            let der = directory + "/anna.der"
            try sampleCertificate().write(to: URL(fileURLWithPath: der))
            let service = try TestService.start()
            defer { _ = try? service.stop() }
            let result = try program.run([der], service: service)
            #expect(result.ending == .exit(0), "\(result.errors)")
            for line in ["it is found: 0", "open wheat", "and gone: -25300", "and deleted: 0"] {
                #expect(result.output.contains(line + "\n"))
            }
            #expect(result.errors.contains("Anna Example"))
        }
    }

    @Test(arguments: [("interface.py", 7), ("keyring.py", 9)])
    func pythonUsesTheLibraryThroughCtypes(_ program: String, _ claims: Int) throws {
        let service = try TestService.start()
        defer { _ = try? service.stop() }
        let foundation = try Prefix.runtime() + "/libFoundation.so"
        let result = try CProgram.run(
            [
                "python3", Binaries.packageRoot + "/Tests/Programs/CInterface/" + program,
                try Prefix.library(), foundation,
            ], socket: service.socketPath)
        #expect(result.ending == .exit(0), "\(result.errors)")
        try expectClaims(result, atLeast: claims)
    }

    /// As in a makefile of the Mac, with every warning an error, from a prefix that was moved.
    @Test func aSourceForTheMacIsBuiltByItsOwnLine() throws {
        try TemporaryDirectory.lend { directory in
            let moved = directory + "/moved prefix"
            _ = try Prefix.library()
            try FileManager.default.copyItem(atPath: Prefix.path, toPath: moved)
            func build(_ words: String, compiler: String = "clang") throws -> TestProcess.Result {
                try Self.macClang(moved, words, compiler: compiler, in: directory)
            }
            func expectItRuns(_ program: String, claims: Int) throws {
                let result = try CProgram.run(
                    [directory + "/" + program], socket: directory + "/none")
                #expect(result.ending == .exit(0), "\(result.errors)")
                try expectClaims(result, atLeast: claims)
                #expect(try Prefix.shell("ldd '\(directory)/\(program)'").contains(moved))
            }
            let source = "-std=c11 \(Self.warnings) '\(Self.folder)/mac.c'"
            let refused = try build("\(source) -o mac -framework Security -framework AppKit")
            #expect(refused.ending == .exit(1))
            #expect(refused.errors.contains("no framework \"AppKit\""))
            let built = try build("\(source) -o mac -framework Security -framework CoreFoundation")
            #expect(built.ending == .exit(0), "\(built.errors)")
            try expectItRuns("mac", claims: 65)
            // In two steps.
            let compiled = try build("\(source) -c -o mac.o -framework Security")
            #expect(compiled.ending == .exit(0), "\(compiled.errors)")
            let linked = try build("\(Self.warnings) mac.o -o linked -framework Security")
            #expect(linked.ending == .exit(0), "\(linked.errors)")
            try expectItRuns("linked", claims: 65)
            // By the driver of another language; without a service this program fails at its first call.
            let plus = try build(
                "-std=c++17 \(Self.warnings) '\(Self.folder)/cplusplus.cc' -o plus -framework Security",
                compiler: "clang++")
            #expect(plus.ending == .exit(0), "\(plus.errors)")
            let result = try CProgram.run([directory + "/plus"], socket: directory + "/none")
            #expect(result.ending == .exit(1))
        }
    }

    /// Exactly the flags that a careful makefile of the Mac has.
    private static let warnings = "-Wall -Wextra -Wpedantic -Werror"
    private static let folder = Binaries.packageRoot + "/Tests/Programs/CInterface"

    private static func macClang(
        _ prefix: String, _ words: String, compiler: String, in directory: String
    ) throws -> TestProcess.Result {
        let line = "cd \"$0\" && CC_FOR_LLAVERO=\(compiler) '\(prefix)/bin/llavero-clang' \(words)"
        return try TestProcess.run("/bin/sh", ["-c", line, directory], within: .seconds(120))
    }

    @Test(arguments: ["c99", "c11", "c17", "gnu11", "c++11", "c++17", "c++20"])
    func theHeadersAndCFSTRGiveNoWarning(standard: String) throws {
        try TemporaryDirectory.lend { directory in
            _ = try Prefix.library()
            let isC = !standard.contains("++")
            let source = isC ? "mac.c" : "cplusplus.cc"
            let result = try Self.macClang(
                Prefix.path,
                "-std=\(standard) \(Self.warnings) -fsyntax-only '\(Self.folder)/\(source)'",
                compiler: isC ? "clang" : "clang++", in: directory)
            #expect(result.ending == .exit(0), "\(result.errors)")
            #expect(result.errors == "")
        }
    }

    /// The behavior of git's helper for the Mac: it stores a changed password, and erases a wrong
    /// one.
    @Test func aCredentialHelperForTheMacStoresChangesAndErases() throws {
        try TemporaryDirectory.lend { directory in
            let program = try CProgram("credentialhelper.c", in: directory)
            let service = try TestService.start()
            defer { _ = try? service.stop() }
            func call(_ word: String, _ more: String...) throws -> String {
                let lines = ["protocol=https", "host=example.org"] + more
                let input = lines.map { $0 + "\n" }.joined() + "\n"
                let result = try program.run([word], service: service, input: input)
                #expect(result.ending == .exit(0), "\(word): \(result.errors)")
                return result.output
            }
            let anna = "username=anna\n"
            #expect(try call("get") == "")
            _ = try call("store", "username=anna", "password=first")
            #expect(try call("get") == anna + "password=first\n")
            _ = try call("store", "username=anna", "password=second")
            #expect(try call("get") == anna + "password=second\n")
            // It must not touch another password.
            _ = try call("store", "username=berta", "password=hers")
            _ = try call("erase", "username=anna", "password=first")
            #expect(try call("get", "username=anna") == anna + "password=second\n")
            _ = try call("erase", "username=anna", "password=second")
            #expect(try call("get", "username=anna") == "")
            #expect(try call("get") == "username=berta\npassword=hers\n")
            // A wrong password alone is none of the stored ones.
            _ = try call("erase", "username=berta", "password=another")
            #expect(try call("get") == "username=berta\npassword=hers\n")
            // Without a password whatever is stored goes; then there is nothing to erase, and it says so.
            _ = try call("store", "username=anna", "password=third")
            _ = try call("erase", "username=berta")
            #expect(try call("get") == anna + "password=third\n")
            _ = try call("erase")
            #expect(try call("get") == "")
            let nothing = try program.run(
                ["erase"], service: service, input: "protocol=https\nhost=example.org\n\n")
            #expect(nothing.ending == .exit(1))
            #expect(nothing.errors == "-25300\n")
        }
    }

    /// The control of all others: checks can fail.
    @Test func withoutAServiceTheClaimsFail() throws {
        try TemporaryDirectory.lend { directory in
            let program = try CProgram("threads.c", in: directory)
            let result = try program.run(service: nil)
            #expect(result.ending == .exit(1))
            #expect(result.errors.contains("outcomes[number].wrong is "))
        }
    }

    private func sampleCertificate() throws -> Data {
        let path = Binaries.packageRoot + "/Tests/Programs/CInterface/samples.h"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let first = try #require(text.components(separatedBy: "};").first)
        let words = first.split { " ,\n{".contains($0) }.filter { $0.hasPrefix("0x") }
        return Data(words.compactMap { UInt8($0.dropFirst(2), radix: 16) })
    }
}

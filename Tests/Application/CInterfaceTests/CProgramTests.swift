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
        let folder = Binaries.packageRoot + "/Sources/CSecurityObjects"
        let sources = ["Objects", "Values", "Constants"].map { "'\(folder)/\($0).c'" }
        try check(
            "kept.c", flags: "-I '\(folder)/include' " + sources.joined(separator: " "), claims: 14)
    }

    @Test func badInputHasItsStatusAndNoCrash() throws { try check("badinput.c", claims: 220) }

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
            let folder = Binaries.packageRoot + "/Tests/Programs/CInterface"
            func build(_ framework: String) throws -> TestProcess.Result {
                try TestProcess.run(
                    "/bin/sh",
                    [
                        "-c",
                        """
                        cd "$0" && '\(moved)/bin/llavero-clang' -std=c11 -Wall -Wextra -Wpedantic -Werror \
                        -Wno-gnu-statement-expression '\(folder)/mac.c' -o mac \
                        -framework Security -framework \(framework)
                        """, directory,
                    ], within: .seconds(120))
            }
            let refused = try build("AppKit")
            #expect(refused.ending == .exit(1))
            #expect(refused.errors.contains("no framework \"AppKit\""))
            let built = try build("CoreFoundation")
            #expect(built.ending == .exit(0), "\(built.errors)")
            let result = try CProgram.run([directory + "/mac"], socket: directory + "/none")
            #expect(result.ending == .exit(0), "\(result.errors)")
            try expectClaims(result, atLeast: 15)
            #expect(try Prefix.shell("ldd '\(directory)/mac'").contains(moved))
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

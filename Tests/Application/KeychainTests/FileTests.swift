// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import TestSupport
import Testing

extension KeychainTests {
    /// Sealed files, used by tasks.
    @Suite struct Files {
        private static let bigByteCount = 512 << 30

        let folder = NSTemporaryDirectory() + "/lltest-files-\(UUID().uuidString)"

        func path(_ name: String) -> String { folder + "/" + name }

        var names: [String] {
            get throws { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }
        }

        func lend(_ body: (ServiceSubject) async throws -> Void) async throws {
            let files = FileManager.default
            try files.createDirectory(atPath: folder, withIntermediateDirectories: false)
            defer { try? files.removeItem(atPath: folder) }
            let subject = try ServiceSubject()
            let result: Result<Void, any Error>
            do { result = .success(try await body(subject)) } catch { result = .failure(error) }
            try subject.end()
            try result.get()
        }

        /// All zeros, and no disk space: it takes minutes to seal.
        private func makeBigFile(_ name: String) throws {
            try Data().write(to: URL(fileURLWithPath: path(name)))
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: path(name)))
            try file.truncate(atOffset: UInt64(Self.bigByteCount))
            try file.close()
        }

        /// How often this process has a file open.
        func openCount(_ name: String) -> Int {
            let files = FileManager.default
            let end = "/" + path(name).split(separator: "/").suffix(2).joined(separator: "/")
            let all = (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
            return all.count { number -> Bool in
                let target = try? files.destinationOfSymbolicLink(
                    atPath: "/proc/self/fd/" + number)
                return target?.hasSuffix(end) == true
            }
        }

        @Test func whatATaskSealsItOpensAndUnseals() async throws {
            try await lend { subject in
                let bytes = [UInt8]((0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
                try Data(bytes).write(to: URL(fileURLWithPath: path("plain")))
                let keychain = subject.keychain
                try await keychain.seal(file: path("plain"), protection: .complete)
                let file = try await keychain.openSealed(file: path("plain.sealed"))
                #expect(file.protection == .complete)
                #expect(
                    try file.read(at: 100_000, count: 5000) == [UInt8](bytes[100_000..<105_000]))
                try await keychain.unseal(file: path("plain.sealed"), to: path("again"))
                #expect(try Data(contentsOf: URL(fileURLWithPath: path("again"))) == Data(bytes))
                // The blocking form uses the same keys.
                let blocking = try subject.service.keychain.openSealed(file: path("plain.sealed"))
                #expect(blocking.size == 300_000)
                await #expect(throws: SealedFileError.exists) {
                    try await keychain.seal(file: path("plain"))
                }
                #expect(try names == ["again", "plain", "plain.sealed"])
            }
        }

        /// More files than the pool of tasks has threads; each stops when its task is cancelled.
        @Test func tasksGoOnWhileFilesAreSealed() async throws {
            try await lend { subject in
                try makeBigFile("big")
                let keychain = subject.keychain
                let source = path("big")
                let count = ProcessInfo.processInfo.activeProcessorCount + 2
                let seals = (0..<count).map { number in
                    let target = path("sealed \(number)")
                    return Task { () -> SealedFileError? in
                        do throws(SealedFileError) {
                            try await keychain.seal(file: source, to: target)
                            return nil
                        } catch { return error }
                    }
                }
                defer { for seal in seals { seal.cancel() } }
                try await waitUntil("all seals to begin") { openCount("big") >= count }
                try await keychain.save("value", for: "item")
                #expect(try await keychain.value(for: "item") == "value")
                #expect(try names == ["big"])
                for seal in seals { seal.cancel() }
                for seal in seals {
                    guard case .keychain(let error) = await seal.value else {
                        Issue.record("the file was sealed")
                        continue
                    }
                    #expect(error.reason == .cancelled)
                }
                #expect(try names == ["big"])
            }
        }

        @Test func testKeychainSealsNoFiles() async throws {
            let keychain = Keychain(service: "com.example.test", in: TestKeychain())
            do throws(SealedFileError) {
                try await keychain.seal(file: "/etc/hostname", to: path("sealed"))
                Issue.record("it was sealed")
            } catch {
                guard case .keychain(let error) = error else { throw error }
                #expect(error.reason == .unimplemented)
            }
            #expect(!FileManager.default.fileExists(atPath: path("sealed")))
        }
    }
}

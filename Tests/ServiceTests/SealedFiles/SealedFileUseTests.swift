// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// The intended uses of sealed files.
    @Suite struct SealedFileUse {
        private static let chunk = 4096

        @Test func filesOfEverySizeComeBackWhole() throws {
            try SealedFolder.run { service, folder in
                let files = SealedFiles.small(service.keychain)
                let chunk = Self.chunk
                let sizes = [
                    0, 1, 15, 16, 17, chunk - 1, chunk, chunk + 1, 2 * chunk - 1, 2 * chunk,
                    2 * chunk + 1, 7 * chunk, 7 * chunk + 123,
                ]
                for (number, size) in sizes.enumerated() {
                    let bytes = SealedFolder.bytes(size, seed: UInt64(number))
                    let protection = FileProtection.allCases[number % 4]
                    try folder.seal(bytes, "sealed", files, protection, replacing: true)
                    let chunkCount = max(1, (size + chunk - 1) / chunk)
                    let sealed = try folder.read("sealed")
                    #expect(sealed.count == 168 + size + 16 * chunkCount)
                    let file = try files.open(folder.file("sealed"))
                    #expect(file.size == UInt64(size))
                    #expect(file.protection == protection)
                    #expect(try file.read(at: 0, count: size + 1) == bytes)
                    #expect(try file.read(at: UInt64(size), count: 1) == [])
                    #expect(try file.read(at: .max, count: 1) == [])
                    try files.unseal(
                        file: folder.file("sealed"), to: folder.file("plain"), replacing: true)
                    #expect(try folder.read("plain") == bytes)
                    #expect(try Self.piped(sealed, files) == bytes)
                }
                // Nothing else is left in the folder.
                #expect(try folder.names == ["plain", "sealed"])
            }
        }

        @Test func bytesAnywhereAreThoseThatWereSealed() throws {
            try SealedFolder.run { service, folder in
                let files = SealedFiles.small(service.keychain)
                let bytes = SealedFolder.bytes(10 * Self.chunk + 77)
                try folder.seal(bytes, "sealed", files, .none)
                let file = try files.open(folder.file("sealed"))
                var random = SeededGenerator(seed: 5)
                for _ in 0..<2000 {
                    let start = Int.random(in: 0...bytes.count, using: &random)
                    let count = Int.random(in: 0...3 * Self.chunk, using: &random)
                    let expected = bytes[start..<min(start + count, bytes.count)]
                    #expect(try file.read(at: UInt64(start), count: count) == [UInt8](expected))
                }
                var stream = file.stream(from: 5000)
                var rest: [UInt8] = []
                while let piece = try stream.next() { rest += piece }
                #expect(rest == [UInt8](bytes[5000...]))
            }
        }

        @Test func pieceByPieceIsTheSameAsAtOnce() throws {
            try SealedFolder.run { service, folder in
                let files = SealedFiles.small(service.keychain)
                let bytes = SealedFolder.bytes(5 * Self.chunk)
                for size in [1, 100, 4095, 4096, 4097, 9000] {
                    var writer = try files.create(folder.file("sealed"), replacing: true)
                    for start in stride(from: 0, to: bytes.count, by: size) {
                        try writer.write([UInt8](bytes[start..<min(start + size, bytes.count)]))
                    }
                    try writer.finish()
                    let file = try files.open(folder.file("sealed"))
                    #expect(try file.read(at: 0, count: bytes.count) == bytes)
                    #expect(sealedFailure { try writer.write([1]) } == .ended)
                    #expect(sealedFailure { try writer.finish() } == .ended)
                }
            }
        }

        @Test func aFileInTheWayStaysUnlessItIsToBeReplaced() throws {
            try SealedFolder.run { service, folder in
                let files = SealedFiles.small(service.keychain)
                try folder.write([1, 2, 3], "there")
                try folder.write([4, 5], "source")
                let there = folder.file("there")
                #expect(sealedFailure { _ = try files.create(there).protection } == .exists)
                #expect(
                    sealedFailure { try files.seal(file: folder.file("source"), to: there) }
                        == .exists)
                // A file that appears while the new one is written.
                var late = try files.create(folder.file("late"))
                try late.write([9])
                try folder.write([7], "late")
                #expect(sealedFailure { try late.finish() } == .exists)
                #expect(try folder.read("late") == [7])
                #expect(try folder.read("there") == [1, 2, 3])
                try files.seal(file: folder.file("source"), to: there, replacing: true)
                #expect(
                    sealedFailure { try files.unseal(file: there, to: folder.file("source")) }
                        == .exists)
                #expect(try folder.read("source") == [4, 5])
                try files.unseal(file: there, to: folder.file("source"), replacing: true)
                #expect(try folder.read("source") == [4, 5])
                // A dropped writer leaves nothing.
                do {
                    var writer = try files.create(folder.file("given up"))
                    try writer.write(SealedFolder.bytes(3 * Self.chunk))
                }
                #expect(try folder.names == ["late", "source", "there"])
            }
        }

        @Test func aLinkInTheWayIsReplacedAndNeverFollowed() throws {
            try SealedFolder.run { service, folder in
                let files = SealedFiles.small(service.keychain)
                try folder.write([1, 2, 3], "victim")
                let link = folder.file("link")
                try FileManager.default.createSymbolicLink(
                    atPath: link, withDestinationPath: folder.file("victim"))
                #expect(sealedFailure { _ = try files.create(link).protection } == .exists)
                try folder.seal([8], "link", files, replacing: true)
                #expect(try folder.read("victim") == [1, 2, 3])
                #expect(try files.open(link).read(at: 0, count: 9) == [8])
                // A link to a sealed file opens like the file.
                try FileManager.default.createSymbolicLink(
                    atPath: folder.file("other"), withDestinationPath: link)
                #expect(try files.open(folder.file("other")).read(at: 0, count: 9) == [8])
            }
        }

        /// The files are of one key; another name's key is another item.
        @Test func deletingAKeyEndsItsFilesAndNoOthers() throws {
            try SealedFolder.run { service, folder in
                for protection in FileProtection.allCases {
                    let one = SealedFiles.small(service.keychain)
                    let two = SealedFiles.small(service.keychain, keyName: "two")
                    try folder.seal([1], "one", one, protection, replacing: true)
                    try folder.seal([2], "two", two, protection, replacing: true)
                    // The identifier of a file's key is stored in the file.
                    #expect(try two.open(folder.file("one")).read(at: 0, count: 9) == [1])
                    try one.removeKey(of: protection)
                    let failure = sealedFailure { _ = try one.open(folder.file("one")) }
                    #expect(failure?.reason == .absent)
                    #expect(try one.open(folder.file("two")).read(at: 0, count: 9) == [2])
                    // A new key is made when it is needed, and the old file doesn't use it.
                    try folder.seal([3], "three", one, protection, replacing: true)
                    #expect(try one.open(folder.file("three")).read(at: 0, count: 9) == [3])
                    let again = sealedFailure { _ = try one.open(folder.file("one")) }
                    #expect(again?.reason == .absent)
                }
            }
        }

        @Test func anotherApplicationsFilesDontOpen() throws {
            try TemporaryDirectory.lend { directory in
                let service = try InProcessService(stateDirectory: directory)
                defer { service.stopEnclave() }
                let clients = ["TEAM000000.one", "TEAM000000.two"].map { group in
                    InProcessService.Client(
                        userID: 7,
                        entitlements: Entitlements([
                            "keychain-access-groups": .list([.text(group)])
                        ]))
                }
                let folder = SealedFolder(path: directory)
                let one = SealedFiles.small(try service.connect(clients[0]))
                let two = SealedFiles.small(try service.connect(clients[1]))
                for protection in FileProtection.allCases {
                    try folder.seal([1], "mine", one, protection, replacing: true)
                    let failure = sealedFailure { _ = try two.open(folder.file("mine")) }
                    #expect(failure?.reason == .absent)
                    // A separate key of the same name changes nothing.
                    try two.prepare(protection)
                    let again = sealedFailure { _ = try two.open(folder.file("mine")) }
                    #expect(again?.reason == .absent)
                    #expect(try one.open(folder.file("mine")).read(at: 0, count: 9) == [1])
                }
                #expect(service.restartReason == nil)
            }
        }

        @Test func manyThreadsReadOneHandle() throws {
            try SealedFolder.run { service, folder in
                let files = SealedFiles.small(service.keychain)
                let bytes = SealedFolder.bytes(20 * Self.chunk)
                try folder.seal(bytes, "sealed", files)
                let file = try files.open(folder.file("sealed"))
                DispatchQueue.concurrentPerform(iterations: 8) { lane in
                    for round in 0..<50 {
                        let start = (lane * 977 + round * 3001) % (bytes.count - 5000)
                        let read = try? file.read(at: UInt64(start), count: 5000)
                        #expect(read == [UInt8](bytes[start..<start + 5000]))
                    }
                }
            }
        }

        /// Two processes make the first key at once: the result is one key.
        @Test func theFirstKeyIsMadeOnce() throws {
            try SealedFolder.run { service, folder in
                let connections = (0..<8).map { _ in service.connect() }
                DispatchQueue.concurrentPerform(iterations: 8) { lane in
                    let files = SealedFiles.small(connections[lane])
                    #expect(
                        sealedFailure { try folder.seal([UInt8(lane)], "\(lane)", files) } == nil)
                }
                let files = SealedFiles.small(service.keychain)
                for lane in 0..<8 {
                    #expect(
                        try files.open(folder.file("\(lane)")).read(at: 0, count: 2)
                            == [UInt8(lane)])
                }
                let items = try service.keychain.find(
                    .password(service: "llavero.sealed-files", limit: nil))
                #expect(items.count == 1)
            }
        }

        private static func piped(_ sealed: [UInt8], _ files: SealedFiles) throws -> [UInt8] {
            let pipe = Pipe()
            let thread = Thread {
                try? pipe.fileHandleForWriting.write(contentsOf: Data(sealed))
                try? pipe.fileHandleForWriting.close()
            }
            thread.start()
            var stream = try files.stream(descriptor: pipe.fileHandleForReading.fileDescriptor)
            var bytes: [UInt8] = []
            while let piece = try stream.next() { bytes += piece }
            return bytes
        }
    }
}

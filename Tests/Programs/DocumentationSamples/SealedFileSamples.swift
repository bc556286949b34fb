// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain

let sealedFileSamples = [
    Sample(name: "seal and read", run: sealAndRead),
    Sample(name: "seal in a task", run: sealInATask), Sample(name: "write", run: writeInPieces),
    Sample(name: "a key of its own", run: keyOfItsOwn),
]

private func sealAndRead() throws {
    let bytes = try makeFile("report.pdf", byteCount: 100_000)
    defer { removeFolder() }
    // sample: seal and read
    let files = SealedFiles(KeychainConnection())
    try files.seal(file: "report.pdf")  // report.pdf.sealed; the original stays
    let file = try files.open("report.pdf.sealed")
    let page = try file.read(at: 40_960, count: 4096)
    // end sample
    try expect(page == [UInt8](bytes[40_960..<45_056]), "the page isn't what was sealed")
}

private func sealInATask() async throws {
    let bytes = try makeFile("report.pdf", byteCount: 1000)
    defer { removeFolder() }
    // sample: seal in a task
    let keychain = Keychain(service: "org.example.tool")
    try await keychain.seal(file: "report.pdf", to: "archive.sealed")
    let archived = try await keychain.openSealed(file: "archive.sealed", within: .seconds(10))
    // end sample
    var received: [UInt8] = []
    // sample: stream in a task
    for try await piece in archived.async.stream() { received += piece }
    let writer = try await keychain.createSealed(file: "copy.sealed")
    try await writer.write(received)
    try await writer.finish()
    // end sample
    let copy = try await keychain.openSealed(file: "copy.sealed")
    try expect(try copy.read(at: 0, count: 1001) == [UInt8](bytes), "the copy is another")
    try expect(try archived.read(at: 0, count: 1000) == [UInt8](bytes), "it isn't what was sealed")
}

private func writeInPieces() throws {
    _ = try makeFile("unused", byteCount: 0)
    defer { removeFolder() }
    let files = SealedFiles(KeychainConnection())
    // sample: write in pieces
    var writer = try files.create("log.sealed", protection: .completeUnlessOpen)
    try writer.write([UInt8]("a line\n".utf8))
    try writer.finish()
    // end sample
    let line = try files.open("log.sealed").read(at: 0, count: 100)
    try expect(line == [UInt8]("a line\n".utf8), "the line isn't what was written")
}

private func keyOfItsOwn() throws {
    _ = try makeFile("recording.wav", byteCount: 1000)
    defer { removeFolder() }
    // sample: a key of its own
    let session = SealedFiles(KeychainConnection(), keyName: "session 42")
    try session.seal(file: "recording.wav")
    try session.removeKey(of: .completeUntilFirstUserAuthentication)
    // end sample
    do {
        _ = try session.open("recording.wav.sealed")
        throw SampleFailure("the file opens without its key")
    } catch SealedFileError.keychain(let error) {
        try expect(error.reason == .absent, "\(error)")
    }
}

/// Makes a file in a new folder, which becomes the working directory.
private func makeFile(_ name: String, byteCount: Int) throws -> Data {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("sealed-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    guard FileManager.default.changeCurrentDirectoryPath(folder.path) else {
        throw SampleFailure("no folder")
    }
    let bytes = Data((0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    try bytes.write(to: folder.appendingPathComponent(name))
    return bytes
}

/// Removes the folder that is the working directory.
private func removeFolder() {
    let folder = FileManager.default.currentDirectoryPath
    _ = FileManager.default.changeCurrentDirectoryPath("/")
    try? FileManager.default.removeItem(atPath: folder)
}

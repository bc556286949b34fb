// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecurityWire
import TestSupport
import Testing

/// The file at a keychain's path, and which path a name means.
@Suite struct KeychainMarkerTests {
    private static let suffix = [UInt8](".new".utf8)

    private static func marker(_ byte: UInt8 = 0xA5) throws -> KeychainMarker {
        KeychainMarker(try #require(KeychainID([UInt8](repeating: byte, count: 16))))
    }

    /// A folder that is deleted with the test.
    private final class Folder {
        let path: String

        init() throws {
            var template = [CChar]("/tmp/llavero-marker-XXXXXX".utf8CString)
            path = try #require(unsafe mkdtemp(&template).map { unsafe String(cString: $0) })
        }

        deinit {
            for name in ["k", "link", "k.new"] { unsafe unlink("\(path)/\(name)") }
            unsafe rmdir("\(path)/folder")
            unsafe rmdir(path)
        }

        func file(_ name: String) -> [UInt8] { [UInt8]("\(path)/\(name)".utf8) }

        func write(_ bytes: [UInt8]) {
            let file = unsafe open("\(path)/k", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            _ = unsafe Glibc.write(file, bytes, bytes.count)
            close(file)
        }
    }

    private static func status(_ path: [UInt8], userID: uid_t = geteuid()) -> Int32 {
        do throws(KeychainError) {
            _ = try KeychainMarker.read(at: path, userID: userID)
            return 0
        } catch { return error.status }
    }

    // MARK: - Its content

    @Test func itComesBackAsItWasWritten() throws {
        let marker = try Self.marker()
        #expect(KeychainMarker(content: marker.content) == marker)
        #expect(marker.content.count < KeychainMarker.byteCountLimit)
        let text = String(decoding: marker.content, as: UTF8.self)
        #expect(text.hasPrefix("LLVRKEYCHAIN 1\n" + String(repeating: "a5", count: 16) + "\n"))
    }

    @Test func anotherFileIsNone() throws {
        let marker = try Self.marker()
        let content = marker.content
        for count in 0..<48 {
            #expect(KeychainMarker(content: Array(content.prefix(count))) == nil)
        }
        for index in 0..<48 {
            var flipped = content
            flipped[index] ^= 0x20
            #expect(KeychainMarker(content: flipped) != marker, "\(index)")
        }
        let longest = content + [UInt8](repeating: 0x20, count: 1024 - content.count)
        #expect(KeychainMarker(content: longest) != nil)
        #expect(KeychainMarker(content: longest + [0x20]) == nil)
    }

    // MARK: - On the disk

    @Test func itIsWrittenForItsUserAlone() throws {
        let folder = try Folder()
        let marker = try Self.marker()
        try marker.write(to: folder.file("k"), suffix: Self.suffix)
        #expect(try KeychainMarker.read(at: folder.file("k"), userID: geteuid()) == marker)
        var found = stat()
        #expect(unsafe lstat("\(folder.path)/k", &found) == 0)
        #expect(found.st_mode == S_IFREG | 0o600)
        #expect(Self.status(folder.file("k"), userID: geteuid() &+ 1) == -25295)
        // Another one takes its place, and nothing is left beside it.
        try Self.marker(1).write(to: folder.file("k"), suffix: Self.suffix)
        #expect(try KeychainMarker.read(at: folder.file("k"), userID: geteuid()) == Self.marker(1))
        #expect(unsafe access("\(folder.path)/k.new", F_OK) != 0)
    }

    @Test func whatIsNoMarkerIsRefusedWithoutWaiting() throws {
        let folder = try Folder()
        let path = folder.file("k")
        #expect(Self.status(path) == -25294)
        #expect(Self.status(folder.file("k/inside")) == -25294)
        folder.write([])
        #expect(Self.status(path) == -25295)
        #expect(Self.status(folder.file("k/inside")) == -25294)
        folder.write([UInt8]("kych".utf8) + [UInt8](repeating: 0, count: 4000))
        #expect(Self.status(path) == -25295)
        #expect(unsafe mkdir("\(folder.path)/folder", 0o700) == 0)
        #expect(Self.status(folder.file("folder")) == -25295)
        folder.write(try Self.marker().content)
        #expect(unsafe symlink("\(folder.path)/k", "\(folder.path)/link") == 0)
        #expect(Self.status(folder.file("link")) == -25295)
        #expect(unsafe unlink("\(folder.path)/k") == 0)
        #expect(unsafe mkfifo("\(folder.path)/k", 0o600) == 0)
        #expect(Self.status(path) == -25295)
        #expect(Self.status([0x2F] + [UInt8](repeating: 0x61, count: 4095)) == -25294)
    }

    @Test func aNameMayHaveAnyBytes() throws {
        let folder = try Folder()
        let path = folder.file("k") + [0xFF, 0x0A, 0x22, 0x27]
        let marker = try Self.marker()
        try marker.write(to: path, suffix: Self.suffix)
        #expect(try KeychainMarker.read(at: path, userID: geteuid()) == marker)
        marker.remove(from: path, userID: geteuid())
        #expect(Self.status(path) == -25294)
    }

    @Test func onlyItsOwnFileIsRemoved() throws {
        let folder = try Folder()
        try Self.marker(1).write(to: folder.file("k"), suffix: Self.suffix)
        try Self.marker(2).remove(from: folder.file("k"), userID: geteuid())
        #expect(Self.status(folder.file("k")) == 0)
        try Self.marker(1).remove(from: folder.file("k"), userID: geteuid())
        #expect(Self.status(folder.file("k")) == -25294)
    }

    @Test func aFolderThatIsntThereIsReported() throws {
        let folder = try Folder()
        let path = folder.file("missing/k")
        let marker = try Self.marker()
        #expect(throws: KeychainError.self) { try marker.write(to: path, suffix: Self.suffix) }
    }

    // MARK: - Names

    private static func path(_ name: String, existing: [String] = []) -> String {
        let files = Set(existing.map { [UInt8]($0.utf8) })
        let path = KeychainPath.path(
            of: [UInt8](name.utf8), home: [UInt8]("/home/u".utf8), exists: files.contains)
        return String(decoding: path, as: UTF8.self)
    }

    @Test func aNameIsBelowLibraryKeychainsAndEndsInDB() {
        let folder = "/home/u/Library/Keychains/"
        for (name, path) in [
            ("a", "a-db"), ("a.keychain", "a.keychain-db"), ("a.keychain-db", "a.keychain-db"),
            ("login.keychain", "login.keychain-db"), ("a b", "a b-db"), ("-db", "-db"),
        ] {
            #expect(Self.path(name) == folder + path)
            #expect(Self.path(folder + name) == folder + path)
        }
        // Unless there is only the old file.
        #expect(Self.path("a", existing: [folder + "a"]) == folder + "a")
        #expect(Self.path("a", existing: [folder + "a", folder + "a-db"]) == folder + "a-db")
    }

    @Test func aPathElsewhereIsWhatItIs() {
        for path in [
            "/tmp/a.keychain", "/home/u/Library/Keychains2/a", "/Library/Keychains/System.keychain",
            "/home/u/Library/Keychains/sub/a",
        ] {
            #expect(Self.path(path) == path)
        }
        #expect(Self.path("sub/a") == "/home/u/Library/Keychains/sub/a")
    }

    @Test func loginHasSeveralNames() {
        let home = [UInt8]("/home/u".utf8)
        for name in ["login.keychain", "login.keychain-db", "login"] {
            let path = KeychainPath.path(of: [UInt8](name.utf8), home: home) { _ in false }
            #expect(KeychainPath.isLogin(path, home: home), "\(name)")
        }
        for path in ["/tmp/login.keychain-db", "/home/u/Library/Keychains/login2.keychain-db"] {
            #expect(!KeychainPath.isLogin([UInt8](path.utf8), home: home))
        }
    }
}

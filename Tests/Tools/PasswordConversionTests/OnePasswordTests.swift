// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire
import Testing

/// 1Password's archive, and archives that mean harm.
@Suite struct OnePasswordTests {
    @Test func everyItemIsRead() throws {
        let list = try ConversionSamples.read(ConversionSamples.bytes("export.1pux"))
        #expect(list.format == .onePasswordArchive)
        let key = [
            "hiddenPart privateKey=-----BEGIN", "part publicKey=ssh-ed25519 A",
            "part keyFingerprint=SHA256:x",
        ]
        #expect(
            list.records.map(ConversionSamples.lines) == [
                [
                    "login Bank", "favorite", "archived", "address https://bank.example/login",
                    "address https://b.example", "user anna", "password p<ä>&\"ss",
                    "notes line 1\nline 2", "otp otpauth://totp/x", "folder [\"Private\"]",
                    "tags [\"money\", \"home\"]", "text other=x", "hidden More: PIN=1234",
                    "text More: born=2020-01-01", "text More: until=2030-01",
                    "text More: mail=a@example.org",
                ], ["sshKey Key", "folder [\"Private\"]"] + key,
                ["sshKey Key", "folder [\"Shared\"]"] + key,
            ])
        #expect(list.records[0].created == 1_577_934_245_000)
        #expect(
            list.leftOutLines == [
                "attachment 1 scan.pdf", "history 1 Bank", "attachment 0 doc2__lost.pdf",
            ])
    }

    @Test func aChangedByteNeverGivesOtherItems() throws {
        let file = try ConversionSamples.bytes("export.1pux")
        let whole = try ConversionSamples.read(file).records.map(ConversionSamples.lines)
        for place in file.indices {
            var changed = file
            changed[place] ^= 0x21
            guard let list = try? ConversionSamples.read(changed) else { continue }
            // A byte of the files beside the items, a time or an attribute.
            #expect(list.records.map(ConversionSamples.lines) == whole, "\(place)")
        }
        for count in 0..<file.count {
            #expect(ConversionSamples.failure(Array(file[..<count])) != nil)
        }
    }

    // MARK: - Archives

    /// An archive of one stored or packed file.
    private struct Archive {
        var name = "export.data"
        var content = Array(#"{"accounts": []}"#.utf8)
        /// Other bytes, as if deflated.
        var packed: [UInt8]?
        var byteCount: UInt32?
        var packedByteCount: UInt32?
        var mode: UInt32 = 0o100644
        var flags: UInt16 = 0
        var count: UInt16 = 1
        var offset: UInt32 = 0
        var sum: UInt32?

        private func u16(_ value: UInt16) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)] }
        private func u32(_ value: UInt32) -> [UInt8] {
            u16(UInt16(value & 65_535)) + u16(UInt16(value >> 16))
        }

        var bytes: [UInt8] {
            let name = Array(self.name.utf8)
            let stored = packed ?? content
            let method: UInt16 = packed == nil ? 0 : 8
            let sizes =
                u32(sum ?? Self.sum(content)) + u32(packedByteCount ?? UInt32(stored.count))
                + u32(byteCount ?? UInt32(content.count))
            let times = u16(0) + u16(0)
            let head =
                u32(0x0403_4B50) + u16(20) + u16(flags) + u16(method) + times + sizes
                + u16(UInt16(name.count)) + u16(0) + name + stored
            var directory: [UInt8] = []
            for _ in 0..<count {
                directory += u32(0x0201_4B50) + u16(0x031E) + u16(20) + u16(flags) + u16(method)
                directory += times + sizes + u16(UInt16(name.count)) + u16(0) + u16(0) + u16(0)
                directory += u16(0) + u32(mode << 16) + u32(offset) + name
            }
            return head + directory + u32(0x0605_4B50) + u16(0) + u16(0) + u16(count) + u16(count)
                + u32(UInt32(directory.count)) + u32(UInt32(head.count)) + u16(0)
        }

        /// The sum bit by bit.
        private static func sum(_ bytes: [UInt8]) -> UInt32 {
            ~bytes.reduce(UInt32.max) { sum, byte in
                (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in
                    value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
                }
            }
        }
    }

    private func failure(_ change: (inout Archive) -> Void) -> ConversionFailure? {
        var archive = Archive()
        change(&archive)
        return ConversionSamples.failure(archive.bytes)
    }

    @Test func theUnchangedArchiveIsRead() { #expect(failure { _ in } == nil) }

    @Test(arguments: [
        "../export.data", "/export.data", "a/../../export.data", "..", "C:\\export.data", "a\\b",
        "",
        "./x",
    ])
    func aPathOutOfTheArchiveIsRefused(_ name: String) {
        #expect(failure { $0.name = name }?.reason == .badPath)
    }

    @Test func linksAndDevicesAreRefused() {
        for mode: UInt32 in [0o120777, 0o020666, 0o010644, 0o140777] {
            #expect(failure { $0.mode = mode }?.reason == .badPath)
        }
    }

    @Test func sizesThatAreNotTrueAreRefused() {
        let most = UInt32.max
        #expect(failure { $0.byteCount = most }?.limit == .fileByteCount)
        #expect(failure { $0.packedByteCount = most }?.limit == .fileByteCount)
        #expect(failure { $0.byteCount = most - 1 }?.limit == .fileByteCount)
        #expect(failure { $0.packedByteCount = most - 1 }?.reason == .damaged)
        #expect(failure { $0.byteCount = 15 }?.reason == .damaged)
        #expect(failure { $0.offset = most - 1 }?.reason == .damaged)
        #expect(failure { $0.sum = 1 }?.reason == .damaged)
        #expect(failure { $0.flags = 1 }?.reason == .unsupported)
        #expect(failure { $0.count = 2 }?.reason == .badPath)
        #expect(failure { $0.name = "other" }?.reason == .unknownFormat)
    }

    /// 64 MiB of zeros, packed 159 to 1.
    @Test func aBombIsRefusedBeforeItIsUnpacked() throws {
        let bomb = try packedZeros(64 << 20)
        #expect(bomb.count < 500_000)
        for claimed: UInt32 in [64 << 20, 1 << 20, 16] {
            let failure = failure { archive in
                archive.packed = bomb
                archive.byteCount = claimed
            }
            #expect(failure?.limit == .unpackingRatio || failure?.reason == .damaged)
        }
        #expect(
            failure { archive in
                archive.packed = bomb
                archive.byteCount = 64 << 20
            }?.limit == .unpackingRatio)
    }

    /// Deflate by hand: blocks of the fixed code, a zero and its repetitions.
    private func packedZeros(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        func put(_ value: UInt32, _ length: UInt32) {
            bits |= value << bitCount
            bitCount += length
            while bitCount >= 8 {
                bytes.append(UInt8(truncatingIfNeeded: bits))
                bits >>= 8
                bitCount -= 8
            }
        }
        // The last block, with the fixed code.
        put(0b011, 3)
        // The letter 0 is 00110000, first bit first.
        put(0b0000_1100, 8)
        var left = count - 1
        while left >= 258 {
            // 285 is the length 258: 11000101; the distance 1 is 00000.
            put(0b1010_0011, 8)
            put(0, 5)
            left -= 258
        }
        for _ in 0..<left { put(0b0000_1100, 8) }
        put(0, 7)
        put(0, 7)
        return bytes
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import Testing

@Suite struct ByteReaderTests {
    @Test func readsWhatTheWriterWrote() throws {
        var writer = ByteWriter()
        writer.u8(7)
        writer.u16(0x0102)
        writer.u32(0x0304_0506)
        writer.u64(0x0708_090A_0B0C_0D0E)
        writer.bytes([1, 2, 3])
        try unsafe writer.bytes.withUnsafeBytes { bytes in
            var reader = unsafe ByteReader(bytes)
            #expect(try unsafe reader.u8() == 7)
            #expect(try unsafe reader.u16() == 0x0102)
            #expect(try unsafe reader.u32() == 0x0304_0506)
            #expect(try unsafe reader.u64() == 0x0708_090A_0B0C_0D0E)
            #expect(unsafe reader.remaining == 3)
            #expect(try unsafe reader.array(3) == [1, 2, 3])
            try unsafe reader.finish()
        }
    }

    @Test func numbersAreLittleEndian() {
        var writer = ByteWriter()
        writer.u32(0x0403_0201)
        #expect(writer.bytes == [1, 2, 3, 4])
    }

    @Test func readingPastTheEndFails() {
        let bytes: [UInt8] = [1, 2, 3]
        unsafe bytes.withUnsafeBytes { bytes in
            var reader = unsafe ByteReader(bytes)
            #expect(throws: DecodingFailure.self) { _ = try unsafe reader.u32() }
            #expect(throws: DecodingFailure.self) { _ = try unsafe reader.bytes(4) }
            #expect(throws: DecodingFailure.self) { _ = try unsafe reader.bytes(-1) }
            #expect(throws: DecodingFailure.self) { _ = try unsafe reader.bytes(.max) }
            // A failed read doesn't advance the reader.
            #expect(unsafe reader.remaining == 3)
        }
    }

    @Test func leftOverBytesAreNotAccepted() {
        let bytes: [UInt8] = [1]
        unsafe bytes.withUnsafeBytes { bytes in
            let reader = unsafe ByteReader(bytes)
            #expect(throws: DecodingFailure.self) { try unsafe reader.finish() }
        }
    }
}

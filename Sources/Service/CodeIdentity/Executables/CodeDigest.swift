// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto

/// The digest that a code signature signs: of what the kernel and the dynamic linker use of a
/// program, wherever it lies in the file (CODE-SIGNING.md, "The code digest").
package enum CodeDigest {
    private static let domain = Array("llavero code 1\0".utf8)
    private static let chunkByteCount = 256 * 1024
    /// Segments whose bytes are read from the file, by the kernel or by the linker.
    private static let digested: Set<UInt32> = [
        ELFFile.SegmentType.load, ELFFile.SegmentType.dynamic, ELFFile.SegmentType.interpreter,
        ELFFile.SegmentType.note, ELFFile.SegmentType.property,
    ]

    /// The 32 bytes.
    package static func of(_ file: ELFFile) throws(SignatureProblem) -> [UInt8] {
        let masks = masks(file)
        let segments = file.segments.filter { digested.contains($0.type) }
        // Overlapping segments must not make the work longer than the file.
        var budget = file.source.byteCount * 2
        for segment in segments {
            guard segment.byteCount <= budget else { throw .notAnExecutable }
            budget -= segment.byteCount
        }
        var hash = SHA256()
        hash.update(data: domain)
        hash.update(data: masked(file.header, at: 0, masks))
        hash.update(data: masked(file.segmentTable, at: file.segmentTableOffset, masks))
        for segment in segments {
            var offset = segment.offset
            var rest = segment.byteCount
            while rest > 0 {
                let count = min(rest, chunkByteCount)
                hash.update(data: masked(try file.source.read(offset, count), at: offset, masks))
                offset += count
                rest -= count
            }
        }
        return [UInt8](hash.finalize())
    }

    /// The parts of the file that say where in it things are: tools for packaging move them, and
    /// what is there is digested itself.
    private static func masks(_ file: ELFFile) -> [Range<Int>] {
        var masks = [0x28..<0x30, 0x3A..<0x40]
        for index in file.segments.indices {
            let start = file.segmentTableOffset + index * ELFFile.segmentHeaderByteCount + 8
            masks.append(start..<start + 8)
        }
        return masks
    }

    private static func masked(
        _ bytes: [UInt8], at offset: Int, _ masks: [Range<Int>]
    ) -> [UInt8] {
        let range = offset..<offset + bytes.count
        guard masks.contains(where: { $0.overlaps(range) }) else { return bytes }
        var bytes = bytes
        for mask in masks {
            for place in mask.clamped(to: range) { bytes[place - offset] = 0 }
        }
        return bytes
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecretBytes

/// A file's bytes, for the length of a call, read with bounds checks.
@safe struct FileText {
    private let bytes: UnsafeRawBufferPointer

    /// - Parameter bytes: Must outlive this value.
    init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = unsafe bytes }

    var count: Int { unsafe bytes.count }

    subscript(index: Int) -> UInt8 {
        unsafe precondition(index >= 0 && index < bytes.count)
        return unsafe bytes[index]
    }

    /// The first position in a range that satisfies a condition; otherwise the range's end.
    func firstIndex(in range: Range<Int>, where isWanted: (UInt8) -> Bool) -> Int {
        var index = range.lowerBound
        while index < range.upperBound, !isWanted(self[index]) { index += 1 }
        return index
    }

    /// Decodes the bytes of a range: `next` takes a position, and returns the byte there and the
    /// next position.
    func secret(
        in range: Range<Int>, next: (Int) -> (byte: UInt8, end: Int)
    ) -> SecretBytes {
        var count = 0
        var index = range.lowerBound
        while index < range.upperBound {
            index = next(index).end
            count += 1
        }
        return unsafe SecretBytes(byteCount: count) { target in
            var index = range.lowerBound
            for place in target.indices {
                let (byte, end) = next(index)
                unsafe target[place] = byte
                index = end
            }
        }
    }
}

extension SecretBytes {
    /// The bytes as a name, which isn't secret; nil when they aren't UTF-8, or contain a control
    /// character.
    borrowing func name() -> String? {
        unsafe withUnsafeBytes { bytes in
            guard unsafe !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
            return unsafe String(validating: bytes, as: UTF8.self)
        }
    }

    /// Whether the byte is among the bytes.
    borrowing func contains(_ byte: UInt8) -> Bool {
        unsafe withUnsafeBytes { unsafe $0.contains(byte) }
    }
}

/// Only decimal digits, within an Int; nil for anything else.
func decimal(_ text: some StringProtocol) -> Int? {
    guard !text.isEmpty, text.utf8.count <= 18, text.utf8.allSatisfy({ (48...57).contains($0) })
    else { return nil }
    return Int(text)
}

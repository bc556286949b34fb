// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Limits of files of other password managers (Documentation/PROTOCOL.md, "Conversion").
package enum ConversionLimits {
    /// A file, and what is unpacked from one: it is in memory while it is read.
    package static let fileByteCount = 256 << 20
    /// Records of a file.
    package static let recordCount = 1_000_000
    /// One value of a record: a note, a key.
    package static let fieldByteCount = 1 << 20
    /// A record with all of its values; a message has one.
    package static let recordByteCount = 16 << 20
    /// Further fields, addresses or tags of one record.
    package static let partCount = 1000
    /// How much larger the unpacked bytes may be than the packed ones.
    package static let unpackingRatio = 100
    /// Unpacked bytes that are never too many: a short file of one repeated letter has a high ratio.
    package static let unpackingFloor = 1 << 20
    /// Levels of JSON or XML.
    package static let depth = 16
    /// Memory of one key derivation, in KiB: 1 GiB.
    package static let derivationKiB = 1 << 20
    /// Memory in KiB, times passes: 16 passes over 1 GiB, which take about 20 s.
    package static let derivationWork = 16 << 20
    /// Rounds of AES-KDF; they take about 20 s.
    package static let cipherRounds: UInt64 = 500_000_000
    /// Rounds of PBKDF2; they take about 5 s.
    package static let hashRounds: UInt64 = 10_000_000
    /// Lanes of Argon2.
    package static let derivationLanes = 64
    /// A password.
    package static let passwordByteCount = 64 << 10
    /// A key file. A larger one is no key.
    package static let keyFileByteCount = 1 << 20
    /// A message: a record, its kind and its counts.
    package static let messageByteCount = recordByteCount + 1024
}

/// A limit that a file is over. The numbers are on the wire.
package enum ConversionLimit: UInt8, CaseIterable, Sendable {
    case fileByteCount = 1
    case recordCount = 2
    case fieldByteCount = 3
    case recordByteCount = 4
    case partCount = 5
    case unpackingRatio = 6
    case depth = 7
    /// In KiB.
    case derivationMemory = 8
    /// In KiB times passes.
    case derivationWork = 9
    case cipherRounds = 10
    case hashRounds = 11
    case derivationLanes = 12
    /// A key file.
    case keyFileByteCount = 13

    /// What is still allowed.
    package var number: UInt64 {
        switch self {
        case .fileByteCount: UInt64(ConversionLimits.fileByteCount)
        case .recordCount: UInt64(ConversionLimits.recordCount)
        case .fieldByteCount: UInt64(ConversionLimits.fieldByteCount)
        case .recordByteCount: UInt64(ConversionLimits.recordByteCount)
        case .partCount: UInt64(ConversionLimits.partCount)
        case .unpackingRatio: UInt64(ConversionLimits.unpackingRatio)
        case .depth: UInt64(ConversionLimits.depth)
        case .derivationMemory: UInt64(ConversionLimits.derivationKiB)
        case .derivationWork: UInt64(ConversionLimits.derivationWork)
        case .cipherRounds: ConversionLimits.cipherRounds
        case .hashRounds: ConversionLimits.hashRounds
        case .derivationLanes: UInt64(ConversionLimits.derivationLanes)
        case .keyFileByteCount: UInt64(ConversionLimits.keyFileByteCount)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Glibc
import SecretBytes

/// The bytes of a secret as an application gets them: an `NSData` that is wiped when its last
/// owner releases it.
///
/// A separate class for two reasons. Foundation's `NSData as? Data` copies byte by byte (57 ns
/// each) unless the object is `ContiguousBytes`. And `NSData` doesn't wipe. This class can't wipe
/// copies that an application makes, including those by `as? Data`.
///
/// The memory is ordinary heap. The secret pages of ``SecretBytes`` are shared with children after
/// `fork`, so an application's child that releases its copy would wipe the parent's.
///
/// The overrides are those that `NSData` requires of a subclass: without them it takes the object
/// for its own `NSMutableData`.
@safe final class WipedData: NSData {
    private let block: UnsafeMutableRawPointer
    private let byteCount: Int

    /// Copies a secret.
    convenience init(_ secret: Secret) {
        self.init(byteCount: secret.bytes.byteCount)
        unsafe secret.bytes.withUnsafeBytes { unsafe fill(from: $0) }
    }

    /// Copies bytes.
    convenience init(_ bytes: [UInt8]) {
        self.init(byteCount: bytes.count)
        unsafe bytes.withUnsafeBytes { unsafe fill(from: $0) }
    }

    /// Copies bytes.
    convenience init(_ bytes: UnsafeRawBufferPointer) {
        self.init(byteCount: bytes.count)
        unsafe fill(from: bytes)
    }

    private init(byteCount: Int) {
        self.byteCount = byteCount
        unsafe block = UnsafeMutableRawPointer.allocate(
            byteCount: Swift.max(byteCount, 1), alignment: 16)
        super.init()
    }

    private func fill(from source: UnsafeRawBufferPointer) {
        guard let base = source.baseAddress else { return }
        unsafe block.copyMemory(from: base, byteCount: source.count)
    }

    /// An object decoded from an archive is a plain `NSData`; this class is never archived under
    /// its own name.
    required init?(coder: NSCoder) { nil }

    deinit {
        unsafe SecretMemory.wipe(UnsafeMutableRawBufferPointer(start: block, count: byteCount))
        unsafe block.deallocate()
    }

    override var length: Int { byteCount }
    override var bytes: UnsafeRawPointer { unsafe UnsafeRawPointer(block) }
    override var classForCoder: AnyClass { NSData.self }
    override func copy(with zone: NSZone? = nil) -> Any { self }
    override func mutableCopy(with zone: NSZone? = nil) -> Any {
        unsafe NSMutableData(bytes: block, length: byteCount)
    }
}

extension WipedData: ContiguousBytes {
    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try unsafe body(UnsafeRawBufferPointer(start: block, count: byteCount))
    }
}

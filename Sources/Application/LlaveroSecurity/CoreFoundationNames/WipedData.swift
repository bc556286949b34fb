// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Glibc
import SecretBytes

/// The bytes of a secret as an application gets them: an `NSData` that is wiped when its last
/// owner goes.
///
/// A class of its own for two reasons. Foundation's `NSData as? Data` copies byte by byte (57 ns
/// each) unless the object is `ContiguousBytes`. And `NSData` doesn't wipe. It can't wipe the
/// copies that an application makes, `as? Data` among them.
///
/// The memory is ordinary heap: the secret pages of ``SecretBytes`` are shared with children after
/// `fork`, and an application's child that releases its copy would wipe the parent's.
///
/// The overrides are those that `NSData` needs of a subclass: without them it takes the object
/// for an `NSMutableData` of its own.
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

    /// An object decoded from an archive is a plain `NSData`; this class writes none of its own.
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

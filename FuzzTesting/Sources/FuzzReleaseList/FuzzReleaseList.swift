// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FuzzEntries

/// Called by libFuzzer once; see `FuzzEntry`.
@_cdecl("LLVMFuzzerInitialize")
public func prepare(
    _ count: UnsafeMutablePointer<CInt>,
    _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>>>
) -> CInt {
    FuzzEntry.releaseList.writeSeedsIfAsked()
    return 0
}

/// Called by libFuzzer with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    FuzzEntry.releaseList.run(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}

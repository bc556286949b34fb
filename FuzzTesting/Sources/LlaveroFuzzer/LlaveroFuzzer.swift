// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FuzzEntries
import Glibc

/// The decoder that this process feeds. libFuzzer calls `prepare` once, before anything else.
nonisolated(unsafe) private var decoder: FuzzEntry?

/// Called by libFuzzer once. The first argument is the name of a ``FuzzEntry``, or `list`; libFuzzer
/// gets the others.
@_cdecl("LLVMFuzzerInitialize")
public func prepare(
    _ count: UnsafeMutablePointer<CInt>,
    _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
) -> CInt {
    let names = FuzzEntry.allCases.map(\.rawValue)
    guard count.pointee > 1, let word = words.pointee[1] else { stop("Name a decoder, or `list`.") }
    let name = String(cString: word)
    if name == "list" {
        for name in names { print(name) }
        exit(0)
    }
    guard let entry = FuzzEntry(rawValue: name) else { stop("There is no decoder \(name).") }
    // libFuzzer takes an argument without a dash for a corpus.
    for place in 1..<Int(count.pointee) { words.pointee[place] = words.pointee[place + 1] }
    count.pointee -= 1
    decoder = entry
    entry.writeSeedsIfAsked()
    return 0
}

/// Called by libFuzzer with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    decoder?.run(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}

private func stop(_ reason: String) -> Never {
    fputs("LlaveroFuzzer: \(reason)\n", stderr)
    exit(2)
}

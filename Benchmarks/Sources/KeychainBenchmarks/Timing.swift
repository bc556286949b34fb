// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc

/// Durations of one operation, in microseconds.
struct Samples {
    private var sorted: [Double]

    init(_ values: [Double]) { sorted = values.sorted() }

    var p50: Double { quantile(0.50) }
    var p99: Double { quantile(0.99) }

    private func quantile(_ q: Double) -> Double {
        sorted.isEmpty ? .nan : sorted[min(Int(Double(sorted.count) * q), sorted.count - 1)]
    }
}

/// Nanoseconds of the monotonic clock.
func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Times `count` calls one by one, after a tenth as many warm-up calls.
func measure(_ count: Int, _ body: (Int) throws -> Void) rethrows -> Samples {
    for index in 0..<count / 10 { try body(index) }
    var values: [Double] = []
    values.reserveCapacity(count)
    for index in 0..<count {
        let start = nanoseconds()
        try body(count / 10 + index)
        values.append(Double(nanoseconds() - start) / 1000)
    }
    return Samples(values)
}

/// Measures two things alternately, so that other load on the machine affects both.
/// - Returns: How long the first took, and by how much its median exceeds the other's, in µs.
func measure(
    _ count: Int, _ body: (Int) throws -> Void, beside other: (Int) throws -> Void
) rethrows -> (Samples, Double) {
    for index in 0..<count / 10 {
        try body(index)
        try other(index)
    }
    var values: [Double] = []
    var others: [Double] = []
    for index in count / 10..<count / 10 + count {
        let start = nanoseconds()
        try body(index)
        let middle = nanoseconds()
        try other(index)
        others.append(Double(nanoseconds() - middle) / 1000)
        values.append(Double(middle - start) / 1000)
    }
    let samples = Samples(values)
    return (samples, samples.p50 - Samples(others).p50)
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Shortens a trace that shows a difference: removes calls, then entries of dictionaries.
struct Shrinker {
    private(set) var trace: [Call]
    /// How many calls are removed at once; 0 while entries are removed.
    private var chunk: Int
    private var position = 0
    private var entries: [(call: Int, isChange: Bool, name: Name)] = []

    init(_ trace: [Call]) {
        self.trace = trace
        chunk = max(1, trace.count / 2)
    }

    /// A shorter trace to try; nil when there is none left.
    mutating func candidate() -> [Call]? {
        while chunk > 0 {
            if position < trace.count {
                var shorter = trace
                shorter.removeSubrange(position..<min(position + chunk, trace.count))
                return shorter
            }
            (chunk, position) = (chunk / 2, 0)
            if chunk == 0 { listEntries() }
        }
        guard position < entries.count else { return nil }
        var shorter = trace
        let entry = entries[position]
        if entry.isChange {
            shorter[entry.call].changes[entry.name] = nil
        } else {
            shorter[entry.call].query[entry.name] = nil
        }
        return shorter
    }

    /// The candidate also shows a difference.
    mutating func accept(_ shorter: [Call]) {
        trace = shorter
        if chunk == 0 { position += 1 }
    }

    /// It shows none.
    mutating func reject() { position += max(chunk, 1) }

    private mutating func listEntries() {
        for index in trace.indices {
            let call = trace[index]
            entries += call.query.keys.map { (index, false, $0) }
            entries += call.changes.keys.map { (index, true, $0) }
        }
    }
}

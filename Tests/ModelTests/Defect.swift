// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// A fault that the model can be given. The comparison with the system must detect each, otherwise
/// a system with that fault would pass.
enum Defect: String, CaseIterable, Sendable {
    /// Certificates are stored as passwords are.
    case certificatesDefaultToWhenUnlocked
    /// Passwords are stored as certificates are.
    case passwordsDefaultToAlways
    /// Two internet passwords that differ only in their path collide.
    case pathMissingFromPrimaryKey
    /// Two keys that differ only in their tag collide.
    case tagMissingFromPrimaryKey
    /// Two generic passwords that differ only in their generic attribute don't collide.
    case genericInPrimaryKey
    /// Two items that differ only in their label don't collide.
    case labelInPrimaryKey
    /// The limit counts rows that a filter then drops.
    case limitBeforeFilter
    /// The newest item comes first.
    case newestFirst
    /// "Synchronizable or not" finds items that aren't.
    case anySynchronizableIsNo
    /// Without a synchronization key, a query also finds synchronizable items.
    case synchronizableIsNotImplied
    case persistentReferenceChangedByUpdate
    /// An update keeps the modification date.
    case modificationDateKept
    /// A failed update has changed the items before the failure.
    case updateIsNotAtomic
    /// Empty data is no data.
    case emptyDataIsNoData
    /// A query in a group that the caller doesn't hold finds nothing instead of failing.
    case foreignGroupIsNotFound
    /// The same bytes as text and as data are different accounts.
    case typeOfAccountMatters
    /// A number and its decimal text are different ports.
    case decimalTextIsNotItsNumber
    /// An attribute that was never set is found by zero or empty text.
    case absentIsEmpty
    /// Deleted synchronizable items are found.
    case tombstonesAreVisible
    /// A synchronizable item is deleted without a trace.
    case noTombstones
    /// Public keys also form identities.
    case publicKeysMakeIdentities
    /// An update of all items changes only the first.
    case updateStopsAtOne
    /// The caller can set the date of creation.
    case creationDateFromCaller
    /// Text is returned as data.
    case typeIsNotPreserved
    /// In a copy, a reference with further attributes selects the referenced item.
    case referenceWithAttributesIsTaken
    /// A limit in a delete is refused even if it is "all".
    case limitInDeleteIsRefused
}

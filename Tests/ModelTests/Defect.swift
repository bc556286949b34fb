// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// A fault that the model can be given. Each must be noticed by the comparison with the system, or
/// a system with that fault would pass.
enum Defect: String, CaseIterable, Sendable {
    /// Certificates are stored as passwords are.
    case certificatesDefaultToWhenUnlocked
    /// Passwords are stored as certificates are.
    case passwordsDefaultToAlways
    /// Two internet passwords that differ in their path alone collide.
    case pathMissingFromPrimaryKey
    /// Two keys that differ in their tag alone collide.
    case tagMissingFromPrimaryKey
    /// Two generic passwords that differ in their generic attribute alone don't collide.
    case genericInPrimaryKey
    /// Two items that differ in their label alone don't collide.
    case labelInPrimaryKey
    /// The limit counts rows that a filter then drops.
    case limitBeforeFilter
    /// The newest item comes first.
    case newestFirst
    /// "Synchronizable or not" finds items that aren't.
    case anySynchronizableIsNo
    /// Without a word about it, synchronizable items are found too.
    case synchronizableIsNotImplied
    case persistentReferenceChangedByUpdate
    /// An update keeps the modification date.
    case modificationDateKept
    /// An update that fails has changed the items before the failure.
    case updateIsNotAtomic
    /// Empty data is no data.
    case emptyDataIsNoData
    /// A group that the caller doesn't hold is empty instead of refused.
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
    /// Public keys make identities too.
    case publicKeysMakeIdentities
    /// An update of all items changes the first.
    case updateStopsAtOne
    /// The date of creation is the caller's.
    case creationDateFromCaller
    /// Text comes back as data.
    case typeIsNotPreserved
    /// A reference and further attributes select the referenced item in a copy.
    case referenceWithAttributesIsTaken
    /// A limit in a delete is refused even if it is "all".
    case limitInDeleteIsRefused
}

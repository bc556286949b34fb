// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Testing

/// Tests of the released daemons, as processes. One at a time: several of them load the machine on
/// purpose, and must not make others fail.
@Suite(.serialized) enum ServiceTests {}

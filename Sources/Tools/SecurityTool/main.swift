// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc

exit(Int32(UInt8(truncatingIfNeeded: SecurityTool.run(Words.ofProcess))))

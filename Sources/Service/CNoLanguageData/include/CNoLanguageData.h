// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Nothing to call: a program that links this target has no tables of languages. See the source.
#pragma once

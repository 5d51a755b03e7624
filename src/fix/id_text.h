/* Writes an id in the form of the one whose place it takes: 007, +7, 7.0, 7.000000000000000000e+00. Pure, any thread.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

/*
 * Appends `to` in the form of s[0..n), an integer as base/scan_number.h reads it: with its sign, the width that leading
 * zeros show, its decimals, its exponent. Where the form cannot hold the id (1e2 for 150), appends plain digits.
 */
void id_text_add(struct strbuf *out, const char *s, size_t n, int64_t to);

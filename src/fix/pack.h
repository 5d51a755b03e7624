/* Packs a corrected file as the one that it replaces was: gzip, bzip2, xz or zstd, in one stream, the same in each run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "base/strbuf.h"
#include "find/unpacker.h"

/* Replaces what out holds by its packed form. Returns false if *fault is set: no memory, or no such packing. */
bool pack_bytes(enum packing packing, struct strbuf *out, struct fault *fault);

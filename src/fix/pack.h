/*
 * Packs corrected files, and tars, as those that they replace were: gzip, bzip2, xz or zstd, in one stream, the same in
 * each run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "base/strbuf.h"
#include "find/unpacker.h"

/* Replaces what out holds by its packed form. Returns false if *fault is set: no memory, or no such packing. */
bool pack_bytes(enum packing packing, struct strbuf *out, struct fault *fault);

/* Packs what comes piece by piece. One thread. */
struct packer;

/* Returns NULL if *fault is set: no memory, or no such packing. */
struct packer *packer_new(enum packing packing, struct fault *fault);
/* NULL is fine. */
void packer_free(struct packer *p);
/* Packs n more bytes, and appends to out what is ready. Returns false if *fault is set. */
bool packer_add(struct packer *p, const void *bytes, size_t n, struct strbuf *out, struct fault *fault);
/* Appends the rest. Returns false if *fault is set. */
bool packer_end(struct packer *p, struct strbuf *out, struct fault *fault);

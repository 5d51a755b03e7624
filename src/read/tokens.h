/*
 * Reads the headers of streams of token ids, the training sets of language models:
 *
 *   - llm.c: 256 words of 32 bits, of which the first are a magic number, version 1 and the number of tokens; the ids
 *     follow, of 16 bits (magic 20240520) or 32 (20240801);
 *   - Megatron: the ids alone, in NAME.bin; NAME.idx has their type, and the length and the place of each sequence;
 *   - nanoGPT and most others: the ids alone. Nothing in the file says their type: --dtype does.
 *
 * All are little-endian. A type is never guessed. Pure but for the files that are read; any thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "read/input.h"
#include "read/sample.h"

/* Returns whether a file of that name, without its packing, may be such a stream: .bin, .u16, .u32, .tokens. */
bool is_token_name(const char *name);
/* Returns whether the type of the ids in the file at `path` is in its header, or in Megatron's index beside it. */
bool has_token_type(const char *path);

/*
 * Reads the header, of a member of an archive if path is NULL; then the input is at the first id. dtype: --dtype
 * (enum array_dtype), DTYPE_NONE without it. out->dtype is DTYPE_NONE if nothing says the type. out->elements is
 * ELEMENTS_UNKNOWN if the size of the input is. Returns false if *fault is set: the header, the index or the size
 * contradict each other.
 */
bool tokens_read_header(struct input *in, const char *path, uint8_t dtype, struct array_header *out,
			struct fault *fault);

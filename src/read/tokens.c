#include "read/tokens.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/file_name.h"
#include "base/guard.h"
#include "base/mem.h"
#include "read/identify.h"

enum {
	LLMC_WORDS = 256,
	LLMC_MAGIC_16 = 20240520,
	INDEX_HEAD = 9 + 8 + 1 + 8 + 8, /* magic, version, type, sequences, documents */
	INDEX_AT_ONCE = 4096,           /* sequences whose entries are read together */
};

bool is_token_name(const char *name)
{
	return file_name_ends_in_any(name, (const char *const[]){ ".bin", ".u16", ".u32", ".tokens", NULL });
}

/* ---- Megatron's index -------------------------------------------------------------------------------------------- */

/* Writes the path of the index that belongs to a file. Returns false if it has none. */
static bool index_path(const char *path, char out[4096])
{
	const size_t n = strlen(path);

	return n > 4 && !strcmp(path + n - 4, ".bin") && n < 4096 &&
	       snprintf(out, 4096, "%.*s.idx", (int)(n - 4), path) > 0;
}

static bool has_token_index(const char *path)
{
	uint8_t head[PEEK_BYTES];
	struct fault ignored = FAULT_INIT;
	char index[4096];

	if (!index_path(path, index))
		return false;
	const int n = input_read_head(AT_FDCWD, index, head, &ignored);

	return n > 0 && identify(head, (size_t)n) == CONTENT_TOKEN_INDEX;
}

bool has_token_type(const char *path)
{
	uint8_t head[PEEK_BYTES];
	struct fault ignored = FAULT_INIT;

	if (has_token_index(path))
		return true;
	const int64_t n = input_read_head(AT_FDCWD, path, head, &ignored);

	return n > 0 && identify(head, (size_t)n) == CONTENT_TOKENS;
}

/* The index while it is compared with the ids: its lengths and its places are read side by side. */
struct token_index {
	struct input lengths, places;
	uint64_t sequences, documents;
	uint8_t dtype;
};

static bool index_fault(uint64_t at, struct fault *fault, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static bool index_fault(uint64_t at, struct fault *fault, const char *fmt, ...)
{
	char text[FAULT_TEXT];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	fault_set(fault, FAULT_LABELS, at, "its index (.idx) contradicts it: %s", text);
	return fault_advise(fault, "make both again, with the same tool");
}

static bool read_index_head(struct token_index *index, struct fault *fault)
{
	static const uint8_t types[] = { DTYPE_NONE,  DTYPE_UINT8, DTYPE_INT8, DTYPE_INT16, DTYPE_INT32,
					 DTYPE_INT64, DTYPE_NONE,  DTYPE_NONE, DTYPE_UINT16 };
	uint8_t head[INDEX_HEAD];
	uint64_t needed = 0, part;

	if (input_read(&index->lengths, head, sizeof(head), fault) < (int64_t)sizeof(head) ||
	    identify(head, sizeof(head)) != CONTENT_TOKEN_INDEX)
		return index_fault(0, fault, "it has no header");
	index->dtype = head[17] < sizeof(types) ? types[head[17]] : DTYPE_NONE;
	index->sequences = le64(head + 18);
	index->documents = le64(head + 26);
	if (le64(head + 9) != 1 || index->dtype == DTYPE_NONE)
		return index_fault(9, fault, "version %" PRIu64 ", type %u: no ids of version 1", le64(head + 9),
				   head[17]);
	if (GUARD(sequences_of_an_index,
		  !size_mul(index->sequences, 12, &needed) || !size_mul(index->documents, 8, &part) ||
			  !size_add(needed, part, &needed) || needed > index->lengths.size - sizeof(head)))
		return index_fault(18, fault,
				   "it declares %" PRIu64 " sequences and %" PRIu64 " documents, but has %" PRIu64
				   " bytes",
				   index->sequences, index->documents, index->lengths.size);
	return true;
}

/* Compares the place of each sequence with the lengths before it. *bytes: those of all ids. */
static bool compare_sequences(struct token_index *index, uint64_t *bytes, struct fault *fault)
{
	const unsigned size = dtype_bytes((enum array_dtype)index->dtype);
	uint8_t *lengths = xmalloc(INDEX_AT_ONCE * 12), *places = lengths + INDEX_AT_ONCE * 4;
	bool ok = input_seek(&index->places, INDEX_HEAD + 4 * index->sequences, fault);

	*bytes = 0;
	for (uint64_t at = 0; ok && at < index->sequences;) {
		const size_t n = (size_t)MIN(index->sequences - at, (uint64_t)INDEX_AT_ONCE);

		ok = input_read(&index->lengths, lengths, 4 * n, fault) == (int64_t)(4 * n) &&
		     input_read(&index->places, places, 8 * n, fault) == (int64_t)(8 * n);
		for (size_t i = 0; ok && i < n; i++, at++) {
			const int32_t length = (int32_t)le32(lengths + 4 * i);

			if (length < 0 || le64(places + 8 * i) != *bytes)
				ok = index_fault(INDEX_HEAD + 4 * at, fault,
						 "sequence %" PRIu64 ", of %" PRId32
						 " ids, is to begin at byte %" PRIu64
						 ", but those before it end at %" PRIu64,
						 at, length, le64(places + 8 * i), *bytes);
			else
				*bytes += (uint64_t)length * size;
		}
	}
	free(lengths);
	return ok || fault->kind != FAULT_NONE ? ok : index_fault(INDEX_HEAD, fault, "it ends early");
}

static bool read_index(const char *path, uint64_t size, struct array_header *out, struct fault *fault)
{
	struct token_index index;
	uint64_t bytes;
	char name[4096];

	input_init(&index.lengths);
	input_init(&index.places);
	bool ok = index_path(path, name) && input_open(&index.lengths, AT_FDCWD, name, fault) &&
		  input_open(&index.places, AT_FDCWD, name, fault) && read_index_head(&index, fault) &&
		  compare_sequences(&index, &bytes, fault);

	if (ok && bytes != size)
		ok = index_fault(size, fault,
				 "its %" PRIu64 " sequences have %" PRIu64 " bytes, but the ids have %" PRIu64,
				 index.sequences, bytes, size);
	out->dtype = index.dtype;
	input_release(&index.lengths);
	input_release(&index.places);
	return ok;
}

/* ---- llm.c ------------------------------------------------------------------------------------------------------- */

static bool read_llmc(struct input *in, struct array_header *out, struct fault *fault)
{
	uint8_t head[LLMC_WORDS * 4];
	const int64_t n = input_read(in, head, sizeof(head), fault);

	if (n < 0)
		return false;
	if (n < (int64_t)sizeof(head))
		return fault_set(fault, FAULT_TRUNCATED, (uint64_t)n,
				 "ends within the header of llm.c, after %" PRId64 " of 1024 bytes", n);
	out->dtype = le32(head) == LLMC_MAGIC_16 ? DTYPE_UINT16 : DTYPE_UINT32;
	out->data_at = sizeof(head);
	out->elements = le32(head + 8);
	if (le32(head + 4) != 1)
		return fault_set(fault, FAULT_LABELS, 4, "llm.c's format version %" PRIu32 "; only 1 is read",
				 le32(head + 4));
	return true;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

bool tokens_read_header(struct input *in, const char *path, uint8_t dtype, struct array_header *out,
			struct fault *fault)
{
	uint8_t head[12];
	const int64_t n = input_read(in, head, sizeof(head), fault);
	const bool llmc = n == sizeof(head) && identify(head, sizeof(head)) == CONTENT_TOKENS;

	*out = (struct array_header){ .rank = 1, .dtype = dtype, .elements = ELEMENTS_UNKNOWN };
	if (n < 0 || !input_rewind(in, fault) || (llmc && !read_llmc(in, out, fault)))
		return false;
	if (!llmc && path && has_token_index(path) && !read_index(path, in->size, out, fault))
		return false;
	if (dtype != DTYPE_NONE && out->dtype != dtype) {
		fault_set(fault, FAULT_LABELS, 0, "its header says that the ids are %s; --dtype says %s",
			  dtype_name((enum array_dtype)out->dtype), dtype_name((enum array_dtype)dtype));
		return fault_advise(fault, "leave --dtype out: the header of llm.c and the index of Megatron say it");
	}
	const uint64_t bytes = dtype_bytes((enum array_dtype)out->dtype), size = in->size - out->data_at;

	if (in->size == INPUT_SIZE_UNKNOWN || !bytes)
		return true;
	if (!llmc && size % bytes) {
		fault_set(fault, FAULT_TRUNCATED, in->size - size % bytes,
			  "%" PRIu64 " bytes are no multiple of %" PRIu64 ": no whole number of ids of %s", in->size,
			  bytes, dtype_name((enum array_dtype)out->dtype));
		return fault_advise(fault, "copy it again, or pass the type that it was written in: --dtype");
	}
	if (!llmc)
		out->elements = size / bytes;
	out->shape[0] = out->elements;
	return true;
}

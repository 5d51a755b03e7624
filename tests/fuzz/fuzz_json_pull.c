/*
 * The JSON tokenizer: gives the same tokens from memory and from a stream that comes in small pieces, and judges what
 * it skips like what it reads.
 */
#include "base/json_pull.h"
#include "base/mem.h"
#include "fuzz.h"

struct pieces {
	const uint8_t *at;
	size_t left;
};

static int64_t read_piece(void *context, void *out, size_t n, struct fault *fault)
{
	struct pieces *p = context;
	size_t give = MIN(MIN(n, p->left), (size_t)7);

	(void)fault;
	if (give)
		memcpy(out, p->at, give);
	p->at += give;
	p->left -= give;
	return (int64_t)give;
}

static bool same_number(const struct json_number *a, const struct json_number *b)
{
	return a->magnitude == b->magnitude && a->exponent == b->exponent && a->negative == b->negative &&
	       a->integer == b->integer && a->exact == b->exact && a->finite == b->finite && a->nan == b->nan;
}

static void compare(const uint8_t *data, size_t n, unsigned options)
{
	struct json_pull memory, stream, skipper;
	struct pieces pieces = { data, n };
	enum json_token token;

	json_open_memory(&memory, data, n, options);
	json_open_stream(&stream, read_piece, &pieces, 64, options);
	json_set_text_max(&memory, 40);
	json_set_text_max(&stream, 40);
	do {
		uint64_t line[2], column[2];
		int64_t value;
		uint64_t count;

		token = json_next(&memory);
		FUZZ_CHECK(json_next(&stream) == token);
		FUZZ_CHECK(memory.depth == stream.depth && memory.depth <= JSON_PULL_DEPTH_MAX);
		if (token != JSON_FAULT && token != JSON_END) {
			json_place(&memory, &line[0], &column[0]);
			json_place(&stream, &line[1], &column[1]);
			FUZZ_CHECK(line[0] == line[1] && column[0] == column[1]);
		}
		if (token == JSON_KEY || token == JSON_STRING) {
			FUZZ_CHECK(memory.text_len == stream.text_len && memory.text_len <= 40);
			FUZZ_CHECK(memory.text_flags == stream.text_flags);
			FUZZ_CHECK(!memory.text_len || !memcmp(memory.text, stream.text, memory.text_len));
		} else if (token == JSON_NUMBER) {
			FUZZ_CHECK(same_number(&memory.number, &stream.number));
			json_number_int64(&memory.number, &value);
			json_number_uint64(&memory.number, &count);
			json_number_double(&memory.number);
		}
	} while (token != JSON_END && token != JSON_FAULT);
	FUZZ_CHECK(memory.fault.kind == stream.fault.kind && !strcmp(memory.fault.text, stream.fault.text));
	FUZZ_CHECK((token == JSON_FAULT) == (memory.fault.kind != FAULT_NONE));

	json_open_memory(&skipper, data, n, options);
	enum json_token first = json_next(&skipper), last = JSON_FAULT;

	if (first != JSON_FAULT && json_skip(&skipper, first))
		last = json_next(&skipper);
	FUZZ_CHECK(last == token);
	FUZZ_CHECK(skipper.bad_text == memory.bad_text && skipper.non_finite == memory.non_finite);
	json_close(&memory);
	json_close(&stream);
	json_close(&skipper);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	uint8_t *copy = fuzz_copy(data, n);

	compare(copy, n, 0);
	compare(copy, n, JSON_NON_FINITE);
	free(copy);
	return 0;
}

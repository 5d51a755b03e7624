/* Archives, recognised by their first bytes or claimed to be one: draws, unpacks and reads all members to their ends.
 */
#include "base/mem.h"
#include "find/archive.h"
#include "find/source.h"
#include "fuzz.h"

static void read_member(const struct entry *e)
{
	static uint8_t buffer[65536];
	struct fault fault;

	fault_clear(&fault);
	if (e->stream) {
		int64_t got;

		do
			got = archive_stream_read(e->stream, buffer, sizeof(buffer), &fault);
		while (got > 0);
		FUZZ_CHECK((got < 0) == (fault.kind != FAULT_NONE));
	} else if (e->bytes) {
		uint8_t sum = 0;

		for (size_t i = 0; i < e->bytes_len; i++)
			sum ^= e->bytes[i];
		for (size_t i = 0; i < 64; i++)
			FUZZ_CHECK(e->bytes[e->bytes_len + i] == 0);
		buffer[0] = sum;
	}
	FUZZ_CHECK(e->failed == (e->fault.kind != FAULT_NONE) || !e->failed);
}

static void draw_all(const char *path, bool heads_only)
{
	const struct find_options options = {
		.paths = &path, .paths_count = 1, .limits = fuzz_settings()->limits, .members.heads_only = heads_only
	};
	struct error err = ERROR_INIT;
	struct source *source;
	struct work_unit unit;

	FUZZ_CHECK(source_open(&source, &options, &err) == STATUS_OK);
	work_unit_init(&unit);
	do {
		work_unit_clear(&unit);
		FUZZ_CHECK(source_draw(source, &unit, 32, &err) == STATUS_OK);
		for (size_t i = 0; i < unit.count; i++)
			read_member(&unit.entries[i]);
	} while (unit.count);
	work_unit_release(&unit);
	source_close(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	draw_all(fuzz_path(data, n, n && data[0] == 'P' ? ".zip" : ".tar"), false);
	draw_all(fuzz_path(data, n, NULL), true);
	return 0;
}

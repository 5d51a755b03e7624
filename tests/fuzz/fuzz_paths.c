/* File lists of both kinds, and globs: up to the first NUL a pattern, then the path that is tried against it. */
#include "base/mem.h"
#include "find/file_list.h"
#include "find/glob.h"
#include "fuzz.h"

static void read_list(const uint8_t *data, size_t n, bool nul)
{
	static const atomic_bool stop;
	struct error err = ERROR_INIT;
	struct file_list list;
	struct listed_path p;
	size_t paths = 0, bytes = 0;

	file_list_init(&list);
	FUZZ_CHECK(file_list_open(&list, fuzz_path(data, n, NULL), nul, &err) == STATUS_OK);
	for (;;) {
		enum status status = file_list_next(&list, &stop, &p, &err);

		FUZZ_CHECK((status == STATUS_OK) == !err.text[0]);
		if (status != STATUS_OK || !p.path)
			break;
		FUZZ_CHECK(p.len && strlen(p.path) == p.len && p.len <= FILE_LIST_PATH_MAX);
		paths++;
		bytes += p.len;
	}
	FUZZ_CHECK(paths <= n && bytes <= n);
	file_list_release(&list);
}

static void match(const uint8_t *data, size_t n)
{
	const uint8_t *end = memchr(data, 0, n);

	if (!end)
		return;
	char *pattern = xmemdup0((const char *)data, (size_t)(end - data));
	size_t left = n - (size_t)(end - data) - 1;
	char *text = (char *)fuzz_copy(end + 1, left);
	const char *why = NULL;
	struct glob g;

	if (glob_compile(&g, pattern, &why)) {
		bool first = glob_test(&g, text, left);

		FUZZ_CHECK(glob_test(&g, text, left) == first); /* no state is left */
		glob_release(&g);
	} else {
		FUZZ_CHECK(why && why[0]);
	}
	free(text);
	free(pattern);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	read_list(data, n, false);
	read_list(data, n, true);
	if (n)
		match(data, n);
	return 0;
}

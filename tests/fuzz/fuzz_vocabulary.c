/* The folder of a tokenizer and its model: the files of `names`, with a zero byte between each two. */
#include "read/vocabulary.h"

#include <fcntl.h>
#include <unistd.h>

#include "fuzz.h"

static const char *const names[] = { "tokenizer.json", "tokenizer_config.json", "config.json", "added_tokens.json",
				     "vocab.txt" };
static char folder[64];

static const char *path_of(size_t i)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
	return path;
}

static void remove_folder(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		unlink(path_of(i));
	rmdir(folder);
}

static void write_file(const char *path, const uint8_t *data, size_t n)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	FUZZ_CHECK(fd >= 0 && write(fd, data, n) == (ssize_t)n);
	close(fd);
}

static void read_vocabulary(const char *path)
{
	struct error err = ERROR_INIT;
	struct vocabulary v;
	const bool ok = vocabulary_read(&v, "tokenizer", path, &err) == STATUS_OK;

	FUZZ_CHECK(ok == !err.text[0]);
	FUZZ_CHECK(v.specials_count <= SPECIALS_MAX && v.size <= (uint64_t)INT64_MAX + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct vocabulary v;
	if (!folder[0]) {
		const char *where = getenv("TMPDIR");

		snprintf(folder, sizeof(folder), "%.40s/fuzz.XXXXXX", where ? where : "/tmp");
		FUZZ_CHECK(mkdtemp(folder) != NULL);
		atexit(remove_folder);
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const uint8_t *end = n ? memchr(data, 0, n) : NULL;
		const size_t part = end ? (size_t)(end - data) : n;

		if (part)
			write_file(path_of(i), data, part);
		else
			unlink(path_of(i));
		data += part + (end != NULL);
		n -= part + (end != NULL);
	}
	read_vocabulary(folder);
	read_vocabulary(path_of(0));
	read_vocabulary(path_of(4));
	vocabulary_read_model(&v, path_of(2));
	return 0;
}

#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"

static struct settings settings;

struct settings *fuzz_settings(void)
{
	struct error err = ERROR_INIT;

	if (settings.classes.classes.count)
		return &settings;
	class_set_init(&settings.classes);
	FUZZ_CHECK(class_set_parse_classes(&settings.classes, "0-12,40-90", &err) == STATUS_OK);
	FUZZ_CHECK(class_set_parse_ignore(&settings.classes, "255", &err) == STATUS_OK);
	class_set_name(&settings.classes, 1, "cat");
	class_set_finish(&settings.classes);
	settings.limits = (struct limits){ .max_pixels = 1 << 22, .max_inflated = 1 << 24, .max_archive_ratio = 200 };
	return &settings;
}

uint8_t *fuzz_copy(const uint8_t *data, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);

	FUZZ_CHECK(copy != NULL);
	if (n)
		memcpy(copy, data, n);
	return copy;
}

int fuzz_fd(const uint8_t *data, size_t n)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	FUZZ_CHECK(fd >= 0);
	FUZZ_CHECK(write(fd, data, n) == (ssize_t)n);
	FUZZ_CHECK(lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

static char folder[64];

static char path[96];

static void remove_folder(void)
{
	unlink(path);
	rmdir(folder);
}

const char *fuzz_path(const uint8_t *data, size_t n, const char *extension)
{
	static char target[64];
	static int fd = -1;

	if (fd >= 0) {
		close(fd);
	} else {
		const char *where = getenv("TMPDIR");

		snprintf(folder, sizeof(folder), "%.40s/fuzz.XXXXXX", where ? where : "/tmp");
		FUZZ_CHECK(mkdtemp(folder) != NULL);
		atexit(remove_folder);
	}
	fd = fuzz_fd(data, n);
	snprintf(target, sizeof(target), "/proc/self/fd/%d", fd);
	if (!extension)
		return target;
	snprintf(path, sizeof(path), "%s/x%s", folder, extension);
	unlink(path);
	FUZZ_CHECK(symlink(target, path) == 0);
	return path;
}

static void measure(struct label_measurer *measurer, enum sample_format format, const uint8_t *data, size_t n,
		    bool streamed, struct batch *batch)
{
	batch_init(batch);
	struct batch_item *item = batch_add(batch);

	item->sample.path = "input";
	item->sample.format = format;
	fault_clear(&item->sample.fault);
	fault_clear(&item->sample.warning);
	if (streamed) {
		item->input.fd = fuzz_fd(data, n);
		item->input.size = n;
		FUZZ_CHECK(fstat(item->input.fd, &item->input.st) == 0);
	} else {
		input_from_memory(&item->input, data, n);
	}
	label_measurer_measure(measurer, batch);
}

void fuzz_measure(enum sample_format format, const uint8_t *data, size_t n)
{
	static struct label_measurer measurer;
	static bool made;
	uint8_t *copy = fuzz_copy(data, n);
	struct batch batch[2];

	if (!made)
		label_measurer_init(&measurer, fuzz_settings());
	made = true;
	for (int streamed = 0; streamed < 2; streamed++)
		measure(&measurer, format, copy, n, streamed, &batch[streamed]);

	const struct batch_item *a = &batch[0].items[0], *b = &batch[1].items[0];

	FUZZ_CHECK((a->sample.status == SAMPLE_FAILED) == (a->sample.fault.kind != FAULT_NONE));
	FUZZ_CHECK(a->sample.status == b->sample.status);
	FUZZ_CHECK(a->sample.fault.kind == b->sample.fault.kind);
	FUZZ_CHECK(!strcmp(a->sample.fault.text, b->sample.fault.text));
	FUZZ_CHECK(!memcmp(&a->stats, &b->stats, sizeof(a->stats)));
	FUZZ_CHECK(batch[0].ids_count == batch[1].ids_count);
	for (size_t i = 0; i < batch[0].ids_count; i++)
		FUZZ_CHECK(!memcmp(&batch[0].ids[i], &batch[1].ids[i], sizeof(struct id_stats)));
	/* A file that failed adds nothing to any count. */
	FUZZ_CHECK(a->sample.status != SAMPLE_FAILED || batch[0].ids_count == 0);
	batch_release(&batch[0]);
	batch_release(&batch[1]);
	free(copy);
}

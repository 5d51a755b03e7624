/* Files for --classes. The first byte chooses the extension, the file follows. */
#include "base/mem.h"
#include "fuzz.h"
#include "read/class_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const extensions[] = { ".txt", ".yaml", ".json", ".csv", "" };
	struct error err = ERROR_INIT, ignored = ERROR_INIT;
	struct colour_table colours = { 0 };
	struct class_set set;

	if (!n)
		return 0;
	class_set_init(&set);
	const char *path = fuzz_path(data + 1, n - 1, extensions[data[0] % ARRAY_SIZE(extensions)]);
	enum status status = class_file_read(&set, &colours, "classes", path, &err);

	struct training_config *config = xmalloc(sizeof(*config));
	struct class_file file;

	if (class_file_open(&file, "classes", path, &ignored) == STATUS_OK) {
		class_file_training(&file, config);
		FUZZ_CHECK(config->kind == TRAINING_ULTRALYTICS ? config->count : !config->count);
	}
	class_file_close(&file);
	free(config);
	FUZZ_CHECK((status == STATUS_OK) == !err.text[0]);
	class_set_finish(&set);
	class_set_release(&set);
	colour_table_release(&colours);
	return 0;
}

/* labelaudit.yaml, named or found: refused with a word, or a list of options within its bounds. */
#include "cli/config.h"
#include "cli/options.h"
#include "fuzz.h"

static void read_config(const uint8_t *data, size_t n, bool found)
{
	struct error err = ERROR_INIT;
	struct config c = { .found = found };
	enum status status = config_read(&c, fuzz_path(data, n, ".yaml"), &err);

	FUZZ_CHECK((status == STATUS_OK) == !err.text[0]);
	FUZZ_CHECK(c.count <= CONFIG_VALUES_MAX);
	for (size_t i = 0; status == STATUS_OK && i < c.count; i++)
		FUZZ_CHECK(c.v[i].spec && c.v[i].line >= 1);
	config_release(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	read_config(data, n, false);
	read_config(data, n, true);
	return 0;
}

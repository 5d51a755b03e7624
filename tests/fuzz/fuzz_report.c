/*
 * Reports that are read back. One that is taken can be written in every form; as JSON, written and read again, it stays
 * the same; and no form has a control byte in it.
 */
#include "base/escape.h"
#include "base/mem.h"
#include "fuzz.h"
#include "report/report_file.h"

static const struct reporter *const reporters[] = {
	&reporter_jsonl,  &reporter_text,   &reporter_sarif, &reporter_junit,
	&reporter_github, &reporter_gitlab, &reporter_csv,   &reporter_markdown,
};

static struct report_file *read_back(const void *text, size_t n)
{
	struct error err = ERROR_INIT;
	struct report_file *file = NULL;
	enum status status = report_file_read(&file, fuzz_path(text, n, NULL), UINT64_MAX, &err);

	FUZZ_CHECK((status == STATUS_OK) == !err.text[0] && (status == STATUS_OK) == (file != NULL));
	return file;
}

static void expect_inert(const struct strbuf *out)
{
	for (size_t i = 0; i < out->len; i++)
		FUZZ_CHECK((unsigned char)out->s[i] >= 0x20 || out->s[i] == '\n' || out->s[i] == '\r');
	FUZZ_CHECK(utf8_valid(out->s, out->len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct strbuf once = STRBUF_INIT, twice = STRBUF_INIT, other = STRBUF_INIT;
	struct report_file *file = read_back(data, n);

	if (!file)
		return 0;
	reporter_json.end(&file->report, &once);
	expect_inert(&once);
	for (size_t i = 0; i < ARRAY_SIZE(reporters); i++) {
		strbuf_clear(&other);
		if (reporters[i]->end)
			reporters[i]->end(&file->report, &other);
		expect_inert(&other);
	}
	report_file_free(file);

	file = read_back(once.s, once.len);
	FUZZ_CHECK(file != NULL);
	reporter_json.end(&file->report, &twice);
	FUZZ_CHECK(once.len == twice.len && !memcmp(once.s, twice.s, once.len));
	report_file_free(file);
	strbuf_release(&once);
	strbuf_release(&twice);
	strbuf_release(&other);
	return 0;
}

#include "command/commands.h"

#include <bzlib.h>
#include <cjson/cJSON.h>
#include <errno.h>
#include <libdeflate.h>
#include <lzma.h>
#include <png.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <yaml.h>
#include <zlib.h>
#include <zstd.h>

#include "audit/audit.h"
#include "base/cpu.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/version.h"
#include "base/write_all.h"
#include "command/diff.h"
#include "command/merge.h"
#include "command/render.h"
#include "judge/rule.h"
#include "measure/backend.h"
#include "report/report.h"

/* ---- rule ------------------------------------------------------------------------------------------------------- */

static void list_category(const char *category, struct strbuf *out)
{
	size_t width = 0;

	strbuf_addf(out, "%s%s\n", out->len ? "\n" : "", category);
	for (size_t i = 0; i < rule_count; i++)
		width = MAX(width, strlen(rule_table[i]->name));
	for (size_t i = 0; i < rule_count; i++) {
		const struct rule *rule = rule_table[i];

		if (!strcmp(rule->category, category))
			strbuf_addf(out, "  %-*s  %-7s  %s\n", (int)width, rule->name, level_name(rule->level),
				    rule->summary);
	}
}

static void list_rules(struct strbuf *out)
{
	for (size_t i = 0; i < RULE_CATEGORIES; i++)
		list_category(rule_categories[i], out);
}

static enum status explain_rules(const struct string_list *names, struct strbuf *out, struct error *err)
{
	for (size_t i = 0; i < names->count; i++) {
		const struct rule *rule = rule_find(names->v[i]);
		struct nearest nearest;

		if (rule) {
			strbuf_addf(out, "%s%s: %s\n%s, category %s, since %s\n\n%s", i ? "\n" : "", rule->name,
				    rule->summary, level_name(rule->level), rule->category,
				    rule->since ? rule->since : RULE_SINCE_FIRST, rule_docs[rule_index(rule)]);
			continue;
		}
		nearest_init(&nearest, names->v[i]);
		for (size_t j = 0; j < rule_count; j++)
			nearest_try(&nearest, rule_table[j]->name);
		if (nearest.name)
			return error_set(err, "there is no rule '%s'; did you mean %s?", names->v[i], nearest.name);
		return error_set(err, "there is no rule '%s'; labelaudit rule lists them", names->v[i]);
	}
	return STATUS_OK;
}

/* ---- doctor ----------------------------------------------------------------------------------------------------- */

static const char *compiler(void)
{
#if defined(__clang__)
	return __VERSION__; /* begins with its name */
#else
	return "gcc " __VERSION__;
#endif
}

static bool add_backend(const struct backend *backend, struct strbuf *out)
{
	struct error failure = ERROR_INIT;
	char text[256] = "";
	bool works = backend->probe(0, text, sizeof(text), &failure) == STATUS_OK;

	strbuf_addf(out, "  %-14s %s\n", backend->name, works ? text : failure.text);
	return works;
}

static void doctor(const struct options *options, struct strbuf *out)
{
	const struct backend *picked = audit_backend(options);

	strbuf_addf(out, "labelaudit       %s\n", LABELAUDIT_VERSION);
	strbuf_addf(out, "compiler         %s\n", compiler());
	strbuf_addf(out, "libpng           %s (built with %s)\n", png_get_libpng_ver(NULL), PNG_LIBPNG_VER_STRING);
	strbuf_addf(out, "zlib             %s (built with %s)\n", zlibVersion(), ZLIB_VERSION);
	strbuf_addf(out, "libdeflate       built with %s\n", LIBDEFLATE_VERSION_STRING);
	strbuf_addf(out, "libbz2           %.*s\n", (int)strcspn(BZ2_bzlibVersion(), ","), BZ2_bzlibVersion());
	strbuf_addf(out, "liblzma          %s (built with %s)\n", lzma_version_string(), LZMA_VERSION_STRING);
	strbuf_addf(out, "libzstd          %s (built with %s)\n", ZSTD_versionString(), ZSTD_VERSION_STRING);
	strbuf_addf(out, "SQLite           %s (built with %s)\n", sqlite3_libversion(), SQLITE_VERSION);
	strbuf_addf(out, "cJSON            %s\n", cJSON_Version());
	strbuf_addf(out, "libyaml          %s\n", yaml_get_version_string());
	strbuf_addf(out, "xxHash           built with %d.%d.%d\n", XXH_VERSION_MAJOR, XXH_VERSION_MINOR,
		    XXH_VERSION_RELEASE);
	strbuf_adds(out, "CPU features     ");
	cpu_features_format(cpu_features(), out);
	strbuf_addf(out, "\nusable cores     %u\n", cpu_usable_cores());
	strbuf_adds(out, "devices\n");
	add_backend(&backend_cpu, out);
	add_backend(&backend_cpu_reference, out);
	bool gpu = add_backend(&backend_cuda, out) && picked == &backend_cpu;

	if (backend_cuda.built_for()[0])
		strbuf_addf(out, "  %-14s kernels: %s\n", "", backend_cuda.built_for());
	strbuf_addf(out, "--device auto    %s%s\n", picked->name,
		    gpu ? "; cuda for audits that would keep it busy for more than 10 s" : "");
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

/* --exit-zero: findings are no failure. */
static enum status without_findings(const struct options *options, enum status status)
{
	return status == STATUS_FINDINGS && options->exit_zero ? STATUS_OK : status;
}

enum status command_run(struct options *options, int *signal_number, struct error *err)
{
	struct strbuf out = STRBUF_INIT;
	enum status status = STATUS_OK;

	switch (options->command) {
	case COMMAND_AUDIT:
		if (options->show_settings) {
			options_show(options, &out);
			break;
		}
		return without_findings(options, audit_run(options, signal_number, err));
	case COMMAND_MERGE:
		return without_findings(options, merge_run(options, signal_number, err));
	case COMMAND_RENDER:
		return render_run(options, signal_number, err);
	case COMMAND_DIFF:
		return without_findings(options, diff_run(options, signal_number, err));
	case COMMAND_RULE:
		if (options->words.count)
			status = explain_rules(&options->words, &out, err);
		else
			list_rules(&out);
		break;
	case COMMAND_DOCTOR:
		doctor(options, &out);
		break;
	case COMMAND_SCHEMA:
		strbuf_add(&out, report_schema, report_schema_size);
		break;
	case COMMAND_COMPLETIONS:
		status = options_completions(options->words.v[0], &out, err);
		break;
	case COMMAND_HELP:
		options_help(options->help_about, &out);
		break;
	case COMMAND_PRESETS:
		presets_list(&out);
		break;
	case COMMAND_VERSION:
		strbuf_adds(&out, "labelaudit " LABELAUDIT_VERSION "\n");
		break;
	}
	if (status == STATUS_OK)
		status = write_stdout(&out, signal_number, err);
	strbuf_release(&out);
	return status;
}

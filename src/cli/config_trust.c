#include "cli/config_trust.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/guard.h"
#include "base/scan_number.h"
#include "base/strbuf.h"
#include "cli/options_table.h"
#include "platform/platform.h"

/* Opens the folder of the file. */
static int open_folder(const struct config *c)
{
	const char *slash = strrchr(c->path, '/');
	RELEASED struct strbuf folder = STRBUF_INIT;

	strbuf_adds(&folder, "./");
	if (slash) {
		strbuf_clear(&folder);
		strbuf_add(&folder, c->path, (size_t)(slash - c->path) + 1);
	}
	return platform_open_folder(AT_FDCWD, folder.s, 0);
}

static bool is_beneath(const struct config *c, const char *path)
{
	int folder = open_folder(c);
	bool beneath = folder >= 0 && path_is_beneath(folder, path);

	if (folder >= 0)
		close(folder);
	return beneath;
}

/* Returns whether a file of that user is trusted: with sudo, one of the user who typed it is, too, as git has it. */
static bool is_trusted(uid_t owner)
{
	const char *sudo = geteuid() == 0 ? getenv("SUDO_UID") : NULL;
	uint64_t uid;

	if (owner == geteuid() || owner == 0)
		return true;
	return sudo && scan_uint64(&sudo, &uid) && !*sudo && uid == owner;
}

enum status config_check_file(const struct config *c, const struct stat *st, struct error *err)
{
	const char *slash = strrchr(c->path, '/'), *name = slash ? slash + 1 : c->path;

	if (!c->found)
		return STATUS_OK;
	if (GUARD(owner_of_config, !is_trusted(st->st_uid)))
		return error_set(err,
				 "%s: dubious ownership: it belongs to user %lu, who is neither you nor root; pass "
				 "--config %s if you trust it, or --no-config",
				 c->path, (unsigned long)st->st_uid, c->path);
	if (GUARD(link_of_config, !is_beneath(c, name)))
		return error_set(err,
				 "%s: a link that leads out of its folder; pass --config %s if you trust it, or "
				 "--no-config",
				 c->path, c->path);
	return STATUS_OK;
}

enum status config_check_path(const struct config *c, size_t line, const struct option_spec *spec, const char *value,
			      struct error *err)
{
	if (!c->found || spec->named_only || !GUARD(path_of_config, !is_beneath(c, value)))
		return STATUS_OK;
	return error_set(err,
			 "%s: line %zu: %s: '%s' is not beneath the folder of this file, which was found, not named; "
			 "type %s%s, or pass --config %s if you trust it",
			 c->path, line, spec->name, value, spec->set ? "--" : "that PATH", spec->set ? spec->name : "",
			 c->path);
}

enum status config_check_value(const struct config *c, const struct config_value *v, struct error *err)
{
	bool never = !strcmp(v->spec->name, "fail-on") && !strcmp(v->value, "never");

	if (!c->found || !GUARD(gate_opened_by_config, v->spec->named_only || never))
		return STATUS_OK;
	return error_set(err,
			 "%s: line %zu: %s%s is ignored in a file that was found, not named; type --%s%s, or pass "
			 "--config %s if you trust it",
			 c->path, v->line, v->spec->name, never ? ": never" : "", v->spec->name, never ? "=never" : "",
			 c->path);
}

#include "sort_out.h"

#include <string.h>
#include <strings.h>

#include "read/identify.h"
#include "read/peek.h"

static bool has_extension(const char *name, const char *extension)
{
	size_t n = strlen(name), e = strlen(extension);

	return n > e && !strcasecmp(name + n - e, extension);
}

static bool is_picture(enum content content)
{
	return content == CONTENT_JPEG || content == CONTENT_GIF || content == CONTENT_BMP || content == CONTENT_TIFF ||
	       content == CONTENT_WEBP;
}

/* What an entry without a claim in its name holds. */
static enum claim look_into(const struct entry *entry, enum content *content, struct fault *fault)
{
	uint8_t head[PEEK_BYTES];
	int n = peek_file(entry->dirfd, entry->name, head, fault);

	*content = CONTENT_EMPTY;
	if (n < 0)
		return CLAIM_FAILED;
	*content = identify(head, (size_t)n);
	return *content == CONTENT_PNG ? CLAIM_LABELS : CLAIM_OTHER;
}

static bool claims_by_name(const struct entry *entry)
{
	return entry->named || entry->standard_input || has_extension(entry->name, ".png");
}

enum claim sort_out_entry(const struct entry *entry, bool pictures_too, struct fault *fault)
{
	enum content content;

	if (claims_by_name(entry))
		return CLAIM_LABELS;
	enum claim claim = look_into(entry, &content, fault);

	if (claim == CLAIM_OTHER && pictures_too && is_picture(content))
		return CLAIM_LABELS;
	return claim;
}

enum status sort_out_census(const struct find_options *find, struct census *out, struct error *err)
{
	enum { DRAW = 256 };
	struct source *source;
	struct unit unit;
	enum status status = source_open(&source, find, err);

	*out = (struct census){ false, false };
	if (status != STATUS_OK)
		return status;
	if (find->files_from) { /* listed files are named, and a list on standard input can be read only once */
		out->labels = true;
		source_close(source);
		return STATUS_OK;
	}
	unit_init(&unit);
	do {
		unit_clear(&unit);
		status = source_draw(source, &unit, DRAW, err);
		for (size_t i = 0; status == STATUS_OK && !out->labels && i < unit.count; i++) {
			const struct entry *entry = &unit.entries[i];
			struct fault ignored;
			enum content content;

			if (entry->failed)
				continue;
			if (claims_by_name(entry)) {
				out->labels = true;
				break;
			}
			fault_clear(&ignored);
			if (look_into(entry, &content, &ignored) == CLAIM_LABELS)
				out->labels = true;
			else if (is_picture(content))
				out->pictures = true;
		}
	} while (status == STATUS_OK && unit.count && !out->labels);
	unit_release(&unit);
	source_close(source);
	return status;
}

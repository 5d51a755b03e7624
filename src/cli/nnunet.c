#include "cli/nnunet.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/table.h"
#include "find/pairs.h"
#include "read/small_json.h"

/* Names that are wrong in one way. */
struct odd_names {
	uint64_t count;
	char first[64];
};

/* The cases that imagesTr holds. */
struct cases {
	struct hash_set known; /* the hashes of the names of cases */
	uint64_t count;
	struct odd_names unnumbered, beyond; /* without a channel; with one that is not declared */
	struct odd_names others;             /* images that do not end in file_ending */
};

static void add_fault(struct strbuf *faults, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add_fault(struct strbuf *faults, const char *fmt, ...)
{
	char text[384];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	strbuf_addf(faults, "%s%s", faults->len ? "; " : "", text);
}

static void add_odd(struct odd_names *odd, const char *name)
{
	if (!odd->count++ || strcmp(name, odd->first) < 0)
		snprintf(odd->first, sizeof(odd->first), "%.*s", (int)sizeof(odd->first) - 1, name);
}

/* Counts an image by its name: CASE_0000.nii.gz. */
static void add_name(struct cases *c, const struct channel_names *names, const char *name)
{
	enum { CHANNEL = 5 }; /* an underscore and four digits */
	const size_t end = strlen(names->ending), all = strlen(name);
	size_t n = all - end, digits = 0;
	unsigned channel = 0;

	/* macOS leaves ._CASE_0000.nii.gz in archives */
	if (name[0] == '.')
		return;
	if (all <= end || strcmp(name + n, names->ending) != 0) {
		if (pairs_is_image_name(name))
			add_odd(&c->others, name);
		return;
	}
	while (digits < 4 && digits < n && ascii_isdigit(name[n - 1 - digits]))
		digits++;
	if (digits == 4 && n > CHANNEL && name[n - CHANNEL] == '_') {
		for (n -= CHANNEL, digits = 1; digits < CHANNEL; digits++)
			channel = 10 * channel + (unsigned)(name[n + digits] - '0');
		if (channel >= names->channels)
			add_odd(&c->beyond, name);
	} else if (!names->plain) {
		add_odd(&c->unnumbered, name);
	}
	c->count += hash_set_add(&c->known, hash_bytes(hash_seed(), name, n));
}

/* Returns false if there is no imagesTr. */
static bool list_images(int folder_fd, const struct channel_names *names, struct cases *c)
{
	const int fd = openat(folder_fd, "imagesTr", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	for (const struct dirent *e; dir && (e = readdir(dir));)
		add_name(c, names, e->d_name);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	return dir;
}

static void report(const struct cases *c, const struct channel_names *names, const cJSON *declared,
		   struct strbuf *faults)
{
	if (cJSON_IsNumber(declared) && declared->valuedouble != (double)c->count)
		add_fault(faults, "numTraining is %.0f, but imagesTr has %" PRIu64 " %s", declared->valuedouble,
			  c->count, c->count == 1 ? "case" : "cases");
	if (!c->count && c->others.count)
		add_fault(faults, "file_ending is %s, and no name of imagesTr ends so (first: %s)", names->ending,
			  c->others.first);
	if (c->unnumbered.count)
		add_fault(faults, "%" PRIu64 " %s of imagesTr without the number of a channel, as _0000%s (first: %s)",
			  c->unnumbered.count, c->unnumbered.count == 1 ? "name" : "names", names->ending,
			  c->unnumbered.first);
	if (c->beyond.count)
		add_fault(faults,
			  "%" PRIu64 " %s of imagesTr %s of a channel that is not declared: channel_names has %u "
			  "(first: %s)",
			  c->beyond.count, c->beyond.count == 1 ? "image" : "images",
			  c->beyond.count == 1 ? "is" : "are", names->channels, c->beyond.first);
}

/* Returns how many channels a value names: {"0": "CT"}, or a list of the names. */
static unsigned count_channels(const cJSON *value)
{
	const int n = cJSON_IsObject(value) || cJSON_IsArray(value) ? cJSON_GetArraySize(value) : 0;

	return (unsigned)MIN(MAX(n, 0), 9999);
}

/* Compares the regions, which are all labels but the background, with their order. */
static void compare_regions(const cJSON *root, struct strbuf *faults)
{
	const cJSON *labels = cJSON_GetObjectItemCaseSensitive(root, "labels");
	const int order = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(root, "regions_class_order"));
	bool has_regions = false;
	int count = 0;

	for (const cJSON *e = cJSON_IsObject(labels) ? labels->child : NULL; e; e = e->next) {
		has_regions |= cJSON_GetArraySize(e) > 1;
		count += strcmp(e->string, "ignore") != 0 && strcmp(e->string, "background") != 0;
	}
	if (has_regions && order && order != count)
		add_fault(faults, "regions_class_order has %d %s, but %d labels are not background", order,
			  order == 1 ? "id" : "ids", count);
}

bool nnunet_compare(const struct class_file *file, int folder_fd, struct channel_names *names, struct strbuf *faults)
{
	static const char *const needed[] = { "channel_names", "numTraining", "file_ending" };
	struct fault ignored = FAULT_INIT;
	cJSON *root = small_json_parse(file->text, file->size, &ignored);
	const cJSON *channels = cJSON_GetObjectItemCaseSensitive(root, "channel_names"),
		    *modality = cJSON_GetObjectItemCaseSensitive(root, "modality"),
		    *ending = cJSON_GetObjectItemCaseSensitive(root, "file_ending");
	const bool first = modality && !channels && !ending;
	RELEASED struct strbuf missing = STRBUF_INIT;
	struct cases c = { .count = 0 };

	*names = (struct channel_names){ .channels = count_channels(channels ? channels : modality), .plain = first };
	for (size_t i = 0; root && !first && i < ARRAY_SIZE(needed); i++)
		if (!cJSON_HasObjectItem(root, needed[i]))
			strbuf_addf(&missing, "%s%s", missing.len ? ", " : "", needed[i]);
	if (missing.len)
		add_fault(faults, "%s not given: nnU-Net stops without", missing.s);
	compare_regions(root, faults);
	snprintf(names->ending, sizeof(names->ending), "%s",
		 first                    ? ".nii.gz"
		 : cJSON_IsString(ending) ? ending->valuestring
					  : "");
	if (!*names->ending || cJSON_HasObjectItem(root, "dataset"))
		names->channels = 0;
	const bool sought = names->channels, found = sought && list_images(folder_fd, names, &c);

	if (found)
		report(&c, names, cJSON_GetObjectItemCaseSensitive(root, "numTraining"), faults);
	else
		names->channels = 0;
	hash_set_release(&c.known);
	cJSON_Delete(root);
	return found || !sought || first;
}

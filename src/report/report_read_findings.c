/* The findings of a report that is read back. */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/mem.h"
#include "report/report_read.h"

/* [[id, count], ...] */
static bool read_ids(struct json_values *v, struct finding_details *d)
{
	if (!values_array(v))
		return false;
	d->ids_count = 0;
	while (values_element(v)) {
		if (d->ids_count == FINDING_IDS_MAX)
			return values_fail(v, "there are more than %d ids", FINDING_IDS_MAX);
		struct finding_id *id = &d->ids[d->ids_count++];

		if (!values_array(v) || !values_element(v) || !values_i64(v, &id->id) ||
		    !values_next_u64(v, &id->labels) || !values_array_end(v))
			return v->failed ? false : values_fail(v, "expected [id, count]");
	}
	return !v->failed;
}

/* [3, 0, 7] */
static bool read_index(struct json_values *v, struct finding_details *d)
{
	if (!values_array(v))
		return false;
	d->first_kind = FIRST_INDEX;
	d->first_rank = 0;
	while (values_element(v)) {
		if (d->first_rank == FIRST_AXES_MAX)
			return values_fail(v, "there are more than %d axes", FIRST_AXES_MAX);
		if (!values_u64(v, &d->first_at[d->first_rank++]))
			return false;
	}
	return !v->failed;
}

static bool read_first(struct json_values *v, struct finding_details *d)
{
	if (!values_object(v))
		return false;
	d->has_first = true;
	d->first_kind = FIRST_XY;
	while (values_member(v)) {
		if (values_key_is(v, "id"))
			values_i64(v, &d->first_id);
		else if (values_key_is(v, "index"))
			read_index(v, d);
		else if (values_key_is(v, "line") && values_u64(v, &d->first_y))
			d->first_kind = FIRST_LINE;
		else if (values_key_is(v, "column"))
			values_u64(v, &d->first_x);
		else if (values_key_is(v, "x"))
			values_u64(v, &d->first_x);
		else if (values_key_is(v, "y"))
			values_u64(v, &d->first_y);
		else
			values_skip(v);
	}
	return !v->failed;
}

static bool read_map(struct json_values *v, struct text *map)
{
	const char *s = values_string(v);

	if (!s)
		return false;
	text_clear(map);
	text_addf(map, "%s", s);
	return true;
}

static bool read_details(struct json_values *v, struct finding_details *d)
{
	const struct {
		const char *key;
		uint64_t *out;
	} counts[] = {
		{ "ids_total", &d->ids_total }, { "offset", &d->offset }, { "line", &d->line },
		{ "column", &d->column },       { "pixels", &d->pixels },
	};

	if (!values_object(v))
		return false;
	while (values_member(v)) {
		size_t i = 0;

		while (i < ARRAY_SIZE(counts) && !values_key_is(v, counts[i].key))
			i++;
		if (i < ARRAY_SIZE(counts)) {
			values_u64(v, counts[i].out);
		} else if (values_key_is(v, "ids")) {
			read_ids(v, d);
		} else if (values_key_is(v, "first")) {
			read_first(v, d);
		} else if (values_key_is(v, "bbox")) {
			d->has_bbox = values_counts(v, d->bbox, 4);
		} else if (values_key_is(v, "map")) {
			read_map(v, &d->map);
		} else {
			values_skip(v);
		}
	}
	d->ids_total = MAX(d->ids_total, (uint64_t)d->ids_count);
	return !v->failed;
}

/* "" is as good as null. */
static bool read_optional(struct json_values *v, char **out)
{
	const char *s;

	if (values_null(v))
		return true;
	s = values_string(v);
	if (s && *s) {
		free(*out);
		*out = xstrdup(s);
	}
	return s != NULL;
}

/* f: room for the details. */
static bool read_finding(struct report_reading *r, struct finding *f)
{
	struct json_values *v = &r->values;
	struct kept_finding kept = { .rule = NULL };
	size_t rule = rule_count;

	if (!values_object(v))
		return false;
	finding_init(f, rule_table[0]);
	while (values_member(v)) {
		if (values_key_is(v, "rule"))
			report_read_rule(v, &rule);
		else if (values_key_is(v, "level"))
			report_read_level(v, false, &kept.level);
		else if (values_key_is(v, "path") || values_key_is(v, "path_b64"))
			report_read_name(r, values_key_is(v, "path_b64"), &kept.path);
		else if (values_key_is(v, "member") || values_key_is(v, "member_b64"))
			report_read_name(r, values_key_is(v, "member_b64"), &kept.member);
		else if (values_key_is(v, "baselined"))
			values_bool(v, &kept.baselined);
		else if (values_key_is(v, "message"))
			read_optional(v, &kept.message);
		else if (values_key_is(v, "advice"))
			read_optional(v, &kept.advice);
		else if (values_key_is(v, "details"))
			read_details(v, &f->details);
		else
			values_skip(v);
	}
	if (!v->failed && (rule == rule_count || kept.level == LEVEL_OFF || !kept.message))
		values_fail(v, "a finding without rule, level or message");
	if (v->failed) {
		kept_finding_release(&kept);
		return false;
	}
	kept.rule = rule_table[rule];
	finding_list_keep(&r->file->findings, &kept, &f->details);
	return true;
}

bool report_read_findings(struct report_reading *r)
{
	struct finding *f;

	if (!values_array(&r->values))
		return false;
	f = xmalloc(sizeof(*f));
	while (values_element(&r->values) && read_finding(r, f))
		;
	free(f);
	return !r->values.failed;
}

/* The JSON Schema of the report, made of its fields. */
#include "report/report_fields.h"

static const struct field defs_list[] = {
	{ "count", FIELD_NONE, .schema = "'type': 'integer', 'minimum': 0, 'maximum': 18446744073709551615" },
	{ "id", FIELD_NONE,
	  .schema = "'type': 'integer', 'minimum': -9223372036854775808, 'maximum': 9223372036854775807",
	  .doc = "9223372036821221376 + 0xRRGGBB: a colour that is in no table" },
	{ "color", FIELD_NONE, .schema = "'type': 'string', 'pattern': '^#[0-9a-f]{6}$'",
	  .doc = "only if the id is a colour that is in no table" },
	{ "id_count", FIELD_NONE,
	  .schema =
		  "'type': 'array', 'prefixItems': [{'$ref': '#/$defs/id'}, {'$ref': '#/$defs/count'}], 'minItems': 2, "
		  "'maxItems': 2" },
	{ "finding", FIELD_OBJECT, .members = &finding_fields },
	{ "details", FIELD_OBJECT, .members = &details_fields },
	{ "base64", FIELD_NONE, .schema = "'type': 'string', 'contentEncoding': 'base64'",
	  .doc = "the bytes of a name that is not UTF-8" },
};
static const struct fields defs = FIELDS(defs_list);

void report_schema(struct strbuf *out)
{
	struct json_writer w;

	json_init(&w, out, false);
	json_begin_object(&w, JSON_BLOCK);
	json_key_text(&w, "$schema", "https://json-schema.org/draft/2020-12/schema");
	json_key_text(&w, "title", "labelaudit report");
	json_key_text(&w, "description", "Schema 1.2. A minor version only adds keys.");
	fields_schema(&w, &report_fields);
	json_key_object(&w, "$defs", JSON_BLOCK);
	fields_schema_properties(&w, &defs);
	json_ends(&w, 2);
	strbuf_addch(out, '\n');
}

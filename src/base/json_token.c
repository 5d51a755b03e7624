#include "base/json_pull.h"

const char *json_token_name(enum json_token token)
{
	static const char *const names[] = {
		[JSON_FAULT] = "a fault",    [JSON_END] = "the end",
		[JSON_OBJECT] = "an object", [JSON_OBJECT_END] = "the end of an object",
		[JSON_ARRAY] = "an array",   [JSON_ARRAY_END] = "the end of an array",
		[JSON_KEY] = "a key",        [JSON_STRING] = "a string",
		[JSON_NUMBER] = "a number",  [JSON_TRUE] = "true",
		[JSON_FALSE] = "false",      [JSON_NULL] = "null",
	};

	return names[token];
}

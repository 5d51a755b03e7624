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

bool json_skip(struct json_pull *p, enum json_token token)
{
	uint32_t until = p->depth - 1;
	uint64_t count = 0;

	if (token != JSON_OBJECT && token != JSON_ARRAY)
		return token != JSON_FAULT;
	p->skipping = true;
	do {
		token = token == JSON_ARRAY ? json_skip_numbers(p, &count) : json_next(p);
	} while (token != JSON_FAULT && p->depth > until);
	p->skipping = false;
	return token != JSON_FAULT;
}

bool json_skip_next(struct json_pull *p)
{
	p->skipping = true; /* also when it is a string */

	enum json_token token = json_next(p);

	p->skipping = false;
	return json_skip(p, token);
}

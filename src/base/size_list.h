/*
 * struct size_list: --sizes, the sizes that masks may have: 512x512,640-1920x480- and so on, width by height, each a
 * number or a range. Read-only once it is parsed, any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct size_range {
	uint32_t width_min, width_max, height_min, height_max; /* inclusive */
};

struct size_list {
	struct size_range *v; /* owned */
	size_t count;
	char *text; /* as it was typed; owned */
};

/* Returns NULL if err is set, which begins with `option`. The caller frees it with size_list_free(). */
struct size_list *size_list_parse(const char *option, const char *text, struct error *err);
void size_list_free(struct size_list *l);
bool size_list_contains(const struct size_list *l, uint32_t width, uint32_t height);

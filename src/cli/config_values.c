#include "cli/config_values.h"

#include <stdlib.h>
#include <string.h>

void config_init(struct config *c)
{
	memset(c, 0, sizeof(*c));
}

void config_release(struct config *c)
{
	for (size_t i = 0; i < c->count; i++)
		free(c->v[i].value);
	for (size_t i = 0; i < c->classes_count; i++)
		free(c->classes[i].name);
	free(c->classes);
	free(c->v);
	free(c->path);
	free(c->root);
	config_init(c);
}

/*
 * struct vocabulary: how many rows a table of embeddings needs for a tokenizer's ids, by the files that Hugging Face's
 * tokenizers come with: tokenizer.json, or vocab.json or vocab.txt with added_tokens.json; and in their folder the
 * special tokens of tokenizer_config.json and special_tokens_map.json, which are added where the vocabulary lacks them,
 * and the special ids of config.json and generation_config.json.
 *
 * Owner: who reads it; plain data. One thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { SPECIALS_MAX = 64, SPECIAL_BYTES = 64 };

struct vocabulary {
	uint64_t size;               /* the largest id plus 1, those included that are added when it is loaded */
	uint64_t model_rows;         /* vocab_size of config.json; 0: not there */
	uint64_t more_rows;          /* of the table, beyond vocab_size */
	char largest[SPECIAL_BYTES]; /* what has the largest id: a token, or pad_token_id; cut to fit */
	/* special tokens by their texts, while the vocabulary is read */
	struct {
		char text[SPECIAL_BYTES];
		bool found;
	} specials[SPECIALS_MAX];
	unsigned specials_count;
	bool has_id; /* the special token that is read has an id of its own */
};

/* Reads a file or a folder. Fills *err and returns STATUS_FAILED if it holds no vocabulary, or cannot be read. */
enum status vocabulary_read(struct vocabulary *v, const char *option, const char *path, struct error *err);
/* Returns how many rows the table has by the configurations that were read; 0: they do not say. */
uint64_t vocabulary_rows(const struct vocabulary *v);
/* Fills *v with the special ids and the rows of a model's configuration, of its text_config too. Returns the rows. */
uint64_t vocabulary_read_model(struct vocabulary *v, const char *path);

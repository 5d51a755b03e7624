/*
 * Which classes a set may have, for who does not say: what its first files hold, and answers to choose from, each with
 * what it would mean. None makes a lone id legal that looks like a mistake. One thread.
 */
#pragma once

#include "base/error.h"
#include "base/strbuf.h"
#include "cli/options.h"

enum { ANSWERS_MAX = 4, ANSWER_SETTINGS_MAX = 2 };

struct answer {
	struct strbuf what; /* what it would mean; may be empty */
	struct {
		const char *name; /* of the option */
		char *value;      /* owned */
	} settings[ANSWER_SETTINGS_MAX];
	size_t count;
	struct trial *trial; /* of these settings; or NULL; owned */
};

struct proposal {
	struct strbuf found;          /* "ids 0-20 and 255 occur in 50 files" */
	struct answer v[ANSWERS_MAX]; /* the likeliest first */
	size_t count;
	struct strbuf refused; /* why a class file that lies beside the labels is no answer; may be empty */
	bool tokens;           /* the ids are tokens: there is no answer but the model's */
};

/*
 * Measures the first files, and fills p. Fails if they hold no label. It changes the options to those of a sample: an
 * audit with them would report nothing.
 */
enum status proposal_make(struct proposal *p, struct options *options, struct error *err);
void proposal_release(struct proposal *p);
/* Prints the proposal for an audit without --classes: always STATUS_FAILED. */
enum status propose_classes(struct options *options, struct error *err);

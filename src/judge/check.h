/* Everything that the file of a rule usually needs: the contract, the role of an id, the wording, and short names. */
#pragma once

#include <inttypes.h>

#include "base/mem.h"
#include "judge/role.h"
#include "judge/rule.h"
#include "judge/wording.h"

/* Append to the message, to the advice. They return true, so that a check may end in `return advise(f, ...)`. */
#define say(f, ...)    text_addf(&(f)->message, __VA_ARGS__)
#define advise(f, ...) text_addf(&(f)->advice, __VA_ARGS__)
/* Says one thing more: after a semicolon, if something has been said. */
#define say_also(f, ...) (say(f, "%s", (f)->message.len ? "; " : ""), say(f, __VA_ARGS__))

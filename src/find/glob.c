#include "find/glob.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum op {
	OP_BYTE,  /* one byte: arg */
	OP_ANY,   /* one byte but '/' */
	OP_EVERY, /* one byte */
	OP_SET,   /* one byte of sets[arg] */
	OP_STAR,  /* any number of bytes but '/' */
	OP_STARS, /* any number of bytes */
	OP_FORK,  /* continue at the next op and at arg */
	OP_JUMP,  /* continue at arg */
	OP_MATCH,
};

struct glob_op {
	uint8_t op; /* enum op */
	uint32_t arg;
};

/* A `{` that is open. */
struct brace {
	uint32_t fork;  /* of the current alternative; patched at its end */
	uint32_t jumps; /* the last jump to the end; the arg of each is the previous one, or NONE */
	bool component; /* the brace, and so each alternative, starts a component */
};

#define NONE UINT32_MAX

struct parser {
	struct glob *g;
	const char *p;
	bool component; /* a component begins here */
	struct brace *braces;
	size_t depth, cap;
	const char *why;
};

static uint32_t emit(struct glob *g, enum op op, uint32_t arg)
{
	GROW(g->ops, g->ops_cap, g->ops_count + 1);
	g->ops[g->ops_count] = (struct glob_op){ (uint8_t)op, arg };
	return (uint32_t)g->ops_count++;
}

static uint32_t here(const struct glob *g)
{
	return (uint32_t)g->ops_count;
}

/* Reads one member of a bracket, with or without a backslash. Returns false at the end of the pattern. */
static bool take_member(struct parser *c, unsigned *out)
{
	if (*c->p == '\\')
		c->p++;
	if (!*c->p)
		return false;
	*out = (unsigned char)*c->p++;
	return true;
}

/* Parses a bracket from after its '['. A ']' that comes first is a member. */
static bool parse_set(struct parser *c)
{
	struct glob *g = c->g;
	uint32_t set[8] = { 0 };
	bool negated = *c->p == '!' || *c->p == '^', first = true;

	c->p += negated;
	for (; first || *c->p != ']'; first = false) {
		unsigned low, high;

		c->why = "a [ is not closed";
		if (!take_member(c, &low))
			return false;
		high = low;
		if (c->p[0] == '-' && c->p[1] && c->p[1] != ']') {
			c->p++;
			if (!take_member(c, &high))
				return false;
		}
		if (low > high) {
			c->why = "a range in [ ] runs backwards";
			return false;
		}
		for (unsigned b = low; b <= high; b++)
			set[b / 32] |= (uint32_t)1 << (b % 32);
	}
	c->p++;
	for (unsigned i = 0; negated && i < 8; i++)
		set[i] = ~set[i];
	set['/' / 32] &= ~((uint32_t)1 << ('/' % 32));
	GROW(g->sets, g->sets_cap, g->sets_count + 1);
	memcpy(g->sets[g->sets_count], set, sizeof(set));
	emit(g, OP_SET, (uint32_t)g->sets_count++);
	return true;
}

/* Parses a run of '*'. */
static void parse_stars(struct parser *c)
{
	struct glob *g = c->g;
	const char *end = c->p;

	while (*end == '*')
		end++;
	bool ends = !*end || (c->depth && (*end == ',' || *end == '}'));

	if (end - c->p == 2 && c->component && *end == '/') {
		/* no folder at all, or anything and a slash */
		uint32_t fork = emit(g, OP_FORK, 0);

		emit(g, OP_STARS, 0);
		emit(g, OP_BYTE, '/');
		g->ops[fork].arg = here(g);
		c->p = end + 1; /* still at the start of a component */
		return;
	}
	if (end - c->p == 2 && c->component && ends) {
		emit(g, OP_EVERY, 0);
		emit(g, OP_STARS, 0);
	} else {
		emit(g, OP_STAR, 0);
	}
	c->p = end;
	c->component = false;
}

static void open_brace(struct parser *c)
{
	GROW(c->braces, c->cap, c->depth + 1);
	c->braces[c->depth++] = (struct brace){ emit(c->g, OP_FORK, NONE), NONE, c->component };
}

static void next_alternative(struct parser *c)
{
	struct brace *b = &c->braces[c->depth - 1];

	b->jumps = emit(c->g, OP_JUMP, b->jumps);
	c->g->ops[b->fork].arg = here(c->g);
	b->fork = emit(c->g, OP_FORK, NONE);
	c->component = b->component;
}

static void close_brace(struct parser *c)
{
	struct brace *b = &c->braces[--c->depth];
	struct glob *g = c->g;

	/* The last alternative has nothing to fork to: both ways of its fork continue at the next op. */
	g->ops[b->fork].arg = b->fork + 1;
	for (uint32_t jump = b->jumps; jump != NONE;) {
		uint32_t before = g->ops[jump].arg;

		g->ops[jump].arg = here(g);
		jump = before;
	}
	c->component = false;
}

static bool parse(struct parser *c)
{
	while (*c->p) {
		char byte = *c->p;

		switch (byte) {
		case '*':
			parse_stars(c);
			continue;
		case '{':
			c->p++;
			open_brace(c);
			continue;
		case ',':
			if (!c->depth)
				break;
			c->p++;
			next_alternative(c);
			continue;
		case '}':
			if (!c->depth) {
				c->why = "a } without its {";
				return false;
			}
			c->p++;
			close_brace(c);
			continue;
		case '?':
			c->p++;
			emit(c->g, OP_ANY, 0);
			c->component = false;
			continue;
		case '[':
			c->p++;
			if (!parse_set(c))
				return false;
			c->component = false;
			continue;
		case '\\':
			byte = *++c->p;
			if (!byte) {
				c->why = "a \\ at the end escapes nothing";
				return false;
			}
			break;
		default:
			break;
		}
		emit(c->g, OP_BYTE, (unsigned char)byte);
		c->p++;
		c->component = byte == '/';
	}
	c->why = "a { is not closed";
	return !c->depth;
}

static bool is_literal(const char *s)
{
	return !strpbrk(s, "*?[]{}\\");
}

/* Allocates the scratch: two lists, a stack that holds each state at most twice, and a generation per state. */
static void make_scratch(struct glob *g)
{
	g->states = xcalloc(5 * g->ops_count, sizeof(*g->states));
}

bool glob_compile(struct glob *g, const char *pattern, const char **why)
{
	char *text = xstrdup(pattern);
	size_t len = strlen(text);
	const char *p = text;
	bool ok = true;

	memset(g, 0, sizeof(*g));
	if (len > 1 && text[len - 1] == '/') {
		g->folders_only = true;
		text[--len] = '\0';
	}
	g->whole_path = strchr(text, '/') != NULL;
	if (*p == '/')
		p++;

	if (is_literal(p) || (*p == '*' && !g->whole_path && is_literal(p + 1))) {
		g->shape = *p == '*' ? GLOB_SUFFIX : GLOB_LITERAL;
		g->literal = xstrdup(p + (*p == '*'));
		g->literal_len = strlen(g->literal);
	} else {
		struct parser c = { .g = g, .p = p, .component = true };

		g->shape = GLOB_MACHINE;
		ok = parse(&c);
		free(c.braces);
		if (ok) {
			emit(g, OP_MATCH, 0);
			make_scratch(g);
		} else {
			*why = c.why;
			glob_release(g);
		}
	}
	free(text);
	return ok;
}

void glob_release(struct glob *g)
{
	free(g->literal);
	free(g->ops);
	free(g->sets);
	free(g->states);
	memset(g, 0, sizeof(*g));
}

/* The running machine. seen[state] == generation: the state is already in `next`. */
struct machine {
	const struct glob *g;
	uint32_t *list, *next, *stack, *seen;
	size_t list_count, next_count;
	uint32_t generation;
};

/* Adds a state, and those it reaches without reading a byte, to `next`. Expands each state once per generation. */
static void add_state(struct machine *m, uint32_t state)
{
	size_t top = 0;

	m->stack[top++] = state;
	while (top) {
		state = m->stack[--top];
		if (m->seen[state] == m->generation)
			continue;
		m->seen[state] = m->generation;
		const struct glob_op *op = &m->g->ops[state];

		switch ((enum op)op->op) {
		case OP_JUMP:
			m->stack[top++] = op->arg;
			break;
		case OP_FORK:
			m->stack[top++] = op->arg;
			m->stack[top++] = state + 1;
			break;
		case OP_STAR:
		case OP_STARS:
			m->stack[top++] = state + 1;
			m->next[m->next_count++] = state;
			break;
		case OP_BYTE:
		case OP_ANY:
		case OP_EVERY:
		case OP_SET:
		case OP_MATCH:
			m->next[m->next_count++] = state;
			break;
		}
	}
}

static void step(struct machine *m, uint32_t state, unsigned byte)
{
	const struct glob_op *op = &m->g->ops[state];

	switch ((enum op)op->op) {
	case OP_BYTE:
		if (byte == op->arg)
			add_state(m, state + 1);
		break;
	case OP_ANY:
		if (byte != '/')
			add_state(m, state + 1);
		break;
	case OP_EVERY:
		add_state(m, state + 1);
		break;
	case OP_SET:
		if (m->g->sets[op->arg][byte / 32] >> (byte % 32) & 1)
			add_state(m, state + 1);
		break;
	case OP_STAR:
		if (byte != '/')
			add_state(m, state);
		break;
	case OP_STARS:
		add_state(m, state);
		break;
	case OP_FORK:
	case OP_JUMP:
	case OP_MATCH:
		break;
	}
}

static void start_list(struct machine *m)
{
	uint32_t *swap = m->list;

	m->list = m->next;
	m->list_count = m->next_count;
	m->next = swap;
	m->next_count = 0;
	m->generation++;
}

static bool run_machine(struct glob *g, const char *text, size_t len)
{
	size_t n = g->ops_count;
	struct machine m = { .g = g,
			     .list = g->states,
			     .next = g->states + n,
			     .seen = g->states + 2 * n,
			     .stack = g->states + 3 * n,
			     .generation = 1 };

	memset(m.seen, 0, n * sizeof(*m.seen));
	add_state(&m, 0);
	for (size_t i = 0; i < len; i++) {
		start_list(&m);
		if (!m.list_count)
			return false;
		for (size_t s = 0; s < m.list_count; s++)
			step(&m, m.list[s], (unsigned char)text[i]);
	}
	return m.seen[n - 1] == m.generation; /* OP_MATCH is the last */
}

bool glob_test(struct glob *g, const char *text, size_t len)
{
	switch (g->shape) {
	case GLOB_LITERAL:
		return len == g->literal_len && !memcmp(text, g->literal, len);
	case GLOB_SUFFIX:
		return len >= g->literal_len && !memcmp(text + len - g->literal_len, g->literal, g->literal_len);
	case GLOB_MACHINE:
		break;
	}
	/* Texts are file names or paths, so the generation cannot overflow. */
	assert(len < UINT32_MAX - 1);
	return run_machine(g, text, len);
}

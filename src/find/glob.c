#include "find/glob.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* A set of bytes, 256 bits. */
struct byte_set {
	uint32_t bits[8];
};

/* A state of the automaton. */
struct glob_op {
	enum op_kind {
		OP_ONE,   /* one byte of the set */
		OP_MANY,  /* any number of them */
		OP_FORK,  /* continue at the next op and at `to` */
		OP_JUMP,  /* continue at `to` */
		OP_MATCH, /* the end */
	} kind;
	uint32_t to;
	struct byte_set set;
};

/* A `{` that is open. */
struct brace {
	uint32_t fork;  /* of the current alternative; patched at its end */
	uint32_t jumps; /* the last jump to the end; `to` of each is the previous one, or NONE */
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

static uint32_t here(const struct glob *g)
{
	return (uint32_t)g->ops_count;
}

static uint32_t emit(struct glob *g, struct glob_op op)
{
	GROW(g->ops, g->ops_cap, g->ops_count + 1);
	g->ops[g->ops_count] = op;
	return (uint32_t)g->ops_count++;
}

static void add_byte(struct byte_set *set, unsigned byte)
{
	set->bits[byte / 32] |= (uint32_t)1 << (byte % 32);
}

static void emit_byte(struct glob *g, unsigned char byte)
{
	struct glob_op op = { .kind = OP_ONE };

	add_byte(&op.set, byte);
	emit(g, op);
}

/* Emits an op of all bytes that are not in the set. */
static void emit_others(struct glob *g, enum op_kind kind, struct byte_set set)
{
	for (size_t i = 0; i < ARRAY_SIZE(set.bits); i++)
		set.bits[i] = ~set.bits[i];
	emit(g, (struct glob_op){ .kind = kind, .set = set });
}

static const struct byte_set none, slash = { { ['/' / 32] = (uint32_t)1 << ('/' % 32) } };

/* Keeps the reason why the pattern is wrong. Returns false. */
static bool refuse(struct parser *c, const char *why)
{
	c->why = why;
	return false;
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
	struct byte_set set = none;
	bool negated = *c->p == '!' || *c->p == '^', first = true;

	c->p += negated;
	for (; first || *c->p != ']'; first = false) {
		unsigned low, high;

		if (!take_member(c, &low))
			return refuse(c, "a [ is not closed");
		high = low;
		if (c->p[0] == '-' && c->p[1] && c->p[1] != ']') {
			c->p++;
			if (!take_member(c, &high))
				return refuse(c, "a [ is not closed");
		}
		if (low > high)
			return refuse(c, "a range in [ ] is reversed");
		for (unsigned b = low; b <= high; b++)
			add_byte(&set, b);
	}
	c->p++;
	/* what does not match is emitted */
	for (size_t i = 0; !negated && i < ARRAY_SIZE(set.bits); i++)
		set.bits[i] = ~set.bits[i];
	add_byte(&set, '/');
	emit_others(c->g, OP_ONE, set);
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
		uint32_t fork = emit(g, (struct glob_op){ .kind = OP_FORK });

		emit_others(g, OP_MANY, none);
		emit_byte(g, '/');
		g->ops[fork].to = here(g);
		c->p = end + 1; /* still at the start of a component */
		return;
	}
	if (end - c->p == 2 && c->component && ends) {
		emit_others(g, OP_ONE, none);
		emit_others(g, OP_MANY, none);
	} else {
		emit_others(g, OP_MANY, slash);
	}
	c->p = end;
	c->component = false;
}

static void open_brace(struct parser *c)
{
	GROW(c->braces, c->cap, c->depth + 1);
	c->braces[c->depth++] = (struct brace){ emit(c->g, (struct glob_op){ .kind = OP_FORK }), NONE, c->component };
}

static void next_alternative(struct parser *c)
{
	struct brace *b = &c->braces[c->depth - 1];

	b->jumps = emit(c->g, (struct glob_op){ .kind = OP_JUMP, .to = b->jumps });
	c->g->ops[b->fork].to = here(c->g);
	b->fork = emit(c->g, (struct glob_op){ .kind = OP_FORK });
	c->component = b->component;
}

static void close_brace(struct parser *c)
{
	struct brace *b = &c->braces[--c->depth];
	struct glob *g = c->g;

	/* The last alternative has nothing to fork to: both ways of its fork continue at the next op. */
	g->ops[b->fork].to = b->fork + 1;
	for (uint32_t jump = b->jumps; jump != NONE;) {
		uint32_t before = g->ops[jump].to;

		g->ops[jump].to = here(g);
		jump = before;
	}
	c->component = false;
}

static bool parse(struct parser *c)
{
	while (*c->p) {
		char byte = *c->p;

		if (byte == '*') {
			parse_stars(c);
			continue;
		}
		c->p++;
		if (byte == '{') {
			open_brace(c);
		} else if (byte == ',' && c->depth) {
			next_alternative(c);
		} else if (byte == '}') {
			if (!c->depth)
				return refuse(c, "a } without its {");
			close_brace(c);
		} else if (byte == '?') {
			emit_others(c->g, OP_ONE, slash);
			c->component = false;
		} else if (byte == '[') {
			if (!parse_set(c))
				return false;
			c->component = false;
		} else {
			if (byte == '\\')
				byte = *c->p++;
			if (!byte)
				return refuse(c, "a \\ at the end escapes nothing");
			emit_byte(c->g, (unsigned char)byte);
			c->component = byte == '/';
		}
	}
	return !c->depth || refuse(c, "a { is not closed");
}

static bool is_literal(const char *s)
{
	return !strpbrk(s, "*?[]{}\\");
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
			emit(g, (struct glob_op){ .kind = OP_MATCH });
			/* two lists, a stack that holds each state at most twice, and a generation per state */
			g->states = xcalloc(5 * g->ops_count, sizeof(*g->states));
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

		switch (op->kind) {
		case OP_FORK:
			m->stack[top++] = op->to;
			m->stack[top++] = state + 1;
			continue;
		case OP_JUMP:
			m->stack[top++] = op->to;
			continue;
		case OP_MANY:
			m->stack[top++] = state + 1;
			break;
		case OP_ONE:
		case OP_MATCH:
			break;
		}
		m->next[m->next_count++] = state;
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
		unsigned byte = (unsigned char)text[i];

		start_list(&m);
		if (!m.list_count)
			return false;
		for (size_t at = 0; at < m.list_count; at++) {
			const struct glob_op *op = &g->ops[m.list[at]];

			if (op->set.bits[byte / 32] >> (byte % 32) & 1)
				add_state(&m, op->kind == OP_MANY ? m.list[at] : m.list[at] + 1);
		}
	}
	return m.seen[n - 1] == m.generation; /* OP_MATCH is the last */
}

bool glob_test(struct glob *g, const char *text, size_t len)
{
	if (g->shape == GLOB_LITERAL)
		return len == g->literal_len && !memcmp(text, g->literal, len);
	if (g->shape == GLOB_SUFFIX)
		return len >= g->literal_len && !memcmp(text + len - g->literal_len, g->literal, g->literal_len);
	/* Texts are file names or paths, so the generation cannot overflow. */
	assert(len < UINT32_MAX - 1);
	return run_machine(g, text, len);
}

/* For tests/planted/run: included before a file in which the functions that -DBARE_... names escape nothing. */
#include "base/escape.h"

static inline void bare(struct strbuf *out, const char *s, size_t n)
{
	strbuf_add(out, s, n);
}

#ifdef BARE_TERMINAL
#define escape_terminal bare
#endif
#ifdef BARE_JSON
#define escape_json bare
#endif
#ifdef BARE_XML
#define escape_xml bare
#endif
#ifdef BARE_CSV
#define escape_csv bare
#endif
#ifdef BARE_MARKDOWN
#define escape_markdown bare
#endif
#ifdef BARE_MARKDOWN_CODE
#define escape_markdown_code bare
#endif
#ifdef BARE_GITHUB_DATA
#define escape_github_data bare
#endif
#ifdef BARE_GITHUB_PROPERTY
#define escape_github_property bare
#endif
#ifdef BARE_URI_PATH
#define escape_uri_path bare
#endif

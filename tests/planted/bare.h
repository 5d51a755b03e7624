/* For tests/planted/run: included before a file whose calls of the functions that are named by -DBARE_... escape
 * nothing. */
#include "base/escape.h"

#ifdef BARE_TERMINAL
#define escape_terminal(out, s, n) strbuf_add(out, s, n)
#endif
#ifdef BARE_JSON
#define escape_json(out, s, n) strbuf_add(out, s, n)
#endif
#ifdef BARE_XML
#define escape_xml(out, s, n) strbuf_add(out, s, n)
#endif
#ifdef BARE_CSV
#define escape_csv(out, s, n) strbuf_add(out, s, n)
#endif
#ifdef BARE_MARKDOWN
#define escape_markdown(out, s, n) strbuf_add(out, s, n)
#endif
#ifdef BARE_MARKDOWN_CODE
#define escape_markdown_code(out, s, n) strbuf_add(out, s, n)
#endif
#ifdef BARE_GITHUB_DATA
#define escape_github_data(out, s, n) strbuf_add(out, s, n)
#endif
#ifdef BARE_GITHUB_PROPERTY
#define escape_github_property(out, s, n) strbuf_add(out, s, n)
#endif
#ifdef BARE_URI_PATH
#define escape_uri_path(out, s, n) strbuf_add(out, s, n)
#endif

/* The data files of the reports: the JSON Schema (report.h), style and script of the page (html_page.c). */
#include "base/embed.h"

EMBED(report_schema, .incbin "src/report/schema.json")
EMBED(page_css, .incbin "src/report/page.css")
EMBED(page_js, .incbin "src/report/page.js")

/* The data files of the reports: style and script of the page (html_page.c). */
#include "base/embed.h"

EMBED(page_css, .incbin "src/report/page.css")
EMBED(page_js, .incbin "src/report/page.js")

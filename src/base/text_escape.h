/* Texts that are safe to print. These functions report no errors, because the log uses them. Local.
 */
#ifndef TEXT_ESCAPE_H
#define TEXT_ESCAPE_H

#include <stdarg.h>
#include <stddef.h>

/* Copies a text so that a terminal executes nothing of it: control characters and bytes that are no
   UTF-8 become \xNN, except those in keep. out: NULL, or room for the result. Returns the bytes of
   the result, without its end. */
size_t text_escape(char *out, const char *text, const char *keep);
/* What printf would print, and the same as text_escape makes it; NULL if memory runs out. Caller
   frees. */
char *text_vformat(const char *format, va_list args);
char *text_vformat_safe(const char *format, va_list args, const char *keep);

#endif

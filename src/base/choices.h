/* Choices that a text names by words. A list of them is a macro with a line for each,

     #define FRUIT_CHOICES(C) \
       C(FRUIT_APPLE, apple)  \
       C(FRUIT_PEAR, pear)

   from which the constants and the words are made, in the same order. */
#ifndef CHOICES_H
#define CHOICES_H

/* enum fruit { FRUIT_CHOICES(CHOICE_CONSTANT) }; */
#define CHOICE_CONSTANT(constant, word) constant,
/* static const char *const name[] = {FRUIT_CHOICES(CHOICE_WORD)}; */
#define CHOICE_WORD(constant, word) #word,
/* The words as "apple|pear": CHOICES_TEXT(FRUIT_CHOICES). */
#define CHOICES_TEXT(list) (&(list(CHOICE_ITEM))[1])
#define CHOICE_ITEM(constant, word) "|" #word

#endif

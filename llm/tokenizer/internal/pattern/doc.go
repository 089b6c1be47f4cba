// Package pattern owns the regular expressions that tokenizers cut text with: backtracking, with look-ahead, look-behind,
// possessive and lazy repetition, Unicode properties and case folding, in the dialect of tokenizer.json files (Oniguruma's
// Ruby syntax: ^ and $ are the ends of lines).
//
// Go's regexp has no look-ahead, and these patterns need it. Classes are bitmaps, runs of a class are loops without
// recursion, and alternatives are skipped by the next byte, so that the well-known patterns run at tens of megabytes a second.
// A match may take a bounded number of steps; one that takes more is an error, never a hang.
package pattern

// Package torch reads the files that torch.save writes: zip archives, and the format before them.
//
// Such a file has a pickle, which is a program for a stack machine that can call any function of Python. Here it runs on a machine that
// knows what tensors in dicts, lists and tuples need, and calls nothing: a closed table of opcodes, and a closed table of names, each
// with what it means. Anything else is refused by its name. Nothing is allocated on the word of a file before it is checked against
// the file's length, and values, nesting and names are bounded.
package torch

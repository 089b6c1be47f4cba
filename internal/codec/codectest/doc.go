// Package codectest owns what the codecs' tests share: tensors with known content, the corruption sweep every
// reader must survive, and comparison of files. The content is a formula, so that Python can make the same
// (scripts/golden_codec/make.py).
package codectest

// Package transforms tests derivatives, batching, checkpoints and custom rules. The matrix takes every op through every transform.
package transforms

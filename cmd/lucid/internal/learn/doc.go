// Package learn is what lucid train and lucid predict do, without what they print: it reads data, makes a model, trains
// it, and keeps it in a checkpoint from which training goes on bit for bit.
package learn

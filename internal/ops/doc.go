// Package ops declares every primitive, with its rules, and the functions users call.
//
// A function here takes and gives nodes. Its marks say which public doors the generator writes for it:
//
//	//lucid:func                     a function of package lucid, if it lives there
//	//lucid:pkg nn/functional ReLU   a function of that package, here named ReLU, if it lives there; in lower case it is for code written
//	                                 by hand, whose public name is the third word
//	//lucid:options LossOptions      the public name of the options, where it is not that of the type; - for none
//	//lucid:method Sum(dim ...int)   a method of Tensor; parameters are named after the function's or its options' fields
//	//lucid:inplace Fill(p float64)  a method with a trailing underscore that rebinds the handle, with parameters of its own
//	//lucid:name isnan               the op's name, where lower_snake of the function is not it
//	//lucid:optional weight bias     tensors and operands that may be nil
//	//lucid:alias absolute           other names for calls by name
//	//lucid:amp float32              mixed precision, of a function written with other ops
//	//lucid:nondeterministic why     of a function written with other ops: it draws numbers
//	//lucid:default dim=0 dims=      values a call by name may leave out; nothing behind = is the zero value
//
// Rules are written with these same functions, so higher orders and other transforms compose.
package ops

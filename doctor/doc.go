// Package doctor says what a machine offers, what a program uses of it, and how fast its processor and memory can be. The command
// lucid doctor prints it.
//
//	fmt.Println(doctor.Examine())
package doctor

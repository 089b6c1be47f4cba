// Package windows has the window functions of torch.signal.windows, and SciPy's general Gaussian: numbers by which a piece of a
// signal is multiplied before its Fourier transform.
//
//	w := windows.Hann(400, windows.Options{Periodic: true})
//
// A window is symmetric unless Periodic says that it is one period of a longer one, as a spectrum wants it. All are computed in
// float64 and rounded once; lucid.WithDevice says where.
package windows

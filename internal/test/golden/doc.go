// Package golden tests every op against values and gradients that PyTorch, MLX and NumPy computed, and what ops do under Autocast.
package golden

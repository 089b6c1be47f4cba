"""PyTorch through torch.compile, which needs a C++ compiler."""

import torch
import torch_work
import worker

compile = lambda f: torch.compile(f, dynamic=False)
worker.serve(lambda name: torch_work.make(name, compile), torch_work.ABOUT | {"name": "PyTorch compiled"}, torch_work.first)

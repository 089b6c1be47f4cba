"""PyTorch through torch.compile, which needs a C++ compiler."""

import torch
import torch_work
import worker

# Each workload is a function of its own; past the default limit of 8 they would silently run eagerly.
torch._dynamo.config.recompile_limit = 1000
compile = lambda f: torch.compile(f, dynamic=False)
worker.serve(lambda name: torch_work.make(name, compile), torch_work.ABOUT | {"name": "PyTorch compiled"}, torch_work.first)

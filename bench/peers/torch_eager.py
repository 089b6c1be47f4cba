"""PyTorch, op by op."""

import torch_work
import worker

worker.serve(torch_work.make, torch_work.ABOUT, torch_work.first)

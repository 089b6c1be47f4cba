// Prints raw random bits. MLX's Python module does not export random::bits, which
// is what all its distributions are built from, so this asks the C++ library.
// Each line of standard input: seed width rank dims...; each line of output: bytes in hex.
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <sstream>

#include "mlx/mlx.h"

namespace mx = mlx::core;

int main() {
  mx::set_default_device(mx::Device(mx::Device::cpu));
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream in(line);
    uint64_t seed;
    int width, rank;
    in >> seed >> width >> rank;
    mx::Shape shape(rank);
    for (auto& d : shape) in >> d;
    auto a = mx::random::bits(shape, width, mx::random::key(seed));
    mx::eval(a);
    const unsigned char* p = a.data<unsigned char>();
    for (size_t i = 0; i < a.nbytes(); i++) std::printf("%02x", p[i]);
    std::printf("\n");
  }
}

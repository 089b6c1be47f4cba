package ops

// RNNTanhCell returns the next state of an Elman network, tanh(weightIH·x + biasIH + weightHH·h + biasHH), for x of (B, in) or (in)
// and h of (B, H) or (H).
//
//lucid:pkg nn/functional
//lucid:name rnn_tanh_cell
//lucid:amp half
//lucid:optional biasIH biasHH
func RNNTanhCell(x, h, weightIH, weightHH, biasIH, biasHH *Node) *Node {
	ampHalf(&x, &h, &weightIH, &weightHH, &biasIH, &biasHH)
	return RnnCell(Linear(x, weightIH, biasIH), h, weightHH, biasHH, RNNCellOptions{})
}

// RNNReLUCell is RNNTanhCell with relu.
//
//lucid:pkg nn/functional
//lucid:name rnn_relu_cell
//lucid:amp half
//lucid:optional biasIH biasHH
func RNNReLUCell(x, h, weightIH, weightHH, biasIH, biasHH *Node) *Node {
	ampHalf(&x, &h, &weightIH, &weightHH, &biasIH, &biasHH)
	return RnnCell(Linear(x, weightIH, biasIH), h, weightHH, biasHH, RNNCellOptions{Nonlinearity: "relu"})
}

// GRUCell returns the next state of a gated recurrent unit for x of (B, in) or (in) and h of (B, H) or (H). Rows of weights
// and biases are in PyTorch's order: reset, update, new.
//
//lucid:pkg nn/functional
//lucid:name gru_cell
//lucid:amp half
//lucid:optional biasIH biasHH
func GRUCell(x, h, weightIH, weightHH, biasIH, biasHH *Node) *Node {
	ampHalf(&x, &h, &weightIH, &weightHH, &biasIH, &biasHH)
	return GruCell(Linear(x, weightIH, biasIH), h, weightHH, biasHH)
}

// LSTMCell returns the next state and memory of a long short-term memory for x of (B, in) or (in), h and c of (B, H) or (H).
// Rows of weights and biases are in PyTorch's order: input, forget, cell, output.
//
//lucid:pkg nn/functional
//lucid:name lstm_cell
//lucid:amp half
//lucid:optional biasIH biasHH
func LSTMCell(x, h, c, weightIH, weightHH, biasIH, biasHH *Node) (hNext, cNext *Node) {
	ampHalf(&x, &h, &c, &weightIH, &weightHH, &biasIH, &biasHH)
	return LstmCell(Linear(x, weightIH, biasIH), h, c, weightHH, biasHH)
}

// Package fusion tests what the planner fuses: the same bits as op by op, in as few launches as promised.
package fusion

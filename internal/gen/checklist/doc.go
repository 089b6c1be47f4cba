// Package checklist follows the checklists of CONTRIBUTING.md on a copy of the tree, so that they stay true.
package checklist

// Package graph imports a module that is not allowed.
package graph

import _ "example.com/other"

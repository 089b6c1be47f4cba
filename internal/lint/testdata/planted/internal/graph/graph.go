// Package graph imports a module nobody chose.
package graph

import _ "example.com/other"

// Package serve answers the requests of OpenAI's API with language models of package llm.
//
//	handler := serve.New(map[string]*llm.Model{"tiny": m}, serve.Options{})
//	http.ListenAndServe("127.0.0.1:8080", handler)
//
// Requests of one model are generated together, in steps that read the weights once. Every field of a request has limits; what is not
// supported is refused by name. The handler fetches nothing and reads no files.
package serve

// op names the package in errors.
const op = "serve"

import * as z from "zod";

// zod compiles a parser for every schema of an object. That pays off only in a process that parses far more than ours do,
// the server among them, and it needs `new Function`. Must come before the first schema is made.
z.config({ jitless: true });

import * as z from "zod";

export const momentInput = z.int().positive().optional().describe("As it was right after this event; by default now.");

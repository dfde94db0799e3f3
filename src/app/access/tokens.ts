import * as z from "zod";
import { defineOperation, no, type Outcome, yes } from "../../operation/operation.ts";
import { personOf, refuseAgent } from "../workflows/person.ts";
import { createToken, listTokens, revokeToken, type TokenRow, tokenLevels } from "./token-files.ts";

const name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,49}$/, "must be a name of letters, digits, dots, dashes and underscores")
  .describe("The name of the token.");

/** The only time that the token itself is shown. */
export type CreatedToken = TokenRow & { readonly token: string };

export const createAccessToken = defineOperation({
  summary: "Create a token for the API and MCP of `holdfast serve`.",
  input: z.strictObject({ name, level: z.enum(tokenLevels).describe("read, or agent for the MCP tools.") }),
  async run(deps, { name: named, level }): Promise<Outcome<CreatedToken>> {
    const person = await personOf(deps, "creating a token");
    if (!person.ok) return person;
    const row = { name: named, level, createdAt: deps.now() };
    const token = createToken(deps.user, row);
    return token === null ? no({ code: "token-exists", name: named }) : yes({ ...row, token });
  },
});

export const listAccessTokens = defineOperation({
  summary: "The tokens for `holdfast serve`.",
  input: z.strictObject({}),
  async run({ user }): Promise<Outcome<{ readonly tokens: readonly TokenRow[] }>> {
    return yes({ tokens: listTokens(user) });
  },
});

export const revokeAccessToken = defineOperation({
  summary: "Revoke a token for `holdfast serve`; it counts for nothing from now on.",
  input: z.strictObject({ name }),
  async run(deps, { name: named }): Promise<Outcome<{ readonly revoked: string }>> {
    const agent = refuseAgent(deps, "revoking a token");
    if (agent !== null) return agent;
    return revokeToken(deps.user, named) ? yes({ revoked: named }) : no({ code: "token-unknown", name: named });
  },
});

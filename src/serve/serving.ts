import type { Actor } from "../model/command.ts";
import type { Links } from "./access/links.ts";
import type { Access } from "./access/visitor.ts";
import type { Metrics } from "./api/metrics.ts";
import type { Projects } from "./api/projects.ts";
import type { Origins } from "./http/origins.ts";
import type { Page } from "./http/page.ts";
import type { Live } from "./live/live.ts";

/** Everything request handlers need. */
export interface Serving {
  readonly version: string;
  readonly origins: Origins;
  readonly access: Access;
  readonly links: Links;
  readonly projects: Projects;
  readonly page: Page;
  readonly metrics: Metrics;
  readonly live: Live;
  /** The person who was at the terminal when the server started; null if there was none, and it only reads. */
  readonly person: Actor | null;
  /** Told about errors that nobody expected. */
  report(error: unknown): void;
}

import { servedOperation } from "./served.ts";

/** What the server counts, for Prometheus. */
export interface Metrics {
  count(path: string, status: number): void;
  /** The text of `GET /metrics`. `gauges` are measured when it is asked for. */
  text(gauges: readonly Gauge[]): string;
}

export interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly values: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];
}

export function createMetrics(): Metrics {
  const requests = new Map<string, number>();
  return {
    count(path, status) {
      const labels = labelsOf({ route: routeOf(path), status: String(status) });
      requests.set(labels, (requests.get(labels) ?? 0) + 1);
    },
    text(gauges) {
      const name = "holdfast_http_requests_total";
      const counted = [...requests].map(([labels, value]) => `${name}${labels} ${value}`);
      const measured = gauges.flatMap((gauge) => [
        ...head(gauge.name, gauge.help, "gauge"),
        ...gauge.values.map(({ labels, value }) => `${gauge.name}${labelsOf(labels)} ${value}`),
      ]);
      return `${[...measured, ...head(name, "Requests by route and status.", "counter"), ...counted].join("\n")}\n`;
    },
  };
}

function head(name: string, help: string, type: string): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function labelsOf(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, "_")}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

/** Few names, whatever is asked for: nobody fills the memory with paths. */
function routeOf(path: string): string {
  const [, operation] = /^\/api\/projects\/[^/]+\/([^/]+)$/.exec(path) ?? [];
  if (operation !== undefined) return servedOperation(operation) === null ? "other" : operation;
  const [, own] = /^\/api\/([a-z.]+)$/.exec(path) ?? [];
  if (own !== undefined && ownRoutes.includes(own)) return own;
  const [, first = ""] = /^\/([a-z]+)(?:\/|$)/.exec(path) ?? [];
  if (["open", "assets", "mcp", "metrics"].includes(first)) return first;
  return first === "api" ? "other" : "page";
}

const ownRoutes = ["me", "projects", "runs", "inbox", "costs", "live", "openapi.json"];

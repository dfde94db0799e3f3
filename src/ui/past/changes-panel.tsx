import type { Differences } from "../../serve/contract/query-answers.ts";
import { plural, whole } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { Words } from "../parts/words.tsx";

interface Props {
  readonly differences: Differences;
  readonly isBehind: boolean;
}

const longestValue = 400;

/** What has changed from that moment until now. */
export function ChangesPanel({ differences, isBehind }: Props) {
  const { changes, changesLeftOut, gates, gatesLeftOut, events } = differences;
  const counts = Object.entries(events).sort((a, b) => b[1] - a[1]);
  return (
    <section class={`panel past-changes ${isBehind ? "past-behind" : ""}`} aria-labelledby="changes-title">
      <header class="past-panel-head">
        <h2 id="changes-title">What has changed since</h2>
        <span class="muted past-small">{plural(changes.length + changesLeftOut, "difference")}</span>
      </header>
      {changes.length === 0 ? (
        <p class="muted past-none">Nothing has changed since then.</p>
      ) : (
        <Table rows={changes} left={changesLeftOut} />
      )}
      {gatesLeftOut > 0 && (
        <p class="muted past-small past-left">
          The last {whole(gates.length)} of {whole(gates.length + gatesLeftOut)} gates:
        </p>
      )}
      {gates.length > 0 && (
        <ul class="past-gates">
          {gates.map(({ event, token, what, held }) => (
            <li key={`${event} ${what}`}>
              <span class={`mark mark-${held ? "done" : "failed"}`}>
                <Icon name={held ? "done" : "failed"} />
                {held ? "held" : "failed"}
              </span>
              <code>
                <Words text={what} />
              </code>
              <span class="muted past-small">
                <Words text={token} />, event {event}
              </span>
            </li>
          ))}
        </ul>
      )}
      {counts.length > 0 && (
        <p class="past-counts muted past-small">
          {counts.map(([type, count]) => `${type} ×${whole(count)}`).join(" · ")}
        </p>
      )}
    </section>
  );
}

function Table({ rows, left }: { readonly rows: Differences["changes"]; readonly left: number }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it.
    <section class="past-table" tabIndex={0} aria-label="Differences">
      <table>
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Then</th>
            <th scope="col">Now</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ area, name, from, to }) => (
            <tr key={`${area} ${name}`}>
              <th scope="row">
                <span class="muted">{area}</span> <Words text={name} />
              </th>
              <Value value={from} look="past-was" />
              <Value value={to} look="past-is" />
            </tr>
          ))}
        </tbody>
      </table>
      {left > 0 && <p class="muted past-small past-left">and {whole(left)} more</p>}
    </section>
  );
}

function Value({ value, look }: { readonly value: unknown; readonly look: string }) {
  const text = valueText(value);
  return <td class={value === null ? "muted" : look}>{text === "" ? "–" : <Words text={text} />}</td>;
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" ? value : plainText(value);
  return text.length > longestValue ? `${text.slice(0, longestValue)} …` : text;
}

/** `status: done, visits: 2` reads better than JSON. */
function plainText(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return value.map(plainText).join(", ");
  return Object.entries(value)
    .filter(([, each]) => each !== null && !(Array.isArray(each) && each.length === 0))
    .map(([name, each]) => `${name}: ${plainText(each)}`)
    .join(", ");
}

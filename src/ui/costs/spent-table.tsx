import type { ComponentChildren } from "preact";
import type { Spent } from "../../serve/contract/contract.ts";
import { Words } from "../parts/words.tsx";
import { type Measure, measures } from "./measures.ts";

interface Props<Row extends Spent> {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly measure: Measure;
  readonly nameOf?: (name: string) => string;
  /** Something else in place of the name, such as a link. */
  readonly linkOf?: (row: Row) => ComponentChildren;
}

const order: readonly Measure[] = ["cost", "tokens", "minutes", "runs"];

/** What was taken, a row each, with a bar for what is being compared. */
export function SpentTable<Row extends Spent>({ title, rows, measure, nameOf, linkOf }: Props<Row>) {
  const largest = Math.max(0, ...rows.map((row) => row[measure]));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it.
    <section class="spent" tabIndex={0} aria-label={`${title}: what was taken`}>
      <table>
        <thead>
          <tr>
            <th scope="col">{title}</th>
            <th scope="col" class="spent-bar-cell">
              <span class="unseen">{measures[measure].name}, compared</span>
            </th>
            {order.map((each) => (
              <th key={each} scope="col" class={each === measure ? "spent-chosen" : undefined}>
                {measures[each].name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={`${row.name} ${index}`}>
              <th scope="row">{linkOf?.(row) ?? <Words text={nameOf?.(row.name) ?? row.name} />}</th>
              <td class="spent-bar-cell">
                <ShareBar share={largest === 0 ? 0 : row[measure] / largest} />
              </td>
              {order.map((each) => (
                <td key={each} class={each === measure ? "number spent-chosen" : "number"}>
                  {measures[each].text(row[each])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function ShareBar({ share }: { readonly share: number }) {
  return (
    <svg class="share-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="share-ground" width="100" height="6" rx="3" />
      <rect class="share-part" width={share * 100} height="6" rx="3" />
    </svg>
  );
}

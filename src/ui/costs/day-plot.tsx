import { useSignal } from "@preact/signals";
import type { Spent } from "../../serve/contract/contract.ts";
import { type Measure, measures, niceTop, total } from "./measures.ts";
import { SpentTable } from "./spent-table.tsx";

interface Props {
  readonly days: readonly Spent[];
  readonly measure: Measure;
}

const width = 900;
const height = 180;
const lines = [0, 0.5, 1];

/** One bar for each day, drawn by ourselves; the same numbers are in a table below it. */
export function DayPlot({ days, measure }: Props) {
  const pointed = useSignal<number | null>(null);
  const { name, text } = measures[measure];
  const top = niceTop(Math.max(...days.map((day) => day[measure])));
  const slot = width / Math.max(1, days.length);
  const shown = pointed.value === null ? undefined : days[pointed.value];
  return (
    <figure class="panel plot">
      <figcaption class="plot-head">
        <h2>{name} per day</h2>
        <span class="plot-value number" aria-hidden="true">
          {shown === undefined
            ? `${text(total(days, measure))} in ${days.length} days`
            : `${text(shown[measure])} on ${dayText(shown.name)}`}
        </span>
      </figcaption>
      <div class="plot-field">
        <ol class="plot-scale number" aria-hidden="true">
          {lines.toReversed().map((part) => (
            <li key={part}>{text(top * part)}</li>
          ))}
        </ol>
        <svg
          class="plot-bars"
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${name} per day, ${text(total(days, measure))} in all. The table below has the numbers.`}
          onPointerLeave={() => (pointed.value = null)}
        >
          {lines.map((part) => (
            <line key={part} class="plot-line" x1="0" x2={width} y1={height * part} y2={height * part} />
          ))}
          {days.map((day, index) => (
            <Bar
              key={day.name}
              x={index * slot}
              slot={slot}
              share={day[measure] / top}
              isPointed={pointed.value === index}
              onPoint={() => (pointed.value = index)}
            />
          ))}
        </svg>
      </div>
      <p class="plot-ends muted number" aria-hidden="true">
        <span>{dayText(days[0]?.name ?? "")}</span>
        <span>{dayText(days.at(-1)?.name ?? "")}</span>
      </p>
      <details class="plot-table">
        <summary>As a table</summary>
        <SpentTable
          title="Day"
          rows={days.filter(({ runs, minutes }) => runs + minutes > 0).toReversed()}
          measure={measure}
          nameOf={dayText}
        />
      </details>
    </figure>
  );
}

interface BarProps {
  readonly x: number;
  readonly slot: number;
  readonly share: number;
  readonly isPointed: boolean;
  readonly onPoint: () => void;
}

function Bar({ x, slot, share, isPointed, onPoint }: BarProps) {
  const tall = share === 0 ? 0 : Math.max(2, share * height);
  return (
    <g onPointerEnter={onPoint} class={isPointed ? "plot-pointed" : undefined}>
      <rect class="plot-catch" x={x} y="0" width={slot} height={height} />
      <rect class="plot-bar" x={x + slot * 0.15} y={height - tall} width={slot * 0.7} height={tall} />
    </g>
  );
}

/** The server counts days in UTC. */
function dayText(name: string): string {
  const day = new Date(`${name}T00:00:00Z`);
  if (Number.isNaN(day.getTime())) return name;
  return day.toLocaleDateString(undefined, { day: "numeric", month: "short", timeZone: "UTC" });
}

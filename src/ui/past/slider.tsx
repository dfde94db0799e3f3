import type { VisitRow } from "../../serve/contract/run-answers.ts";
import { whole } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";

interface Props {
  readonly at: number;
  readonly last: number;
  /** Read out by screen readers. */
  readonly words: string;
  readonly visits: readonly VisitRow[];
  readonly onMove: (event: number) => void;
  readonly onVisit: (by: 1 | -1) => void;
}

/** All events of a run as one line, with a mark where each visit began. */
export function Slider({ at, last, words, visits, onMove, onVisit }: Props) {
  return (
    <div class="slider">
      <StepButton label="Previous visit" icon="previous" isOff={at <= 1} onClick={() => onVisit(-1)} />
      <div class="slider-track">
        <Marks visits={visits} last={last} at={at} />
        <input
          type="range"
          min={1}
          max={last}
          value={at}
          aria-label="Event"
          aria-valuetext={words}
          onInput={(event) => onMove(Number(event.currentTarget.value))}
          onKeyDown={(event) => {
            const by = event.key === "ArrowRight" || event.key === "ArrowUp" ? 1 : -1;
            if (!event.shiftKey || !event.key.startsWith("Arrow")) return;
            event.preventDefault();
            onVisit(by);
          }}
        />
      </div>
      <StepButton label="Next visit" icon="next" isOff={at >= last} onClick={() => onVisit(1)} />
      <span class="slider-place number">
        {whole(at)} <span class="muted">of {whole(last)}</span>
      </span>
      <button type="button" class="button" disabled={at >= last} onClick={() => onMove(last)}>
        Now
      </button>
    </div>
  );
}

interface StepButtonProps {
  readonly label: string;
  readonly icon: "previous" | "next";
  readonly isOff: boolean;
  readonly onClick: () => void;
}

function StepButton({ label, icon, isOff, onClick }: StepButtonProps) {
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} disabled={isOff} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}

/** More marks than this would be one grey bar. */
const mostMarks = 300;
const width = 1_000;

function Marks({ visits, last, at }: Pick<Props, "visits" | "last" | "at">) {
  const place = (event: number) => (last <= 1 ? 0 : ((event - 1) / (last - 1)) * width);
  const shown = visits.length > mostMarks ? [] : visits;
  return (
    <svg class="slider-marks" viewBox={`0 0 ${width} 24`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="slider-line" x="0" y="10" width={width} height="4" />
      <rect class="slider-past" x="0" y="10" width={place(at)} height="4" />
      {shown.map(({ token, firstEvent, status }) => (
        <line
          key={`${token} ${firstEvent}`}
          class={`slider-mark slider-mark-${status}`}
          x1={place(firstEvent)}
          x2={place(firstEvent)}
          y1="3"
          y2="21"
        />
      ))}
    </svg>
  );
}

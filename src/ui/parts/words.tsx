import { visiblePieces } from "./visible.ts";

/** A text from a run, on one line. Whatever it holds stays inside of it: it can neither hide nor reorder anything. */
export function Words({ text }: { readonly text: string }) {
  return <bdi class="words">{pieces(text)}</bdi>;
}

/** A text from a run with its lines as they are. */
export function Lines({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it.
    <section class="lines" tabIndex={0} aria-label={label}>
      <pre>{pieces(text)}</pre>
    </section>
  );
}

function pieces(text: string) {
  return visiblePieces(text).map((piece, index) =>
    piece.isHidden ? (
      <span key={index} class="hidden-character">
        {piece.text}
      </span>
    ) : (
      piece.text
    ),
  );
}

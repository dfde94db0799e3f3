import { Icon } from "./icon.tsx";

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** The key `/` leads here. */
export function SearchBox({ label, value, onChange }: Props) {
  return (
    <label class="search">
      <span class="unseen">{label}</span>
      <Icon name="search" />
      <input
        type="search"
        placeholder={label}
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <kbd>/</kbd>
    </label>
  );
}

import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const key = "holdfast-theme";

export const theme = signal<Theme>(stored());

effect(() => {
  const { value } = theme;
  if (value === "system") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.dataset.theme = value;
  try {
    localStorage.setItem(key, value);
  } catch {
    // The browser keeps nothing for this page; the choice lasts until it is closed.
  }
});

export function nextTheme(): void {
  const following: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
  theme.value = following[theme.value];
}

function stored(): Theme {
  try {
    const value = localStorage.getItem(key);
    return value === "light" || value === "dark" ? value : "system";
  } catch {
    return "system";
  }
}

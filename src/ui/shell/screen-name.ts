import { visibleText } from "../parts/visible.ts";
import type { Route } from "../route/route.ts";

/** What a person calls the screen. */
export function screenName(place: Route): string {
  switch (place.screen) {
    case "run":
      return visibleText(place.run);
    case "past":
      return `Time travel: ${visibleText(place.run)}`;
    case "workflow":
      return visibleText(place.name);
    case "unknown":
      return "No such page";
    default:
      return `${place.screen.slice(0, 1).toUpperCase()}${place.screen.slice(1)}`;
  }
}

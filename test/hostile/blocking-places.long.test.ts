import { times } from "../dose.ts";
import { describeAttacks } from "./describe-attacks.ts";
import { endlessPlaces, pipedPlaces } from "./fixtures/places.ts";

/** What blocks a reader is the same everywhere, so a change tries every third place; the soak tries all. */
const step = times({ quick: 3, long: 3, soak: 1 });
const blocking = [...endlessPlaces, ...pipedPlaces].filter((_, index) => index % step === 0);

describeAttacks("a clone in which", blocking, "one host");

import { describeAttacks } from "./describe-attacks.ts";
import { pipedPlaces } from "./fixtures/places.ts";

describeAttacks("a clone in which", pipedPlaces);

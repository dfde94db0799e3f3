import { describeAttacks } from "./describe-attacks.ts";
import { endlessPlaces } from "./fixtures/places.ts";

describeAttacks("a clone in which", endlessPlaces);

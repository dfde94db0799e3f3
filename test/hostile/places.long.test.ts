import { describeAttacks } from "./describe-attacks.ts";
import { linkedPlaces } from "./fixtures/places.ts";

describeAttacks("a clone in which", linkedPlaces);

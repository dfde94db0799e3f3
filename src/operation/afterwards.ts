import { isHoldfastError } from "../errors.ts";

/**
 * Does what follows a change that is stored already. Whatever fails is made up for at the next look; to fail here would tell the
 * caller that nothing was changed.
 */
export async function afterwards(act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
  }
}

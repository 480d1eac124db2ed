/** How a person's order is placed on its judgement: written where that still holds, judged anew where it does not. */
import { LicenceLost } from '../../src/domain/execution.ts';
import { type Outcome, refuse } from '../../src/domain/refusal.ts';
import { answeredMeanwhile } from '../agent/command-rows.ts';

/** How often an order is judged anew where what it was judged on moved until it was written. */
const ATTEMPTS = 5;

/** What a write has met that failed: `moved` is judged anew, a refusal is answered, null is none of the order's business. */
export type Obstacle = 'moved' | Outcome<never> | null;

/**
 * Judges an order and writes it on that judgement, both by `attempt`. Where what it was judged on moved in between,
 * nothing was written, and it is judged anew. @throws whatever a write fails with that `obstacleOf` does not know
 */
export async function placedOnVerdict<View>(
  obstacleOf: (error: unknown) => Obstacle,
  attempt: () => Promise<Outcome<View>>,
): Promise<Outcome<View>> {
  for (let times = 0; times < ATTEMPTS; times++) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof LicenceLost)
        return refuse('halted', 'an emergency halt came while the order was placed; it was not carried out');
      const obstacle = obstacleOf(error);
      if (obstacle === null) return answeredMeanwhile(error);
      if (obstacle !== 'moved') return obstacle;
    }
  }
  return refuse('unavailable', 'other orders kept changing the book: try again');
}

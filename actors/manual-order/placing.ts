/** How a person's order is placed on its validation: written where that still holds, validated anew where it does not. */
import { PermitLost } from '../../src/domain/execution.ts';
import { type Outcome, refuse } from '../../src/domain/refusal.ts';
import { answeredMeanwhile } from '../agent/command-rows.ts';

/** How often an order is validated anew where what it was validated on moved until it was written. */
const ATTEMPTS = 5;

/** What a write has met that failed: `moved` is validated anew, a refusal is answered, null is none of the order's business. */
export type Obstacle = 'moved' | Outcome<never> | null;

/** Per organization, the last of its orders that wait for one another. */
const turns = new Map<string, Promise<unknown>>();

/**
 * Validates an order and writes it on that validation, both by `attempt`. Where what it was validated on moved in between,
 * nothing was written, and it is validated anew: in turn with its organization's other such orders, which would go on
 * overtaking one another. One that comes while others wait for their turn takes its own at once.
 * @throws whatever a write fails with that `obstacleOf` does not know
 */
export async function placedOnVerdict<View>(
  orgId: string,
  obstacleOf: (error: unknown) => Obstacle,
  attempt: () => Promise<Outcome<View>>,
): Promise<Outcome<View>> {
  const first = turns.has(orgId) ? 'moved' : await tried(obstacleOf, attempt);
  if (first !== 'moved') return first;
  return inTurn(orgId, async () => {
    for (let times = 1; times < ATTEMPTS; times++) {
      const outcome = await tried(obstacleOf, attempt);
      if (outcome !== 'moved') return outcome;
    }
    return refuse('unavailable', 'other orders kept changing the book: try again');
  });
}

async function tried<View>(
  obstacleOf: (error: unknown) => Obstacle,
  attempt: () => Promise<Outcome<View>>,
): Promise<Outcome<View> | 'moved'> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof PermitLost) return refuse('halted', 'an emergency halt came while the order was placed; it was not carried out');
    return obstacleOf(error) ?? answeredMeanwhile(error);
  }
}

/** Work of one organization after the other work of it. */
async function inTurn<Value>(orgId: string, work: () => Promise<Value>): Promise<Value> {
  const before = turns.get(orgId) ?? Promise.resolve();
  const turn = before.then(work);
  const over = turn.then(
    () => {},
    () => {},
  );
  turns.set(orgId, over);
  try {
    return await turn;
  } finally {
    if (turns.get(orgId) === over) turns.delete(orgId);
  }
}

/** Places manual orders: writes an order if its validation still holds, and validates it again if not. */
import { PermitLost } from '../../src/domain/orders/execution.ts';
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import { answeredMeanwhile } from '../../src/core/command-context.ts';

/** Maximum validations of an order whose exposure keeps changing before it is written. */
const ATTEMPTS = 5;

/** Classification of a failed write: `moved` is validated again, a refusal is answered, null is an unrelated error. */
export type Obstacle = 'moved' | Outcome<never> | null;

const HALTED = refuse('halted', 'an emergency halt came while the order was placed; it was not carried out');
const KEPT_MOVING = refuse('unavailable', 'other orders kept changing the book: try again');

/** Last waiting order of each organization, as a promise. */
const turns = new Map<string, Promise<unknown>>();

/**
 * Validates an order and writes it on that validation, both by `attempt`. If the exposure changed in between, nothing is written and the
 * order is validated again, in turn with other such orders of its organization, which would otherwise keep overtaking one another. An order
 * that arrives while others wait joins the queue at once. @throws errors that `obstacleOf` does not recognize.
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
    return KEPT_MOVING;
  });
}

/** Maximum orders of one transaction. A halt waits for the transactions that hold its row. */
const MOST = 64;

interface Waiting<Asked, View> {
  readonly asked: Asked;
  readonly ended: (outcome: Outcome<View>) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Places orders of one organization together if they arrive at the same time or while others wait. `attempt` validates them one after the
 * other and writes all or none. If the exposure changed in between, they are validated again together. If one of them cannot be written,
 * each is placed on its own. `isNobodys` is true for errors that no single order causes, which fail all.
 */
export function placingTogether<Asked, View>(
  obstacleOf: (error: unknown) => Obstacle,
  isNobodys: (error: unknown) => boolean,
  attempt: (orgId: string, asked: readonly Asked[]) => Promise<readonly Outcome<View>[]>,
): (orgId: string, asked: Asked) => Promise<Outcome<View>> {
  const waiting = new Map<string, Waiting<Asked, View>[]>();

  async function placed(orgId: string, group: readonly Waiting<Asked, View>[]): Promise<void> {
    const [one] = group;
    const all = (outcome: Outcome<View>): void => group.forEach(({ ended }) => ended(outcome));
    for (let times = 0; times < ATTEMPTS; times++) {
      try {
        const outcomes = await attempt(
          orgId,
          group.map(({ asked }) => asked),
        );
        return group.forEach(({ ended }, index) => ended(outcomes[index] as Outcome<View>));
      } catch (error) {
        if (error instanceof PermitLost) return all(HALTED);
        const obstacle = obstacleOf(error);
        if (obstacle === 'moved') continue;
        if (isNobodys(error)) return group.forEach(({ failed }) => failed(error));
        if (group.length > 1) {
          for (const alone of group) await placed(orgId, [alone]);
          return;
        }
        try {
          return all(obstacle ?? answeredMeanwhile(error));
        } catch (unknown) {
          return one?.failed(unknown);
        }
      }
    }
    all(KEPT_MOVING);
  }

  async function nextGroup(orgId: string): Promise<void> {
    // Includes requests of the same turn of the event loop.
    await new Promise(setImmediate);
    const queue = waiting.get(orgId) ?? [];
    const left = queue.slice(MOST);
    if (left.length === 0) waiting.delete(orgId);
    else {
      waiting.set(orgId, left);
      void inTurn(orgId, () => nextGroup(orgId));
    }
    await placed(orgId, queue.slice(0, MOST));
  }

  return (orgId, asked) =>
    new Promise((ended, failed) => {
      const queue = waiting.get(orgId);
      if (queue !== undefined) return void queue.push({ asked, ended, failed });
      waiting.set(orgId, [{ asked, ended, failed }]);
      return void inTurn(orgId, () => nextGroup(orgId));
    });
}

async function tried<View>(
  obstacleOf: (error: unknown) => Obstacle,
  attempt: () => Promise<Outcome<View>>,
): Promise<Outcome<View> | 'moved'> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof PermitLost) return HALTED;
    return obstacleOf(error) ?? answeredMeanwhile(error);
  }
}

/** Runs the work of one organization one piece after the other. */
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

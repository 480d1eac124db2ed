/** Runs a strategy over a blind replay session, with one instance for each path. */
import type { Operations } from './api.ts';
import type { Client } from './client.ts';
import { pauseAfter } from './retries.ts';
import { PLATFORM_TIMING, type Timing } from './timing.ts';

type Step = Operations['answerReplayStep']['answer'];
type Answers = NonNullable<Operations['answerReplayStep']['input']['body']['answers']>;
/** Slot of a path as a strategy sees it. */
export type ReplaySlot = Step['slots'][number];
/** Trade of a strategy, or null to propose nothing. */
export type ReplayTrade = Answers[number];
/** Strategy with the state of one path. */
export type ReplayStrategy = (slot: ReplaySlot) => ReplayTrade | Promise<ReplayTrade>;

/** Attempts for a step. Repeating one is safe: the same answers are processed once. */
const ATTEMPTS = 5;

/** Answers a session to its end. Read the result with `getReplaySession`. @param begin Creates the instance for a path. */
export async function runReplay(
  api: Pick<Client, 'answerReplayStep'>,
  session: { readonly id: string; readonly sessionId: string },
  begin: (path: number) => ReplayStrategy,
  timing: Timing = PLATFORM_TIMING,
): Promise<void> {
  const strategies = new Map<number, ReplayStrategy>();
  const findStrategy = (path: number): ReplayStrategy => {
    const known = strategies.get(path) ?? begin(path);
    strategies.set(path, known);
    return known;
  };
  let body: Operations['answerReplayStep']['input']['body'] = {};
  for (;;) {
    const { step, done, slots } = await repeat(() => api.answerReplayStep({ ...session, body }), timing);
    if (done) return;
    const answers: ReplayTrade[] = [];
    for (const slot of slots) answers.push(await findStrategy(slot.path)(slot));
    body = { step, answers };
  }
}

/** Sends a step, again after transient failures. */
async function repeat(send: () => Promise<Step>, timing: Timing): Promise<Step> {
  for (let failures = 0; ; failures++) {
    try {
      return await send();
    } catch (error) {
      const pauseMs = failures + 1 < ATTEMPTS ? pauseAfter(error, failures, timing) : null;
      if (pauseMs === null) throw error;
      await timing.wait(pauseMs);
    }
  }
}

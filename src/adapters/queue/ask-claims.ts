/** Chooses one of several processes to send an outside request that all of them need. */
import type { Redis } from 'ioredis';
import type { EpochMs } from '../../domain/values/time.ts';

/** Lifetime of a claim in milliseconds, after which another process may take over. */
export const CLAIM_MS = 3_000;
/** Milliseconds for which an answered question stays claimed, so that the answer reaches every process. */
const SETTLED_MS = 500;

export interface AskClaims {
  /** Returns true if this process is to ask, false if another one does. */
  take(question: string): Promise<boolean>;
  /** Ends a claim. An answered question may be asked again after `SETTLED_MS`. */
  settle(question: string, answered: boolean): Promise<void>;
}

/** Creates claims for a single process. */
export function createAloneClaims(clock: { now(): EpochMs }): AskClaims {
  const until = new Map<string, EpochMs>();
  return {
    async take(question) {
      if ((until.get(question) ?? 0) > clock.now()) return false;
      until.set(question, clock.now() + CLAIM_MS);
      return true;
    },
    async settle(question) {
      until.delete(question);
    },
  };
}

/** Creates claims over Redis. While Redis does not answer, every process asks for itself, within its part of the request budget. */
export function createSharedClaims(redis: Pick<Redis, 'set' | 'pexpire' | 'del'>, onError: (error: unknown) => void): AskClaims {
  const key = (question: string): string => `sevengate:asks:${question}`;
  return {
    async take(question) {
      try {
        return (await redis.set(key(question), '1', 'PX', CLAIM_MS, 'NX')) === 'OK';
      } catch (error) {
        onError(error);
        return true;
      }
    },
    async settle(question, answered) {
      try {
        await (answered ? redis.pexpire(key(question), SETTLED_MS) : redis.del(key(question)));
      } catch (error) {
        onError(error);
      }
    },
  };
}

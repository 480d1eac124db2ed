/** Election of the process that sends an outside request that several processes have at once. */
import type { Redis } from 'ioredis';
import type { EpochMs } from '../../domain/values/time.ts';

/** A claim ends by itself, so that a process that died with it is replaced. */
export const CLAIM_MS = 3_000;
/** Longer than an answer takes to reach every process. */
const SETTLED_MS = 500;

export interface AskClaims {
  /** True if this process is to ask; false if another one is asking. */
  take(question: string): Promise<boolean>;
  /** The question was answered; it may be asked anew once every process has the answer. */
  settle(question: string, answered: boolean): Promise<void>;
}

/** Claims of a process that is alone. */
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

/** Claims over Redis. While it is away every process asks for itself, within its part of the request budget. */
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

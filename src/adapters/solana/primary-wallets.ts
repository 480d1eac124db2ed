/** Reads wallets of the primary chain from its node for the API. */
import type { Clock } from '../../../streams/clock/clock.ts';
import type { PrimaryBalances } from '../../domain/portfolio/account.ts';
import { type Outcome, refuse } from '../../domain/values/refusal.ts';
import { NodeError } from '../json-rpc.ts';
import { createSolanaRpc } from './rpc.ts';

/** Timeout in milliseconds, because a person waits for it. A slower node counts as unavailable. */
const TIMEOUT_MS = 4_000;

/** Creates the reads without a cache. `close` closes open connections. */
export function createPrimaryWallets(rpcUrl: string, clock: Clock, onFailure: (code: string) => void = () => {}) {
  const rpc = createSolanaRpc({ url: rpcUrl, clock, timeoutMs: TIMEOUT_MS, onFailure });
  return {
    async balancesOf(owner: string): Promise<Outcome<PrimaryBalances>> {
      try {
        return await rpc.balancesOf(owner);
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        return refuse('unavailable', `the node of the primary chain did not answer: ${error.message} (${error.code})`);
      }
    },
    close: () => rpc.close(),
  };
}

/** Reads of balances on the primary chain. */
export type PrimaryWalletReads = ReturnType<typeof createPrimaryWallets>;

/**
 * Simulator of the indexing provider on loopback: the enhanced history of any address of the sandbox's chain. Like the real one it pages
 * by signature, includes failed transactions, omits some swap events and gives no useful types.
 */
import type { Address } from '@solana/kit';
import type { Clock } from '../../../streams/clock/clock.ts';
import { isAddress } from '../../domain/solana/base58.ts';
import { createFaultSwitch, type FaultSwitch } from '../faults.ts';
import { type LoopbackAnswer, type LoopbackRequest, listenOnLoopback } from '../loopback.ts';
import type { SolanaChain } from '../solana/chain.ts';

export interface IndexerOptions {
  readonly chain: Pick<SolanaChain, 'historyOf' | 'commitmentOf'>;
  readonly clock: Clock;
  readonly faults?: FaultSwitch;
  /** Port; 0 takes any free port. */
  readonly port: number;
  /** Requests per second; further ones get a 429. */
  readonly perSecond?: number;
}

export type IndexerSimulator = Awaited<ReturnType<typeof createIndexerSimulator>>;

type Landed = ReturnType<SolanaChain['historyOf']>[number];
const PATH = /^\/v0\/addresses\/([1-9A-HJ-NP-Za-km-z]{32,44})\/transactions$/;
const WHOLE_HISTORY_PAGE = 100;

/** Returns the balance changes of all token accounts in the provider's format. */
function tokenChanges({ run }: Landed) {
  const places = new Map<number, { mint: string; owner: string; before: bigint; after: bigint }>();
  for (const { index, mint, owner, amount } of run.before.tokens) places.set(index, { mint, owner, before: BigInt(amount), after: 0n });
  for (const { index, mint, owner, amount } of run.after.tokens) {
    const known = places.get(index);
    if (known === undefined) places.set(index, { mint, owner, before: 0n, after: BigInt(amount) });
    else known.after = BigInt(amount);
  }
  return places;
}

/** Formats an enhanced transaction. Only every other one has a type and swap event, as if the provider knew half of the programs. */
export function toEnhanced(landed: Landed): object {
  const { run, signature, slot, unixSeconds, transaction } = landed;
  const tokens = tokenChanges(landed);
  const isKnown = slot % 2 === 0;
  return {
    description: '',
    type: isKnown ? 'SWAP' : 'UNKNOWN',
    source: 'UNKNOWN',
    fee: Number(run.fee),
    feePayer: transaction.staticKeys[0],
    signature,
    slot,
    timestamp: unixSeconds,
    nativeTransfers: [],
    tokenTransfers: [],
    accountData: run.keys.map((account, index) => {
      const token = tokens.get(index);
      const change = token === undefined ? 0n : token.after - token.before;
      return {
        account,
        nativeBalanceChange: Number((run.after.lamports[index] ?? 0n) - (run.before.lamports[index] ?? 0n)),
        tokenBalanceChanges:
          token === undefined || change === 0n
            ? []
            : [
                {
                  userAccount: token.owner,
                  tokenAccount: account,
                  mint: token.mint,
                  rawTokenAmount: { tokenAmount: change.toString(), decimals: 0 },
                },
              ],
      };
    }),
    transactionError: run.error === null ? null : { error: JSON.stringify(run.error) },
    instructions: [],
    events: isKnown ? { swap: {} } : [],
  };
}

export async function createIndexerSimulator(options: IndexerOptions) {
  const { chain, clock, perSecond = 10 } = options;
  const faults = options.faults ?? createFaultSwitch(1);
  const times: number[] = [];
  let asked = 0;

  function answer({ method, path, query }: LoopbackRequest): LoopbackAnswer {
    const address = PATH.exec(path)?.[1];
    if (method !== 'GET' || address === undefined || !isAddress(address)) return { status: 404, body: { error: 'not found' } };
    if (faults.happens(faults.settings.status5xx)) return { status: 503, body: { error: 'try again' } };
    const now = clock.now();
    while (times[0] !== undefined && times[0] <= now - 1_000) times.shift();
    if (times.length >= perSecond || faults.happens(faults.settings.status429))
      return { status: 429, body: { error: 'rate limited' }, headers: { 'retry-after': '1' } };
    times.push(now);
    asked++;
    const limit = Number(query.get('limit') ?? 10);
    if (!Number.isInteger(limit) || limit < 1 || limit > WHOLE_HISTORY_PAGE)
      return { status: 400, body: { error: 'limit must be 1 to 100' } };
    const history = chain.historyOf(address as Address).filter(({ slot }) => chain.commitmentOf(slot) === 'finalized');
    const before = query.get('before-signature');
    const from = before === null ? 0 : history.findIndex(({ signature }) => signature === before) + 1;
    if (before !== null && from === 0) return { status: 400, body: { error: 'before-signature is not of this address' } };
    const page = history.slice(from, from + limit).map((landed) => {
      const told = toEnhanced(landed) as { timestamp: number };
      return { ...told, timestamp: told.timestamp + Math.round(faults.settings.clockOffsetMs / 1_000) };
    });
    // The provider sometimes repeats a transaction. The page still respects its limit.
    const repeated = page.flatMap((one) => (faults.happens(faults.settings.duplicate) ? [one, one] : [one]));
    return { status: 200, body: page.length === limit ? page : repeated.slice(0, limit) };
  }

  const server = await listenOnLoopback({ clock, faults, port: options.port, request: answer, socket: () => null });
  return {
    url: server.url,
    faults,
    /** Returns the number of history requests. */
    asked: (): number => asked,
    close: () => server.close(),
  };
}

/**
 * Client of the indexing provider's enhanced history: net raw changes per mint of one address. Its types, swap events and decimal amounts
 * are not used, because they are missing or wrong for programs that it does not know. See docs/reference/outside/indexing-provider.md.
 */
import type { Clock } from '../../../streams/clock/clock.ts';
import type { NoteUnknownField } from '../../../streams/feed-counters.ts';
import { PAGE_TRANSACTIONS } from '../../domain/leaderboard/leaderboard-entry.ts';
import { toFields } from '../bridge/provider-http.ts';
import type { RequestBudget } from '../venues/request-budget.ts';
import { VenueError } from '../venues/venue-feed.ts';
import { createVenueHttp } from '../venues/venue-http.ts';
import { MINUTE_MS, type EpochMs } from '../../domain/values/time.ts';

/** Effect of a primary-chain transaction on one wallet. */
export interface WalletTransaction {
  readonly signature: string;
  readonly slot: number;
  readonly at: EpochMs;
  readonly failed: boolean;
  /** Raw changes of the wallet's tokens, by mint. */
  readonly tokens: ReadonlyMap<string, bigint>;
  /** Lamports of the wallet itself, including the fee if it paid it. */
  readonly lamports: bigint;
  readonly feePaid: bigint;
}

interface EnhancedHistoryOptions {
  /** Base URL, such as `https://api-mainnet.helius-rpc.com`. Its path prefixes every request. */
  readonly url: string;
  readonly key: string | null;
  readonly clock: Clock;
  /** Random source for jitter of retries, 0 <= n < 1. */
  readonly random: () => number;
  readonly budget?: RequestBudget;
  readonly note?: NoteUnknownField;
}

/**
 * Maximum wait of a refresh for the budget, in milliseconds. A spent budget ends the round. It is longer than the budget's window, so that
 * a fast provider does not end a round after a second.
 */
const MAX_WAIT_MS = 5_000;
/** Maximum milliseconds by which the provider's clock may be ahead. */
const CLOCK_GRACE_MS = 5 * MINUTE_MS;
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,90}$/;
const RAW = /^-?\d{1,30}$/;

function bad(what: string): VenueError {
  return new VenueError('spotchain', 200, 'bad_answer', `the indexing provider's history makes no sense: ${what}`);
}

/** Returns a whole number. A JSON number above 2^53 has lost digits and is rejected. */
function whole(value: unknown, name: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw bad(`${name} is ${JSON.stringify(value)?.slice(0, 40)}`);
  return value;
}

/** Parses one transaction. @throws VenueError `bad_answer` with the invalid field */
export function readEnhanced(entry: unknown, address: string, now: number): WalletTransaction {
  const fields = toFields(entry);
  const { signature, transactionError, feePayer, accountData } = fields;
  if (typeof signature !== 'string' || !SIGNATURE.test(signature)) throw bad(`signature is ${JSON.stringify(signature)?.slice(0, 40)}`);
  const at = whole(fields['timestamp'], 'timestamp') * 1_000;
  if (at <= 0 || at > now + CLOCK_GRACE_MS) throw bad(`transaction ${signature} is of ${at}, and now is ${now}`);
  if (!Array.isArray(accountData)) throw bad(`transaction ${signature} has no accountData`);
  const tokens = new Map<string, bigint>();
  let lamports = 0n;
  for (const data of accountData as unknown[]) {
    const account = toFields(data);
    if (account['account'] === address) lamports += BigInt(whole(account['nativeBalanceChange'] ?? 0, 'nativeBalanceChange'));
    const changes = account['tokenBalanceChanges'] ?? [];
    if (!Array.isArray(changes)) throw bad(`tokenBalanceChanges of ${signature} is no list`);
    for (const one of changes as unknown[]) {
      const { userAccount, mint, rawTokenAmount } = toFields(one);
      if (userAccount !== address) continue;
      const { tokenAmount } = toFields(rawTokenAmount);
      if (typeof mint !== 'string' || typeof tokenAmount !== 'string' || !RAW.test(tokenAmount))
        throw bad(`a token change of ${signature} is ${JSON.stringify(one)?.slice(0, 80)}`);
      tokens.set(mint, (tokens.get(mint) ?? 0n) + BigInt(tokenAmount));
    }
  }
  return {
    signature,
    slot: whole(fields['slot'], 'slot'),
    at,
    failed: transactionError !== null && transactionError !== undefined,
    tokens,
    lamports,
    feePaid: feePayer === address ? BigInt(whole(fields['fee'], 'fee')) : 0n,
  };
}

/** Reads pages of an address's history, newest first. Uses no type filter, because the provider then searches only part of the history. */
export function createEnhancedHistory(options: EnhancedHistoryOptions) {
  const { url, key, clock, random, budget, note } = options;
  const http = createVenueHttp({
    venue: 'spotchain',
    baseUrl: url,
    clock,
    random,
    weightPerMinute: 120,
    ...(budget === undefined ? {} : { budget }),
    ...(note === undefined ? {} : { note }),
    maxWaitMs: MAX_WAIT_MS,
    attempts: 2,
    limitPauseMs: 2_000,
    readError: (body, status, text) => {
      const { error, message } = toFields(body);
      const said = [error, message].find((part) => typeof part === 'string') as string | undefined;
      return { code: `http_${status}`, message: (said ?? text).slice(0, 200) };
    },
  });
  return {
    async page(address: string, before: string | null): Promise<readonly WalletTransaction[]> {
      const query: [string, string][] = [
        ['limit', String(PAGE_TRANSACTIONS)],
        ['commitment', 'finalized'],
        ...(before === null ? [] : ([['before-signature', before]] as [string, string][])),
        ...(key === null ? [] : ([['api-key', key]] as [string, string][])),
      ];
      const answer = await http.get(`/v0/addresses/${address}/transactions`, query, 1);
      if (!Array.isArray(answer)) throw bad('it is no list');
      if (answer.length > PAGE_TRANSACTIONS) throw bad(`a page has ${answer.length} transactions instead of ${PAGE_TRANSACTIONS}`);
      return (answer as unknown[]).map((entry) => readEnhanced(entry, address, clock.now()));
    },
    close: () => http.close(),
  };
}

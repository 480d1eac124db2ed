/** What the API asks of the venues on demand: funding history, wallets of the perpetuals venue and of the EVM chain. */

import type { FundingReads } from '../../api/v1/perps/ports.ts';
import type { PublicWalletReads } from '../../api/v1/public-wallet/ports.ts';
import type { ChainWalletReads } from '../../api/v1/wallets/ports.ts';
import type { Clock } from '../../streams/clock.ts';
import type { NoteUnknownField } from '../../streams/feed-counters.ts';
import { checkedAddress } from '../adapters/evmchain/address.ts';
import { createWalletReader } from '../adapters/evmchain/wallet-reader.ts';
import { createPerpInfo } from '../adapters/venues/evmvenue/info.ts';
import type { RequestBudget } from '../adapters/venues/request-budget.ts';
import { VenueError } from '../adapters/venues/venue-feed.ts';
import { type Outcome, refuse } from '../domain/refusal.ts';
import { type EpochMs, slotOf } from '../domain/time.ts';
import { type ChainWallet, closedPnlOf, type PublicWallet } from '../domain/wallet.ts';
import type { Addresses } from './addresses.ts';

const HOUR_MS = 3_600_000;
/** Somebody waits: a spent budget is told rather than waited out. */
const WAIT_MS = 2_000;
/** A wallet's fills cost a tenth of a minute's budget, so an answer serves everybody for so long; its age is said. */
const WALLET_CACHE_MS = 15_000;
const CHAIN_CACHE_MS = 5_000;
const REMEMBERED = 500;
/** The longest history that is asked for, so that any shorter one is part of it. */
const FUNDING_HOURS = 720;

/** One answer per key for a while; questions of the same key at the same time are one question. A refusal is kept by nobody. */
function briefly<Value>(
  clock: Pick<Clock, 'now'>,
  lifeMs: number,
): (key: string, ask: () => Promise<Outcome<Value>>) => Promise<Outcome<Value>> {
  const kept = new Map<string, { readonly at: EpochMs; readonly answer: Promise<Outcome<Value>> }>();
  return (key, ask) => {
    const now = clock.now();
    const known = kept.get(key);
    if (known !== undefined && now - known.at < lifeMs) return known.answer;
    kept.delete(key);
    const answer = ask();
    const entry = { at: now, answer };
    kept.set(key, entry);
    for (const oldest of kept.keys()) if (kept.size > REMEMBERED) kept.delete(oldest);
    const forget = (): void => {
      if (kept.get(key) === entry) kept.delete(key);
    };
    answer.then((outcome) => outcome.ok || forget(), forget);
    return answer;
  };
}

async function asked<Value>(ask: () => Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { ok: true, value: await ask() };
  } catch (error) {
    if (!(error instanceof VenueError)) throw error;
    return refuse('unavailable', `evmvenue did not answer: ${error.message} (${error.code})`);
  }
}

/** Made once per process, on the request budget that the whole process shares. */
export function createVenueReads(
  addresses: Pick<Addresses, 'evmvenue' | 'evmchain'>,
  clock: Clock,
  random: () => number,
  budget: RequestBudget,
  note: NoteUnknownField,
  onFailure: (reason: string) => void,
): { readonly funding: FundingReads; readonly publicWallets: PublicWalletReads; readonly chainWallets: ChainWalletReads } {
  const perps = createPerpInfo({ baseUrl: addresses.evmvenue.url, clock, random, budget, maxWaitMs: WAIT_MS, note });
  const chain = createWalletReader({ ...addresses.evmchain, clock, onFailure });
  const wallets = briefly<PublicWallet>(clock, WALLET_CACHE_MS);
  const balances = briefly<ChainWallet>(clock, CHAIN_CACHE_MS);
  const histories = new Map<string, { readonly hour: EpochMs; readonly answer: ReturnType<typeof history> }>();

  async function history(instrument: string): ReturnType<FundingReads['recent']> {
    const to = clock.now();
    const rates = await asked(() => perps.fundingHistory(instrument, to - FUNDING_HOURS * HOUR_MS, to + 1));
    return rates.ok ? { ok: true, value: { rates: rates.value, fetchedAt: clock.now() } } : rates;
  }

  return {
    funding: {
      async recent(instrument, hours) {
        // Paid on the hour: until the next one is due there is nothing new. A minute for the venue to write it.
        const hour = slotOf(clock.now() - 60_000, HOUR_MS);
        let known = histories.get(instrument);
        if (known === undefined || known.hour !== hour) {
          known = { hour, answer: history(instrument) };
          histories.set(instrument, known);
        }
        const answer = await known.answer;
        if (!answer.ok) {
          histories.delete(instrument);
          return answer;
        }
        const from = clock.now() - hours * HOUR_MS;
        return { ok: true, value: { ...answer.value, rates: answer.value.rates.filter(({ at }) => at >= from) } };
      },
    },

    publicWallets: {
      async read(text) {
        const address = checkedAddress(text);
        if (!address.ok) return address;
        return wallets(address.value, () =>
          asked(async () => {
            const [state, fills] = await Promise.all([perps.walletState(address.value), perps.walletFills(address.value)]);
            return { ...state, ...closedPnlOf(fills), address: address.value, fetchedAt: state.receivedAt };
          }),
        );
      },
    },

    chainWallets: {
      async read(text) {
        const address = checkedAddress(text);
        return address.ok ? balances(address.value, () => chain.read(address.value)) : address;
      },
    },
  };
}

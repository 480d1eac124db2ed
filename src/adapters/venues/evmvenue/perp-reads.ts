/**
 * On-demand reads of the perpetuals venue: paid funding, and the wallets that trade there.
 * See docs/reference/outside/perpetuals-venue.md.
 */
import type { Clock } from '../../../../streams/clock/clock.ts';
import type { NoteUnknownField } from '../../../../streams/feed-counters.ts';
import type { DecimalString } from '../../../domain/values/decimal.ts';
import { type Outcome, refuse } from '../../../domain/values/refusal.ts';
import { type EpochMs, HOUR_MS, MINUTE_MS, startOfSlot } from '../../../domain/values/time.ts';
import { sumClosedPnl, type PublicWallet } from '../../../domain/identity/wallet.ts';
import { briefly } from '../../brief-answers.ts';
import { checkedAddress } from '../../evmchain/checked-address.ts';
import { ASKED } from '../../reach.ts';
import type { RequestBudget } from '../request-budget.ts';
import { VenueError } from '../venue-feed.ts';
import { createPerpInfo } from './info.ts';

/**
 * Time for which a wallet's answer is cached, in milliseconds, because its fills cost a tenth of a minute's budget. The response states
 * its age.
 */
const WALLET_CACHE_MS = 15_000;
/** Hours of the longest history, which contains every shorter one. */
const FUNDING_HOURS = 720;

async function asked<Value>(ask: () => Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { ok: true, value: await ask() };
  } catch (error) {
    if (!(error instanceof VenueError)) throw error;
    return refuse('unavailable', `evmvenue did not answer: ${error.message} (${error.code})`);
  }
}

type Info = ReturnType<typeof createPerpInfo>;

/** Creates the reads, once per process on its shared request budget. */
export function createPerpReads(options: {
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly budget: RequestBudget;
  readonly note: NoteUnknownField;
}) {
  const info = createPerpInfo({ ...options, ...ASKED });
  return { funding: fundingReads(info, options.clock), publicWallets: walletReads(info, options.clock) };
}

function fundingReads(info: Info, clock: Clock) {
  const histories = new Map<string, { readonly hour: EpochMs; readonly answer: ReturnType<typeof history> }>();

  async function history(instrument: string): ReturnType<FundingReads['recent']> {
    const to = clock.now();
    const rates = await asked(() => info.fundingHistory(instrument, to - FUNDING_HOURS * HOUR_MS, to + 1));
    return rates.ok ? { ok: true, value: { rates: rates.value, fetchedAt: clock.now() } } : rates;
  }

  return {
    async recent(
      instrument: string,
      hours: number,
    ): Promise<
      Outcome<{ readonly rates: readonly { readonly at: EpochMs; readonly hourlyFunding: DecimalString }[]; readonly fetchedAt: EpochMs }>
    > {
      // Funding is paid on the hour, so nothing is new before the next one, plus a minute for the venue to publish it.
      const hour = startOfSlot(clock.now() - MINUTE_MS, HOUR_MS);
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
  };
}

/** Reads of the funding that a perpetual paid in the last hours, ascending. */
export type FundingReads = ReturnType<typeof fundingReads>;

function walletReads(info: Info, clock: Clock) {
  const wallets = briefly<PublicWallet>(clock, WALLET_CACHE_MS);
  return {
    async read(text: string): Promise<Outcome<PublicWallet>> {
      const address = checkedAddress(text);
      if (!address.ok) return address;
      return wallets(address.value, () =>
        asked(async () => {
          const [state, fills] = await Promise.all([info.walletState(address.value), info.walletFills(address.value)]);
          return { ...state, ...sumClosedPnl(fills), address: address.value, fetchedAt: state.receivedAt };
        }),
      );
    },
  };
}

/** Reads of wallets as the perpetuals venue reports them. */
export type PublicWalletReads = ReturnType<typeof walletReads>;

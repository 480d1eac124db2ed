/** Swaps on the primary chain before signing: the legs of a token, and risk on its quote. */
import { passed } from '../../actors/manual-order/manual-order.ts';
import type { PreparedTransactionContext } from '../../actors/prepared-transaction/machine.ts';
import { findSeller, type SwapPreTrade } from '../../actors/prepared-transaction/swap-commands.ts';
import { swapSubject } from '../../actors/prepared-transaction/swap-purpose.ts';
import { createFreshness } from '../../streams/quality/freshness.ts';
import type { PrimaryChain } from '../adapters/venues/spotchain/access.ts';
import { bookIds, computeSellable } from '../domain/books/book.ts';
import { CATALOG } from '../domain/catalog/catalog.ts';
import type { InstrumentKey } from '../domain/market/venue.ts';
import { presentMarket } from '../domain/risk/index.ts';
import { type SwapLeg, toUi, USDC_LEG } from '../domain/solana/swap.ts';
import { multiplierAt } from '../domain/solana/token-layout.ts';
import { Decimal, type DecimalString, plainDecimal } from '../domain/values/decimal.ts';
import { type Outcome, refuse } from '../domain/values/refusal.ts';
import type { EpochMs } from '../domain/values/time.ts';
import { agedQuote } from './live-marks.ts';
import { createManualRisk } from './manual-risk.ts';
import { poolLiquidity, type RiskDeps, referenceNow } from './present-market.ts';

/** Legs of a token's swap, and the program that owns its accounts. */
export interface TokenLegs {
  readonly stable: SwapLeg;
  readonly token: SwapLeg;
  readonly tokenProgram: string;
}

/** Returns the legs of a token's swap. The mint itself defines its UI unit. */
export async function readLegs(
  { chain, clock }: { readonly chain: Pick<PrimaryChain['chain'], 'mintInfo'>; readonly clock: { now(): EpochMs } },
  instrument: InstrumentKey,
): Promise<Outcome<TokenLegs>> {
  const token = CATALOG.byKey(instrument)?.token ?? null;
  if (token === null) return refuse('malformed', `$.instrument: ${instrument} is not a token of the primary chain`);
  const mint = await chain.mintInfo(token.mint);
  if (mint === null) return refuse('unavailable', `the node does not know the mint ${token.mint}`);
  if (mint.paused) return refuse('route_refused', `the issuer has stopped every transfer of ${instrument}`);
  const multiplier = plainDecimal(multiplierAt(mint, clock.now()));
  return {
    ok: true,
    value: {
      stable: USDC_LEG,
      token: { mint: token.mint, decimals: mint.decimals, multiplier },
      tokenProgram: mint.program,
    },
  };
}

/** Returns the UI units of a token that a wallet holds and can move. */
async function heldBy(
  chain: Pick<PrimaryChain['chain'], 'balancesOf'>,
  owner: string,
  instrument: InstrumentKey,
): Promise<Outcome<DecimalString>> {
  const mint = CATALOG.byKey(instrument)?.token?.mint;
  const read = await chain.balancesOf(owner);
  if (!read.ok) return read;
  const held = read.value.tokens.filter((token) => token.mint === mint && !token.frozen);
  const sum = held.reduce(
    (total, { amount, decimals, multiplier }) =>
      total.plus(toUi(amount.toString(), { mint: mint as string, decimals, multiplier: plainDecimal(multiplier) })),
    new Decimal(0),
  );
  return { ok: true, value: plainDecimal(sum) };
}

/** Creates the risk of manual swaps. `exposureVersion` returns the version of the facts behind an assessment of a book, as text. */
export function createSwapPreTrade(
  deps: RiskDeps & {
    readonly exposureVersion: (orgId: string, bookId: string) => Promise<string>;
    readonly chain: Pick<PrimaryChain['chain'], 'balancesOf'>;
  },
): SwapPreTrade {
  const { reads, bus, clock } = deps;
  const freshness = createFreshness();
  const risk = createManualRisk(deps);
  const quote: SwapPreTrade['quote'] = (instrument) => {
    const received = bus.latest(instrument);
    return received?.kind === 'quote' ? agedQuote(received, freshness, clock.now()) : null;
  };
  return {
    quote,
    exposureVersion: (orgId) => deps.exposureVersion(orgId, bookIds.manual(orgId, 'live')),
    async validate(orgId, instrument, compile, seller) {
      const [liquidity, held] = await Promise.all([
        poolLiquidity(reads, instrument, clock.now()),
        seller === null ? { ok: true as const, value: undefined } : heldBy(deps.chain, seller, instrument),
      ]);
      if (!held.ok) return held;
      const accountHolds = held.value;
      const at = clock.now();
      const own = quote(instrument);
      const market = presentMarket({ at, quote: own, reference: referenceNow(bus, freshness, instrument, at), liquidity });
      const present = { quote: own, depth: null, market };
      return risk.validate(
        orgId,
        'live',
        present,
        (longest, book) => compile(longest, own, computeSellable(book, instrument, accountHolds)),
        {
          accountHolds,
        },
      );
    },
  };
}

/** Checks that a swap may be sent: risk accepts the worst order of its message on the present quote and mandate. */
export function swapMayLeave(preTrade: SwapPreTrade) {
  return async (orgId: string, _id: string, context: PreparedTransactionContext): Promise<Outcome<null>> => {
    const { order, promise } = swapSubject(context);
    const assessed = passed(await preTrade.validate(orgId, order.instrument, () => ({ ok: true, value: order }), findSeller(promise)));
    return assessed.ok ? { ok: true, value: null } : assessed;
  };
}

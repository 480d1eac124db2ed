/** Portfolio reads for the API: books, quotes, pools and mandate together, and allocations assessed by risk. */
import { createFreshness, type Freshness } from '../../streams/quality/freshness.ts';
import { bookIds, type OpenProposal } from '../domain/books/book.ts';
import { transitAccounts } from '../domain/bridge/transit.ts';
import { CATALOG } from '../domain/catalog/catalog.ts';
import { coinsOutside, freeDollars, withoutWallets } from '../domain/books/free-dollars.ts';
import { paidByHeld } from '../domain/orders/funding.ts';
import { describeMargin, type HoldingMargin, isPerpetual } from '../domain/orders/margin.ts';
import type { ExecutionMode } from '../domain/orders/order.ts';
import type { PortfolioBook } from '../domain/portfolio/account.ts';
import type { Allocation, AssessedAllocation, ImpactMaterial } from '../domain/portfolio/impact.ts';
import { type OutcomeFact, outcomeFact } from '../domain/portfolio/outcome.ts';
import { isPooled } from '../domain/portfolio/pool-exit.ts';
import type { PortfolioMaterial, PortfolioWallets } from '../domain/portfolio/portfolio.ts';
import { readOutcomeKey } from '../domain/prediction/prediction-order.ts';
import type { Quote } from '../domain/market/quote.ts';
import { POOL_LIQUIDITY_MAX_AGE_MS } from '../domain/risk/index.ts';
import { limitUses } from '../domain/risk/limit-uses.ts';
import type { EpochMs } from '../domain/values/time.ts';
import type { InstrumentKey } from '../domain/market/venue.ts';
import { agedQuote, type LatestQuotes } from './live-marks.ts';
import type { ImpactPreTrade } from './pre-trade.ts';
import type { MarginStore } from '../adapters/store/books/margin-store.ts';
import type { RiskReads } from '../adapters/store/risk/risk-reads.ts';
import type { PositionFills } from '../adapters/store/books/portfolio-reads.ts';

/** Maximum fills listed per position. */
const FILLS_NAMED = 20;

interface PortfolioDeps {
  readonly reads: RiskReads;
  readonly fills: PositionFills;
  readonly margins: Pick<MarginStore, 'margined'>;
  readonly bus: LatestQuotes;
  readonly preTrade: ImpactPreTrade;
  readonly clock: { now(): EpochMs };
}

/** Dependencies of reading a portfolio. */
interface PortfolioReading extends PortfolioDeps {
  readonly freshness: Freshness;
}

export function createPortfolioPort(deps: PortfolioDeps) {
  const reading: PortfolioReading = { ...deps, freshness: createFreshness() };

  return {
    /** Books of one mode, quotes, pools and mandate of this moment, together with the wallets. */
    read: (orgId: string, mode: ExecutionMode, wallets: PortfolioWallets): Promise<PortfolioMaterial> =>
      material(reading, orgId, mode, wallets, []),

    /** The same with allocations assessed by the pre-trade risk function, each as if those before it were pending. */
    async assess(
      orgId: string,
      mode: ExecutionMode,
      wallets: PortfolioWallets,
      allocations: readonly Allocation[],
    ): Promise<ImpactMaterial> {
      const instruments = allocations.map(({ instrument }) => instrument);
      const [verdicts, found] = await Promise.all([
        assessed(reading, orgId, mode, allocations),
        material(reading, orgId, mode, wallets, instruments),
      ]);
      return { material: found, bookId: bookIds.manual(orgId, mode), assessed: verdicts };
    },
  };
}

/** Reads portfolios and assesses allocations; nothing that it does is stored. */
export type PortfolioReads = ReturnType<typeof createPortfolioPort>;

function readQuotes(deps: PortfolioReading, instruments: readonly InstrumentKey[]): ReadonlyMap<InstrumentKey, Quote> {
  const { bus, clock, freshness } = deps;
  const quotes = new Map<InstrumentKey, Quote>();
  for (const instrument of instruments) {
    const received = bus.latest(instrument);
    if (received?.kind === 'quote') quotes.set(instrument, agedQuote(received, freshness, clock.now()));
  }
  return quotes;
}

async function readOutcomes(
  deps: PortfolioReading,
  instruments: readonly InstrumentKey[],
): Promise<ReadonlyMap<InstrumentKey, OutcomeFact>> {
  const { reads, clock } = deps;
  const markets = await reads.outcomeMarkets(instruments);
  const facts = new Map<InstrumentKey, OutcomeFact>();
  for (const key of instruments) {
    const name = readOutcomeKey(key);
    const market = name === null ? undefined : markets.get(name.marketId);
    if (name !== null && market !== undefined) facts.set(key, outcomeFact(market, name.outcome, clock.now()));
  }
  return facts;
}

/** Returns the books of the mode. Orders pending on the manual one are read elsewhere. */
async function booksIn(deps: PortfolioReading, orgId: string, mode: ExecutionMode): Promise<readonly PortfolioBook[]> {
  const { reads } = deps;
  const manual = bookIds.manual(orgId, mode);
  const [stored, waiting] = await Promise.all([reads.books(orgId, mode), reads.waitingOn(orgId, manual)]);
  const positions = stored.flatMap(({ id, state }) =>
    state.holdings.map(({ instrument, openedAt }) => ({ bookId: id, instrument, openedAt })),
  );
  const [fills, margins] = await Promise.all([deps.fills.fillsOfPositions(positions, FILLS_NAMED), readMargins(deps, stored)]);
  return stored.map(({ id, agentId, version, state }) => ({
    agentId,
    version,
    state: id === manual ? { ...state, openProposals: [...state.openProposals, ...waiting] } : state,
    fills: new Map(state.holdings.map(({ instrument }) => [instrument, fills.get(`${id} ${instrument}`) ?? []])),
    margins: margins.get(id) ?? new Map(),
  }));
}

type Margins = ReadonlyMap<InstrumentKey, HoldingMargin>;

/** Returns the margins of perpetuals, by book and instrument. */
async function readMargins(
  { margins }: PortfolioReading,
  books: Awaited<ReturnType<RiskReads['books']>>,
): Promise<ReadonlyMap<string, Margins>> {
  if (!books.some(({ state }) => state.holdings.some(({ instrument }) => isPerpetual(instrument)))) return new Map();
  const found = await margins.margined();
  return new Map(
    found.map(({ id, holdings, limits, funding, fills }) => [
      id,
      new Map(
        holdings.flatMap((held) =>
          isPerpetual(held.instrument) ? [[held.instrument, describeMargin(held, limits, paidByHeld(held, funding, fills))] as const] : [],
        ),
      ),
    ]),
  );
}

/** Reads the material of a portfolio. `besides` are instruments that are not held yet, whose quotes and pools are also needed. */
async function material(
  deps: PortfolioReading,
  orgId: string,
  mode: ExecutionMode,
  { read, unread }: PortfolioWallets,
  besides: readonly InstrumentKey[],
): Promise<PortfolioMaterial> {
  const { reads, clock } = deps;
  const [books, mandate, transit, accounts] = await Promise.all([
    booksIn(deps, orgId, mode),
    reads.preferences(orgId),
    // Paper money is never in transit.
    mode === 'live' ? reads.inTransit(orgId) : [],
    mode === 'live' ? reads.accounts(orgId) : null,
  ]);
  const free = accounts === null ? null : freeDollars(accounts, clock.now());
  const addresses = read.flatMap(({ place }) => place.address ?? []);
  const inBooks = books.flatMap(({ state }) => state.holdings.map(({ instrument }) => instrument));
  const inWallets = read.flatMap(({ place }) => place.positions.flatMap(({ instrument }) => (instrument === null ? [] : [instrument])));
  // An instrument outside the catalog has no price and appears only in the reserve check.
  const outside =
    accounts === null ? [] : coinsOutside(accounts, clock.now()).filter(({ instrument }) => CATALOG.byKey(instrument) !== undefined);
  const instruments = [...new Set([...inBooks, ...inWallets, ...outside.map(({ instrument }) => instrument), ...besides])];
  const [pools, outcomes] = await Promise.all([
    reads.liquidity(instruments.filter(isPooled), clock.now() - POOL_LIQUIDITY_MAX_AGE_MS - 1),
    readOutcomes(deps, instruments),
  ]);
  return {
    at: clock.now(),
    mode,
    books,
    wallets: read,
    unread:
      free === null || free.at !== null || free.why === ''
        ? unread
        : [...unread, { address: 'accounts', asked: '/v1/reserves', why: free.why }],
    ...(free === null ? {} : { free: withoutWallets(free, addresses), outside }),
    transit: transitAccounts(transit),
    quotes: readQuotes(deps, instruments),
    outcomes,
    pools,
    mandate,
  };
}

/** Assesses each allocation as if the earlier ones were pending, because two orders that pass alone may together breach a limit. */
async function assessed(
  deps: PortfolioReading,
  orgId: string,
  mode: ExecutionMode,
  allocations: readonly Allocation[],
): Promise<readonly AssessedAllocation[]> {
  const alongside: OpenProposal[] = [];
  const verdicts: AssessedAllocation[] = [];
  for (const [index, allocation] of allocations.entries()) {
    const { instrument, side, notionalUsd } = allocation;
    const request = { instrument, side, notionalUsd, quantity: null, limitPrice: null, maxSlippageBps: null };
    // One after the other: each depends on those before it.
    // oxlint-disable-next-line no-await-in-loop
    const answer = await deps.preTrade.preview(orgId, mode, request, alongside);
    if (!answer.ok) {
      const { code, detail, rejections = [] } = answer.refusal;
      const risk = code === 'blocked_by_risk' ? ({ verdict: 'blocked', rejections } as const) : null;
      const problem = detail.replace(/^\$\./, `$.allocations[${index}].`);
      verdicts.push({ allocation, order: null, touch: null, quote: null, risk, limits: [], problem });
      continue;
    }
    const { order, touch, verdict, context } = answer.value;
    verdicts.push({ allocation, order, touch, quote: context.quote, risk: verdict.risk, limits: limitUses(order, context), problem: '' });
    alongside.push({ id: `preview:${index}`, instrument, side, quantity: order.quantity, notionalUsd: order.notionalUsd });
  }
  return verdicts;
}

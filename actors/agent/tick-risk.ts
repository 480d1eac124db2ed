/** Applies pre-trade risk in an agent's tick: sizes and validates the order, and reduces it if the autonomy level allows. */
import type { Autonomy, Stage } from '../../src/domain/agents/agent.ts';
import { agentBook, bookIds, emptyBook, type MarkedBook, markBook, type TradingBook } from '../../src/domain/books/book.ts';
import { canonicalJson } from '../../src/domain/values/canonical-json.ts';
import type { Cut, Observation } from '../../src/domain/market/cut.ts';
import type { Proposal, RiskAssessor } from '../../src/domain/agents/decide.ts';
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import { type AgentBook, decisionId, EMPTY_BOOK, deriveProposalId, type RiskAttribution } from '../../src/domain/agents/decision.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import { findMarketStep } from '../../src/domain/market/market-step.ts';
import {
  toExecutionMode,
  type Order,
  type OrderSide,
  completeOrder,
  resized,
  type SizeRequest,
  sizeOrder,
} from '../../src/domain/orders/order.ts';
import { type OutsideProposal, soldQuantity } from '../../src/domain/outside/outside-proposal.ts';
import { assessOrder, observedMarket, orderContext, type RiskContext, UNCONTROLLED } from '../../src/domain/risk/index.ts';
import type { RiskPreferences } from '../../src/domain/risk/preferences.ts';
import type { TickRiskInputs } from '../../src/domain/tape/tick-inputs.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';

export interface TradingAgent {
  readonly id: string;
  readonly stage: Stage;
  readonly autonomy: Autonomy;
  readonly manifest: Manifest;
  readonly manifestVersion: number;
}

export function toBookId(agent: Pick<TradingAgent, 'id' | 'stage' | 'manifestVersion'>): string {
  return toExecutionMode(agent.stage) === 'live' ? bookIds.live(agent.id) : bookIds.paper(agent.id, agent.manifestVersion);
}

/** Returns a book without any trade. A paper book begins with the manifest's capital, a live one with none. */
export function untouchedBook(agent: Pick<TradingAgent, 'id' | 'stage' | 'manifestVersion' | 'manifest'>): TradingBook {
  const mode = toExecutionMode(agent.stage);
  return emptyBook(toBookId(agent), mode, mode === 'live' ? '0' : agent.manifest.maxCapitalUsd);
}

export interface ReadBook {
  readonly book: AgentBook;
  /** Canonical JSON, or null if the agent has not traded. */
  readonly bookText: string | null;
  /** Instruments with an open proposal, and its side. `sell` if there are several. */
  readonly pending: ReadonlyMap<InstrumentKey, 'buy' | 'sell'>;
}

const NONE: ReadonlyMap<InstrumentKey, 'buy' | 'sell'> = new Map();
const UNREAD: ReadBook = Object.freeze({ book: EMPTY_BOOK, bookText: null, pending: NONE });

/** Read books by state. Books are immutable, so a replay reads the same book once for all its slots. */
const READ = new WeakMap<TradingBook, ReadBook>();

export function readBook(state: TradingBook | null): ReadBook {
  if (state === null) return UNREAD;
  const known = READ.get(state);
  if (known !== undefined) return known;
  const read = newlyRead(state);
  READ.set(state, read);
  return read;
}

function newlyRead(state: TradingBook): ReadBook {
  const book = agentBook(state);
  const pending = state.openProposals.length === 0 ? NONE : collectPending(state);
  return { book, bookText: canonicalJson(book), pending };
}

function collectPending({ openProposals }: TradingBook): ReadBook['pending'] {
  const pending = new Map<InstrumentKey, 'buy' | 'sell'>();
  for (const { instrument, side } of openProposals) if (pending.get(instrument) !== 'sell') pending.set(instrument, side);
  return pending;
}

/** Returns the midpoint of every live quote, used to mark books. */
export function markInstruments(instruments: readonly InstrumentKey[], cut: Cut): ReadonlyMap<InstrumentKey, DecimalString> {
  const marks = new Map<InstrumentKey, DecimalString>();
  for (const instrument of instruments) {
    const quote = cut.observations.get(instrument)?.quote;
    if (quote?.quality === 'live' && quote.mid !== null) marks.set(instrument, quote.mid);
  }
  return marks;
}

/** Marks a book at the prices of a cut. */
export function markAt(state: TradingBook, cut: Cut): MarkedBook {
  return markBook(
    state,
    markInstruments(
      state.holdings.map(({ instrument }) => instrument),
      cut,
    ),
    cut.slot,
  );
}

/** Returns the slippage budget of an order: the manifest's. A stricter mandate must not prevent leaving a position, so its budget applies to sales. */
function slippageBudget({ manifest }: Pick<TradingAgent, 'manifest'>, side: OrderSide, { maxSlippageBps }: RiskPreferences): number {
  return side === 'sell' ? Math.min(manifest.maxSlippageBps, maxSlippageBps) : manifest.maxSlippageBps;
}

/** Returns the full order that a tick's rules ask for, or null if it is less than one lot. */
function fullOrder(agent: TradingAgent, proposal: Proposal, slot: EpochMs, preferences: RiskPreferences): Order | null {
  const side = proposal.side === 'entry' ? 'buy' : 'sell';
  const quote = proposal.observation.quote;
  const touch = (side === 'buy' ? quote?.ask : quote?.bid) ?? null;
  if (touch === null) return null;
  return sizeOrder({
    id: deriveProposalId(decisionId(agent.id, slot)),
    origin: 'proposal',
    mode: toExecutionMode(agent.stage),
    bookId: toBookId(agent),
    instrument: proposal.instrument,
    side,
    touch,
    maxSlippageBps: slippageBudget(agent, side, preferences),
    notionalUsd: agent.manifest.maxTradeNotionalUsd,
    heldQuantity: proposal.position?.quantity ?? '0',
    ...(proposal.outside === undefined ? {} : askedSize(proposal.outside, touch)),
  });
}

/** Returns the size and the limit of an outside proposal. */
function askedSize(outside: OutsideProposal, touch: DecimalString): Partial<SizeRequest> {
  const { side, quantity, notionalUsd, limitPrice } = outside;
  const size =
    side === 'sell'
      ? { askedQuantity: soldQuantity(outside, touch) }
      : quantity !== null
        ? { askedQuantity: quantity }
        : { notionalUsd: notionalUsd as string };
  return limitPrice === null ? size : { ...size, worstPrice: limitPrice };
}

/** Returns the rejection of an order below one lot. */
function noOrder(proposal: Proposal, manifest: Manifest): RiskAttribution {
  const { lot } = findMarketStep(proposal.instrument);
  const unpriced = (proposal.side === 'entry' ? proposal.observation.quote?.ask : proposal.observation.quote?.bid) == null;
  return {
    verdict: 'blocked',
    rejections: [
      unpriced
        ? {
            code: 'quote_not_live',
            limit: 'a price on both sides',
            before: 'one_sided',
            after: 'one_sided',
            suggestion: 'wait for a price on both sides',
          }
        : {
            code: 'notional_limit_breach',
            limit: `one lot (${lot})`,
            before: '0',
            after: '0',
            suggestion: `the ${proposal.side === 'entry' ? `trade notional of ${manifest.maxTradeNotionalUsd} USD` : 'position'} is less than one lot of ${proposal.instrument}`,
          },
    ],
  };
}

/** Returns the context of a tick's order, made only from the cut and the tick's inputs. */
function tickContext(
  agent: TradingAgent,
  marked: MarkedBook,
  inputs: TickRiskInputs,
  observation: Observation,
  { readsReference, side }: Pick<Proposal, 'readsReference' | 'side'>,
): RiskContext {
  return orderContext(
    { instrument: observation.instrument, mode: toExecutionMode(agent.stage), side: side === 'entry' ? 'buy' : 'sell' },
    {
      market: observedMarket(observation),
      readsReference,
      agent,
      preferences: inputs.preferences,
      book: marked,
      others: inputs.others,
      control: inputs.control ?? UNCONTROLLED,
    },
  );
}

/**
 * Returns the risk function over an agent's mandate and book at a cut. Pure. The full size of the manifest has to pass. Only `autonomous`
 * may reduce it to the available limit.
 */
export function createAssessor(agent: TradingAgent, marked: MarkedBook, inputs: TickRiskInputs): RiskAssessor {
  return (proposal) => {
    const full = fullOrder(agent, proposal, proposal.observation.slot, inputs.preferences);
    if (full === null) return noOrder(proposal, agent.manifest);
    const context = tickContext(agent, marked, inputs, proposal.observation, proposal);
    const { ok, attribution } = assessOrder(full, context);
    if (ok || agent.autonomy !== 'autonomous' || attribution.headroom === undefined || attribution.headroom.quantity === '0')
      return attribution;
    const smaller = assessOrder(resized(full, attribution.headroom.quantity), context);
    return smaller.ok ? smaller.attribution : attribution;
  };
}

/** Returns the order of a decision that passed risk, or null if the decision places none. */
export function decidedOrder(
  agent: TradingAgent,
  decision: { readonly instrument: InstrumentKey | null; readonly risk: RiskAttribution | null },
  slot: EpochMs,
  preferences: RiskPreferences,
): Order | null {
  const assessed = decision.risk?.verdict === 'passed' ? decision.risk.order : undefined;
  if (assessed === undefined || decision.instrument === null) return null;
  return completeOrder({
    id: deriveProposalId(decisionId(agent.id, slot)),
    origin: 'proposal',
    mode: toExecutionMode(agent.stage),
    bookId: toBookId(agent),
    instrument: decision.instrument,
    side: assessed.side,
    quantity: assessed.quantity,
    limitPrice: assessed.limitPrice,
    maxSlippageBps: slippageBudget(agent, assessed.side, preferences),
  });
}

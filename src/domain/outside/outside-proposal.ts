/** Outside proposals: trades that code outside the service asks for under the mandate of an external agent. */
import { canonicalHash } from '../values/canonical-json.ts';
import { isQuoteLive } from '../conditions/condition.ts';
import type { Observation } from '../market/cut.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import type { BookPosition, DecisionRow, RiskRejection, RuleOutcome } from '../agents/decision.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { floorToStep, findMarketStep } from '../market/market-step.ts';
import { computeLimitPrice, type OrderSide } from '../orders/order.ts';
import type { InstrumentKey } from '../market/venue.ts';
import { DAY_MS } from '../values/time.ts';

/** Hashed members. One of `notionalUsd` and `quantity` is null. */
export interface ProposedTrade {
  readonly agentId: string;
  /** Id given by the caller, unique per agent for ever. */
  readonly clientId: string;
  readonly side: OrderSide;
  readonly instrument: InstrumentKey;
  /** Size in US dollars at the executable price. */
  readonly notionalUsd: DecimalString | null;
  /** Size in base units. */
  readonly quantity: DecimalString | null;
  /** Worst acceptable price, or null for the mandate's slippage budget. */
  readonly limitPrice: DecimalString | null;
  /** Reason shown to people as text. Nothing acts on it. */
  readonly reason: string;
  /** SHA-256 of the RFC 8785 form of the code's stated inputs, or null if it states none. */
  readonly inputsHash: string | null;
  readonly manifestHash: string;
}

/** An outside proposal as the decision of its slot reads it. */
export interface OutsideProposal extends ProposedTrade {
  readonly hash: string;
}

/** Maximum length of `reason` in characters, and of `inputs` in bytes of their RFC 8785 form. */
export const REASON_LENGTH = 500;
export const INPUTS_BYTES = 16_384;
/** Time in milliseconds for which the bytes of `inputs` are stored. Their hash is kept for ever. */
export const INPUTS_KEPT_MS = 90 * DAY_MS;

export function withHash(trade: ProposedTrade): OutsideProposal {
  return { ...trade, hash: canonicalHash(trade) };
}

/** A rule of the mandate as a row of the decision's matrix, and its rejection if it failed. */
interface MandateRule {
  readonly type: string;
  readonly passed: boolean;
  readonly observed: number | string | null;
  readonly threshold: number | string | null;
  readonly refusal?: Pick<RiskRejection, 'code' | 'suggestion'>;
}

/** Market and book as the mandate's rules read them. */
interface MandateView {
  readonly observation: Observation | undefined;
  readonly position: BookPosition | null;
}

/** Result of checking an outside proposal against a mandate. */
export interface MandateVerdict {
  readonly rules: readonly MandateRule[];
  /** A rejection for each failed rule, in order. */
  readonly rejections: readonly RiskRejection[];
  /** True if the market is beyond the proposal's own limit price at this slot. */
  readonly isBeyondLimit: boolean;
}

/** Returns the executable price of a side: the ask for a buy, the bid for a sell. */
function findTouch(side: OrderSide, observation: Observation | undefined): DecimalString | null {
  return (side === 'buy' ? observation?.quote?.ask : observation?.quote?.bid) ?? null;
}

/** Returns the base units of a sell at an executable price, in whole lots. A sell in dollars is rounded down. */
export function soldQuantity({ instrument, quantity, notionalUsd }: ProposedTrade, touch: DecimalString): DecimalString {
  return floorToStep(quantity ?? new Decimal(notionalUsd as string).div(touch), findMarketStep(instrument).lot);
}

/** Returns the rules that need neither a price nor a book. They are the same at the receipt and at the slot. */
function staticRules(trade: ProposedTrade, manifest: Manifest, hash: string): MandateRule[] {
  const inUniverse = manifest.universe.some(({ key }) => key === trade.instrument);
  return [
    {
      type: 'mandate_manifest',
      passed: trade.manifestHash === hash,
      observed: trade.manifestHash,
      threshold: hash,
      refusal: { code: 'manifest_changed', suggestion: `propose under the active manifest ${hash}` },
    },
    {
      type: 'mandate_universe',
      passed: inUniverse,
      observed: trade.instrument,
      threshold: manifest.universe.map(({ key }) => key).join(', '),
      refusal: { code: 'outside_universe', suggestion: 'propose an instrument of the universe' },
    },
  ];
}

/** Limits a buy to the mandate's notional of one trade. A sell has no such limit, because reducing is always allowed. */
function notionalRule(trade: ProposedTrade, manifest: Manifest, touch: DecimalString | null): MandateRule {
  const { side, notionalUsd, quantity } = trade;
  const worth = notionalUsd ?? (touch === null ? null : plainDecimal(new Decimal(quantity as string).times(touch)));
  const most = manifest.maxTradeNotionalUsd;
  return {
    type: 'mandate_trade_notional',
    passed: side === 'sell' || (worth !== null && new Decimal(worth).lte(most)),
    observed: worth,
    threshold: side === 'sell' ? null : most,
    refusal: { code: 'notional_limit_breach', suggestion: `propose at most ${most} USD` },
  };
}

/** Requires a limit price within the slippage budget of the executable price. A better limit only waits. */
function slippageRule(trade: ProposedTrade, manifest: Manifest, touch: DecimalString | null): MandateRule {
  const { side, instrument, limitPrice } = trade;
  const worst = touch === null ? null : computeLimitPrice(instrument, side, touch, manifest.maxSlippageBps);
  const within =
    limitPrice === null || (worst !== null && (side === 'buy' ? new Decimal(limitPrice).lte(worst) : new Decimal(limitPrice).gte(worst)));
  return {
    type: 'mandate_slippage',
    passed: within,
    observed: limitPrice ?? worst,
    threshold: worst,
    refusal: { code: 'slippage_budget_breach', suggestion: `propose a limit price of ${worst ?? 'a live quote'} or better, or none` },
  };
}

/** Part of a position that the rules read, or null if nothing is held. */
type Held = Pick<BookPosition, 'quantity'> | null;

/** Requires that a sell comes from the agent's own book and a buy opens a position. Agents do not add to one. */
function bookRule(trade: ProposedTrade, position: Held, touch: DecimalString | null): MandateRule {
  const held = position?.quantity ?? '0';
  if (trade.side === 'buy')
    return {
      type: 'mandate_book',
      passed: position === null,
      observed: held,
      threshold: '0',
      refusal: { code: 'position_open', suggestion: `sell the ${held} that are held first` },
    };
  const asked = touch === null ? trade.quantity : soldQuantity(trade, touch);
  return {
    type: 'mandate_book',
    // Without a price a sell in dollars has no quantity yet. The missing quote is then the reason.
    passed: position !== null && (asked === null || new Decimal(asked).lte(held)),
    observed: asked,
    threshold: held,
    refusal: { code: 'insufficient_balance', suggestion: `sell at most the ${held} that the agent's own book holds` },
  };
}

/** True if the executable price is worse than the proposal's own limit. */
function isBeyond({ side, limitPrice }: ProposedTrade, touch: DecimalString | null): boolean {
  if (limitPrice === null || touch === null) return false;
  return side === 'buy' ? new Decimal(touch).gt(limitPrice) : new Decimal(touch).lt(limitPrice);
}

function toRejection({ type, observed, threshold, refusal }: MandateRule): RiskRejection {
  const text = (value: MandateRule['observed']): string | null => (value === null ? null : String(value));
  return {
    code: refusal?.code ?? type,
    limit: text(threshold),
    before: null,
    after: text(observed),
    suggestion: refusal?.suggestion ?? null,
  };
}

/** Assesses a proposal by the mandate's own rules. Capital, exposure and drawdown are left to the risk function. Pure. */
export function assessByMandate(proposal: OutsideProposal, manifest: Manifest, hash: string, view: MandateView): MandateVerdict {
  const touch = findTouch(proposal.side, view.observation);
  const assessed = [
    ...staticRules(proposal, manifest, hash),
    notionalRule(proposal, manifest, touch),
    slippageRule(proposal, manifest, touch),
    bookRule(proposal, view.position, touch),
  ];
  const failed = assessed.filter(({ passed }) => !passed);
  // A proposal without a price fails for lack of a quote, which the decision reports itself.
  const unpriced = view.observation === undefined || touch === null || !isQuoteLive(view.observation);
  const rejections = failed.filter(({ type }) => !unpriced || PRICELESS.has(type)).map(toRejection);
  return { rules: assessed, rejections, isBeyondLimit: isBeyond(proposal, touch) };
}

const PRICELESS: ReadonlySet<string> = new Set(['mandate_manifest', 'mandate_universe', 'mandate_book']);

/** Returns rejections that need no price: of the instrument, of a size in dollars, and of the limit price. */
export function refusedAtOnce(trade: ProposedTrade, manifest: Manifest, hash: string): readonly RiskRejection[] {
  const rules = staticRules(trade, manifest, hash);
  if (trade.notionalUsd !== null) rules.push(notionalRule(trade, manifest, null));
  return rules.filter(({ passed }) => !passed).map(toRejection);
}

/** Rejects a sell of more than the agent's own book holds, before any price is known. Null if it may join a slot. */
export function soldTooMuch(trade: ProposedTrade, position: Held): RiskRejection | null {
  const rule = trade.side === 'buy' ? null : bookRule(trade, position, null);
  return rule === null || rule.passed ? null : toRejection(rule);
}

/**
 * Returns the cells after those of the manifest's rules, each with its threshold, because it depends on the proposal. The first names the
 * proposal. It passed if the proposal reached risk, so that neither the mandate stopped it nor another trade replaced it.
 */
export function mandateCells({ hash, side }: OutsideProposal, { rules }: MandateVerdict, isAsked: boolean): string {
  const first = { type: 'outside_proposal', passed: isAsked, observed: hash, threshold: side };
  return [first, ...rules]
    .map(({ type, passed, observed, threshold }) => JSON.stringify([passed ? 1 : 0, observed, threshold, type]))
    .join(',');
}

type MandateCell = readonly [passed: number, observed: number | string | null, threshold: number | string | null, type: string];

/** Returns the rows of the cells that `mandateCells` wrote, with the proposal's instrument and side. */
export function unpackMandate(cells: readonly unknown[]): RuleOutcome[] {
  const rows = cells as readonly MandateCell[];
  const instrument = String(rows.find(([, , , type]) => type === 'mandate_universe')?.[1] ?? '') as InstrumentKey;
  const side = rows[0]?.[2] === 'sell' ? 'exit' : 'entry';
  return rows.map(([passed, observed, threshold, type]) => ({ instrument, side, type, passed: passed === 1, observed, threshold }));
}

const NAMED = /\[[01],"([0-9a-f]{64})","(?:buy|sell)","outside_proposal"\]/;

/** Returns the hash of the outside proposal in a decision's outcome, or null. */
export function proposalIn(outcome: string): string | null {
  return NAMED.exec(outcome)?.[1] ?? null;
}

/**
 * States of an outside proposal. `missed`: its slot passed without a decision, because the agent was paused or the slot late. `archived`:
 * the decision is in an archive file.
 */
export const OUTSIDE_STATES = ['pending', 'proposed', 'blocked', 'held', 'superseded', 'missed', 'archived'] as const;
export type OutsideState = (typeof OUTSIDE_STATES)[number];

/** Returns the state of a proposal after its slot. `decision` is the slot's, or null if the database has none. */
export function outsideState(
  { hash, instrument }: OutsideProposal,
  decision: Pick<DecisionRow, 'disposition' | 'instrument' | 'outcome'> | null,
  isMoved = false,
): Exclude<OutsideState, 'pending'> {
  if (decision === null && isMoved) return 'archived';
  if (decision === null || proposalIn(decision.outcome) !== hash) return 'missed';
  const { disposition } = decision;
  if (disposition === 'hold') return 'held';
  const [first, ...rules] = (JSON.parse(decision.outcome) as readonly MandateCell[]).filter((cell) => cell.length === 4);
  const isOwn = decision.instrument === instrument && (first?.[0] === 1 || rules.some(([passed]) => passed === 0));
  if (!isOwn) return 'superseded';
  return disposition === 'blocked_by_risk' ? 'blocked' : first?.[0] === 1 ? 'proposed' : 'superseded';
}

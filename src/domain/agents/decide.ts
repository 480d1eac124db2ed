/** Compiles a manifest into a pure function that decides a tick from the cut, the book and the autonomy. */
import type { Autonomy } from './agent.ts';
import { type CarriedIn, carriedIn } from '../conditions/carried-reference.ts';
import { isQuoteLive, isReferenceReadable } from '../conditions/condition.ts';
import { type CompiledCondition, findConditionDefinition, type Observed } from '../conditions/index.ts';
import { type RuleReads, unknownInput } from '../conditions/unknown-input.ts';
import { type Cut, type IndicatorNeed, indicatorKey, type Observation } from '../market/cut.ts';
import type { AgentBook, BookPosition, RiskAttribution, RiskRejection, RuleOutcome, RulesSeen, Verdict } from './decision.ts';
import { type Manifest, type ManifestCondition, manifestHash } from '../manifest/manifest.ts';
import { type Reading, compileReading } from './observed-state.ts';
import { assessByMandate, type MandateVerdict, mandateCells, type OutsideProposal, unpackMandate } from '../outside/outside-proposal.ts';
import type { InstrumentKey } from '../market/venue.ts';

/** A trade that a manifest's rules ask for, before the risk check. */
export interface Proposal {
  readonly side: 'entry' | 'exit';
  readonly manifest: Manifest;
  readonly instrument: InstrumentKey;
  /** Observation of the instrument, with a live quote. */
  readonly observation: Observation;
  readonly book: AgentBook;
  /** Position to close, or null for an entry. */
  readonly position: BookPosition | null;
  /** True if its rules read the reference price. That price must then stay live until the order is sent. */
  readonly readsReference: boolean;
  /** Outside proposal that asks for the trade, with its own size and limit. Absent if the manifest's rules ask. */
  readonly outside?: OutsideProposal;
}

/** Pre-trade risk function. Pure, and the same for paper and live. */
export type RiskAssessor = (proposal: Proposal) => RiskAttribution;

/** A verdict that waits for risk: the rules are evaluated, and it contains every trade they ask for. */
export interface RiskQuestion {
  /** Asks risk about the trades in order. Without `assess` there is no risk engine, and nothing is proposed. */
  readonly answeredBy: (assess: RiskAssessor | undefined) => Verdict;
}

/** True if the rules are evaluated but risk has not been asked yet. */
export function needsRisk(evaluated: Verdict | RiskQuestion): evaluated is RiskQuestion {
  return 'answeredBy' in evaluated;
}

/** A rule of the matrix, with its cell and its threshold. */
type MatrixRule = Pick<RuleOutcome, 'instrument' | 'side' | 'type' | 'threshold'> & { readonly reads: RuleReads };

export interface CompiledManifest {
  readonly manifest: Manifest;
  readonly hash: string;
  /** Indicators that the rules read, each once. */
  readonly needs: readonly IndicatorNeed[];
  /** Instruments of the universe, in order. */
  readonly instruments: readonly InstrumentKey[];
  /** Fields of a cut that its records show and hash. */
  readonly reading: Reading;
  /** Rules in the order of the matrix. */
  readonly rules: readonly MatrixRule[];
  /** Evaluates every rule on a cut once. Returns a verdict, or a question if risk must be asked. Follows the rules of `decide`. */
  readonly evaluate: (
    cut: Cut,
    book: AgentBook,
    autonomy: Autonomy,
    pending?: PendingInstruments,
    outside?: OutsideProposal | null,
  ) => Verdict | RiskQuestion;
  /**
   * Decides on a cut: `evaluate`, with risk asked if it must be. Pure: the same arguments give the same verdict,
   * byte for byte.
   * - Every rule of every instrument is evaluated and recorded, whatever else happens.
   * - An instrument without a position is bought if ALL entry rules pass (without entry rules: never). A position is
   *   sold if ANY exit rule passes. The manifest's stop-loss and take-profit are
   *   two further exit rules after its own.
   * - Exits come before entries, then the universe's order. The first trade that risk accepts is proposed. If risk
   *   accepts none, the first is `blocked_by_risk`.
   * - A rule that failed only because the quote or the reference is not live, and would pass on the number at hand,
   *   blocks (`quote_not_live`, `stale_reference_feed`) instead of holding in silence.
   * - `research` never proposes (`hold`, `research_only`); `risk_only` never enters (`hold`, `reduce_only`).
   * - An instrument that was not observed fails all its rules with null (`hold`, `no_observation`).
   * - An instrument with an open proposal is not proposed again. If nothing else is asked for, the agent holds
   *   (`proposal_pending`).
   * - An external manifest trades by the outside proposal of the slot. Its exit rules and guardrails come first, and its
   *   entry rules are a fence that a buy has to pass (`fence_not_passed`). Without a proposal it holds (`no_proposal`).
   *   A proposal beyond the mandate is blocked by the rule's name, and one whose own limit price the market does not
   *   meet holds (`limit_price_not_reached`).
   * Without `assess` there is no pre-trade risk engine, and what would be proposed is blocked (`risk_engine_absent`).
   * @param pending instruments that have an open proposal, each with its side if known.
   */
  readonly decide: (
    cut: Cut,
    book: AgentBook,
    autonomy: Autonomy,
    assess?: RiskAssessor,
    pending?: PendingInstruments,
    outside?: OutsideProposal | null,
  ) => Verdict;
  /**
   * Unpacks the rule matrix of an outcome that `decide` packed, with the causes of unknown inputs if `seen` is given. Empty if nothing was
   * evaluated. @throws Error if the text is not an outcome of this manifest.
   */
  readonly unpack: (outcome: string, seen?: RulesSeen) => RuleOutcome[];
}

/** Returns the manifest's guardrails as exit rules. Zero means not set, and no gate accepts a draft with it. */
export function guardrailExits(manifest: Manifest): ManifestCondition[] {
  const exits: ManifestCondition[] = [];
  if (manifest.stopLossPct > 0) exits.push({ type: 'stop_loss', pct: manifest.stopLossPct });
  if (manifest.takeProfitPct > 0) exits.push({ type: 'take_profit', pct: manifest.takeProfitPct });
  return exits;
}

/** Instruments with an open proposal. A stop-loss is proposed even during an open entry, whose remainder it cancels. */
interface PendingInstruments {
  readonly size: number;
  has(instrument: InstrumentKey): boolean;
  /** Returns the side of the open proposal. If it is unknown, every trade of the instrument waits. */
  get?(instrument: InstrumentKey): 'buy' | 'sell' | undefined;
}

interface Candidate {
  readonly side: 'entry' | 'exit';
  readonly instrument: InstrumentKey;
  readonly observation: Observation;
  readonly position: BookPosition | null;
  /** True if a rule on the reference price would pass if the reference were live. */
  readonly staleReference: boolean;
  readonly readsReference: boolean;
  /** True if a stop-loss asks for the exit. */
  readonly isProtective: boolean;
  readonly outside?: OutsideProposal;
}

/** Outcome of a rule: passed, failed, or withheld (it would pass if its prices were live). */
const FAILED = 0;
const PASSED = 1;
const WITHHELD = 2;

/**
 * Compiles a manifest once, so that a tick walks arrays of closures and allocates little besides its outcome text. @throws TypeError for a
 * condition that `readManifest` did not read.
 */
export function compileManifest(manifest: Manifest): CompiledManifest {
  const entryConditions = manifest.entry;
  const exitConditions = [...manifest.exit, ...guardrailExits(manifest)];
  const carried = carriedIn(manifest);
  const entryRules = entryConditions.map((condition) => findConditionDefinition(condition).compile(condition, carried));
  const exitRules = exitConditions.map((condition) => findConditionDefinition(condition).compile(condition, carried));
  const allRules: readonly CompiledCondition[] = [...entryRules, ...exitRules];
  const entryCount = entryRules.length;
  const entryReadsReference = entryRules.some(({ usesReference }) => usesReference);
  const instruments = manifest.universe.map((entry) => entry.key);
  const isStopLoss = exitConditions.map(({ type }) => type === 'stop_loss');
  const unobservedCells = allRules.map(() => '[0,null]').join(',');
  const rules = matrixRules(instruments, entryConditions, exitConditions, carried);
  const needs = indicatorNeeds(instruments, [...entryConditions, ...exitConditions]);
  const hash = manifestHash(manifest);
  const evaluate: CompiledManifest['evaluate'] = (cut, book, autonomy, pending = NOTHING_PENDING, outside = null) => {
    const joined = outside === null ? null : joinedIn(outside, manifest, hash, cut, book);
    let text = '';
    let unobserved = false;
    let candidates: Candidate[] | null = null;
    for (let i = 0; i < instruments.length; i++) {
      const instrument = instruments[i] as InstrumentKey;
      const observation = cut.observations.get(instrument);
      if (observation === undefined) {
        unobserved = true;
        if (unobservedCells !== '') text += text === '' ? unobservedCells : `,${unobservedCells}`;
        continue;
      }
      const position = book.positions.length === 0 ? null : positionIn(book, instrument);
      let entry = mayEnter(manifest, instrument, joined) ? PASSED : FAILED;
      let exit = FAILED;
      let staleReference = false;
      let exitByItself = false; // Exits are alternatives: one that does not look at the reference is enough.
      let stopLoss = false;
      for (let r = 0; r < allRules.length; r++) {
        const rule = allRules[r] as CompiledCondition;
        const observed: Observed = rule.observe(observation, position);
        const passed = rule.passes(observed);
        text += text === '' ? (passed ? '[1,' : '[0,') : passed ? ',[1,' : ',[0,';
        text += observed === null ? 'null]' : typeof observed === 'number' ? `${observed}]` : `"${observed}"]`;
        const outcome = passed ? PASSED : observed === null ? withheld(rule, observation, position) : FAILED;
        if (r < entryCount) {
          if (outcome === FAILED) entry = FAILED;
          else if (outcome === WITHHELD && entry !== FAILED) entry = WITHHELD;
          if (outcome === WITHHELD && rule.usesReference && position === null)
            staleReference ||= !isReferenceReadable(observation, carried);
        } else {
          if (outcome === PASSED) {
            exit = PASSED;
            exitByItself ||= !rule.usesReference;
            stopLoss ||= isStopLoss[r - entryCount] === true;
          } else if (outcome === WITHHELD && exit === FAILED) exit = WITHHELD;
          if (outcome === WITHHELD && rule.usesReference && position !== null)
            staleReference ||= !isReferenceReadable(observation, carried);
        }
      }
      const ruleResult = position === null ? entry : exit;
      if (ruleResult === FAILED) continue;
      candidates ??= [];
      candidates.push({
        side: position === null ? 'entry' : 'exit',
        instrument,
        observation,
        position,
        staleReference: ruleResult === WITHHELD && staleReference,
        readsReference: position === null ? entryReadsReference : !exitByItself,
        isProtective: position !== null && stopLoss,
        ...(position === null && joined !== null ? { outside: joined.proposal } : {}),
      });
    }
    const asked = { manifest, book, autonomy, pending };
    if (manifest.strategy !== undefined) return settleOutside(joined, candidates ?? [], text, asked);
    return candidates === null ? hold(unobserved ? 'no_observation' : null, `[${text}]`) : settle(candidates, asked, `[${text}]`);
  };

  return {
    manifest,
    hash,
    needs,
    instruments,
    reading: compileReading(instruments, needs),
    rules,
    evaluate,
    decide(cut, book, autonomy, assess, pending, outside) {
      const evaluated = evaluate(cut, book, autonomy, pending, outside);
      return needsRisk(evaluated) ? evaluated.answeredBy(assess) : evaluated;
    },
    unpack: (outcome, seen) => unpackOutcome(outcome, rules, seen),
  };
}

/** Outside proposal of a slot, and the mandate's verdict on it. */
interface Joined {
  readonly proposal: OutsideProposal;
  readonly observation: Observation | undefined;
  readonly position: BookPosition | null;
  readonly verdict: MandateVerdict;
  readonly isAllowed: boolean;
}

/** Joins an outside proposal with the mandate, or returns null for a manifest whose own rules trade, which takes no proposals. */
function joinedIn(proposal: OutsideProposal, manifest: Manifest, hash: string, cut: Cut, book: AgentBook): Joined | null {
  if (manifest.strategy === undefined) return null;
  const observation = cut.observations.get(proposal.instrument);
  const position = positionIn(book, proposal.instrument);
  const verdict = assessByMandate(proposal, manifest, hash, { observation, position });
  const isAllowed = observation !== undefined && verdict.rejections.length === 0 && !verdict.isBeyondLimit;
  return { proposal, observation, position, verdict, isAllowed };
}

/**
 * True if the entry rules of an instrument may lead to an entry. A manifest without entry rules never enters. The entry rules of an
 * external manifest only restrict proposals, and lead to nothing without a proposed buy.
 */
function mayEnter({ strategy, entry }: Manifest, instrument: InstrumentKey, joined: Joined | null): boolean {
  if (strategy === undefined) return entry.length > 0;
  return joined?.isAllowed === true && joined.proposal.side === 'buy' && joined.proposal.instrument === instrument;
}

/** Returns the proposed sell, unless a rule of the mandate already sells the instrument. */
function soldBy(joined: Joined, candidates: readonly Candidate[]): Candidate | null {
  const { proposal, observation, position, isAllowed } = joined;
  if (!isAllowed || proposal.side !== 'sell' || observation === undefined || position === null) return null;
  if (candidates.some(({ instrument }) => instrument === proposal.instrument)) return null;
  const { instrument } = proposal;
  return {
    side: 'exit',
    instrument,
    observation,
    position,
    staleReference: false,
    readsReference: false,
    isProtective: false,
    outside: proposal,
  };
}

/** Settles an external manifest: sales by its mandate first, then the proposal of the slot, whose rules end the matrix. */
function settleOutside(joined: Joined | null, candidates: Candidate[], rules: string, asked: Asked): Verdict | RiskQuestion {
  const sold = joined === null ? null : soldBy(joined, candidates);
  const all = sold === null ? candidates : [...candidates, sold];
  const isAsked = all.some(({ outside }) => outside !== undefined);
  const cells = joined === null ? [] : [mandateCells(joined.proposal, joined.verdict, isAsked)];
  const outcome = `[${[...(rules === '' ? [] : [rules]), ...cells].join(',')}]`;
  return all.length === 0 ? unanswered(joined, outcome) : settle(all, asked, outcome);
}

/** Returns the verdict of an external manifest without a trade: the proposal's outcome, or that there was none. */
function unanswered(joined: Joined | null, outcome: string): Verdict {
  if (joined === null) return hold('no_proposal', outcome);
  const { rejections, isBeyondLimit } = joined.verdict;
  const [first] = rejections;
  if (first !== undefined) {
    const { instrument } = joined.proposal;
    return { disposition: 'blocked_by_risk', reason: first.code, instrument, outcome, risk: { verdict: 'blocked', rejections } };
  }
  if (joined.observation === undefined) return hold('no_observation', outcome);
  return hold(isBeyondLimit ? 'limit_price_not_reached' : 'fence_not_passed', outcome);
}

function withheld(rule: CompiledCondition, observation: Observation, position: BookPosition | null): number {
  return rule.observeUngated !== null && rule.passes(rule.observeUngated(observation, position)) ? WITHHELD : FAILED;
}

function positionIn(book: AgentBook, instrument: InstrumentKey): BookPosition | null {
  for (const position of book.positions) if (position.instrument === instrument) return position;
  return null;
}

function hold(reason: string | null, outcome: string): Verdict {
  return { disposition: 'hold', reason, instrument: null, outcome, risk: null };
}

const NOTHING_PENDING: PendingInstruments = new Set<InstrumentKey>();

/** Actor whose candidates are settled. */
interface Asked {
  readonly manifest: Manifest;
  readonly book: AgentBook;
  readonly autonomy: Autonomy;
  readonly pending: PendingInstruments;
}

/** Picks a trade among those that the rules ask for: checks autonomy, then open proposals, then live prices, and asks risk last. */
function settle(candidates: readonly Candidate[], { manifest, book, autonomy, pending }: Asked, outcome: string): Verdict | RiskQuestion {
  if (autonomy === 'research') return hold('research_only', outcome);
  const free = pending.size === 0 ? candidates : candidates.filter((candidate) => isFree(candidate, pending));
  if (free.length === 0) return hold('proposal_pending', outcome);
  const exits = free.filter((candidate) => candidate.side === 'exit');
  const ordered = autonomy === 'risk_only' ? exits : [...exits, ...free.filter((candidate) => candidate.side === 'entry')];
  if (ordered.length === 0) return hold('reduce_only', outcome);
  const withheldBy = ordered.map((candidate) => notLivePrices(candidate));
  if (withheldBy.every((rejections) => rejections.length > 0))
    return blockedBy(ordered[0] as Candidate, withheldBy[0] as readonly RiskRejection[], outcome);
  return {
    answeredBy(assess) {
      let blocked: Verdict | null = null;
      for (const [index, candidate] of ordered.entries()) {
        const rejections = withheldBy[index] as readonly RiskRejection[];
        const verdict =
          rejections.length > 0 ? blockedBy(candidate, rejections, outcome) : propose(candidate, manifest, book, assess, outcome);
        if (verdict.disposition !== 'blocked_by_risk') return verdict;
        blocked ??= verdict;
      }
      return blocked as Verdict;
    },
  };
}

/** True if its instrument has no open proposal, or only an entry that a stop-loss ends. */
function isFree({ instrument, isProtective }: Candidate, pending: PendingInstruments): boolean {
  return !pending.has(instrument) || (isProtective && pending.get?.(instrument) === 'buy');
}

/** Returns a rejection for each price of a trade that is not live. */
function notLivePrices({ observation, staleReference }: Candidate): readonly RiskRejection[] {
  const stale: RiskRejection[] = [];
  if (staleReference) stale.push(notLive('stale_reference_feed', 'a live reference price', observation.reference));
  if (!isQuoteLive(observation)) stale.push(notLive('quote_not_live', 'a live quote', observation.quote));
  return stale;
}

function blockedBy({ instrument }: Candidate, rejections: readonly RiskRejection[], outcome: string): Verdict {
  const reason = (rejections[0] as RiskRejection).code;
  return { disposition: 'blocked_by_risk', reason, instrument, outcome, risk: { verdict: 'blocked', rejections } };
}

function propose(candidate: Candidate, manifest: Manifest, book: AgentBook, assess: RiskAssessor | undefined, outcome: string): Verdict {
  const { side, instrument, observation, position, readsReference, outside } = candidate;
  const block = (reason: string, risk: RiskAttribution): Verdict => ({ disposition: 'blocked_by_risk', reason, instrument, outcome, risk });
  if (assess === undefined) return block('risk_engine_absent', ENGINE_ABSENT);
  const risk = assess({
    side,
    manifest,
    instrument,
    observation,
    book,
    position,
    readsReference,
    ...(outside === undefined ? {} : { outside }),
  });
  if (risk.verdict !== 'passed') return block(risk.rejections[0]?.code ?? 'blocked', risk);
  return { disposition: side === 'entry' ? 'propose_entry' : 'propose_exit', reason: null, instrument, outcome, risk };
}

const ENGINE_ABSENT: RiskAttribution = {
  verdict: 'blocked',
  rejections: [
    {
      code: 'feature_disabled',
      limit: 'pre-trade risk engine',
      before: null,
      after: null,
      suggestion: 'enable the pre-trade risk engine; no order is proposed without it',
    },
  ],
};

function notLive(
  code: string,
  limit: string,
  input: { readonly quality: string; readonly flags: readonly string[]; readonly ageMs: number } | null,
): RiskRejection {
  const before = input === null ? 'none' : [input.quality, ...input.flags, `${input.ageMs} ms old`].join(', ');
  return { code, limit, before, after: before, suggestion: `wait for ${limit}` };
}

function matrixRules(
  instruments: readonly InstrumentKey[],
  entry: readonly ManifestCondition[],
  exit: readonly ManifestCondition[],
  carriedIn: CarriedIn,
): readonly MatrixRule[] {
  const row = (instrument: InstrumentKey, side: 'entry' | 'exit', condition: ManifestCondition): MatrixRule => ({
    instrument,
    side,
    type: condition.type,
    threshold: findConditionDefinition(condition).threshold(condition),
    reads: {
      inputs: findConditionDefinition(condition).inputs,
      needs: findConditionDefinition(condition).needs(condition, instrument),
      carriedIn,
    },
  });
  return instruments.flatMap((instrument) => [
    ...entry.map((condition) => row(instrument, 'entry', condition)),
    ...exit.map((condition) => row(instrument, 'exit', condition)),
  ]);
}

function indicatorNeeds(instruments: readonly InstrumentKey[], conditions: readonly ManifestCondition[]): readonly IndicatorNeed[] {
  const needs = new Map<string, IndicatorNeed>();
  for (const instrument of instruments) {
    for (const condition of conditions) {
      for (const need of findConditionDefinition(condition).needs(condition, instrument))
        needs.set(`${instrument} ${indicatorKey(need)}`, need);
    }
  }
  return [...needs.values()];
}

function unpackOutcome(outcome: string, rules: readonly MatrixRule[], seen: RulesSeen | undefined): RuleOutcome[] {
  // A late or crashed slot evaluated nothing.
  if (outcome === '[]') return [];
  const cells: unknown = JSON.parse(outcome);
  if (!Array.isArray(cells) || (cells.length !== rules.length && !namesProposal(cells[rules.length]))) {
    throw new Error(`an outcome of this manifest has ${rules.length} cells, got ${Array.isArray(cells) ? cells.length : typeof cells}`);
  }
  const outside = unpackMandate(cells.slice(rules.length));
  const own = rules.map((rule, index) => {
    const [passed, observed] = cells[index] as [number, Observed];
    const { instrument, side, type, threshold, reads } = rule;
    const unpacked = { instrument, side, type, passed: passed === 1, observed, threshold };
    if (observed !== null || seen === undefined) return unpacked;
    const observation = seen.observations.find((one) => one.instrument === instrument);
    return { ...unpacked, unknown: unknownInput(reads, observation, positionIn(seen.book, instrument) !== null) };
  });
  return [...own, ...outside];
}

/** True for the first cell after the manifest's rules if an outside proposal was assessed. */
function namesProposal(cell: unknown): boolean {
  return Array.isArray(cell) && cell[3] === 'outside_proposal';
}

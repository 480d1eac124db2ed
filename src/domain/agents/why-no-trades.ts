/**
 * Explains why there are no trades, nearest reason first. For a running agent it uses its state, its newest decisions and its newest
 * proposals. Rule results read the same for a simulated period.
 */
import type { Autonomy, PauseCause } from './agent.ts';
import { unknownInWords } from '../conditions/unknown-input.ts';
import type { DecisionRecord, RuleOutcome } from './decision.ts';
import { isOpenProposal, type ProposalState } from '../orders/execution.ts';
import { REASONS_IN_WORDS, rejectionInWords } from './explain-decision.ts';
import { figureInWords } from '../values/words.ts';

/** Number of times an entry rule held when it was evaluated. */
export interface EntryRule {
  /** Null if the counts are of all instruments together. */
  readonly instrument: string | null;
  readonly type: string;
  readonly threshold: number | string | null;
  readonly evaluated: number;
  readonly passed: number;
  /** Number of slots at which an input was unknown. An unknown rule never passes. */
  readonly unknown: number;
  /** Causes of unknown inputs in words, with their counts. Empty for a simulated period, which keeps no records. */
  readonly causes: ReadonlyMap<string, number>;
  /** Number of slots at which only this rule failed. */
  readonly lastToFail: number;
}

/** Facts about a running agent. */
export interface TradingFacts {
  readonly isQuarantined: boolean;
  /** Null if it is not paused. */
  readonly pauseCause: PauseCause | null;
  readonly autonomy: Autonomy;
  /** Decisions, newest first. */
  readonly decisions: readonly DecisionRecord[];
  /** Proposals of the same period. */
  readonly proposals: readonly { readonly state: ProposalState; readonly reason: string | null }[];
}

/** Instructions to resume a paused agent, by pause cause. */
const PAUSED_IN_WORDS: Readonly<Record<PauseCause, string>> = {
  operator: 'a member paused it',
  emergency_halt: 'an emergency halt paused it',
  data_degraded: 'it was paused because its market data was degraded',
  daily_drawdown: 'it was paused because it reached its daily loss limit',
  tick_crash: 'it was paused because its decisions failed',
  quarantine: 'it was paused when it was released from quarantine',
};

/** Reasons of slots at which nothing was evaluated. */
const UNEVALUATED: readonly string[] = ['late_tick', 'tick_crash', 'no_observation'];

/** Returns a sentence per reason, nearest first. Empty if an order was filled. */
export function whyNoTrades(facts: TradingFacts): readonly string[] {
  const { decisions, proposals } = facts;
  if (proposals.some(({ state }) => state === 'filled' || state === 'partially_filled')) return [];
  if (facts.isQuarantined)
    return ['It is quarantined and makes no decisions. Repair the cause, then release it: POST /v1/agents/:id/release.'];
  if (facts.pauseCause !== null)
    return [`It makes no decisions: ${PAUSED_IN_WORDS[facts.pauseCause]}. Resume it: POST /v1/agents/:id/resume.`];
  if (decisions.length === 0) return ['No decisions yet. A running agent decides at each full minute.'];
  const asked = [...byAutonomy(facts), ...ofProposals(proposals), ...byRisk(decisions)];
  const unevaluated = UNEVALUATED.flatMap((reason) => {
    const count = decisions.filter((one) => one.reason === reason).length;
    return count === 0 ? [] : [`At ${ofLast(count, decisions.length)} ${REASONS_IN_WORDS[reason]}.`];
  });
  // If rules asked for trades and were stopped, that is the reason, not other rules that failed.
  if (asked.length > 0) return [...asked, ...unevaluated];
  const rules = countEntryRules(decisions);
  if (rules.length > 0) return [...unevaluated, ...entryRulesInWords(rules)];
  const held = decisions[0]?.book.positions.map(({ instrument }) => instrument) ?? [];
  if (held.length > 0) return [...unevaluated, `It holds ${held.join(', ')}, and no exit rule was true.`];
  return unevaluated.length > 0 ? unevaluated : entryRulesInWords(rules);
}

/** Describes entry rules that never led to a trade, the hardest first. */
export function entryRulesInWords(rules: readonly EntryRule[]): readonly string[] {
  if (rules.length === 0) return ['It has no entry rule.'];
  // Every instrument has its own rules, so each is described.
  return [...new Set(rules.map(({ instrument }) => instrument))].flatMap((instrument) => {
    const own = rules.filter((rule) => rule.instrument === instrument);
    const never = own.filter(({ passed }) => passed === 0);
    if (never.length > 0) return [...never].sort((a, b) => b.unknown / b.evaluated - a.unknown / a.evaluated).map(neverHeld);
    const of = instrument === null ? 'Each entry rule' : `${instrument}: each entry rule`;
    const hardest = [...own].sort((a, b) => b.lastToFail - a.lastToFail || a.passed - b.passed);
    return [`${of} was true at times, but never all of them at once.`, ...hardest.map(stoodAlone)];
  });
}

function nameRule({ instrument, type, threshold }: EntryRule): string {
  return `${instrument === null ? '' : `${instrument}: `}${type}${threshold === null ? '' : ` (${threshold})`}`;
}

function neverHeld(rule: EntryRule): string {
  const { evaluated, unknown } = rule;
  if (unknown >= evaluated)
    return `${nameRule(rule)} was unknown at ${evaluated === 1 ? 'its only decision' : `all ${evaluated} decisions`}: ${causesInWords(rule)}.`;
  if (evaluated === 1) return `${nameRule(rule)} was false at its only decision.`;
  const part =
    unknown === 0
      ? ''
      : `; it was unknown at ${figureInWords((unknown / evaluated) * 100)} % of them${rule.causes.size === 0 ? '' : `: ${causesInWords(rule)}`}`;
  return `${nameRule(rule)} was true at none of ${evaluated} decisions${part}.`;
}

/** Lists the causes, most frequent first, with counts if there are several. */
function causesInWords({ causes }: EntryRule): string {
  if (causes.size === 0) return 'its input was not live, or stored history is missing';
  if (causes.size === 1) return [...causes.keys()].join();
  return byCount(causes)
    .map(([words, count]) => `${words} (${count === 1 ? 'one decision' : `${count} decisions`})`)
    .join(', ');
}

function stoodAlone(rule: EntryRule): string {
  const { evaluated, passed, lastToFail } = rule;
  const alone = lastToFail === 0 ? '' : `, and was the only blocker at ${lastToFail}`;
  if (evaluated === 1) return `${nameRule(rule)} was true at its only decision.`;
  return `${nameRule(rule)} was true at ${passed} of ${evaluated} decisions (${figureInWords((passed / evaluated) * 100)} %)${alone}.`;
}

/** Returns to how many of the newest evaluations something applies. */
function ofLast(count: number, looks: number): string {
  return looks === 1 ? 'its last decision' : `${count} of its last ${looks} decisions`;
}

/** Explains trades that the rules asked for and the autonomy withheld. */
function byAutonomy({ autonomy, decisions }: TradingFacts): string[] {
  const looks = decisions.length;
  const count = (reason: string): number => decisions.filter((one) => one.reason === reason).length;
  const sentences: string[] = [];
  const [research, reduceOnly] = [count('research_only'), count('reduce_only')];
  if (research > 0)
    sentences.push(
      `Its rules asked for a trade at ${ofLast(research, looks)}, but at autonomy research it proposes nothing. Raise it: POST /v1/agents/:id/autonomy.`,
    );
  if (reduceOnly > 0)
    sentences.push(`Its rules asked to enter at ${ofLast(reduceOnly, looks)}, but at autonomy risk_only it can only reduce its positions.`);
  const suggested = decisions.filter(({ disposition }) => disposition === 'propose_entry').length;
  if (autonomy === 'suggest' && suggested > 0)
    sentences.push(
      `It recommended an entry at ${ofLast(suggested, looks)}, but at autonomy suggest it places no orders. Read them: GET /v1/recommendations.`,
    );
  return sentences;
}

/** Explains the results of the agent's orders. */
function ofProposals(proposals: TradingFacts['proposals']): string[] {
  const waiting = proposals.filter(({ state }) => state === 'pending_approval').length;
  const isUnderWay = proposals.some(({ state }) => isOpenProposal(state) && state !== 'pending_approval');
  const ended = new Map<string, number>();
  for (const { state, reason } of proposals) {
    if (isOpenProposal(state)) continue;
    const words = reason === null ? state : `${state} (${reason})`;
    ended.set(words, (ended.get(words) ?? 0) + 1);
  }
  return [
    ...(isUnderWay ? ['An order is being executed.'] : []),
    ...(waiting === 0 ? [] : [`${counted(waiting)} for an approval: POST /v1/agent-orders/:id/approve.`]),
    ...byCount(ended).map(
      ([words, count]) =>
        `${proposals.length === 1 ? 'Its last proposal' : `Of its last ${proposals.length} proposals ${count}`} ended in state ${words}.`,
    ),
  ];
}

function counted(waiting: number): string {
  return waiting === 1 ? 'One proposal waits' : `${waiting} proposals wait`;
}

/** Explains rejections by risk and price quality: each code with its newest rejection. */
function byRisk(decisions: readonly DecisionRecord[]): string[] {
  const blocked = decisions.filter(({ disposition }) => disposition === 'blocked_by_risk');
  const counts = new Map<string, number>();
  for (const { reason } of blocked) counts.set(reason ?? 'blocked', (counts.get(reason ?? 'blocked') ?? 0) + 1);
  return byCount(counts).map(([code, count]) => {
    const newest = blocked.find(({ reason }) => (reason ?? 'blocked') === code) as DecisionRecord;
    const rejection = newest.risk?.rejections.find((one) => one.code === code);
    const why =
      REASONS_IN_WORDS[code] ?? (rejection === undefined ? code : rejectionInWords(rejection).replace(/^R/, 'r').replace(/\.$/, ''));
    return `Its rules asked for a trade and were stopped at ${ofLast(count, decisions.length)}: ${why}.`;
  });
}

function byCount(counts: ReadonlyMap<string, number>): [string, number][] {
  return [...counts].sort(([, a], [, b]) => b - a);
}

type RuleSum = { -readonly [Field in Exclude<keyof EntryRule, 'causes'>]: EntryRule[Field] } & { readonly causes: Map<string, number> };

/** Counts how often each entry rule of each instrument held. Held instruments are skipped, because they are not entered again. */
function countEntryRules(decisions: readonly DecisionRecord[]): EntryRule[] {
  const counted = new Map<string, RuleSum>();
  for (const { rules, book } of decisions) {
    const held = new Set<string>(book.positions.map(({ instrument }) => instrument));
    const entries = rules.filter(({ side, instrument }) => side === 'entry' && !held.has(instrument));
    const failing = new Map<string, number>();
    for (const { instrument, passed } of entries) if (!passed) failing.set(instrument, (failing.get(instrument) ?? 0) + 1);
    for (const rule of entries) {
      const { instrument, type, threshold } = rule;
      const key = `${instrument}\n${type}\n${threshold}`;
      const sum = counted.get(key) ?? {
        instrument,
        type,
        threshold,
        evaluated: 0,
        passed: 0,
        unknown: 0,
        causes: new Map(),
        lastToFail: 0,
      };
      counted.set(key, sum);
      sum.evaluated++;
      if (rule.passed) sum.passed++;
      else count(sum, rule, failing.get(instrument) === 1);
    }
  }
  return [...counted.values()];
}

function count(sum: RuleSum, { observed, unknown }: RuleOutcome, isAlone: boolean): void {
  if (observed === null) sum.unknown++;
  if (unknown !== undefined) {
    const words = unknownInWords(unknown);
    sum.causes.set(words, (sum.causes.get(words) ?? 0) + 1);
  }
  if (isAlone) sum.lastToFail++;
}

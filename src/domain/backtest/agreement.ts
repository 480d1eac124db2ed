/**
 * Agreement of outside code with itself. The first steps of the session that passed the gate are shown again in another disguise, and the
 * answers are compared. This finds code that has changed. It does not find code that memorizes its answers.
 */
import { Decimal, type DecimalString } from '../values/decimal.ts';
import type { OutsideProposal } from '../outside/outside-proposal.ts';
import { figureInWords } from '../values/words.ts';

/** Trade that outside code answered, in true names and units. */
export type AnsweredTrade = Pick<OutsideProposal, 'side' | 'instrument' | 'notionalUsd' | 'quantity' | 'limitPrice'>;

/** Answers of one path: slot number from 0, and the trade. Slots without a trade are left out. */
export type AnsweredPath = readonly (readonly [slot: number, trade: AnsweredTrade])[];

/** Opening of a session: its first steps and their answers, by path. */
export interface Opening {
  readonly steps: number;
  readonly paths: readonly AnsweredPath[];
}

/** Number of trades over all paths after which the stored opening ends. It also ends after a number of steps. */
const OPENING_TRADES = 200;
export const OPENING_STEPS = 2_000;
/** Relative tolerance. Sizes and prices are shown in six significant digits, so equal ones differ by less. */
const TOLERANCE = '0.01';
/** Minimum percentage of the slots with a trade, then or now, whose answer is the same. */
export const LEAST_AGREEMENT_PCT = 99;

export interface Agreement {
  readonly slots: number;
  /** Number of slots with a trade, then or now. */
  readonly trades: number;
  readonly agreed: number;
  /** Null without a trade. */
  readonly agreementPct: number | null;
  readonly passed: boolean;
}

/** Returns the shortest beginning with enough trades. */
export function findOpening(paths: readonly AnsweredPath[]): Opening {
  const slots = paths.flatMap((path) => path.map(([slot]) => slot)).sort((a, b) => a - b);
  const last = slots[OPENING_TRADES - 1];
  const steps = last === undefined ? OPENING_STEPS : last + 1;
  return { steps, paths: paths.map((path) => path.filter(([slot]) => slot < steps)) };
}

/** True if both answers are the same. */
export function isSameAnswer(then: AnsweredTrade | null, now: AnsweredTrade | null): boolean {
  if (then === null || now === null) return then === now;
  if (then.side !== now.side || then.instrument !== now.instrument) return false;
  return (['notionalUsd', 'quantity', 'limitPrice'] as const).every((field) => isNear(then[field], now[field]));
}

function isNear(one: DecimalString | null, other: DecimalString | null): boolean {
  if (one === null || other === null) return one === other;
  return new Decimal(one).minus(other).abs().lte(new Decimal(one).abs().times(TOLERANCE));
}

export function assessAgreement(counts: Pick<Agreement, 'slots' | 'trades' | 'agreed'>): Agreement {
  const { trades, agreed } = counts;
  const agreementPct = trades === 0 ? null : (100 * agreed) / trades;
  return { ...counts, agreementPct, passed: agreementPct === null || agreementPct >= LEAST_AGREEMENT_PCT };
}

export function agreementInWords({ trades, agreed, agreementPct, passed }: Agreement): string {
  if (agreementPct === null) return 'Neither then nor now was a trade answered: it agrees.';
  const share = `${agreed} of ${trades} slots with a trade were answered as in the session that passed (${figureInWords(agreementPct)} %)`;
  return passed ? `${share}.` : `${share}, less than ${LEAST_AGREEMENT_PCT} %: the code is not what passed.`;
}

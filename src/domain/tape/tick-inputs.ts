/** Inputs of an agent's tick besides the cut and the agent itself. They are noted on the tape, so that a replay reads the same. */
import type { MarkedBook, TradingBook } from '../books/book.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import type { DecimalString } from '../values/decimal.ts';
import type { OutsideProposal } from '../outside/outside-proposal.ts';
import type { OtherBooks } from '../risk/context.ts';
import type { TradingControl } from '../risk/order-context.ts';
import type { RiskPreferences } from '../risk/preferences.ts';

export interface TickInputs {
  /** The book of the agent's present mode and manifest version; null while nothing has happened to it. */
  readonly book: TradingBook | null;
  /** Inputs that risk was asked with; null if the tick did not ask it. */
  readonly risk: TickRiskInputs | null;
  /** The outside proposal of the slot; absent if none came. */
  readonly outside?: OutsideProposal;
}

/** Risk inputs of the organization. */
export interface TickRiskInputs {
  readonly preferences: RiskPreferences;
  readonly others: OtherBooks;
  /** Controls that held at the tick: what was halted or switched off; absent if nothing was. */
  readonly control?: TradingControl;
}

/** The inputs as they lie at rest: canonical JSON, so that equal inputs are equal texts. */
export function tickInputsText(inputs: TickInputs): string {
  return canonicalJson(inputs);
}

/** Inputs of a tick that read nothing. */
export const NO_INPUTS = tickInputsText({ book: null, risk: null });

/** @throws SyntaxError for a text that `tickInputsText` did not write. */
export function readTickInputs(text: string): TickInputs {
  return JSON.parse(text) as TickInputs;
}

/** The first mark of a day, to be kept with the book. */
export interface BookDay {
  readonly bookId: string;
  readonly day: number;
  readonly dayStartEquityUsd: DecimalString;
}

/** The day that a mark began; null if the book was in that day already, or has no equity to begin one with. */
export function begunDay(before: TradingBook, marked: MarkedBook): BookDay | null {
  const { id: bookId, day, dayStartEquityUsd } = marked.state;
  return marked.state === before || day === null || dayStartEquityUsd === null || day === before.day
    ? null
    : { bookId, day, dayStartEquityUsd };
}

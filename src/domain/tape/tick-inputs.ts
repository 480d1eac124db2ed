/** Inputs of an agent's tick besides the cut and the agent itself. They are recorded on the tape, so that a replay reads the same. */
import type { MarkedBook, TradingBook } from '../books/book.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import type { DecimalString } from '../values/decimal.ts';
import type { OutsideProposal } from '../outside/outside-proposal.ts';
import type { OtherBooks } from '../risk/context.ts';
import type { TradingControl } from '../risk/order-context.ts';
import type { RiskPreferences } from '../risk/preferences.ts';

export interface TickInputs {
  /** Book of the agent's present mode and manifest version, or null before its first event. */
  readonly book: TradingBook | null;
  /** Inputs of risk, or null if the tick did not ask it. */
  readonly risk: TickRiskInputs | null;
  /** Outside proposal of the slot. Absent if there was none. */
  readonly outside?: OutsideProposal;
}

/** Risk inputs of the organization. */
export interface TickRiskInputs {
  readonly preferences: RiskPreferences;
  readonly others: OtherBooks;
  /** Halts and disabled features at the tick. Absent if there were none. */
  readonly control?: TradingControl;
}

/** Returns the inputs as stored: canonical JSON, so that equal inputs are equal texts. */
export function tickInputsText(inputs: TickInputs): string {
  return canonicalJson(inputs);
}

/** Inputs of a tick that read nothing. */
export const NO_INPUTS = tickInputsText({ book: null, risk: null });

/** Reads a text of `tickInputsText`. @throws SyntaxError for any other text. */
export function readTickInputs(text: string): TickInputs {
  return JSON.parse(text) as TickInputs;
}

/** First mark of a day, stored with the book. */
export interface BookDay {
  readonly bookId: string;
  readonly day: number;
  readonly dayStartEquityUsd: DecimalString;
}

/** Returns the day that a mark began, or null if the book was already in that day or has no equity to begin one with. */
export function begunDay(before: TradingBook, marked: MarkedBook): BookDay | null {
  const { id: bookId, day, dayStartEquityUsd } = marked.state;
  return marked.state === before || day === null || dayStartEquityUsd === null || day === before.day
    ? null
    : { bookId, day, dayStartEquityUsd };
}

/** Expected refusals, as values with a code from an append-only list, never exceptions. */

import type { RiskRejection } from '../agents/decision.ts';
import type { EvidenceCheck } from '../agents/evidence.ts';
import type { Problem } from './field.ts';
import type { ProblemCode } from './problems.ts';
import type { MessageDifference } from '../solana/difference.ts';

/** An expected refusal. `detail` says what was wrong and what would be right. */
export interface Refusal {
  readonly code: ProblemCode;
  readonly detail: string;
  /** Exceeded limits, if the pre-trade risk function refused. */
  readonly rejections?: readonly RiskRejection[];
  /** Conditions of a gate with their observed values, if a gate refused. */
  readonly checks?: readonly EvidenceCheck[];
  /** Problems of an authored object, with their paths. */
  readonly problems?: readonly Problem[];
  /** Questions whose answers would resolve an ambiguous text. */
  readonly questions?: readonly string[];
  /** Difference to the prepared message, if a wallet signed another one. */
  readonly difference?: MessageDifference;
}

export type Outcome<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly refusal: Refusal };

export function refuse(code: ProblemCode, detail: string): { readonly ok: false; readonly refusal: Refusal } {
  return { ok: false, refusal: { code, detail } };
}

/** Expected refusals, as values with a code from an append-only list, never exceptions. */

import type { RiskRejection } from '../agents/decision.ts';
import type { EvidenceCheck } from '../agents/evidence.ts';
import type { Problem } from './field.ts';
import type { MessageDifference } from '../solana/difference.ts';

/** Codes of refusals outside the pre-trade risk function. Never rename a published one. */
export const REFUSAL_CODES = [
  'malformed',
  'unauthenticated',
  'token_expired',
  'ambiguous_credentials',
  'origin_refused',
  'permission_missing',
  'not_found',
  'state_conflict',
  'already_paused',
  'not_paused',
  'cause_persists',
  'resume_by_creator',
  'evidence_missing',
  'manifest_invalid',
  'autonomy_refused',
  'idempotency_mismatch',
  'idempotency_in_flight',
  'body_too_large',
  'body_too_deep',
  'rate_limited',
  'unavailable',
  'halted',
  'feature_disabled',
  'blocked_by_risk',
  'gate_failed',
  'sign_off_refused',
  'malformed_transaction',
  'signed_bytes_differ',
  'signature_missing',
  'signature_invalid',
  'route_refused',
  'too_many_prepared',
  'challenge_expired',
  'launch_refused',
  'wallet_unproved',
  'payment_refused',
  'licence_missing',
  'thesis_ambiguous',
  'take_invalid',
  'take_unsettled',
  'proposal_pending',
  'proposals_refused',
  'outside_mandate',
  'external_not_listable',
] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

/** An expected refusal. `detail` says what was wrong and what would be right. */
export interface Refusal {
  readonly code: RefusalCode;
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

export function refuse(code: RefusalCode, detail: string): { readonly ok: false; readonly refusal: Refusal } {
  return { ok: false, refusal: { code, detail } };
}

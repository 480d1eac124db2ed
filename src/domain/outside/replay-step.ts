/** Answers of outside code to the steps of a blind replay session. */
import type { ProposedTrade } from './outside-proposal.ts';

export interface AskedSession {
  readonly orgId: string;
  readonly agentId: string;
  readonly runId: string;
}

/** A trade as outside code asks for it in a session: in aliases and disguised prices. */
export type BlindTrade = Pick<ProposedTrade, 'side' | 'notionalUsd' | 'quantity' | 'limitPrice'> & { readonly instrument: string };

/** Answers of one step: one for each slot that was shown, in that order. Null proposes nothing. */
export type StepAnswers = readonly (BlindTrade | null)[];

/** Answers to a step; null asks for the step that waits. */
export type StepAsk = { readonly step: number; readonly answers: StepAnswers } | null;

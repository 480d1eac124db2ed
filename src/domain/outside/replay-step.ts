/** Answers of outside code to the steps of a blind replay session. */
import type { ProposedTrade } from './outside-proposal.ts';

export interface AskedSession {
  readonly orgId: string;
  readonly agentId: string;
  readonly runId: string;
}

/** Trade that outside code asks for in a session, in aliases and disguised prices. */
export type BlindTrade = Pick<ProposedTrade, 'side' | 'notionalUsd' | 'quantity' | 'limitPrice'> & { readonly instrument: string };

/** Answers of one step, one per slot shown, in order. Null proposes nothing. */
export type StepAnswers = readonly (BlindTrade | null)[];

/** Answers to a step, or null to request the waiting step. */
export type StepAsk = { readonly step: number; readonly answers: StepAnswers } | null;

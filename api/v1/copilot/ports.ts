/** Store ports of the copilot's conversations, each of one caller. */
import type { Intent } from '../../../src/domain/copilot/classify.ts';
import type { EpochMs } from '../../../src/domain/values/time.ts';

/** One exchange of a conversation. */
export interface Exchange {
  readonly at: EpochMs;
  readonly message: string;
  readonly intent: Intent;
  readonly reply: string;
  /** The symbol that it was about; null if it was about none. */
  readonly symbol: string | null;
}

export interface Conversations {
  /** A fresh id for a conversation (UUIDv7). */
  newId(orgId: string): string;
  /** Exchanges, oldest first; null if the caller has no such conversation. */
  find(orgId: string, subject: string, conversationId: string): Promise<readonly Exchange[] | null>;
  /** Adds an exchange; begins the conversation if it is new. */
  add(orgId: string, subject: string, conversationId: string, exchange: Exchange): Promise<void>;
}

export interface MessageRewording {
  /**
   * Asks a language model to reword a message that no pattern reads. The answer is untrusted: `checkRewording` assesses it.
   * `why` says in one phrase what went wrong (no answer in time, an error, no JSON).
   */
  reword(message: string): Promise<{ readonly ok: true; readonly answer: unknown } | { readonly ok: false; readonly why: string }>;
}

export interface CopilotPorts {
  readonly conversations: Conversations;
  /** Absent if no language model is configured. */
  readonly rewording?: MessageRewording;
}

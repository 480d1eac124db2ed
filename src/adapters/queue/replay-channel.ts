/**
 * Sends the steps of replay sessions between processes over Redis. Each session listens on its own channel, and answers go to the asker's
 * channel. Nothing is stored: a lost step is sent again and decided once.
 */
import type { Redis } from 'ioredis';
import type { Clock } from '../../../streams/clock/clock.ts';
import { type Outcome, refuse } from '../../domain/values/refusal.ts';
import type { AskedSession, StepAsk } from '../../domain/outside/replay-step.ts';
import { connectRedis } from './redis-client.ts';
import { isCluster } from './redis-url.ts';

/** Session as its process offers it to others. */
interface ServedSession {
  answer(step: StepAsk): Promise<Outcome<string>>;
  abandon(): void;
}

interface Question extends AskedSession {
  readonly replyTo: string;
  readonly ask: string;
  readonly step: StepAsk | typeof ABANDON;
}

/** Message that abandons a session; it is not answered. */
const ABANDON = 'abandon';

interface Reply {
  readonly ask: string;
  /** Null if the session belongs to another organization or agent. */
  readonly outcome: Outcome<string> | null;
}

const CHANNEL = 'sevengate:replay';
/** Timeout of an answer in milliseconds, longer than a step of the largest universe. */
const ANSWER_MS = 8_000;
const COMMAND_MS = 1_000;
const SILENT = refuse('unavailable', 'the process of the session did not answer in time: send the same step again');

interface ReplayChannelOptions {
  readonly url: string;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly newId: () => string;
  readonly onError: (error: unknown) => void;
}

/** Channel that carries steps between processes. */
export class ReplayChannel {
  readonly #options: ReplayChannelOptions;
  readonly #inbox: string;
  readonly #served = new Map<string, AskedSession & { readonly session: ServedSession }>();
  readonly #waiting = new Map<string, (outcome: Outcome<string> | null) => void>();
  readonly #publisher: Redis;
  readonly #subscriber: Redis;
  readonly #listening: Promise<unknown>;
  #asked = 0;

  constructor(options: ReplayChannelOptions) {
    this.#options = options;
    this.#inbox = `${CHANNEL}:to:${options.newId()}`;
    const shared = { retryStrategy: (attempt: number) => Math.min(100 * 2 ** attempt, 2_000) };
    this.#publisher = connectRedis(options.url, { ...shared, commandTimeout: COMMAND_MS, maxRetriesPerRequest: 0 });
    // ioredis resubscribes after a reconnect.
    this.#subscriber = connectRedis(options.url, { ...shared, maxRetriesPerRequest: null });
    for (const redis of [this.#publisher, this.#subscriber]) redis.on('error', options.onError);
    this.#subscriber.on('message', (channel: string, text: string) => this.#receive(channel, text));
    this.#listening = this.#subscriber.subscribe(this.#inbox).catch(options.onError);
  }

  /** Returns the answer of the process that runs the session, or null if none does. */
  async step(of: AskedSession, step: StepAsk): Promise<Outcome<string> | null> {
    await this.#listening;
    const ask = String(++this.#asked);
    const answered = this.#answerTo(ask);
    const question: Question = { ...of, replyTo: this.#inbox, ask, step };
    try {
      const listeners = await this.#publisher.publish(toChannel(of.runId), JSON.stringify(question));
      // No listener: the session is not running. A cluster counts only the listeners of one node.
      if (listeners === 0 && !isCluster(this.#options.url)) this.#waiting.get(ask)?.(null);
    } catch (error) {
      this.#options.onError(error);
      this.#waiting.get(ask)?.(SILENT);
    }
    return answered;
  }

  /** Waits for the answer to a question, or returns the timeout's answer. */
  #answerTo(ask: string): Promise<Outcome<string> | null> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      const done = (outcome: Outcome<string> | null): void => {
        cancel();
        this.#waiting.delete(ask);
        resolve(outcome);
      };
      const cancel = clock.deadline(clock.now() + ANSWER_MS, () => done(SILENT));
      this.#waiting.set(ask, done);
    });
  }

  /** Notifies the session's process that it was abandoned. */
  async abandon(of: AskedSession): Promise<void> {
    const question: Question = { ...of, replyTo: this.#inbox, ask: ABANDON, step: ABANDON };
    // If this message is lost, the session's worker notices the cancelled run later.
    await this.#publisher.publish(toChannel(of.runId), JSON.stringify(question)).catch(this.#options.onError);
  }

  /** Answers other processes' steps for a session that runs here, until the returned function is called. */
  serve(of: AskedSession, session: ServedSession): () => void {
    const channel = toChannel(of.runId);
    this.#served.set(channel, { ...of, session });
    this.#subscriber.subscribe(channel).catch(this.#options.onError);
    return () => {
      this.#served.delete(channel);
      this.#subscriber.unsubscribe(channel).catch(this.#options.onError);
    };
  }

  close(): void {
    this.#publisher.disconnect();
    this.#subscriber.disconnect();
    for (const answer of this.#waiting.values()) answer(SILENT);
  }

  #receive(channel: string, text: string): void {
    const message = parsed(text);
    if (message === null) return this.#options.onError(new Error(`a message on ${channel} is not a step: ${text.slice(0, 100)}`));
    if (channel !== this.#inbox) return void this.#answer(channel, message as Question).catch(this.#options.onError);
    const { ask, outcome } = message as Reply;
    this.#waiting.get(ask)?.(outcome);
  }

  async #answer(channel: string, { orgId, agentId, replyTo, ask, step }: Question): Promise<void> {
    const served = this.#served.get(channel);
    const isTheirs = served?.orgId === orgId && served.agentId === agentId;
    if (step === ABANDON) return isTheirs ? served.session.abandon() : undefined;
    const reply: Reply = { ask, outcome: isTheirs ? await served.session.answer(step) : null };
    await this.#publisher.publish(replyTo, JSON.stringify(reply));
  }
}

const toChannel = (runId: string): string => `${CHANNEL}:of:${runId}`;

/** Parses a message; null if invalid. Redis may be shared with other programs. */
function parsed(text: string): Partial<Question & Reply> | null {
  try {
    const value = JSON.parse(text) as Partial<Question & Reply> | null;
    return typeof value === 'object' && value !== null && typeof value.ask === 'string' ? value : null;
  } catch {
    return null;
  }
}

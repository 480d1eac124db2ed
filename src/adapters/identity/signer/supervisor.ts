/** Follows the signer process from life to life, and answers in its place while none is there. */
import type { Clock } from '../../../../streams/clock.ts';
import type { Log } from '../../../../streams/log.ts';
import type { ExchangeSigner, SignerAnswer, SignerClient } from '../../../trading/ports.ts';
import type { SignerLife } from './process.ts';
import type { SignerAddresses, SignerSecret } from './protocol.ts';

/** Maximum restarts in a row. A life of `STEADY_MS` resets the count. */
const MOST_RESTARTS = 5;
const STEADY_MS = 600_000;
/** The wait before the first of them, which doubles with each. */
const FIRST_WAIT_MS = 1_000;

export interface SupervisedSigner {
  readonly pid: number;
  /** Refusal while no process can answer; null while one listens. */
  refusal(): Extract<SignerAnswer, { readonly outcome: 'unavailable' }> | null;
  open(place: SignerAddresses): Promise<void>;
  stop(): Promise<void>;
}

/** Follows one life after the other: each that ends is told and, once the first was open, followed by another, so often and after such waits. */
export function superviseSigner(deps: {
  readonly first: SignerLife;
  /** Null if the key cannot be passed on once more. */
  readonly begin: (() => SignerLife) | null;
  readonly secret: SignerSecret;
  readonly publicKey: string | null;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly log: Log;
}): SupervisedSigner {
  const { begin, secret, publicKey, clock, log } = deps;
  let life = deps.first;
  let begunAt = clock.now();
  let place: SignerAddresses | null = null;
  let restarts = 0;
  let refusal: string | null = 'the signer process is not open yet';
  let stopped = false;
  let cancelWait = (): void => {};

  function follow(): void {
    const present = life;
    void present.ended.then((end) => (stopped || life !== present ? undefined : after(end)));
  }

  function after(end: object): void {
    if (clock.now() - begunAt >= STEADY_MS) restarts = 0;
    if (place === null || begin === null || restarts === MOST_RESTARTS) {
      refusal = 'the signer process has ended and is not started again before the service is';
      log.error({ ...end, restarts }, 'the signer process has ended: nothing is signed until the service is restarted');
      return;
    }
    const waitMs = FIRST_WAIT_MS * 2 ** restarts;
    restarts += 1;
    refusal = `the signer process has ended and is being started again (${restarts} of ${MOST_RESTARTS})`;
    log.error({ ...end, restarts, waitMs }, 'the signer process has ended: nothing is signed until it is restarted');
    cancelWait = clock.deadline(clock.now() + waitMs, () => void again(begin, place as SignerAddresses));
  }

  async function again(next: () => SignerLife, at: SignerAddresses): Promise<void> {
    life = next();
    begunAt = clock.now();
    const present = life;
    try {
      const key = await present.tell(secret);
      // An operator who replaces the file has to register its key first, and knows when.
      if (key !== publicKey) throw new Error('the key file holds another key than at the start: start the service again to sign with it');
      await present.tell(at);
      refusal = null;
      log.info({ restarts }, 'the signer process was restarted');
    } catch (error) {
      if (stopped) return;
      log.error({ err: error }, 'the signer process could not be restarted');
      await present.stop();
    }
    follow();
  }

  follow();
  return {
    get pid() {
      return life.pid;
    },
    refusal: () => (refusal === null ? null : { outcome: 'unavailable', reason: 'not_running', detail: refusal }),
    async open(at) {
      await life.tell(at);
      place = at;
      refusal = null;
    },
    async stop() {
      stopped = true;
      refusal = 'the service is stopping';
      cancelWait();
      await life.stop();
    },
  };
}

/** Wraps the client so that its inconclusive answers are counted by reason. */
export function toldOfSilence(
  { sign, signRequest }: SignerClient & ExchangeSigner,
  onFailure: (reason: string) => void,
): SignerClient & ExchangeSigner {
  function told<Answer extends { readonly outcome: string }>(answer: Answer | Silence): Answer | Silence {
    if (answer.outcome === 'unavailable') onFailure((answer as Silence).reason);
    return answer;
  }
  return {
    sign: async (orderId, signature) => told(await sign(orderId, signature)),
    signRequest: async (request, signature) => told(await signRequest(request, signature)),
  };
}

type Silence = Extract<SignerAnswer, { readonly outcome: 'unavailable' }>;

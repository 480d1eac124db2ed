/** Restarts the signer process and answers in its place while it is down. */
import type { Clock } from '../../../../streams/clock/clock.ts';
import type { Log } from '../../../../streams/log.ts';
import type { SignerLife } from './process.ts';
import type { SignerAddresses, SignerSecret, SignerAnswer, SignerClient, ExchangeSigner } from './protocol.ts';

/** Maximum consecutive restarts. A process that ran for `STEADY_MS` resets the count. */
const MOST_RESTARTS = 5;
const STEADY_MS = 600_000;
/** Wait before the first restart, in milliseconds. Doubles with each restart. */
const FIRST_WAIT_MS = 1_000;

/**
 * Supervises the process. Every end is logged; once the first process was ready, restarts follow up to the maximum with increasing waits.
 */
export function superviseSigner(deps: {
  readonly first: SignerLife;
  /** Starts the next process; null if the key cannot be passed on again. */
  readonly begin: (() => SignerLife) | null;
  readonly secret: SignerSecret;
  readonly publicKey: string | null;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly log: Log;
}) {
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
      // A replaced key must be registered first, so the operator has to restart the service.
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
    /** Returns the refusal while no process is listening; null while one is. */
    refusal: (): Extract<SignerAnswer, { readonly outcome: 'unavailable' }> | null =>
      refusal === null ? null : { outcome: 'unavailable', reason: 'not_running', detail: refusal },
    async open(at: SignerAddresses) {
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

/** Wraps the client and counts inconclusive answers by reason. */
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

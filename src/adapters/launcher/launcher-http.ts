/**
 * HTTP client of the external launcher: pairs, the price of an intent, and the launch after its payment. The launch is requested with the
 * same signature until it is answered. Every answer is parsed strictly and verified. See docs/reference/outside/external-launcher.md.
 */
import type { LauncherClient } from '../../../actors/launcher-launch/commands.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { LauncherIntent, LauncherOffer, LauncherPairs, LauncherWord } from '../../domain/launch/launcher.ts';
import { type Outcome, refuse } from '../../domain/values/refusal.ts';
import { isAddress } from '../../domain/solana/base58.ts';
import { createHttpTransport, type HttpOutcome } from '../http-transport.ts';

interface LauncherOptions {
  /** Base URL, such as `https://clawpump.tech/api/v1`. Its path prefixes every request. */
  readonly url: string;
  readonly key: string | null;
  readonly clock: Clock;
  /** Receives the code of every unanswered request. */
  readonly onFailure: (code: string) => void;
  readonly timeoutMs?: number;
}

/** Timeout in milliseconds; a launch is confirmed on the chain before it is answered. */
const TIMEOUT_MS = 30_000;
const CONNECT_MS = 3_000;
const MOST_BYTES = 2 * 1024 * 1024;
/** HTTP statuses of temporary refusals. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

type Fields = Readonly<Record<string, unknown>>;

/** Thrown if the launcher does not answer, or not plausibly. */
export class LauncherSilence extends Error {}

interface Answer {
  readonly status: number;
  readonly fields: Fields;
}

export function createLauncher({
  url,
  key,
  clock,
  onFailure,
  timeoutMs = TIMEOUT_MS,
}: LauncherOptions): LauncherClient & { close(): void } {
  const http = createHttpTransport({
    baseUrl: url,
    clock,
    totalTimeoutMs: timeoutMs,
    connectTimeoutMs: CONNECT_MS,
    maxAnswerBytes: MOST_BYTES,
  });
  const headers = { ...(key === null ? {} : { authorization: `Bearer ${key}` }), 'content-type': 'application/json' };

  /** Sends one request. @throws LauncherSilence if there is no answer, or a temporary refusal */
  async function ask(method: 'GET' | 'POST', target: string, body?: object): Promise<Answer> {
    const outcome = await http.send({
      method,
      target,
      headers,
      fresh: method === 'POST',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const failed = (code: string, words: string): never => {
      onFailure(code);
      throw new LauncherSilence(words);
    };
    if (outcome.kind !== 'answered') return failed(outcome.code, `the launcher does not answer: ${outcome.detail}`);
    const { status } = outcome;
    if (status >= 500 || PASSING.has(status))
      return failed(`http_${status}`, `the launcher answers ${status} at the moment: ${saidIn(outcome)}`);
    // A redirect would send the key to another host.
    if (status >= 300 && status < 400) return failed('redirected', 'the launcher sends its callers elsewhere, which is not followed');
    const fields = parseFields(outcome.text);
    return fields === null ? failed('senseless', 'the answer of the launcher is not a JSON object') : { status, fields };
  }

  const toBody = (intent: LauncherIntent): object => ({
    name: intent.name,
    symbol: intent.symbol,
    description: intent.description,
    imageUrl: intent.imageUrl,
    agentId: intent.agentId,
    agentName: intent.agentName,
    walletAddress: intent.wallet,
    pumpQuoteMint: intent.pairMint,
    pumpCreatorFeeBps: intent.creatorFeeBps,
    devBuySol: 0,
  });

  async function unlessSilent<Value>(work: () => Promise<Outcome<Value>>): Promise<Outcome<Value>> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof LauncherSilence) return refuse('unavailable', error.message);
      throw error;
    }
  }

  return {
    pairs: () =>
      unlessSilent(async () => {
        const { status, fields } = await ask('GET', '/pump-pairs');
        const pairs = status === 200 ? readPairs(fields) : null;
        return pairs === null ? refuse('route_refused', 'what the launcher says of its pairs makes no sense') : { ok: true, value: pairs };
      }),
    register: (intent) =>
      unlessSilent(async () => {
        const { status, fields } = await ask('POST', '/launch/self-funded', { ...toBody(intent), preflight: true });
        if (status >= 400) return refuse('route_refused', `the launcher declines: ${readWords(fields, status)}`);
        const offer = readOffer(fields, intent.wallet, clock.now());
        return offer === null ? refuse('route_refused', 'what the launcher asks for makes no sense') : { ok: true, value: offer };
      }),
    async complete(intent, { preflightToken }, signature): Promise<LauncherWord> {
      const { status, fields } = await ask('POST', '/launch/self-funded', { ...toBody(intent), txSignature: signature, preflightToken });
      if (status >= 400) return { said: 'declined', code: readCode(fields, status), detail: readWords(fields, status) };
      const mint = fields['mintAddress'];
      if (mint === undefined || mint === null || status === 202) return { said: 'pending' };
      if (typeof mint !== 'string' || !isAddress(mint)) throw new LauncherSilence('the launcher names a mint that is not an address');
      const transaction = fields['txHash'];
      return { said: 'launched', mint, transaction: typeof transaction === 'string' && transaction.length <= 100 ? transaction : null };
    },
    close: http.close,
  };
}

function parseFields(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
  } catch {
    return null;
  }
}

function readMember(fields: Fields, name: string): Fields {
  const value = fields[name];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function saidIn({ text, status }: Extract<HttpOutcome, { kind: 'answered' }>): string {
  return readWords(parseFields(text) ?? {}, status);
}

function readCode(fields: Fields, status: number): string {
  const { code } = fields;
  return typeof code === 'string' && /^[\w-]{1,60}$/.test(code) ? code.toLowerCase() : `http_${status}`;
}

/** Returns the launcher's error message with the fields that it names. */
function readWords(fields: Fields, status: number): string {
  const { error, missing, invalidFields } = fields;
  const named = [missing, invalidFields].flatMap((list) => (Array.isArray(list) ? list.filter((one) => typeof one === 'string') : []));
  const said = typeof error === 'string' && error !== '' ? error.slice(0, 200) : `status ${status}`;
  return named.length === 0 ? said : `${said} (${named.slice(0, 10).join(', ')})`;
}

function readPairs(fields: Fields): LauncherPairs | null {
  const { assets } = fields;
  const { min, max } = readMember(fields, 'creatorFeeBps');
  if (!Array.isArray(assets) || typeof min !== 'number' || typeof max !== 'number' || !(min >= 0 && min <= max && max <= 10_000))
    return null;
  const pairs = assets.flatMap((one: unknown) => {
    const { mint, symbol, name, decimals } = (typeof one === 'object' && one !== null ? one : {}) as Fields;
    const isPair = typeof mint === 'string' && isAddress(mint) && typeof symbol === 'string' && typeof name === 'string';
    return isPair && typeof decimals === 'number' ? [{ mint, symbol, name, decimals }] : [];
  });
  return { pairs, creatorFeeBps: { min, max } };
}

function readOffer(fields: Fields, wallet: string, now: number): LauncherOffer | null {
  const payment = readMember(fields, 'payment');
  const { method, amountLamports, payTo, payFrom, validForSeconds } = payment;
  const { preflightToken } = readMember(fields, 'retryWith');
  const { requestId } = readMember(fields, 'meta');
  if (method !== 'sol' || payFrom !== wallet || typeof payTo !== 'string' || typeof preflightToken !== 'string') return null;
  if (typeof amountLamports !== 'number' || !Number.isSafeInteger(amountLamports) || amountLamports <= 0) return null;
  if (typeof validForSeconds !== 'number' || !(validForSeconds > 0 && validForSeconds <= 86_400) || preflightToken.length > 2_000)
    return null;
  return {
    lamports: String(amountLamports),
    payTo,
    preflightToken,
    validUntil: now + Math.floor(validForSeconds * 1_000),
    requestId: typeof requestId === 'string' ? requestId.slice(0, 100) : null,
  };
}

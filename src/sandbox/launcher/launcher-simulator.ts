/**
 * Simulator of the external launcher on loopback, in the wire format of ClawPump's partner API: pairs, a preflight that quotes a price,
 * and a launch once exactly that price was paid on the sandbox's chain.
 */
import { createHash } from 'node:crypto';
import { address, isAddress } from '@solana/kit';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import { createFaultSwitch, type FaultSwitch } from '../faults.ts';
import { type LoopbackAnswer, type LoopbackRequest, listenOnLoopback } from '../loopback.ts';
import { createAccount, type SolanaChain } from '../solana/chain.ts';
import { fund, plainMint } from '../solana/genesis.ts';
import { SYSTEM, TOKEN } from '../solana/instructions.ts';
import { sandboxKey } from '../solana/keys.ts';

const LAUNCHER_TROUBLES = [
  /** Reports for a while that the launch is in progress. */
  'late',
  /** Accepts the payment and declines the launch. */
  'declines',
  /** Reports that the payment belongs to another request. */
  'conflict',
  /** Reports for a while that its treasury is low, then launches. */
  'treasury_low',
  /** Makes offers that expire after a few seconds. */
  'brief',
  /** Asks an excessive price. */
  'greedy',
  /** Returns a token that the chain does not have. */
  'names_nothing',
] as const;
type LauncherTrouble = (typeof LAUNCHER_TROUBLES)[number];

type LauncherScript = ReturnType<typeof createLauncherScript>;

export function createLauncherScript() {
  let how: LauncherTrouble | null = null;
  return {
    /**
     * Sets the behavior; null restores the normal one.
     * @throws RangeError for an unknown word
     */
    trouble(word: string | null) {
      if (word !== null && !(LAUNCHER_TROUBLES as readonly string[]).includes(word))
        throw new RangeError(`how must be null or one of ${LAUNCHER_TROUBLES.join(', ')}, not ${JSON.stringify(word)}`);
      how = word as LauncherTrouble | null;
    },
    current: (): LauncherTrouble | null => how,
  };
}

/** Creates the launcher's operator verbs. A verb throws RangeError if its input is invalid. */
export function launcherVerbs(script: LauncherScript): Readonly<Record<string, (body: Readonly<Record<string, unknown>>) => unknown>> {
  return {
    launcher_trouble: ({ how }) => {
      if (how !== null && typeof how !== 'string') throw new RangeError(`how must be a text or null, not ${JSON.stringify(how)}`);
      script.trouble(how);
      return {};
    },
  };
}

export interface LauncherSimulatorOptions {
  readonly chain: SolanaChain;
  /** Quote tokens that it offers. */
  readonly pairs: readonly { readonly mint: string; readonly symbol: string; readonly decimals: number }[];
  readonly key: string;
  readonly clock: Clock;
  readonly faults?: FaultSwitch;
  /** Port; 0 takes any free port. */
  readonly port: number;
  readonly script?: LauncherScript;
}

const WALLET = sandboxKey('launcher wallet').address;
/** Program that owns every account of its bonding curves. */
const CURVE_PROGRAM = address('6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P');
const PRICE_LAMPORTS = 7_510_000;
const GREEDY_LAMPORTS = 50_000_000_000;
const VALID_SECONDS = 900;
const BRIEF_SECONDS = 5;
const SUPPLY = 1_000_000_000_000_000n;
const DECIMALS = 6;
const FEE_BPS = { min: 100, max: 300, default: 100 };
/** Number of times that a launch is reported as pending, or the treasury as low, before it succeeds. */
const WAITS = 3;

interface Preflight {
  readonly body: string;
  readonly wallet: string;
  readonly lamports: number;
  readonly until: EpochMs;
}

interface Launched {
  readonly body: string;
  readonly mint: string;
  readonly hash: string;
}

/** Returns the identifying fields of a body, equal for preflight and launch. */
function identifyBody({ preflight: _, txSignature: __, preflightToken: ___, ...about }: Record<string, unknown>): string {
  return JSON.stringify(Object.entries(about).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function createPayment(payFrom: string, amountLamports: number, validForSeconds: number): object {
  const amountSol = amountLamports / 1e9;
  const breakdown = { creationFeeSol: amountSol, devBuySol: 0 };
  return { method: 'sol', amountLamports, amountSol, payTo: WALLET, payFrom, validForSeconds, breakdown };
}

export async function createLauncherSimulator(options: LauncherSimulatorOptions) {
  const { chain, pairs, key, clock } = options;
  const faults = options.faults ?? createFaultSwitch(22);
  const script = options.script ?? createLauncherScript();
  const preflights = new Map<string, Preflight>();
  const launches = new Map<string, Launched>();
  const waited = new Map<string, number>();
  let made = 0;

  const meta = () => ({ timestamp: new Date(clock.now()).toISOString(), requestId: `req_${++made}` });
  const refuse = (status: number, code: string, error: string, more: object = {}): LoopbackAnswer => ({
    status,
    body: { error, code, ...more, meta: meta() },
  });

  function preflight(body: Record<string, unknown>): LoopbackAnswer {
    const invalid = invalidFields(pairs, body);
    if (invalid.length > 0) return refuse(422, 'INVALID_FIELDS', 'some fields are invalid', { invalidFields: invalid });
    const lamports = script.current() === 'greedy' ? GREEDY_LAMPORTS : PRICE_LAMPORTS;
    const validForSeconds = script.current() === 'brief' ? BRIEF_SECONDS : VALID_SECONDS;
    const token = createHash('sha256').update(`preflight ${made} ${clock.now()}`).digest('hex');
    const wallet = body['walletAddress'] as string;
    preflights.set(token, { body: identifyBody(body), wallet, lamports, until: clock.now() + validForSeconds * 1_000 });
    const payment = createPayment(wallet, lamports, validForSeconds);
    return { status: 200, body: { payment, retryWith: { txSignature: '<signature>', preflightToken: token }, meta: meta() } };
  }

  function launchedBody({ mint, hash }: Launched, idempotent: boolean): LoopbackAnswer {
    const body = { success: true, status: 'launched', mintAddress: mint, txHash: hash, pumpUrl: `https://pump.fun/${mint}` };
    return { status: 200, body: { ...body, ...(idempotent ? { idempotent: true } : {}), meta: meta() } };
  }

  /** Counts the requests with a signature. True while the launch has to wait. */
  function hasToWait(signature: string): boolean {
    const count = (waited.get(signature) ?? 0) + 1;
    waited.set(signature, count);
    return count <= WAITS;
  }

  function complete(body: Record<string, unknown>): LoopbackAnswer {
    const { txSignature: signature, preflightToken } = body;
    if (typeof signature !== 'string' || typeof preflightToken !== 'string')
      return refuse(400, 'MISSING', 'txSignature and preflightToken are needed', { missing: ['txSignature', 'preflightToken'] });
    const known = launches.get(signature);
    if (known !== undefined)
      return known.body === identifyBody(body)
        ? launchedBody(known, true)
        : refuse(409, 'SIGNATURE_USED', 'the payment launched another token', { mintAddress: known.mint });
    const asked = preflights.get(preflightToken);
    if (asked === undefined || asked.body !== identifyBody(body))
      return refuse(422, 'PREFLIGHT_MISMATCH', 'the body is not that of the preflight');
    const problem = paymentProblem(chain, signature, asked);
    if (problem !== null) return refuse(402, 'PAYMENT_INVALID', problem, { expectedWalletAddress: asked.wallet });
    const trouble = script.current();
    if (trouble === 'declines') return refuse(422, 'REJECTED', 'the token was rejected by review');
    if (trouble === 'conflict') return refuse(409, 'AGENT_HAS_TOKEN', 'the agent has a token already');
    if (trouble === 'treasury_low' && hasToWait(signature)) return refuse(503, 'TREASURY_LOW', 'launches are paused for a moment');
    if (trouble === 'late' && hasToWait(signature))
      return { status: 202, body: { success: true, status: 'confirming', txHash: null, meta: meta() } };
    if (trouble === 'names_nothing')
      return launchedBody({ body: '', mint: sandboxKey(`nothing ${signature}`).address, hash: signature }, false);
    const launched: Launched = { body: identifyBody(body), mint: mintToken(chain, signature), hash: signature };
    launches.set(signature, launched);
    return launchedBody(launched, false);
  }

  function request({ method, path, headers, body }: LoopbackRequest): LoopbackAnswer {
    if (faults.happens(faults.settings.status429))
      return { ...refuse(429, 'RATE_LIMITED', 'too many requests'), headers: { 'retry-after': '1' } };
    if (faults.happens(faults.settings.status5xx)) return refuse(503, 'UNAVAILABLE', 'unavailable');
    if (method === 'GET' && path === '/pump-pairs') {
      const assets = pairs.map(({ mint, symbol, decimals }) => ({ mint, symbol, name: symbol, decimals }));
      return {
        status: 200,
        body: { assets: [...assets, { mint: SYSTEM, symbol: 'MEME', name: 'No share', decimals: 9 }], creatorFeeBps: FEE_BPS },
      };
    }
    if (headers['authorization'] !== `Bearer ${key}`) return refuse(401, 'UNAUTHORIZED', 'the key is not known');
    if (method !== 'POST' || path !== '/launch/self-funded') return refuse(404, 'NOT_FOUND', 'not found');
    try {
      const given = JSON.parse(body) as Record<string, unknown>;
      return given['preflight'] === true ? preflight(given) : complete(given);
    } catch (error) {
      if (error instanceof SyntaxError) return refuse(400, 'INVALID_BODY', 'the body is not JSON');
      throw error;
    }
  }

  const server = await listenOnLoopback({ clock, faults, port: options.port, request, socket: () => null });
  return { url: server.url, faults, script, launches: () => launches.size, close: server.close };
}

/** Returns the invalid fields of a launch. */
function invalidFields(pairs: LauncherSimulatorOptions['pairs'], body: Record<string, unknown>): string[] {
  const text = (name: string, form: RegExp): boolean => typeof body[name] === 'string' && form.test(body[name]);
  const fee = body['pumpCreatorFeeBps'];
  const wrong: Readonly<Record<string, boolean>> = {
    name: !text('name', /^.{1,32}$/),
    symbol: !text('symbol', /^[A-Za-z0-9]{1,10}$/),
    description: !text('description', /^[\s\S]{20,500}$/),
    imageUrl: !text('imageUrl', /^https:\/\//),
    agentId: !text('agentId', /^.{1,100}$/),
    agentName: !text('agentName', /^.{1,200}$/),
    walletAddress: typeof body['walletAddress'] !== 'string' || !isAddress(body['walletAddress']),
    pumpQuoteMint: !pairs.some(({ mint }) => mint === body['pumpQuoteMint']),
    pumpCreatorFeeBps: typeof fee !== 'number' || fee < FEE_BPS.min || fee > FEE_BPS.max,
  };
  return Object.keys(wrong).filter((name) => wrong[name]);
}

/** Returns why a payment is not accepted, or null if the wallet paid exactly the price. */
function paymentProblem(chain: SolanaChain, signature: string, { wallet, lamports, until }: Preflight): string | null {
  const landed = chain.landed(signature);
  if (landed === null || chain.commitmentOf(landed.slot) === 'processed') return 'the transaction was not found';
  if (landed.run.error !== null) return 'the transaction failed';
  if (landed.unixSeconds * 1_000 >= until) return 'the payment came after the end of the preflight';
  const { before, after, keys } = landed.run as typeof landed.run & { readonly keys: readonly string[] };
  const moved = (who: string): bigint => {
    const at = keys.indexOf(who);
    return at < 0 ? 0n : (after.lamports[at] ?? 0n) - (before.lamports[at] ?? 0n);
  };
  if (landed.transaction.staticKeys[0] !== wallet) return 'the sender is not the wallet of the preflight';
  return moved(WALLET) === BigInt(lamports) ? null : `the payment is not exactly ${lamports} lamports to ${WALLET}`;
}

/** Mints the token on the chain. Its whole supply lies on its curve. */
function mintToken(chain: SolanaChain, signature: string): string {
  const mint = sandboxKey(`launched for ${signature}`).address;
  const curve = sandboxKey(`curve of ${signature}`).address;
  const data = plainMint(DECIMALS);
  chain.found(createAccount(mint, TOKEN, data, chain.rent(data.length)));
  chain.found(createAccount(curve, CURVE_PROGRAM, new Uint8Array(8), chain.rent(8)));
  fund(chain, curve, mint, SUPPLY);
  return mint;
}

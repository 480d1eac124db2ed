/** Simulator of Circle's attestation service on loopback: fees, messages that wait for finality, and forwarding that mints. */
import { createHash } from 'node:crypto';
import { getAddressDecoder } from '@solana/kit';
import { decodeFunctionData, getAddress, type Hex, parseAbi } from 'viem';
import type { Clock } from '../../../streams/clock/clock.ts';
import { readTokenAccount } from '../../domain/solana/token-layout.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import { SANDBOX_MESSENGER } from '../evmchain/evm-ledger.ts';
import { createFaultSwitch, type FaultSwitch } from '../faults.ts';
import { type LoopbackAnswer, type LoopbackRequest, listenOnLoopback } from '../loopback.ts';
import { BURN_PROGRAM, findBurn } from '../solana/burn-program.ts';
import { sandboxKey } from '../solana/keys.ts';
import { type BridgeChains, depth, nameOfNothing, pay, payBadly, type Side } from './chains.ts';
import { type BridgeScript, type BridgeTrouble, createBridgeScript } from './bridge-script.ts';

const SOLANA_DOMAIN = 5;
const MESSENGER_ABI = parseAbi([
  'function depositForBurnWithHook(uint256 amount, uint32 destinationDomain, bytes32 mintRecipient, address burnToken, bytes32 destinationCaller, uint256 maxFee, uint32 minFinalityThreshold, bytes hookData)',
]);
const FORWARD = `0x${Buffer.from('cctp-forward').toString('hex').padEnd(64, '0')}`;
const STRANGER = sandboxKey('stranger').address;
/** Fee of a fast transfer by source domain, in basis points, and the fee of forwarding, in base units. */
const FAST_BPS = 1;
const FORWARD_FEE = { low: 60_000, med: 80_000, high: 120_000 };
/** Delay from attestation to mint, and the extra delay of a slow transfer. Milliseconds. */
const FORWARD_MS = 1_000;
const SLOW_MS = 600_000;

export interface CctpSimulatorOptions extends BridgeChains {
  /** Circle's domain number of the EVM chain. */
  readonly evmDomain: number;
  readonly clock: Clock;
  readonly faults?: FaultSwitch;
  /** Port; 0 takes any free port. */
  readonly port: number;
  readonly script?: BridgeScript;
}

interface Message {
  readonly from: Side;
  readonly hash: string;
  readonly sender: string;
  readonly amount: bigint;
  readonly domain: number;
  readonly recipient: Hex;
  readonly maxFee: bigint;
  readonly finality: number;
  readonly hook: Hex;
  readonly trouble: BridgeTrouble | null;
  readonly releases: number;
  readonly seenAt: EpochMs;
  attestedAt: EpochMs | null;
  mintHash: string | null;
}

type Read = Pick<Message, 'sender' | 'amount' | 'domain' | 'recipient' | 'maxFee' | 'finality' | 'hook'>;

export async function createCctpSimulator(options: CctpSimulatorOptions) {
  const { clock, evmDomain } = options;
  const faults = options.faults ?? createFaultSwitch(evmDomain);
  const script = options.script ?? createBridgeScript();
  const messages = new Map<string, Message>();
  const minted = new Map<string, string>(); // Newest mint by recipient.

  /** Returns the message of a burn, or null if the burn is in no block. A fork can drop a burn that was not minted yet. */
  function findMessage(from: Side, hash: string): Message | null {
    const known = messages.get(hash);
    if (depth(options, from, hash) === 'none') {
      if (known?.mintHash == null) messages.delete(hash);
      return messages.get(hash) ?? null;
    }
    if (known !== undefined) return known;
    const trouble = script.current();
    const read = trouble === 'deaf' ? null : from === 'evmvenue' ? evmBurn(options, hash) : solanaBurn(options, hash);
    if (read === null) return null;
    const made: Message = {
      from,
      hash,
      ...read,
      trouble,
      releases: script.released(),
      seenAt: clock.now(),
      attestedAt: null,
      mintHash: null,
    };
    messages.set(hash, made);
    return made;
  }

  /** Attests a message whose burn is final enough, and mints an attested one. */
  function proceed(message: Message): void {
    const { from, hash, finality, trouble, releases } = message;
    const depthReached = depth(options, from, hash);
    const late = trouble === 'attests_late' && depthReached !== 'final';
    if (message.attestedAt === null && !late && (depthReached === 'final' || (depthReached === 'included' && finality <= 1_000)))
      message.attestedAt = clock.now();
    if (message.attestedAt === null || message.mintHash !== null || message.hook !== FORWARD || failsToForward(trouble)) return;
    if (trouble === 'holds' && script.released() === releases) return;
    if (clock.now() < message.attestedAt + (trouble === 'slow' ? SLOW_MS : FORWARD_MS)) return;
    message.mintHash = mint(message);
  }

  function mint(message: Message): string {
    const to: Side = message.domain === SOLANA_DOMAIN ? 'spotchain' : 'evmvenue';
    if (message.trouble === 'names_failed_payment') return payBadly(options, to, STRANGER);
    if (message.trouble === 'claims_payment') return nameOfNothing(to, message.hash);
    const amount = message.amount - computeFee(message);
    const paid = message.trouble === 'pays_part' ? amount / 2n : amount;
    if (namesAnother(message.trouble)) return minted.get(message.recipient) ?? nameOfNothing(to, message.hash);
    const hash = pay(
      options,
      to,
      to === 'spotchain' ? findOwner(options, message.recipient) : getAddress(`0x${message.recipient.slice(26)}`),
      paid,
    );
    minted.set(message.recipient, hash);
    return hash;
  }

  function request({ method, path, query }: LoopbackRequest): LoopbackAnswer {
    if (faults.happens(faults.settings.status429))
      return { status: 429, body: { code: 429, message: 'Too many requests' }, headers: { 'retry-after': '1' } };
    if (faults.happens(faults.settings.status5xx)) return { status: 503, body: { code: 503, message: 'Service Unavailable' } };
    if (method !== 'GET') return { status: 405, body: { code: 405, message: 'Method not allowed' } };
    const fees = /^\/v2\/burn\/USDC\/fees\/(\d+)\/(\d+)$/.exec(path);
    if (fees !== null) return feesAnswer(evmDomain, Number(fees[1]), Number(fees[2]), query.get('forward') === 'true');
    const domain = /^\/v2\/messages\/(\d+)$/.exec(path)?.[1];
    if (domain === undefined) return { status: 404, body: { code: 404, message: 'Not found' } };
    const from: Side = Number(domain) === SOLANA_DOMAIN ? 'spotchain' : 'evmvenue';
    const message = findMessage(from, query.get('transactionHash') ?? '');
    if (message === null) return { status: 404, body: { code: 404, message: 'Message not found' } };
    proceed(message);
    return { status: 200, body: { messages: [toBody(message, from === 'spotchain' ? SOLANA_DOMAIN : evmDomain)] } };
  }

  const server = await listenOnLoopback({ clock, faults, port: options.port, request, socket: () => null });
  return { url: server.url, faults, script, close: server.close };
}

function namesAnother(trouble: BridgeTrouble | null): boolean {
  return trouble === 'names_older_payment' || trouble === 'names_used_payment';
}

function failsToForward(trouble: BridgeTrouble | null): boolean {
  return trouble === 'fails_then_refunds' || trouble === 'refund_fails';
}

function accountText(recipient: Hex): string {
  return getAddressDecoder().decode(Buffer.from(recipient.slice(2), 'hex'));
}

/** Returns the burn of an EVM transaction, or null if it has none. */
function evmBurn({ evm }: Pick<CctpSimulatorOptions, 'evm'>, hash: string): Read | null {
  const landed = evm.landed(hash);
  if (landed === null || landed.to !== SANDBOX_MESSENGER || landed.status === 'reverted') return null;
  const [amount, domain, recipient, , , maxFee, finality, hook] = decodeFunctionData({ abi: MESSENGER_ABI, data: landed.data }).args;
  return { sender: landed.from, amount, domain, recipient, maxFee, finality, hook };
}

/** Returns the burn of a Solana transaction, or null if it has none. */
function solanaBurn({ solana }: Pick<CctpSimulatorOptions, 'solana'>, hash: string): Read | null {
  const landed = solana.landed(hash);
  if (landed === null || landed.run.error !== null || !landed.run.keys.includes(BURN_PROGRAM)) return null;
  const burn = findBurn(landed.transaction);
  if (burn === null) return null;
  const toHex = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`;
  const { owner, amount, domain, maxFee, finality } = burn;
  return { sender: owner, amount, domain, maxFee, finality, recipient: toHex(burn.recipient), hook: toHex(burn.hook) };
}

/** Returns the fee for speed and forwarding, capped at the burn's maximum fee. */
function computeFee({ amount, finality, maxFee }: Message): bigint {
  const fee = (finality <= 1_000 ? (amount * BigInt(FAST_BPS) + 9_999n) / 10_000n : 0n) + BigInt(FORWARD_FEE.med);
  return fee > maxFee ? maxFee : fee;
}

/** Returns the owner of the token account that a burn names. */
function findOwner({ solana }: Pick<CctpSimulatorOptions, 'solana'>, recipient: Hex): string {
  const account = getAddressDecoder().decode(Buffer.from(recipient.slice(2), 'hex'));
  const held = solana.account(account, 'processed');
  return (held === null ? null : readTokenAccount(held.data as Uint8Array)?.owner) ?? STRANGER;
}

/** Formats a message as the attestation service returns it. */
function toBody(message: Message, sourceDomain: number): object {
  const { attestedAt, mintHash, trouble } = message;
  const complete = attestedAt !== null;
  const nonce = `0x${createHash('sha256').update(`nonce ${message.hash}`).digest('hex')}`;
  return {
    message: complete ? `0x00000001${message.recipient.slice(2)}` : '0x',
    attestation: complete ? `0x${createHash('sha512').update(message.hash).digest('hex')}` : 'PENDING',
    eventNonce: nonce,
    cctpVersion: 2,
    status: complete ? 'complete' : 'pending_confirmations',
    delayReason: !complete && trouble === 'attests_late' ? 'insufficient_allowance_available' : null,
    decodedMessage: {
      sourceDomain: String(sourceDomain),
      destinationDomain: String(message.domain),
      nonce,
      minFinalityThreshold: String(message.finality),
      decodedMessageBody: {
        mintRecipient: message.domain === SOLANA_DOMAIN ? accountText(message.recipient) : `0x${message.recipient.slice(26)}`,
        amount: String(message.amount),
        maxFee: String(message.maxFee),
      },
    },
    ...(message.hook === FORWARD && complete
      ? { forwardState: mintHash !== null ? 'COMPLETE' : failsToForward(trouble) ? 'FAILED' : 'PENDING', forwardTxHash: mintHash }
      : {}),
  };
}

/** Returns the fees of a transfer between two domains. */
function feesAnswer(evmDomain: number, from: number, to: number, forward: boolean): LoopbackAnswer {
  const known = [SOLANA_DOMAIN, evmDomain];
  if (!known.includes(from) || !known.includes(to) || from === to) return { status: 400, body: { code: 400, message: 'Invalid domain' } };
  const extra = forward ? { forwardFee: FORWARD_FEE } : {};
  return {
    status: 200,
    body: [
      { finalityThreshold: 1_000, minimumFee: FAST_BPS, ...extra },
      { finalityThreshold: 2_000, minimumFee: 0, ...extra },
    ],
  };
}

/** A simulator of Relay on loopback: quotes with real source transactions, solvers that pay on the other chain, and every trouble of theirs. */
import { createHash } from 'node:crypto';
import { address, isAddress as isSolanaAddress } from '@solana/kit';
import { decodeFunctionData, type Hex, isAddress } from 'viem';
import type { Clock } from '../../../streams/clock.ts';
import { SANDBOX_DEPOSITORY } from '../evmchain/ledger.ts';
import { createFaultSwitch, type FaultSwitch } from '../faults.ts';
import { type LoopbackAnswer, type LoopbackRequest, listenOnLoopback } from '../loopback.ts';
import { DEPOSIT_VAULT, depositIn } from '../solana/deposit-program.ts';
import { associatedAccount, TOKEN } from '../solana/instructions.ts';
import { sandboxKey } from '../solana/keys.ts';
import { type BridgeChains, depth, nameOfNothing, pay, payBadly, type Side, succeeded } from './chains.ts';
import { DEPOSITORY_ABI, type Intent, RELAY_NUMBER_OF_SOLANA, relayQuoteBody } from './relay-quote.ts';
import { createRequestPushes } from './request-pushes.ts';
import { type BridgeScript, type BridgeTrouble, createBridgeScript } from './script.ts';

const STRANGER = sandboxKey('stranger').address;
/** Base units that a solver keeps: for gas, and per ten thousand of the amount. */
const GAS_FEE = 20_000n;
const SERVICE_BPS = 4n;
const LEAST = 1_000_000n;
/** From a deposit to its payment, and how much later where it is slow. */
const FILL_MS = 1_500;
const SLOW_MS = 600_000;

export interface RelaySimulatorOptions extends BridgeChains {
  readonly chainId: number;
  readonly clock: Clock;
  readonly faults?: FaultSwitch;
  /** 0 = any free port. */
  readonly port: number;
  readonly script?: BridgeScript;
}

export interface RelaySimulator {
  readonly url: string;
  /** Where it pushes. */
  readonly wsUrl: string;
  readonly faults: FaultSwitch;
  readonly script: BridgeScript;
  close(): Promise<void>;
}

export async function createRelaySimulator(options: RelaySimulatorOptions): Promise<RelaySimulator> {
  const { chainId, clock, evm, stable, token } = options;
  const faults = options.faults ?? createFaultSwitch(chainId);
  const script = options.script ?? createBridgeScript();
  const intents = new Map<string, Intent>();
  const vaultAccount = associatedAccount(DEPOSIT_VAULT, address(stable.mint), TOKEN);
  /** The newest payment to each recipient. */
  const paid = new Map<string, string>();
  let made = 0;

  const refuse = (status: number, errorCode: string, message: string): LoopbackAnswer => ({
    status,
    body: { message, errorCode, requestId: `0x${'0'.repeat(64)}` },
  });

  function sideOf(number: unknown): Side | null {
    return number === RELAY_NUMBER_OF_SOLANA ? 'spotchain' : number === chainId ? 'evmvenue' : null;
  }
  const isUser = (side: Side, text: unknown): text is string =>
    typeof text === 'string' && (side === 'spotchain' ? isSolanaAddress(text) : isAddress(text, { strict: false }));
  const isStable = (side: Side, text: unknown): boolean =>
    typeof text === 'string' && (side === 'spotchain' ? text === stable.mint : text.toLowerCase() === token.toLowerCase());

  function quote(body: string): LoopbackAnswer {
    const wish = JSON.parse(body) as Record<string, unknown>;
    const [from, to] = [sideOf(wish['originChainId']), sideOf(wish['destinationChainId'])];
    if (from === null || to === null || from === to) return refuse(400, 'UNSUPPORTED_ROUTE', 'the route is not supported');
    if (!isUser(from, wish['user'])) return refuse(400, 'INVALID_ADDRESS', 'Invalid address for user');
    if (!isUser(to, wish['recipient'])) return refuse(400, 'INVALID_ADDRESS', 'Invalid address for recipient');
    if (!isStable(from, wish['originCurrency']) || !isStable(to, wish['destinationCurrency']))
      return refuse(400, 'UNSUPPORTED_CURRENCY', 'Currency is not supported');
    if (wish['tradeType'] !== 'EXACT_INPUT') return refuse(400, 'INVALID_TRADE_TYPE', 'tradeType must be EXACT_INPUT');
    if (typeof wish['amount'] !== 'string' || !/^\d{1,24}$/.test(wish['amount']))
      return refuse(400, 'INVALID_AMOUNT', 'amount must be an integer');
    const amount = BigInt(wish['amount']);
    if (amount < LEAST) return refuse(400, 'AMOUNT_TOO_LOW', 'Amount is too low to cover fees');
    const service = (amount * SERVICE_BPS + 9_999n) / 10_000n;
    const id = `0x${createHash('sha256').update(`relay ${++made} ${wish['user']} ${clock.now()}`).digest('hex')}`;
    const out = amount - GAS_FEE - service;
    const trouble = script.current();
    const intent: Intent = {
      id,
      order: `0x${createHash('sha256').update(`order ${id}`).digest('hex')}`,
      from,
      to,
      sender: wish['user'],
      recipient: wish['recipient'],
      amount,
      out,
      trouble,
      releases: script.released(),
      olderHash: trouble === 'names_older_payment' ? pay(options, to, wish['recipient'], out) : null,
      depositHash: null,
      depositAt: null,
      fillHash: null,
      refundHash: null,
    };
    intents.set(intent.id, intent);
    return { status: 200, body: relayQuoteBody(options, intent, { gas: GAS_FEE, service }) };
  }

  /** The deposit of an intent, as far as a chain shows it. */
  function findDeposit(intent: Intent): string | null {
    if (intent.from === 'spotchain')
      return succeeded(options, vaultAccount).find(({ transaction }) => depositIn(transaction)?.order === intent.order)?.signature ?? null;
    const paid = evm
      .history()
      .find(({ to, data, status }) => to === SANDBOX_DEPOSITORY && status === 'success' && orderIn(data) === intent.order);
    return paid?.hash ?? null;
  }

  /** Lets the solver do what is due. */
  function proceed(intent: Intent): void {
    const hash = intent.trouble === 'deaf' ? null : findDeposit(intent);
    if (hash === null || depth(options, intent.from, hash) === 'none') {
      // A deposit that a fork took away is gone for the solver as well, unless it has paid already.
      if (intent.fillHash === null && intent.refundHash === null) intent.depositHash = intent.depositAt = null;
      return;
    }
    intent.depositHash = hash;
    intent.depositAt ??= clock.now();
    const { trouble, fillHash, refundHash } = intent;
    if (fillHash !== null || refundHash !== null || trouble === 'refund_fails') return;
    if (trouble === 'holds' && script.released() === intent.releases) return;
    if (clock.now() < intent.depositAt + dueAfter(trouble)) return;
    if (trouble === 'fails_then_refunds') intent.refundHash = pay(options, intent.from, intent.sender, intent.amount);
    else if (trouble === 'claims_payment') intent.fillHash = nameOfNothing(intent.to, intent.id);
    else if (trouble === 'names_failed_payment') intent.fillHash = payBadly(options, intent.to, STRANGER);
    else intent.fillHash = intent.olderHash ?? fillOf(intent);
  }

  /** Pays the recipient, or names its newest payment to the recipient once more. */
  function fillOf({ trouble, to, recipient, out, id }: Intent): string {
    const before = paid.get(recipient);
    if (trouble === 'names_used_payment') return before ?? nameOfNothing(to, id);
    const hash = pay(options, to, recipient, trouble === 'pays_part' ? out / 2n : out);
    paid.set(recipient, hash);
    return hash;
  }

  function statusOf(intent: Intent): object {
    proceed(intent);
    const { from, to, depositHash, depositAt, fillHash, refundHash, trouble } = intent;
    const failing = trouble === 'fails_then_fills' || trouble === 'fails_then_refunds' || trouble === 'refund_fails';
    const hasFailed = failing && depositAt !== null && clock.now() >= depositAt + FILL_MS;
    const status =
      refundHash !== null ? 'refund' : fillHash !== null ? 'success' : depositHash === null ? 'waiting' : hasFailed ? 'failure' : 'pending';
    return {
      status,
      ...(hasFailed && fillHash === null ? { details: 'SLIPPAGE', failReason: 'SLIPPAGE' } : {}),
      ...(hasFailed && trouble === 'refund_fails' ? { refundFailReason: 'AMOUNT_TOO_LOW_TO_REFUND' } : {}),
      inTxHashes: depositHash === null ? [] : [depositHash],
      txHashes: [fillHash ?? refundHash].filter((hash) => hash !== null),
      updatedAt: clock.now(),
      originChainId: from === 'spotchain' ? RELAY_NUMBER_OF_SOLANA : chainId,
      destinationChainId: to === 'spotchain' ? RELAY_NUMBER_OF_SOLANA : chainId,
    };
  }

  function request({ method, path, query, body }: LoopbackRequest): LoopbackAnswer {
    if (faults.happens(faults.settings.status429))
      return { status: 429, body: { message: 'Too many requests' }, headers: { 'retry-after': '1' } };
    if (faults.happens(faults.settings.status5xx)) return { status: 503, body: { message: 'Service Unavailable' } };
    if (path === '/quote/v2' && method === 'POST') {
      try {
        return quote(body);
      } catch (error) {
        if (error instanceof SyntaxError) return refuse(400, 'INVALID_BODY', 'the body is no JSON');
        throw error;
      }
    }
    if (path === '/intents/status/v3' && method === 'GET') {
      const intent = intents.get(query.get('requestId') ?? '');
      return intent === undefined ? refuse(404, 'NOT_FOUND', 'Request not found') : { status: 200, body: statusOf(intent) };
    }
    return { status: 404, body: { message: 'Not found' } };
  }

  const pushes = createRequestPushes({
    clock,
    statusOf(id) {
      const intent = intents.get(id);
      return intent === undefined ? null : (statusOf(intent) as { readonly status: string });
    },
  });
  const server = await listenOnLoopback({ clock, faults, port: options.port, request, socket: pushes.follow });
  return {
    url: server.url,
    wsUrl: server.wsUrl,
    faults,
    script,
    async close() {
      pushes.close();
      await server.close();
    },
  };
}

function dueAfter(trouble: BridgeTrouble | null): number {
  if (trouble === 'slow') return SLOW_MS;
  return trouble === 'fails_then_fills' || trouble === 'fails_then_refunds' ? FILL_MS * 4 : FILL_MS;
}

function orderIn(data: Hex): string | null {
  try {
    return decodeFunctionData({ abi: DEPOSITORY_ABI, data }).args[3];
  } catch {
    return null;
  }
}

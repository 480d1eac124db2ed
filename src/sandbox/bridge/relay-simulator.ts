/** Simulator of Relay on loopback: quotes with real source transactions, solvers that pay on the other chain, and their failures. */
import { createHash } from 'node:crypto';
import { address, isAddress as isSolanaAddress } from '@solana/kit';
import { decodeFunctionData, type Hex, isAddress } from 'viem';
import type { Clock } from '../../../streams/clock/clock.ts';
import { SANDBOX_DEPOSITORY } from '../evmchain/evm-ledger.ts';
import { createFaultSwitch, type FaultSwitch } from '../faults.ts';
import { type LoopbackAnswer, type LoopbackRequest, listenOnLoopback } from '../loopback.ts';
import { DEPOSIT_VAULT, depositIn } from '../solana/deposit-program.ts';
import { associatedAccount, TOKEN } from '../solana/instructions.ts';
import { sandboxKey } from '../solana/keys.ts';
import { type BridgeChains, depth, nameOfNothing, pay, payBadly, type Side, succeeded } from './chains.ts';
import { DEPOSITORY_ABI, type Intent, RELAY_NUMBER_OF_SOLANA, relayQuoteBody } from './relay-quote.ts';
import { createRequestPushes } from './request-pushes.ts';
import { type BridgeScript, type BridgeTrouble, createBridgeScript } from './bridge-script.ts';

const STRANGER = sandboxKey('stranger').address;
/** Solver's fee for gas in base units, and its service fee in basis points of the amount. */
const GAS_FEE = 20_000n;
const SERVICE_BPS = 4n;
const LEAST = 1_000_000n;
/** Delay from a deposit to its payment, and the extra delay of a slow one. Milliseconds. */
const FILL_MS = 1_500;
const SLOW_MS = 600_000;

export interface RelaySimulatorOptions extends BridgeChains {
  readonly chainId: number;
  readonly clock: Clock;
  readonly faults?: FaultSwitch;
  /** Port; 0 takes any free port. */
  readonly port: number;
  readonly script?: BridgeScript;
}

export async function createRelaySimulator(options: RelaySimulatorOptions) {
  const { chainId, clock } = options;
  const faults = options.faults ?? createFaultSwitch(chainId);
  const script = options.script ?? createBridgeScript();
  const solver = new RelaySolver(options, script);

  function request({ method, path, query, body }: LoopbackRequest): LoopbackAnswer {
    if (faults.happens(faults.settings.status429))
      return { status: 429, body: { message: 'Too many requests' }, headers: { 'retry-after': '1' } };
    if (faults.happens(faults.settings.status5xx)) return { status: 503, body: { message: 'Service Unavailable' } };
    if (path === '/quote/v2' && method === 'POST') {
      try {
        return solver.quote(body);
      } catch (error) {
        if (error instanceof SyntaxError) return refuse(400, 'INVALID_BODY', 'the body is not JSON');
        throw error;
      }
    }
    if (path === '/intents/status/v3' && method === 'GET') {
      const status = solver.statusOf(query.get('requestId') ?? '');
      return status === null ? refuse(404, 'NOT_FOUND', 'Request not found') : { status: 200, body: status };
    }
    return { status: 404, body: { message: 'Not found' } };
  }

  const pushes = createRequestPushes({
    clock,
    statusOf: (id) => solver.statusOf(id) as { readonly status: string } | null,
  });
  const server = await listenOnLoopback({ clock, faults, port: options.port, request, socket: pushes.follow });
  return {
    url: server.url,
    /** URL of the status websocket. */
    wsUrl: server.wsUrl,
    faults,
    script,
    async close() {
      pushes.close();
      await server.close();
    },
  };
}

/** Solver of the simulated provider, with its intents. */
class RelaySolver {
  readonly #options: RelaySimulatorOptions;
  readonly #script: BridgeScript;
  readonly #chainId;
  readonly #clock;
  readonly #evm;
  readonly #stable;
  readonly #token;
  readonly #intents = new Map<string, Intent>();
  readonly #vaultAccount;
  /** Newest payment by recipient. */
  readonly #paid = new Map<string, string>();
  #made = 0;

  constructor(options: RelaySimulatorOptions, script: BridgeScript) {
    this.#options = options;
    this.#script = script;
    const { chainId, clock, evm, stable, token } = options;
    this.#chainId = chainId;
    this.#clock = clock;
    this.#evm = evm;
    this.#stable = stable;
    this.#token = token;
    this.#vaultAccount = associatedAccount(DEPOSIT_VAULT, address(stable.mint), TOKEN);
  }

  quote(body: string): LoopbackAnswer {
    const wish = JSON.parse(body) as Record<string, unknown>;
    const [from, to] = [this.#sideOf(wish['originChainId']), this.#sideOf(wish['destinationChainId'])];
    if (from === null || to === null || from === to) return refuse(400, 'UNSUPPORTED_ROUTE', 'the route is not supported');
    if (!this.#isUser(from, wish['user'])) return refuse(400, 'INVALID_ADDRESS', 'Invalid address for user');
    if (!this.#isUser(to, wish['recipient'])) return refuse(400, 'INVALID_ADDRESS', 'Invalid address for recipient');
    if (!this.#isStable(from, wish['originCurrency']) || !this.#isStable(to, wish['destinationCurrency']))
      return refuse(400, 'UNSUPPORTED_CURRENCY', 'Currency is not supported');
    if (wish['tradeType'] !== 'EXACT_INPUT') return refuse(400, 'INVALID_TRADE_TYPE', 'tradeType must be EXACT_INPUT');
    if (typeof wish['amount'] !== 'string' || !/^\d{1,24}$/.test(wish['amount']))
      return refuse(400, 'INVALID_AMOUNT', 'amount must be an integer');
    const amount = BigInt(wish['amount']);
    if (amount < LEAST) return refuse(400, 'AMOUNT_TOO_LOW', 'Amount is too low to cover fees');
    const service = (amount * SERVICE_BPS + 9_999n) / 10_000n;
    const id = `0x${createHash('sha256')
      .update(`relay ${++this.#made} ${wish['user']} ${this.#clock.now()}`)
      .digest('hex')}`;
    const out = amount - GAS_FEE - service;
    const trouble = this.#script.current();
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
      releases: this.#script.released(),
      olderHash: trouble === 'names_older_payment' ? pay(this.#options, to, wish['recipient'], out) : null,
      depositHash: null,
      depositAt: null,
      fillHash: null,
      refundHash: null,
    };
    this.#intents.set(intent.id, intent);
    return { status: 200, body: relayQuoteBody(this.#options, intent, { gas: GAS_FEE, service }) };
  }

  statusOf(id: string): object | null {
    const intent = this.#intents.get(id);
    return intent === undefined ? null : this.#wordOf(intent);
  }

  #sideOf(number: unknown): Side | null {
    return number === RELAY_NUMBER_OF_SOLANA ? 'spotchain' : number === this.#chainId ? 'evmvenue' : null;
  }

  /** Returns the hash of an intent's deposit, or null if no chain shows it. */
  #findDeposit(intent: Intent): string | null {
    if (intent.from === 'spotchain')
      return (
        succeeded(this.#options, this.#vaultAccount).find(({ transaction }) => depositIn(transaction)?.order === intent.order)?.signature ??
        null
      );
    const paid = this.#evm
      .history()
      .find(({ to, data, status }) => to === SANDBOX_DEPOSITORY && status === 'success' && orderIn(data) === intent.order);
    return paid?.hash ?? null;
  }

  /** Makes the solver pay, refund or fail as its script requires by now. */
  #proceed(intent: Intent): void {
    const hash = intent.trouble === 'deaf' ? null : this.#findDeposit(intent);
    if (hash === null || depth(this.#options, intent.from, hash) === 'none') {
      // If a fork dropped the deposit, the solver forgets it too, unless it has already paid.
      if (intent.fillHash === null && intent.refundHash === null) intent.depositHash = intent.depositAt = null;
      return;
    }
    intent.depositHash = hash;
    intent.depositAt ??= this.#clock.now();
    const { trouble, fillHash, refundHash } = intent;
    if (fillHash !== null || refundHash !== null || trouble === 'refund_fails') return;
    if (trouble === 'holds' && this.#script.released() === intent.releases) return;
    if (this.#clock.now() < intent.depositAt + dueAfter(trouble)) return;
    if (trouble === 'fails_then_refunds') intent.refundHash = pay(this.#options, intent.from, intent.sender, intent.amount);
    else if (trouble === 'claims_payment') intent.fillHash = nameOfNothing(intent.to, intent.id);
    else if (trouble === 'names_failed_payment') intent.fillHash = payBadly(this.#options, intent.to, STRANGER);
    else intent.fillHash = intent.olderHash ?? this.#fillOf(intent);
  }

  /** Pays the recipient, or returns the hash of its newest payment to the recipient again. */
  #fillOf({ trouble, to, recipient, out, id }: Intent): string {
    const before = this.#paid.get(recipient);
    if (trouble === 'names_used_payment') return before ?? nameOfNothing(to, id);
    const hash = pay(this.#options, to, recipient, trouble === 'pays_part' ? out / 2n : out);
    this.#paid.set(recipient, hash);
    return hash;
  }

  #wordOf(intent: Intent): object {
    this.#proceed(intent);
    const { from, to, depositHash, depositAt, fillHash, refundHash, trouble } = intent;
    const failing = trouble === 'fails_then_fills' || trouble === 'fails_then_refunds' || trouble === 'refund_fails';
    const hasFailed = failing && depositAt !== null && this.#clock.now() >= depositAt + FILL_MS;
    const status =
      refundHash !== null ? 'refund' : fillHash !== null ? 'success' : depositHash === null ? 'waiting' : hasFailed ? 'failure' : 'pending';
    return {
      status,
      ...(hasFailed && fillHash === null ? { details: 'SLIPPAGE', failReason: 'SLIPPAGE' } : {}),
      ...(hasFailed && trouble === 'refund_fails' ? { refundFailReason: 'AMOUNT_TOO_LOW_TO_REFUND' } : {}),
      inTxHashes: depositHash === null ? [] : [depositHash],
      txHashes: [fillHash ?? refundHash].filter((hash) => hash !== null),
      updatedAt: this.#clock.now(),
      originChainId: from === 'spotchain' ? RELAY_NUMBER_OF_SOLANA : this.#chainId,
      destinationChainId: to === 'spotchain' ? RELAY_NUMBER_OF_SOLANA : this.#chainId,
    };
  }

  #isUser(side: Side, text: unknown): text is string {
    return typeof text === 'string' && (side === 'spotchain' ? isSolanaAddress(text) : isAddress(text, { strict: false }));
  }

  #isStable(side: Side, text: unknown): boolean {
    return (
      typeof text === 'string' && (side === 'spotchain' ? text === this.#stable.mint : text.toLowerCase() === this.#token.toLowerCase())
    );
  }
}

function refuse(status: number, errorCode: string, message: string): LoopbackAnswer {
  return { status, body: { message, errorCode, requestId: `0x${'0'.repeat(64)}` } };
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

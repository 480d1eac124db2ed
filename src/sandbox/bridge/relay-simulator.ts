/** A simulator of Relay on loopback: quotes with real source transactions, solvers that pay on the other chain, and every trouble of theirs. */
import { createHash } from 'node:crypto';
import { address, isAddress as isSolanaAddress } from '@solana/kit';
import { decodeFunctionData, encodeFunctionData, erc20Abi, getAddress, type Hex, isAddress, parseAbi } from 'viem';
import type { Clock } from '../../../streams/clock.ts';
import type { EpochMs } from '../../domain/time.ts';
import { SANDBOX_DEPOSITORY } from '../evmchain/ledger.ts';
import { createFaultSwitch, type FaultSwitch } from '../faults.ts';
import { type LoopbackAnswer, type LoopbackRequest, listenOnLoopback } from '../loopback.ts';
import { associatedAccount, createAssociatedAccount, TOKEN, transferChecked } from '../solana/instructions.ts';
import { sandboxKey } from '../solana/keys.ts';
import { type BridgeChains, depth, nameOfNothing, pay, payBadly, type Side, succeeded } from './chains.ts';
import { createRequestPushes } from './request-pushes.ts';
import { type BridgeScript, type BridgeTrouble, createBridgeScript } from './script.ts';

const SOLANA = 792_703_809;
const MEMO = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const DEPOSITORY_ABI = parseAbi(['function depositErc20(address depositor, address token, uint256 amount, bytes32 id)']);
/** Owns what is deposited on the primary chain. */
const VAULT = sandboxKey('relay vault').address;
const STRANGER = sandboxKey('stranger').address;
/** Base units that a solver keeps: for gas, and per ten thousand of the amount. */
const GAS_FEE = 20_000n;
const SERVICE_BPS = 4n;
const LEAST = 1_000_000n;
/** From a deposit to its payment, and how much later where it is slow. */
const FILL_MS = 1_500;
const SLOW_MS = 600_000;
const ESTIMATE_S = 5;

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

interface Intent {
  readonly id: string;
  /** What its deposit names on the chain. */
  readonly order: string;
  readonly from: Side;
  readonly to: Side;
  readonly sender: string;
  readonly recipient: string;
  readonly amount: bigint;
  readonly out: bigint;
  readonly trouble: BridgeTrouble | null;
  readonly releases: number;
  depositHash: string | null;
  depositAt: EpochMs | null;
  fillHash: string | null;
  refundHash: string | null;
}

export async function createRelaySimulator(options: RelaySimulatorOptions): Promise<RelaySimulator> {
  const { chainId, clock, evm, stable, token } = options;
  const faults = options.faults ?? createFaultSwitch(chainId);
  const script = options.script ?? createBridgeScript();
  const intents = new Map<string, Intent>();
  const mint = address(stable.mint);
  const vaultAccount = associatedAccount(VAULT, mint, TOKEN);
  let made = 0;

  const refuse = (status: number, errorCode: string, message: string): LoopbackAnswer => ({
    status,
    body: { message, errorCode, requestId: `0x${'0'.repeat(64)}` },
  });

  function sideOf(number: unknown): Side | null {
    return number === SOLANA ? 'spotchain' : number === chainId ? 'evmvenue' : null;
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
    const intent: Intent = {
      id,
      order: `0x${createHash('sha256').update(`order ${id}`).digest('hex')}`,
      from,
      to,
      sender: wish['user'],
      recipient: wish['recipient'],
      amount,
      out: amount - GAS_FEE - service,
      trouble: script.current(),
      releases: script.released(),
      depositHash: null,
      depositAt: null,
      fillHash: null,
      refundHash: null,
    };
    intents.set(intent.id, intent);
    return { status: 200, body: quoteBody(intent, service) };
  }

  function money(side: Side, amount: bigint): object {
    const usd = (Number(amount) / 1e6).toFixed(6);
    const currency = {
      chainId: side === 'spotchain' ? SOLANA : chainId,
      address: side === 'spotchain' ? stable.mint : token.toLowerCase(),
      symbol: 'USDC',
      name: 'USD Coin',
      decimals: stable.decimals,
      metadata: { logoURI: '', verified: true },
    };
    return { currency, amount: String(amount), amountFormatted: usd, amountUsd: usd, minimumAmount: String(amount) };
  }

  function coin(side: Side): object {
    const currency = side === 'spotchain' ? { chainId: SOLANA, symbol: 'SOL', decimals: 9 } : { chainId, symbol: 'ETH', decimals: 18 };
    return { currency, amount: '5000', amountFormatted: '0.000005', amountUsd: '0.001000', minimumAmount: '5000' };
  }

  function quoteBody(intent: Intent, service: bigint): object {
    const { id, from, to, sender, recipient, amount, out } = intent;
    const check = { endpoint: `/intents/status/v3?requestId=${id}`, method: 'GET' };
    const deposit = {
      id: 'deposit',
      action: 'Confirm transaction in your wallet',
      description: 'Deposit funds for executing the calls',
      kind: 'transaction',
      requestId: id,
      items: [{ status: 'incomplete', data: from === 'spotchain' ? solanaDeposit(intent) : evmDeposit(intent), check }],
    };
    return {
      steps: from === 'evmvenue' && evm.allowance(sender, SANDBOX_DEPOSITORY, token) < amount ? [approval(intent), deposit] : [deposit],
      fees: {
        gas: coin(from),
        relayer: money(from, GAS_FEE + service),
        relayerGas: money(from, GAS_FEE),
        relayerService: money(from, service),
        app: money(from, 0n),
        subsidized: money(from, 0n),
      },
      details: {
        operation: 'bridge',
        sender,
        recipient,
        currencyIn: money(from, amount),
        currencyOut: money(to, out),
        totalImpact: { usd: `-${(Number(amount - out) / 1e6).toFixed(6)}`, percent: '-0.02' },
        swapImpact: { usd: '0', percent: '0' },
        rate: '1',
        timeEstimate: ESTIMATE_S,
        userBalance: '0',
      },
      protocol: {
        v2: {
          orderId: intent.order,
          paymentDetails: {
            chainId: from === 'spotchain' ? 'solana' : 'arbitrum',
            depository: from === 'spotchain' ? VAULT : SANDBOX_DEPOSITORY,
            currency: from === 'spotchain' ? stable.mint : token.toLowerCase(),
            amount: String(amount),
          },
        },
      },
    };
  }

  function call(intent: Intent, to: string, data: Hex): object {
    return { from: intent.sender, to, data, value: '0', chainId, gas: '120000', maxFeePerGas: '20000000', maxPriorityFeePerGas: '1000000' };
  }

  function approval(intent: Intent): object {
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [getAddress(SANDBOX_DEPOSITORY), intent.amount] });
    return {
      id: 'approve',
      action: 'Confirm transaction in your wallet',
      description: 'Sign an approval',
      kind: 'transaction',
      requestId: intent.id,
      items: [{ status: 'incomplete', data: call(intent, token, data) }],
    };
  }

  function evmDeposit(intent: Intent): object {
    const args = [getAddress(intent.sender), getAddress(token), intent.amount, intent.order as Hex] as const;
    return call(intent, SANDBOX_DEPOSITORY, encodeFunctionData({ abi: DEPOSITORY_ABI, functionName: 'depositErc20', args }));
  }

  function solanaDeposit({ sender, amount, order }: Intent): object {
    const owner = address(sender);
    const from = associatedAccount(owner, mint, TOKEN);
    const move = { program: TOKEN, mint, decimals: stable.decimals, from, to: vaultAccount, authority: owner, amount };
    const instructions = [
      createAssociatedAccount(owner, VAULT, mint, TOKEN),
      transferChecked(move),
      { programAddress: MEMO, accounts: [], data: Buffer.from(order) },
    ];
    return {
      instructions: instructions.map(({ programAddress, accounts = [], data = new Uint8Array() }) => ({
        programId: programAddress,
        keys: accounts.map(({ address: pubkey, role }) => ({ pubkey, isSigner: role >= 2, isWritable: role % 2 === 1 })),
        data: Buffer.from(data as Uint8Array).toString('hex'),
      })),
      addressLookupTableAddresses: [],
    };
  }

  /** The deposit of an intent, as far as a chain shows it. */
  function findDeposit(intent: Intent): string | null {
    if (intent.from === 'spotchain')
      return succeeded(options, vaultAccount).find(({ memo }) => memo?.includes(intent.order) === true)?.signature ?? null;
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
    else intent.fillHash = pay(options, intent.to, intent.recipient, trouble === 'pays_part' ? intent.out / 2n : intent.out);
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
      originChainId: from === 'spotchain' ? SOLANA : chainId,
      destinationChainId: to === 'spotchain' ? SOLANA : chainId,
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

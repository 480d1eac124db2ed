/**
 * Bridge over Relay, an intent network: a solver pays on the destination chain and is repaid from the deposit. Quotes come from POST
 * /quote/v2, states from GET /intents/status/v3. Every answer is parsed strictly and verified. See docs/reference/outside/relay.md.
 */
import { PublicKey, TransactionInstruction, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { getAddress, isAddress } from 'viem';
import type { Clock } from '../../../../streams/clock/clock.ts';
import type { ProviderState } from '../../../domain/bridge/axes.ts';
import { BRIDGE_DECIMALS, type BridgeChain, type BridgeWish, type FeeLine, offerObjection, toUsd } from '../../../domain/bridge/quote.ts';
import { bytesField, numberField, type SourceCall } from '../../../domain/bridge/source-call.ts';
import type { PlannedOffer, ProviderWord, SourcePlan, TransferTerms } from '../../../domain/bridge/transfer.ts';
import { programAddress } from '../../../domain/launch/program-address.ts';
import { isAddress as isSolanaAddress } from '../../../domain/solana/base58.ts';
import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from '../../../domain/solana/programs.ts';
import { Decimal, type DecimalString, isDecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import { type Outcome, refuse } from '../../../domain/values/refusal.ts';
import { valueText } from '../../../domain/values/value-text.ts';
import { knownFields } from '../../venues/known-fields.ts';
import { VenueError } from '../../venues/venue-feed.ts';
import type { VenueHttp } from '../../venues/venue-http.ts';
import { deriveTokenAccount } from '../cctp/burn.ts';
import { approvalFor, depositObjection } from '../evm-calls.ts';
import { EVM_HASH, offered, RAW_AMOUNT, readHash, SenselessAnswer, textIn, toFields } from '../provider-http.ts';

/** Relay's depository program on the primary chain. */
const RELAY_DEPOSITORY_PROGRAM = '99vQwtBwYtrqqD9YSXbdum3KBdxPAVxYTaQ3cfnJSrN2';
/** Discriminator of the instruction `deposit_token`. */
const DEPOSIT_TOKEN = '0b9c60da27a3b413';

/** Account of the program's state. */
const DEPOSITORY = programAddress(RELAY_DEPOSITORY_PROGRAM, ['relay_depository']).address;
/** Owner of deposited tokens. Only the program can sign for it. */
const VAULT = programAddress(RELAY_DEPOSITORY_PROGRAM, ['vault']).address;

/** Returns the vault's token account of a mint, which receives deposits. */
function deriveVaultAccount(mint: string): string {
  return deriveTokenAccount(VAULT, mint);
}

/** Builds the expected deposit of base units by and for the sender. `order` is 0x and 64 hexadecimal digits. */
export function depositCall(sender: string, mint: string, amount: bigint, order: string): SourceCall {
  return {
    program: RELAY_DEPOSITORY_PROGRAM,
    accounts: [
      { name: 'depository', address: DEPOSITORY },
      { name: 'sender', address: sender },
      { name: 'depositor', address: sender },
      { name: 'vault', address: VAULT },
      { name: 'mint', address: mint },
      { name: "sender's token account", address: deriveTokenAccount(sender, mint) },
      { name: 'destination account', address: deriveVaultAccount(mint) },
      { name: 'token program', address: TOKEN_PROGRAM },
      { name: 'associated token program', address: ASSOCIATED_TOKEN_PROGRAM },
      { name: 'system program', address: SYSTEM_PROGRAM },
    ],
    data: [bytesField('instruction', DEPOSIT_TOKEN), numberField('amount', amount, 8), bytesField('order id', order)],
  };
}

/** Relay's chain id of the primary chain. */
const RELAY_SOLANA = 792_703_809;
/** Contract of Relay on EVM chains that receives deposits. */
export const RELAY_DEPOSITORY = '0x4cD00E387622C35bDDB9b4c962C136462338BC31';

/** Lifetime of a quote in milliseconds. A blockhash of the primary chain is valid for about a minute. */
const QUOTE_MS = { spotchain: 45_000, evmvenue: 180_000 } as const;

const CURRENCY = 'currency amount amountFormatted amountUsd amountUsdCurrent minimumAmount';
const QUOTE_FIELDS = knownFields('relay quote', [
  'steps fees details protocol breakdown balances requestId',
  {
    steps: 'id action description kind requestId depositAddress items',
    fees: [
      'gas relayer relayerGas relayerService app subsidized',
      { gas: CURRENCY, relayer: CURRENCY, relayerGas: CURRENCY, relayerService: CURRENCY, app: CURRENCY, subsidized: CURRENCY },
    ],
  },
]);
const STATUS_FIELDS = knownFields(
  'relay status',
  'status details inTxHashes txHashes updatedAt createdAt time originChainId destinationChainId quoteCreatedAt failReason refundFailReason refundTxHashes requestId',
);

interface RelayOptions {
  readonly http: Pick<VenueHttp, 'get' | 'post'>;
  readonly chainId: number;
  /** The stablecoin on both chains. */
  readonly mint: string;
  readonly token: string;
  /** Returns the spender's allowance from the sender, in base units. @throws if no node answers */
  readonly allowance: (owner: string, spender: string) => Promise<bigint>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Creates the provider. Every question is one request. */
export function createRelayProvider(options: RelayOptions) {
  const { http, chainId, mint, token, clock } = options;

  async function ask(wish: BridgeWish, amountIn: string): Promise<Outcome<PlannedOffer>> {
    const outward = wish.from === 'spotchain';
    const body = await http.post(
      '/quote/v2',
      {
        user: wish.sender,
        recipient: wish.recipient,
        refundTo: wish.sender,
        originChainId: outward ? RELAY_SOLANA : chainId,
        destinationChainId: outward ? chainId : RELAY_SOLANA,
        originCurrency: outward ? mint : token.toLowerCase(),
        destinationCurrency: outward ? token.toLowerCase() : mint,
        amount: amountIn,
        tradeType: 'EXACT_INPUT',
      },
      1,
      QUOTE_FIELDS,
    );
    return planned(wish, amountIn, toFields(body));
  }

  async function planned(wish: BridgeWish, amountIn: string, answer: Readonly<Record<string, unknown>>): Promise<Outcome<PlannedOffer>> {
    const { amountOut, minimumOut, estimatedSeconds } = readTerms(wish, amountIn, answer);
    const fees = listFees(toFields(answer['fees']), BigInt(amountIn) - BigInt(amountOut));
    const { requestId, data } = readDeposit(answer['steps']);
    const [amount, order] = [BigInt(amountIn), readOrder(answer)];
    const plan = wish.from === 'evmvenue' ? await evmPlan(wish, amount, data, order) : solanaPlan(wish, data, mint, amount, order);
    const offer: PlannedOffer = {
      provider: 'relay',
      kind: 'intent',
      reference: requestId,
      amountIn,
      amountOut,
      minimumOut,
      fees,
      route: [`deposit ${toUsd(amountIn)} USDC into Relay's depository`, 'a solver pays the recipient on the other chain'],
      estimatedSeconds,
      expiresAt: clock.now() + QUOTE_MS[wish.from],
      plan,
    };
    const objection = offerObjection(offer);
    return objection === null ? { ok: true, value: offer } : refuse('route_refused', objection);
  }

  async function evmPlan(wish: BridgeWish, amount: bigint, data: Readonly<Record<string, unknown>>, id: string): Promise<SourcePlan> {
    const to = textIn(data, 'to', /^0x[0-9a-fA-F]{40}$/);
    if (!isAddress(to, { strict: false }) || getAddress(to) !== RELAY_DEPOSITORY)
      throw new SenselessAnswer(`the deposit goes to ${to}, not to the depository`);
    if (valueText(data['chainId']) !== String(chainId)) throw new SenselessAnswer(`the deposit is for chain ${valueText(data['chainId'])}`);
    if (valueText(data['value'] ?? '0') !== '0') throw new SenselessAnswer(`the deposit would also pay ${valueText(data['value'])} wei`);
    const call = textIn(data, 'data', /^0x([0-9a-fA-F]{2})+$/).toLowerCase();
    const objection = depositObjection(call, { depositor: wish.sender, token, amount, id });
    if (objection !== null) throw new SenselessAnswer(objection);
    const allowance = await options.allowance(wish.sender, RELAY_DEPOSITORY);
    const from = getAddress(wish.sender);
    return {
      kind: 'evm',
      transaction: { kind: 'evm', chainId, from, to: RELAY_DEPOSITORY, data: call, value: '0' },
      approval: approvalFor({ chainId, from, token, spender: RELAY_DEPOSITORY }, amount, allowance),
    };
  }

  return {
    name: 'relay' as const,
    offer: (wish: BridgeWish, amountIn: string): Promise<Outcome<PlannedOffer>> => offered('relay', () => ask(wish, amountIn)),
    async word(terms: TransferTerms): Promise<ProviderWord> {
      if (terms.reference === null) throw new Error('a transfer of relay has no request id');
      try {
        return readWord(toFields(await http.get('/intents/status/v3', { requestId: terms.reference }, 1, STATUS_FIELDS)), terms);
      } catch (error) {
        if (error instanceof VenueError && error.status === 404) return UNSEEN;
        throw error;
      }
    },
  };
}

/** Returns amount and time of the arrival. Checks that the quote is for the requested transfer. @throws SenselessAnswer */
function readTerms(wish: BridgeWish, amountIn: string, answer: Readonly<Record<string, unknown>>) {
  const details = toFields(answer['details']);
  const { sender, recipient, timeEstimate } = details;
  const same = (given: unknown, wanted: string): boolean =>
    typeof given === 'string' && (wanted.startsWith('0x') ? given.toLowerCase() === wanted.toLowerCase() : given === wanted);
  if (!same(sender, wish.sender)) throw new SenselessAnswer(`the quote is for the sender ${valueText(sender)}`);
  if (!same(recipient, wish.recipient)) throw new SenselessAnswer(`the quote is for the recipient ${valueText(recipient)}`);
  const given = textIn(toFields(details['currencyIn']), 'amount', RAW_AMOUNT);
  if (given !== amountIn) throw new SenselessAnswer(`it quotes ${given} instead of ${amountIn}`);
  const out = toFields(details['currencyOut']);
  const amountOut = textIn(out, 'amount', RAW_AMOUNT);
  const minimumOut = textIn(out, 'minimumAmount', RAW_AMOUNT);
  if (typeof timeEstimate !== 'number' || !Number.isFinite(timeEstimate) || timeEstimate < 0)
    throw new SenselessAnswer('timeEstimate is not a number of seconds');
  return { amountOut, minimumOut, estimatedSeconds: Math.max(1, Math.ceil(timeEstimate)) };
}

const INCLUDED_FEES = { relayerGas: 'solver gas', relayerService: 'solver service', app: 'application fee' } as const;

/**
 * Returns the fee lines: the solver's share, fees of the source chain, and the unexplained rest as `price difference` or `subsidy`. The
 * included lines add up to the difference between sent and received amount.
 */
function listFees(fees: Readonly<Record<string, unknown>>, taken: bigint): FeeLine[] {
  const lines: FeeLine[] = [];
  for (const [member, name] of Object.entries(INCLUDED_FEES)) {
    const amountUsd = feeUsd(toFields(fees[member]));
    if (amountUsd !== null && !new Decimal(amountUsd).isZero()) lines.push({ name, amountUsd, included: true });
  }
  const named = lines.reduce((sum, { amountUsd }) => sum.plus(amountUsd ?? 0), new Decimal(0));
  const rest = new Decimal(toUsd(taken)).minus(named);
  if (!rest.isZero())
    lines.push({ name: rest.isPositive() ? 'price difference' : 'subsidy', amountUsd: plainDecimal(rest), included: true });
  lines.push({ name: 'network fee on the source chain', amountUsd: feeUsd(toFields(fees['gas'])), included: false });
  return lines;
}

/**
 * Returns a fee in US dollars: from its base units if it is charged in the stablecoin, else from the provider's own figure; null if it has none.
 */
function feeUsd(fee: Readonly<Record<string, unknown>>): DecimalString | null {
  const { symbol, decimals } = toFields(fee['currency']);
  const { amount, amountUsd } = fee;
  if (symbol === 'USDC' && decimals === BRIDGE_DECIMALS && typeof amount === 'string' && RAW_AMOUNT.test(amount)) return toUsd(amount);
  return typeof amountUsd === 'string' && isDecimalString(amountUsd) ? plainDecimal(amountUsd) : null;
}

/** Returns the only deposit of the steps. @throws SenselessAnswer for steps that need signatures, or for several deposits */
function readDeposit(steps: unknown): { readonly requestId: string; readonly data: Readonly<Record<string, unknown>> } {
  if (!Array.isArray(steps)) throw new SenselessAnswer('steps is no list');
  const rest = steps.map(toFields).filter(({ id }) => id !== 'approve');
  const [deposit] = rest;
  if (deposit === undefined || rest.length !== 1 || deposit['id'] !== 'deposit' || deposit['kind'] !== 'transaction')
    throw new SenselessAnswer(
      `its steps are ${steps.map((step) => valueText(toFields(step)['id'])).join(', ') || 'none'}, and one deposit is right`,
    );
  const items = deposit['items'];
  if (!Array.isArray(items) || items.length !== 1) throw new SenselessAnswer('the deposit has not one transaction');
  return { requestId: textIn(deposit, 'requestId', EVM_HASH), data: toFields(toFields(items[0])['data']) };
}

/** Returns the on-chain id of the order that a deposit pays; it differs from the request's id. @throws SenselessAnswer */
function readOrder(answer: Readonly<Record<string, unknown>>): string {
  return textIn(toFields(toFields(answer['protocol'])['v2']), 'orderId', EVM_HASH);
}

/**
 * Builds the deposit's message and the deposit that it must equal. Relay's lookup tables are not used: the message fits without them, and
 * all of its accounts can be checked. @throws SenselessAnswer
 */
function solanaPlan(wish: BridgeWish, data: Readonly<Record<string, unknown>>, mint: string, amount: bigint, order: string): SourcePlan {
  const { instructions } = data;
  if (!Array.isArray(instructions) || instructions.length === 0) throw new SenselessAnswer('instructions is no list of instructions');
  const read = instructions.map(readInstruction);
  const payerKey = new PublicKey(wish.sender);
  return {
    kind: 'solana',
    programs: [RELAY_DEPOSITORY_PROGRAM],
    signers: [],
    escrowAccount: deriveVaultAccount(mint),
    call: depositCall(wish.sender, mint, amount, order),
    build: (recentBlockhash) =>
      new VersionedTransaction(new TransactionMessage({ payerKey, recentBlockhash, instructions: read }).compileToV0Message()).serialize(),
  };
}

function readInstruction(value: unknown): TransactionInstruction {
  const { keys, programId, data } = toFields(value);
  if (typeof programId !== 'string' || !isSolanaAddress(programId)) throw new SenselessAnswer('an instruction names no program');
  if (!Array.isArray(keys)) throw new SenselessAnswer('an instruction has no list of keys');
  if (typeof data !== 'string' || !/^(0x)?([0-9a-fA-F]{2})*$/.test(data))
    throw new SenselessAnswer("an instruction's data is no hexadecimal text");
  return new TransactionInstruction({
    programId: new PublicKey(programId),
    keys: keys.map((key) => {
      const { pubkey, isSigner, isWritable } = toFields(key);
      if (typeof pubkey !== 'string' || !isSolanaAddress(pubkey) || typeof isSigner !== 'boolean' || typeof isWritable !== 'boolean')
        throw new SenselessAnswer("an instruction's key is none");
      return { pubkey: new PublicKey(pubkey), isSigner, isWritable };
    }),
    data: Buffer.from(data.replace(/^0x/, ''), 'hex'),
  });
}

/** States by Relay's status. After `failure` a refund or another attempt may follow. `submitted` means that the payment was sent. */
const STATES: Readonly<Record<string, ProviderState>> = {
  waiting: 'unseen',
  depositing: 'pending',
  pending: 'pending',
  submitted: 'filling',
  delayed: 'pending',
  success: 'filled',
  failure: 'failing',
  refund: 'refunded',
};
const UNSEEN: ProviderWord = { state: 'unseen', said: null, reason: null, fillHash: null, refundHash: null };

function readWord(answer: Readonly<Record<string, unknown>>, { wish }: Pick<TransferTerms, 'wish'>): ProviderWord {
  const said = answer['status'];
  const state = typeof said === 'string' && Object.hasOwn(STATES, said) ? STATES[said] : undefined;
  if (state === undefined) throw new SenselessAnswer(`status is ${JSON.stringify(said)?.slice(0, 40) ?? 'missing'}`);
  const { details, failReason, refundFailReason } = answer;
  const reason = [refundFailReason, failReason, details].find((text) => typeof text === 'string' && text !== '') as string | undefined;
  const refundFailed = typeof refundFailReason === 'string' && refundFailReason !== '';
  const isRefund = state === 'refunded';
  // After a refund Relay's outgoing transaction is the refund on the source chain.
  const outgoing = hashIn(answer['txHashes'], isRefund ? wish.from : wish.to);
  return {
    state: refundFailed ? 'refund_failed' : state,
    said: said as string,
    reason: reason === undefined || state === 'filled' ? null : reason.slice(0, 200),
    fillHash: isRefund ? null : outgoing,
    refundHash: hashIn(answer['refundTxHashes'], wish.from) ?? (isRefund ? outgoing : null),
  };
}

/** Returns the last hash of a list that is valid on the chain. */
function hashIn(list: unknown, chain: BridgeChain): string | null {
  if (!Array.isArray(list)) return null;
  return list.map((hash) => readHash(hash, chain)).findLast((hash) => hash !== null) ?? null;
}

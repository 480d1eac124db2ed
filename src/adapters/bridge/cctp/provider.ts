/**
 * Bridge over CCTP v2: the stablecoin is burned on one chain and minted on the other after Circle's attestation. Fees come from GET
 * /v2/burn/USDC/fees, attestations from GET /v2/messages, and Circle forwards the mint. See docs/reference/outside/cctp.md.
 */
import { isCount } from '../../venues/wire-decimal.ts';
import { randomBytes } from 'node:crypto';
import { Keypair } from '@solana/web3.js';
import { getAddress } from 'viem';
import type { Clock } from '../../../../streams/clock/clock.ts';
import { EVM_DOMAINS, SOLANA_DOMAIN } from '../../../domain/bridge/cctp-domains.ts';
import { type BridgeChain, type BridgeWish, type FeeLine, offerObjection, toUsd } from '../../../domain/bridge/quote.ts';
import type { PlannedOffer, ProviderWord, SourcePlan, TransferTerms } from '../../../domain/bridge/transfer.ts';
import { Decimal, type DecimalString } from '../../../domain/values/decimal.ts';
import { type Outcome, refuse } from '../../../domain/values/refusal.ts';
import { fromBase58 } from '../../../domain/solana/base58.ts';
import { valueText } from '../../../domain/values/value-text.ts';
import { knownFields } from '../../venues/known-fields.ts';
import { VenueError } from '../../venues/venue-feed.ts';
import type { VenueHttp } from '../../venues/venue-http.ts';
import { approvalFor, wide } from '../evm-calls.ts';
import { toFields, readHash, offered, RAW_AMOUNT, SenselessAnswer } from '../provider-http.ts';
import {
  type BurnTerms,
  burnCall,
  evmBurnData,
  FAST_FINALITY,
  MESSAGE_TRANSMITTER_PROGRAM,
  STANDARD_FINALITY,
  solanaBurn,
  TOKEN_MESSENGER,
  TOKEN_MESSENGER_PROGRAM,
  deriveTokenAccount,
} from './burn.ts';

const QUOTE_MS = { spotchain: 45_000, evmvenue: 300_000 } as const;
/** Factor on the quoted fee, which may rise before the attestation. The unused part reaches the recipient. */
const FEE_BUFFER = '1.2';

/** Seconds from the burn to the mint. A fast burn waits for a few blocks, a standard one for finality on its chain. */
const SECONDS: Readonly<Record<BridgeChain, { readonly fast: number; readonly standard: number }>> = {
  spotchain: { fast: 15, standard: 40 },
  evmvenue: { fast: 15, standard: 1_140 },
};

/** Fee of two signatures, in lamports; the rent of the account of 480 bytes follows. */
const BURN_LAMPORTS = 10_000n;
const EVENT_RENT_LAMPORTS = 4_231_680n;
const BURN_GAS = 180_000n;
const APPROVAL_GAS = 60_000n;

const FEES_FIELDS = knownFields('cctp fees', ['finalityThreshold minimumFee forwardFee', { forwardFee: 'low med high' }]);
const MESSAGES_FIELDS = knownFields('cctp messages', [
  'messages',
  {
    messages: [
      'message attestation eventNonce cctpVersion status delayReason decodedMessage forwardState forwardTxHash forwardErrorReason',
      {
        decodedMessage: [
          'sourceDomain destinationDomain nonce sender recipient destinationCaller messageBody decodedMessageBody minFinalityThreshold finalityThresholdExecuted',
          { decodedMessageBody: 'burnToken mintRecipient amount messageSender maxFee feeExecuted expirationBlock hookData' },
        ],
      },
    ],
  },
]);

interface CctpOptions {
  readonly http: Pick<VenueHttp, 'get'>;
  readonly chainId: number;
  /** The stablecoin on both chains. */
  readonly mint: string;
  readonly token: string;
  /** Returns the spender's allowance from the sender, in base units. @throws if no node answers */
  readonly allowance: (owner: string, spender: string) => Promise<bigint>;
  /** Returns true if an address of the primary chain has an account for the stablecoin. @throws if no node answers */
  readonly hasTokenAccount: (owner: string) => Promise<boolean>;
  /** Wei that a unit of gas costs now. @throws if no node answers */
  readonly gasPrice: () => Promise<bigint>;
  /** Converts an amount in the smallest unit of a chain's own coin to US dollars; null if the coin has no price. */
  readonly coinUsd: (chain: BridgeChain, units: bigint) => DecimalString | null;
  readonly clock: Pick<Clock, 'now'>;
  /** Creates the key of the account that holds a burn's message. Default: a random one. */
  readonly eventKey?: () => Keypair;
  /** Bytes that make the burn of each quote on the EVM chain unique. Default: 16 random bytes. */
  readonly quoteMark?: () => `0x${string}`;
}

const randomMark = (): `0x${string}` => `0x${randomBytes(16).toString('hex')}`;

/** @throws RangeError for an EVM chain without a Circle domain */
export function createCctpProvider(options: CctpOptions) {
  const { http, chainId, mint, token, clock, eventKey = () => Keypair.generate(), quoteMark = randomMark } = options;
  const evmDomain = EVM_DOMAINS[chainId];
  if (evmDomain === undefined) throw new RangeError(`CCTP has no domain for chain ${chainId}`);
  const selectDomain = (chain: BridgeChain): number => (chain === 'spotchain' ? SOLANA_DOMAIN : evmDomain);

  async function ask(wish: BridgeWish, amountIn: string): Promise<Outcome<PlannedOffer>> {
    if (wish.to === 'spotchain' && !(await options.hasTokenAccount(wish.recipient)))
      return refuse('route_refused', `the recipient ${wish.recipient} has no USDC account yet, and a mint cannot open one`);
    const path = `/v2/burn/USDC/fees/${selectDomain(wish.from)}/${selectDomain(wish.to)}`;
    const terms = readBurnTerms(await http.get(path, { forward: 'true' }, 1, FEES_FIELDS), BigInt(amountIn));
    const { burn, protocolFee, forwardFee } = terms;
    const fast = burn.finality === FAST_FINALITY;
    const plan = wish.from === 'evmvenue' ? await evmPlan(wish, burn) : solanaPlan(wish, burn);
    const fees: FeeLine[] = [
      { name: fast ? 'protocol fee for a fast transfer' : 'protocol fee', amountUsd: toUsd(protocolFee), included: true },
      { name: 'forwarding, which mints at the destination', amountUsd: toUsd(forwardFee), included: true },
      ...(await onTop(plan)),
    ];
    const offer: PlannedOffer = {
      provider: 'cctp',
      kind: 'canonical',
      reference: null,
      amountIn,
      amountOut: String(burn.amount - protocolFee - forwardFee),
      minimumOut: String(burn.amount - burn.maxFee),
      fees,
      route: [
        `burn ${toUsd(amountIn)} USDC on the source chain`,
        `attestation of the burn once it is ${fast ? 'confirmed' : 'final'}`,
        'mint to the recipient on the other chain',
      ],
      estimatedSeconds: SECONDS[wish.from][fast ? 'fast' : 'standard'],
      expiresAt: clock.now() + QUOTE_MS[wish.from],
      plan,
    };
    const objection = offerObjection(offer);
    return objection === null ? { ok: true, value: offer } : refuse('route_refused', objection);
  }

  /** Returns the fees that the sender pays besides the amount, in the coin of the source chain. */
  async function onTop(plan: SourcePlan): Promise<FeeLine[]> {
    const line = (name: string, chain: BridgeChain, units: bigint): FeeLine => ({
      name,
      amountUsd: options.coinUsd(chain, units),
      included: false,
    });
    if (plan.kind === 'solana')
      return [
        line('network fee on the source chain', 'spotchain', BURN_LAMPORTS),
        line("rent of the message's account, which its owner can reclaim", 'spotchain', EVENT_RENT_LAMPORTS),
      ];
    const gas = BURN_GAS + (plan.approval === null ? 0n : APPROVAL_GAS);
    return [line('network fee on the source chain', 'evmvenue', gas * (await options.gasPrice()))];
  }

  async function evmPlan(wish: BridgeWish, burn: Omit<BurnTerms, 'domain'>): Promise<SourcePlan> {
    const from = getAddress(wish.sender);
    const data = evmBurnData({ ...burn, domain: SOLANA_DOMAIN }, token, deriveTokenAccount(wish.recipient, mint), quoteMark());
    const allowance = await options.allowance(from, TOKEN_MESSENGER);
    return {
      kind: 'evm',
      transaction: { kind: 'evm', chainId, from, to: TOKEN_MESSENGER, data, value: '0' },
      approval: approvalFor({ chainId, from, token, spender: TOKEN_MESSENGER }, burn.amount, allowance),
    };
  }

  function solanaPlan({ sender, recipient }: BridgeWish, burn: Omit<BurnTerms, 'domain'>): SourcePlan {
    const event = eventKey();
    const terms = { ...burn, domain: selectDomain('evmvenue') };
    const who = { sender, recipient, mint };
    return {
      kind: 'solana',
      programs: [TOKEN_MESSENGER_PROGRAM, MESSAGE_TRANSMITTER_PROGRAM],
      signers: [event.publicKey.toBase58()],
      escrowAccount: null,
      call: burnCall(terms, who, event.publicKey.toBase58()),
      build: (blockhash) => solanaBurn(terms, who, event, blockhash),
    };
  }

  return {
    name: 'cctp' as const,
    offer: (wish: BridgeWish, amountIn: string): Promise<Outcome<PlannedOffer>> => offered('cctp', () => ask(wish, amountIn)),
    async word(terms: TransferTerms): Promise<ProviderWord> {
      if (terms.hash === null) throw new Error('a CCTP transfer has no source transaction');
      try {
        const path = `/v2/messages/${selectDomain(terms.wish.from)}`;
        const answer = toFields(await http.get(path, { transactionHash: terms.hash }, 1, MESSAGES_FIELDS));
        return readWord(answer['messages'], terms, mint);
      } catch (error) {
        // Circle answers 404 until it observes the burn.
        if (error instanceof VenueError && error.status === 404) return UNSEEN;
        throw error;
      }
    },
  };
}

/** Returns the fees in base units. `minimumFee` is in basis points and may be a fraction. Chooses the fast transfer if it is offered. */
function readBurnTerms(answer: unknown, amount: bigint) {
  if (!Array.isArray(answer)) throw new SenselessAnswer('the fees are no list');
  const rows = answer.map(toFields);
  const findRow = (threshold: number) => rows.find(({ finalityThreshold }) => finalityThreshold === threshold);
  const fast = findRow(FAST_FINALITY);
  const row = fast ?? findRow(STANDARD_FINALITY);
  if (row === undefined) throw new SenselessAnswer('there is no fee for either finality');
  const { minimumFee, forwardFee } = row;
  if (typeof minimumFee !== 'number' || !(minimumFee >= 0 && minimumFee <= 100))
    throw new SenselessAnswer(`minimumFee is ${valueText(minimumFee)} basis points`);
  const { med, high } = toFields(forwardFee);
  if (!isCount(med) || !isCount(high) || high < med) throw new SenselessAnswer('forwardFee names no base units');
  const protocolFee = BigInt(new Decimal(String(amount)).times(String(minimumFee)).div(10_000).ceil().toFixed(0));
  const forward = BigInt(med);
  const most = new Decimal(String(protocolFee)).plus(high).times(FEE_BUFFER).ceil().toFixed(0);
  const finality: BurnTerms['finality'] = fast === undefined ? STANDARD_FINALITY : FAST_FINALITY;
  return { burn: { amount, maxFee: BigInt(most), finality }, protocolFee, forwardFee: forward };
}

const UNSEEN: ProviderWord = { state: 'unseen', said: null, reason: null, fillHash: null, refundHash: null };

function readWord(messages: unknown, terms: TransferTerms, mint: string): ProviderWord {
  if (!Array.isArray(messages)) throw new SenselessAnswer('messages is no list');
  if (messages.length === 0) return UNSEEN;
  if (messages.length > 1) throw new SenselessAnswer(`one burn has ${messages.length} messages`);
  const { status, delayReason, forwardTxHash, forwardState, forwardErrorReason, decodedMessage } = toFields(messages[0]);
  assertSameBurn(toFields(toFields(decodedMessage)['decodedMessageBody']), terms, mint);
  const reason = typeof delayReason === 'string' && delayReason !== '' ? delayReason.slice(0, 100) : null;
  if (status === 'pending_confirmations') return { ...UNSEEN, state: 'attesting', said: status, reason };
  if (status !== 'complete') throw new SenselessAnswer(`status is ${JSON.stringify(status)?.slice(0, 40) ?? 'missing'}`);
  const state = typeof forwardState === 'string' ? forwardState.slice(0, 40) : null;
  const fillHash = readHash(forwardTxHash, terms.wish.to);
  if (fillHash !== null) return { ...UNSEEN, state: 'filled', said: state ?? status, fillHash };
  if (state === 'FAILED')
    return {
      ...UNSEEN,
      state: 'failing',
      said: state,
      reason: typeof forwardErrorReason === 'string' ? forwardErrorReason.slice(0, 100) : null,
    };
  return { ...UNSEEN, state: 'filling', said: state ?? status };
}

/** Checks that the burn in Circle's answer equals the quoted one. Does nothing if the answer holds none. @throws SenselessAnswer */
function assertSameBurn(body: Readonly<Record<string, unknown>>, { wish, amountIn }: TransferTerms, mint: string): void {
  const { amount, mintRecipient } = body;
  if (typeof amount === 'string' && RAW_AMOUNT.test(amount) && amount !== amountIn)
    throw new SenselessAnswer(`the message is of ${amount} base units`);
  if (typeof mintRecipient !== 'string') return;
  const wanted = wish.to === 'evmvenue' ? [wish.recipient.toLowerCase(), wide(wish.recipient)] : [deriveTokenAccount(wish.recipient, mint)];
  const given = mintRecipient.startsWith('0x') ? mintRecipient.toLowerCase() : mintRecipient;
  const isWide = wish.to === 'spotchain' && /^0x[0-9a-f]{64}$/.test(given);
  const spelled = isWide ? [`0x${Buffer.from(fromBase58(wanted[0] as string) ?? []).toString('hex')}`] : wanted;
  if (!spelled.includes(given)) throw new SenselessAnswer(`the message mints to ${mintRecipient.slice(0, 70)}`);
}

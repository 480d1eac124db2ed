/** Quotes of the simulated Relay network: fee lines, and the deposit to sign on either chain. */
import { address } from '@solana/kit';
import { encodeFunctionData, erc20Abi, getAddress, type Hex, parseAbi } from 'viem';
import type { EpochMs } from '../../domain/values/time.ts';
import { SANDBOX_DEPOSITORY } from '../evmchain/evm-ledger.ts';
import { DEPOSIT_PROGRAM, DEPOSIT_TOKEN, DEPOSIT_VAULT, DEPOSITORY } from '../solana/deposit-program.ts';
import { ASSOCIATED_TOKEN, associatedAccount, SYSTEM, TOKEN } from '../solana/instructions.ts';
import { sandboxKey } from '../solana/keys.ts';
import type { BridgeChains, Side } from './chains.ts';
import type { BridgeTrouble } from './bridge-script.ts';

/** Relay's chain id of Solana. */
export const RELAY_NUMBER_OF_SOLANA = 792_703_809;
export const DEPOSITORY_ABI = parseAbi(['function depositErc20(address depositor, address token, uint256 amount, bytes32 id)']);
const ESTIMATE_S = 5;
/** Lookup table that Relay names with every deposit on Solana. A message that fits without the table does not use it. */
const LOOKUP_TABLE = sandboxKey('relay lookup table').address;
const STRANGER = sandboxKey('stranger').address;
const EVM_STRANGER = `0x${'66'.repeat(20)}`;

export interface Intent {
  readonly id: string;
  /** Order id that the deposit names on the chain. */
  readonly order: string;
  readonly from: Side;
  readonly to: Side;
  readonly sender: string;
  readonly recipient: string;
  readonly amount: bigint;
  readonly out: bigint;
  readonly trouble: BridgeTrouble | null;
  readonly releases: number;
  /** Hash of a payment to the recipient that is older than the deposit, or null if the script requests none. */
  readonly olderHash: string | null;
  depositHash: string | null;
  depositAt: EpochMs | null;
  fillHash: string | null;
  refundHash: string | null;
}

interface RelayContext extends BridgeChains {
  readonly chainId: number;
}

/** Fees that the solver keeps for gas and for its service, in base units. */
interface RelayFees {
  readonly gas: bigint;
  readonly service: bigint;
}

export function relayQuoteBody(context: RelayContext, intent: Intent, fees: RelayFees): object {
  const { id, from, to, sender, recipient, amount, out } = intent;
  const { evm, stable, token } = context;
  const check = { endpoint: `/intents/status/v3?requestId=${id}`, method: 'GET' };
  const data = from === 'spotchain' ? solanaDeposit(context, intent) : evmDeposit(context, intent);
  const deposit = transactionStep(intent, 'deposit', 'Deposit funds for executing the calls', { data, check });
  return {
    steps:
      from === 'evmvenue' && evm.allowance(sender, SANDBOX_DEPOSITORY, token) < amount ? [approval(context, intent), deposit] : [deposit],
    fees: {
      gas: coin(context, from),
      relayer: money(context, from, fees.gas + fees.service),
      relayerGas: money(context, from, fees.gas),
      relayerService: money(context, from, fees.service),
      app: money(context, from, 0n),
      subsidized: money(context, from, 0n),
    },
    details: {
      operation: 'bridge',
      sender,
      recipient,
      currencyIn: money(context, from, amount),
      currencyOut: money(context, to, out),
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
          depository: from === 'spotchain' ? DEPOSIT_PROGRAM : SANDBOX_DEPOSITORY,
          currency: from === 'spotchain' ? stable.mint : token.toLowerCase(),
          amount: String(amount),
        },
      },
    },
  };
}

function transactionStep({ id: requestId }: Intent, id: string, description: string, item: object): object {
  const words = { action: 'Confirm transaction in your wallet', description, kind: 'transaction' };
  return { id, ...words, requestId, items: [{ status: 'incomplete', ...item }] };
}

function money({ chainId, stable, token }: RelayContext, side: Side, amount: bigint): object {
  const usd = (Number(amount) / 1e6).toFixed(6);
  const currency = {
    chainId: side === 'spotchain' ? RELAY_NUMBER_OF_SOLANA : chainId,
    address: side === 'spotchain' ? stable.mint : token.toLowerCase(),
    symbol: 'USDC',
    name: 'USD Coin',
    decimals: stable.decimals,
    metadata: { logoURI: '', verified: true },
  };
  return { currency, amount: String(amount), amountFormatted: usd, amountUsd: usd, minimumAmount: String(amount) };
}

function coin({ chainId }: RelayContext, side: Side): object {
  const solana = { chainId: RELAY_NUMBER_OF_SOLANA, symbol: 'SOL', decimals: 9 };
  const currency = side === 'spotchain' ? solana : { chainId, symbol: 'ETH', decimals: 18 };
  return { currency, amount: '5000', amountFormatted: '0.000005', amountUsd: '0.001000', minimumAmount: '5000' };
}

function call({ chainId }: RelayContext, { sender }: Intent, to: string, data: Hex): object {
  return { from: sender, to, data, value: '0', chainId, gas: '120000', maxFeePerGas: '20000000', maxPriorityFeePerGas: '1000000' };
}

function approval(context: RelayContext, intent: Intent): object {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [getAddress(SANDBOX_DEPOSITORY), intent.amount] });
  return transactionStep(intent, 'approve', 'Sign an approval', { data: call(context, intent, context.token, data) });
}

/** Returns the order id that the deposit names: the quote's, unless the script swaps it. */
const chooseOrder = ({ order, trouble }: Intent): Hex => (trouble === 'swaps_order' ? `0x${'0d'.repeat(32)}` : (order as Hex));

function evmDeposit(context: RelayContext, intent: Intent): object {
  const args = [getAddress(intent.sender), getAddress(context.token), intent.amount, chooseOrder(intent)] as const;
  const data = encodeFunctionData({ abi: DEPOSITORY_ABI, functionName: 'depositErc20', args });
  return call(context, intent, intent.trouble === 'swaps_destination' ? EVM_STRANGER : SANDBOX_DEPOSITORY, data);
}

function solanaDeposit({ stable }: RelayContext, intent: Intent): object {
  const mint = address(stable.mint);
  const sender = address(intent.sender);
  const owner = intent.trouble === 'swaps_destination' ? STRANGER : DEPOSIT_VAULT;
  const data = Buffer.alloc(48);
  data.set(DEPOSIT_TOKEN, 0);
  data.writeBigUInt64LE(intent.amount, 8);
  data.set(Buffer.from(chooseOrder(intent).slice(2), 'hex'), 16);
  const key = (pubkey: string, isSigner = false, isWritable = false) => ({ pubkey, isSigner, isWritable });
  const keys = [
    key(DEPOSITORY),
    key(sender, true, true),
    key(sender),
    key(DEPOSIT_VAULT),
    key(mint),
    key(associatedAccount(sender, mint, TOKEN), false, true),
    key(associatedAccount(owner, mint, TOKEN), false, true),
    key(TOKEN),
    key(ASSOCIATED_TOKEN),
    key(SYSTEM),
  ];
  const instructions = [{ keys, programId: DEPOSIT_PROGRAM, data: data.toString('hex') }];
  return { instructions, addressLookupTableAddresses: [LOOKUP_TABLE] };
}

/** Launches by the external launcher: its terms, its requests, and its payment. */
import type { DecimalString } from '../values/decimal.ts';
import { isAddress } from '../solana/base58.ts';
import { computeBudget } from '../solana/common-instructions.ts';
import { MEMO_PROGRAM, SYSTEM_PROGRAM } from '../solana/programs.ts';
import type { EpochMs } from '../values/time.ts';
import { writeUint } from './byte-struct.ts';
import type { ProgramInstruction } from './curve/program.ts';

export const LAUNCHER_LAUNCH_STATES = [
  'quoted',
  'prepared',
  'payment_submitted',
  'payment_confirmed',
  'launching',
  'launched',
  'expired',
  'failed',
  'failed_paid',
] as const;
export type LauncherLaunchState = (typeof LAUNCHER_LAUNCH_STATES)[number];

/** Quote token available at the launcher. */
interface LauncherPair {
  readonly mint: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
}

export interface LauncherPairs {
  readonly pairs: readonly LauncherPair[];
  /** Range of the creator's fee per trade, in basis points. */
  readonly creatorFeeBps: { readonly min: number; readonly max: number };
}

/** Intent of a launch, the same in every request about it. Plain JSON. */
export interface LauncherIntent {
  readonly name: string;
  readonly symbol: string;
  readonly description: string;
  readonly imageUrl: string;
  readonly agentId: string;
  readonly agentName: string;
  /** Base58. The wallet that pays. */
  readonly wallet: string;
  readonly pairMint: string;
  readonly creatorFeeBps: number;
}

/** Price of the launcher. Nothing is owed before the payment. */
export interface LauncherOffer {
  readonly lamports: DecimalString;
  readonly payTo: string;
  /** Identifies the intent in the request after the payment. */
  readonly preflightToken: string;
  readonly validUntil: EpochMs;
  /** Request number of the launcher, for its support. */
  readonly requestId: string | null;
}

/** Answer of the launcher to the report of a payment. */
export type LauncherWord =
  | { readonly said: 'launched'; readonly mint: string; readonly transaction: string | null }
  /** The payment was seen or is expected, and the token is not launched yet. */
  | { readonly said: 'pending' }
  /** The launcher will not launch on this payment. */
  | { readonly said: 'declined'; readonly code: string; readonly detail: string };

/** Upper bound for the price of a launch, against mistakes: ten native coins, in lamports. */
const MOST_LAMPORTS = 10_000_000_000n;
const UNITS = 60_000;
const UNIT_PRICE = 20_000n;

/** Returns why an intent cannot be registered, as `$.field: …`, or null if it can. */
export function intentProblem(intent: Pick<LauncherIntent, 'name' | 'symbol' | 'description' | 'imageUrl'>): string | null {
  const { name, symbol, description, imageUrl } = intent;
  if (name.trim() === '' || name.length > 32) return '$.name: it must have 1 to 32 characters';
  if (!/^[A-Za-z0-9]{1,10}$/.test(symbol)) return '$.symbol: it must have 1 to 10 letters and digits';
  if (description.trim().length < 20 || description.length > 500) return '$.description: it must have 20 to 500 characters';
  if (imageUrl.length > 200 || !/^https:\/\/[^\s]+$/.test(imageUrl))
    return '$.imageUrl: it must be an https address of at most 200 characters';
  return null;
}

/** Returns why an offer is invalid for its payer, or null if it is valid. */
export function offerProblem({ lamports, payTo, validUntil }: LauncherOffer, wallet: string, now: EpochMs): string | null {
  if (!isAddress(payTo)) return 'it has no valid address to pay';
  if (payTo === wallet) return 'the wallet would pay itself';
  if (!/^[1-9]\d{0,18}$/.test(lamports)) return 'it has no valid amount';
  if (BigInt(lamports) > MOST_LAMPORTS) return `it asks for ${lamports} lamports, more than the maximum of ${MOST_LAMPORTS}`;
  if (validUntil <= now) return 'it has expired';
  return null;
}

/** Returns the memo that identifies the launch in its payment on the chain. */
function paymentMemo(launchId: string): string {
  return `sevengate launch ${launchId}`;
}

/** Builds the payment: compute budget, the exact lamports, and the launch id. */
export function paymentInstructions(wallet: string, { lamports, payTo }: LauncherOffer, launchId: string): readonly ProgramInstruction[] {
  const transfer = new Uint8Array(12);
  transfer[0] = 2;
  writeUint(BigInt(lamports), transfer, 4, 8);
  return [
    ...computeBudget(UNITS, UNIT_PRICE),
    {
      program: SYSTEM_PROGRAM,
      accounts: [
        { address: wallet, signer: true, writable: true },
        { address: payTo, writable: true },
      ],
      data: transfer,
    },
    { program: MEMO_PROGRAM, accounts: [], data: new TextEncoder().encode(paymentMemo(launchId)) },
  ];
}

/** Returns instructions for a payer who received no token. */
export function paidWords(offer: Pick<LauncherOffer, 'lamports' | 'payTo' | 'requestId'>, signature: string, why: string): string {
  const request = offer.requestId === null ? '' : ` (its request ${offer.requestId})`;
  return `${why}. The payment ${signature} of ${offer.lamports} lamports to ${offer.payTo} is final. Submit the same payment again to ask the launcher again, or send it to the launcher's support${request}. Nothing is paid twice`;
}

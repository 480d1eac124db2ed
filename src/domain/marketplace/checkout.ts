/** A checkout: the purchase of a licence, its payment on the primary chain, and the required effect of the payment. */
import { USDC_DECIMALS, USDC_MINT } from '../catalog/catalog.ts';
import { Decimal, type DecimalString } from '../values/decimal.ts';
import { associatedAccount, type ProgramInstruction } from '../launch/curve/program.ts';
import type { BalanceChanges } from '../solana/chain.ts';
import { computeBudget, memo, ownAccount, transferChecked } from '../solana/common-instructions.ts';
import { TOKEN_PROGRAM } from '../solana/programs.ts';

/**
 * States of a checkout, in order. The last three are other endings. `late`: bytes came after the expiry, and the chain is asked if they
 * landed.
 */
export const CHECKOUT_STATES = ['prepared', 'submitted', 'confirmed', 'licensed', 'late', 'expired', 'failed'] as const;
export type CheckoutState = (typeof CHECKOUT_STATES)[number];

/** Maximum compute units of an account creation, a transfer and a memo, with a margin. */
const PAYMENT_UNITS = 90_000;
/** Micro-lamports per unit. */
const UNIT_PRICE = 20_000n;

/** Payment: amount, payer and payee accounts. Plain JSON. */
export type Payment = {
  readonly buyer: string;
  readonly payoutWallet: string;
  /** Stablecoin account of the payout wallet. */
  readonly payoutAccount: string;
  /** Raw units of the stablecoin. */
  readonly amount: string;
  /** Identifies this checkout on the chain. */
  readonly memo: string;
};

export function toPayment(checkoutId: string, priceUsd: DecimalString, buyer: string, payoutWallet: string): Payment {
  return {
    buyer,
    payoutWallet,
    payoutAccount: associatedAccount(payoutWallet, USDC_MINT, TOKEN_PROGRAM),
    amount: new Decimal(priceUsd).times(new Decimal(10).pow(USDC_DECIMALS)).toFixed(0),
    memo: checkoutMemo(checkoutId),
  };
}

function checkoutMemo(checkoutId: string): string {
  return `sevengate:checkout:${checkoutId}`;
}

/**
 * Returns the instructions that pay the whole price directly to the creator, and create the creator's token account if it does not exist.
 */
export function paymentInstructions({ buyer, payoutWallet, payoutAccount, amount, memo: text }: Payment): readonly ProgramInstruction[] {
  return [
    ...computeBudget(PAYMENT_UNITS, UNIT_PRICE),
    ownAccount(buyer, payoutWallet, USDC_MINT, TOKEN_PROGRAM),
    transferChecked({
      from: associatedAccount(buyer, USDC_MINT, TOKEN_PROGRAM),
      to: payoutAccount,
      mint: USDC_MINT,
      owner: buyer,
      amount: BigInt(amount),
      decimals: USDC_DECIMALS,
    }),
    memo(text, buyer),
  ];
}

/** Returns in one sentence why a transaction's movements are not this payment, or null if they are. */
export function paymentObjection(
  { tokens }: BalanceChanges,
  { payoutAccount, amount }: Pick<Payment, 'payoutAccount' | 'amount'>,
): string | null {
  const change = tokens.find(({ account, mint }) => account === payoutAccount && mint === USDC_MINT);
  const received = change === undefined ? 0n : BigInt(change.after) - BigInt(change.before);
  return received === BigInt(amount) ? null : `the creator's account ${payoutAccount} gets ${received} raw units instead of ${amount}`;
}

/** Describes a chain's error of a payment. */
export function paymentErrorWords(error: string): string {
  if (/"Custom":\s*1\b/.test(error)) return `the buyer's account holds too little of the stablecoin (${error})`;
  if (/AccountNotFound|InvalidAccountData|InsufficientFunds/.test(error))
    return `the buyer's wallet has no account of the stablecoin, or too little for fees (${error})`;
  return error;
}

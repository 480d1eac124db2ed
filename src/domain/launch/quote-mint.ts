/** Permitted quote mints of a curve by the program's rules, with messages. See docs/reference/outside/launch-programs.md. */
import { TOKEN_2022, TOKEN_PROGRAM } from '../solana/programs.ts';
import type { MintAccount } from '../solana/token-layout.ts';

/** Mint of the native coin under the second token program, which no curve accepts. */
const NATIVE_2022 = '9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXej9';
const METADATA_POINTER = 18;
const TOKEN_METADATA = 19;

/** Objection to a quote mint. `code` is the program's own error, if it has one. */
interface QuoteMintObjection {
  readonly kind: 'no_mint' | 'native_2022' | 'transfer_fee' | 'badge_missing' | 'paused' | 'transfer_hook' | 'starts_frozen';
  readonly code: number | null;
  readonly detail: string;
}

/** Facts of a mint that are known without reading the chain. */
export interface QuoteMintFacts {
  readonly mint: string;
  readonly symbol: string;
  readonly program: string;
  /** Null if only the chain knows it. */
  readonly transferFeeBps: number | null;
}

const feeWords = (symbol: string, bps: number): QuoteMintObjection => ({
  kind: 'transfer_fee',
  code: 6081,
  detail: `${symbol} charges ${bps} bps on every transfer, and the program refuses such quote tokens even with a badge`,
});

const unmade = (detail: string, kind: QuoteMintObjection['kind'], code: number | null = null): QuoteMintObjection => ({
  kind,
  code,
  detail,
});

/** Returns the catalog's objection to a quote mint, or null if only the chain can tell. */
export function listedObjection({ mint, symbol, transferFeeBps }: QuoteMintFacts): QuoteMintObjection | null {
  if (mint === NATIVE_2022) return unmade('the native coin is quoted by its mint of the first token program', 'native_2022', 6028);
  return transferFeeBps !== null && transferFeeBps > 0 ? feeWords(symbol, transferFeeBps) : null;
}

/** True if the program requires a token badge of the mint. */
export function needsBadge(program: string, { extensions }: Pick<MintAccount, 'extensions'>): boolean {
  return program === TOKEN_2022 && extensions.some((one) => one !== METADATA_POINTER && one !== TOKEN_METADATA);
}

/**
 * Returns the objection of the mint's account, in the order of the program's checks, or null. `epoch` is the chain's. A fee scheduled for
 * later also counts.
 */
export function mintObjection(
  facts: QuoteMintFacts,
  account: MintAccount | null,
  badged: boolean,
  epoch: bigint,
): QuoteMintObjection | null {
  const { symbol, program, mint } = facts;
  if (account === null || (program !== TOKEN_PROGRAM && program !== TOKEN_2022))
    return unmade(`${symbol}: ${mint} is no mint of a token program`, 'no_mint');
  if (program === TOKEN_PROGRAM) return null;
  if (mint === NATIVE_2022) return listedObjection(facts);
  const fee = account.transferFee;
  if (fee !== null) {
    const now = epoch >= fee.newer.epoch ? fee.newer : fee.older;
    const worst = Math.max(now.basisPoints, fee.newer.epoch > epoch ? fee.newer.basisPoints : 0);
    if (worst > 0) return feeWords(symbol, worst);
  }
  if (needsBadge(program, account) && !badged)
    return unmade(`${symbol} has extensions that need a token badge, and its mint has no badge`, 'badge_missing', 6080);
  if (account.paused) return unmade(`the issuer of ${symbol} has paused all transfers, so nobody could buy`, 'paused');
  if (account.transferHook !== null)
    return unmade(
      `${symbol} calls ${account.transferHook} with every transfer: a curve cannot name what that program needs`,
      'transfer_hook',
    );
  if (account.startsFrozen) return unmade(`new accounts of ${symbol} are frozen until the issuer thaws them`, 'starts_frozen');
  return null;
}

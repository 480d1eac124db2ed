/** Account at the spot exchange: its number, its trading permission and its balances. */
import { type Clock, timeLeft } from '../../../../streams/clock/clock.ts';
import type { DecimalString } from '../../../domain/values/decimal.ts';
import { knownFields } from '../known-fields.ts';
import { VenueError } from '../venue-feed.ts';
import { isCount, wireDecimal } from '../wire-decimal.ts';
import type { SignedRest, Told } from './signed-rest.ts';

/** Timeout of the answer, in milliseconds. */
const ASK_MS = 10_000;

const ACCOUNT_FIELDS = knownFields('binance:account', [
  'makerCommission takerCommission buyerCommission sellerCommission commissionRates canTrade canWithdraw canDeposit brokered requireSelfTradePrevention preventSor updateTime accountType balances permissions uid',
  { commissionRates: 'maker taker buyer seller', balances: 'asset free locked' },
]);

interface SpotBalance {
  readonly asset: string;
  /** Whole units, without amounts that open orders hold. */
  readonly free: DecimalString;
  readonly locked: DecimalString;
}

export interface SpotAccount {
  /** Account number at the exchange. */
  readonly account: string;
  readonly canTrade: boolean;
  /** Balances above zero. */
  readonly balances: readonly SpotBalance[];
}

/** @throws VenueError if the exchange does not answer, or not readably */
export async function fetchAccount(signed: Pick<SignedRest, 'call'>, clock: Pick<Clock, 'now' | 'elapsed'>): Promise<SpotAccount> {
  const told = await signed.call({ ask: { kind: 'account' }, known: ACCOUNT_FIELDS, leftMs: timeLeft(clock, ASK_MS) });
  if (told.kind !== 'ok') throw untold(told);
  const { uid, canTrade, balances } = (told.body ?? {}) as Record<string, unknown>;
  const read = Array.isArray(balances) ? balances.map(readBalance) : [null];
  if (!isCount(uid) || typeof canTrade !== 'boolean' || read.includes(null))
    throw new VenueError('spotexchange', 200, 'bad_answer', 'account: uid, canTrade or a balance cannot be read');
  return { account: String(uid), canTrade, balances: read as readonly SpotBalance[] };
}

function untold(told: Exclude<Told, { readonly kind: 'ok' }>): VenueError {
  if (told.kind === 'refused')
    return new VenueError('spotexchange', told.status, told.code, `the exchange refuses the key: ${told.code} ${told.text}`);
  const code = told.kind === 'unsigned' ? told.code : told.kind;
  return new VenueError('spotexchange', 0, code, `the exchange did not tell of the account: ${told.detail}`);
}

function readBalance(row: unknown): SpotBalance | null {
  const { asset, free, locked } = (row ?? {}) as Record<string, unknown>;
  const [unbound, bound] = [wireDecimal(free), wireDecimal(locked)];
  return typeof asset === 'string' && asset !== '' && unbound !== null && bound !== null ? { asset, free: unbound, locked: bound } : null;
}

/** Symbol filters of the simulated exchange, as reported by `exchangeInfo` and as enforced. */
import type { SimulatedBook, SymbolRules } from './simulated-book.ts';
import type { OrderRequest } from './trading-account.ts';

const UNIT_DIGITS = 8;
export const ONE = 10n ** BigInt(UNIT_DIGITS);

/** Parses a plain decimal such as `0.00123400`, or returns null if it has more than eight significant decimals. */
export function toUnits(text: string): bigint | null {
  const [whole = '0', fraction = ''] = text.split('.');
  const kept = fraction.replace(/0+$/, '');
  return kept.length > UNIT_DIGITS ? null : BigInt(whole + kept.padEnd(UNIT_DIGITS, '0'));
}

/** Formats an amount like the venue, with eight decimals. */
export function amountText(units: bigint): string {
  const text = (units < 0n ? -units : units).toString().padStart(UNIT_DIGITS + 1, '0');
  return `${units < 0n ? '-' : ''}${text.slice(0, -UNIT_DIGITS)}.${text.slice(-UNIT_DIGITS)}`;
}

/** Multiplies two amounts and rounds down. */
export function product(a: bigint, b: bigint): bigint {
  return (a * b) / ONE;
}

/** Converts a number of ticks or lots with the given decimals to an amount. */
export function stepped(steps: number, digits: number): bigint {
  return BigInt(steps) * 10n ** BigInt(UNIT_DIGITS - digits);
}

const MAX_PRICE = 1_000_000n * ONE;
const MAX_QUANTITY = 9_000n * ONE;
const MAX_MARKET_QUANTITY = 1_000n * ONE;
const MIN_NOTIONAL = 5n * ONE;
const MAX_NOTIONAL = 9_000_000n * ONE;
/** Maximum factor between an order's price and the middle price, up or down. */
const PERCENT = 5n;
const MAX_NUM_ORDERS = 200;

/** Formats the filters like the venue. */
export function formatFilters({ tickDigits, lotDigits }: SymbolRules): readonly object[] {
  const tick = amountText(stepped(1, tickDigits));
  const lot = amountText(stepped(1, lotDigits));
  return [
    { filterType: 'PRICE_FILTER', minPrice: tick, maxPrice: amountText(MAX_PRICE), tickSize: tick },
    { filterType: 'LOT_SIZE', minQty: lot, maxQty: amountText(MAX_QUANTITY), stepSize: lot },
    { filterType: 'ICEBERG_PARTS', limit: 100 },
    { filterType: 'MARKET_LOT_SIZE', minQty: '0.00000000', maxQty: amountText(MAX_MARKET_QUANTITY), stepSize: '0.00000000' },
    {
      filterType: 'PERCENT_PRICE_BY_SIDE',
      bidMultiplierUp: '5',
      bidMultiplierDown: '0.2',
      askMultiplierUp: '5',
      askMultiplierDown: '0.2',
      avgPriceMins: 5,
    },
    {
      filterType: 'NOTIONAL',
      minNotional: amountText(MIN_NOTIONAL),
      applyMinToMarket: true,
      maxNotional: amountText(MAX_NOTIONAL),
      applyMaxToMarket: false,
      avgPriceMins: 5,
    },
    { filterType: 'MAX_NUM_ORDERS', maxNumOrders: MAX_NUM_ORDERS },
  ];
}

/** Returns the venue's name of the first filter that the order violates, or null. */
export function failedFilter(request: OrderRequest, openOrders: number): string | null {
  const { book, price, quantity, quoteQuantity, timeInForce } = request;
  const tick = stepped(1, book.rules.tickDigits);
  const lot = stepped(1, book.rules.lotDigits);
  const middle = computeMiddle(book);
  if (price !== null) {
    if (price < tick || price > MAX_PRICE || price % tick !== 0n) return 'PRICE_FILTER';
    if (price * PERCENT < middle || price > middle * PERCENT) return 'PERCENT_PRICE_BY_SIDE';
  }
  if (quantity !== null) {
    if (quantity < lot || quantity > MAX_QUANTITY || quantity % lot !== 0n) return 'LOT_SIZE';
    if (price === null && quantity > MAX_MARKET_QUANTITY) return 'MARKET_LOT_SIZE';
  }
  const notional = quantity === null ? (quoteQuantity ?? 0n) : product(price ?? middle, quantity);
  if (notional < MIN_NOTIONAL || (price !== null && notional > MAX_NOTIONAL)) return 'NOTIONAL';
  return timeInForce === 'GTC' && openOrders >= MAX_NUM_ORDERS ? 'MAX_NUM_ORDERS' : null;
}

function computeMiddle(book: SimulatedBook): bigint {
  const [bid, ask] = [book.rungs('bid')[0], book.rungs('ask')[0]];
  const digits = book.rules.tickDigits;
  return bid === undefined || ask === undefined ? 0n : (stepped(bid[0], digits) + stepped(ask[0], digits)) / 2n;
}

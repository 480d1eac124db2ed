/** Agent tokens join the catalog at run time. No listing can impersonate another, and delisting is final. */
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { emptyBook, markBook } from '../../src/domain/books/book.ts';
import { CATALOG, isTradableAt, lifecycleAt, resolveUniverseEntry } from '../../src/domain/catalog/catalog.ts';
import {
  agentTokenEntry,
  completeCatalog,
  isChainAddress,
  type ListedToken,
  listingProblem,
} from '../../src/domain/catalog/listed-token.ts';
import { type Order, sizeOrder } from '../../src/domain/orders/order.ts';
import { assessOrder, DEFAULT_PREFERENCES, NO_OTHER_BOOKS, type RiskContext } from '../../src/domain/risk/index.ts';
import { SANDBOX_AGENT_TOKENS } from '../../src/sandbox/agent-tokens.ts';

const DAY = 86_400_000;
const LISTED = Date.UTC(2026, 0, 1);
const token = (over: Partial<ListedToken> = {}): ListedToken => ({
  mint: 'AgtRchd1111111111111111111111111111111111111',
  program: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  symbol: 'ORCHARD',
  name: 'Orchard Keeper',
  decimals: 6,
  pairedStock: 'spotchain:AAPLx',
  launcher: 'agentlaunch',
  listedAt: LISTED,
  delistedAt: null,
  ...over,
});
const OTHER_MINT = 'AgtVtRange1111111111111111111111111111111111';

afterEach(() => CATALOG.list([]));

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
/** Encodes base58 digit by digit. */
function base58(bytes: Uint8Array): string {
  const digits: number[] = [];
  for (const byte of bytes) {
    let carry = byte;
    for (let i = 0; i < digits.length; i++) {
      carry += (digits[i] as number) * 256;
      digits[i] = carry % 58;
      carry = Math.floor(carry / 58);
    }
    for (; carry > 0; carry = Math.floor(carry / 58)) digits.push(carry % 58);
  }
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return (
    '1'.repeat(zeros < 0 ? bytes.length : zeros) +
    digits
      .reverse()
      .map((digit) => ALPHABET[digit])
      .join('')
  );
}

describe('an address of the chain', () => {
  test('is 32 bytes, whatever they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 28, maxLength: 36 }), fc.nat(6), (bytes, zeros) => {
        bytes.fill(0, 0, zeros);
        expect(isChainAddress(base58(bytes))).toBe(bytes.length === 32);
      }),
    );
  });

  test.each(['', '0'.repeat(44), 'O'.repeat(44), `${'1'.repeat(33)}`, 'AgtRchd', 'not an address of any chain at all, is it'])(
    '%j is none',
    (text) => {
      expect(isChainAddress(text)).toBe(false);
    },
  );

  test('is every mint of the catalog and of the sandbox', () => {
    for (const { token: facts } of CATALOG.entries) {
      if (facts === null) continue;
      expect([facts.mint, facts.program, facts.successor?.mint ?? facts.mint].every(isChainAddress)).toBe(true);
    }
    for (const { mint, program } of SANDBOX_AGENT_TOKENS) expect([mint, program].every(isChainAddress)).toBe(true);
  });
});

describe('a listing', () => {
  test('makes an instrument that manifests may name and that has its share', () => {
    expect(completeCatalog([token()])).toEqual([]);
    const entry = CATALOG.bySymbol('ORCHARD');
    expect(entry).toEqual(agentTokenEntry(token()));
    expect(entry).toMatchObject({ classification: 'agenttoken-solana', pairedStock: 'spotchain:AAPLx', benchmark: null });
    expect(CATALOG.byMint(token().mint)).toBe(entry);
    expect(resolveUniverseEntry('ORCHARD')).toEqual({ ok: true, entry: { key: 'spotchain:ORCHARD', kind: 'agent_token' } });
    expect(resolveUniverseEntry('spotchain:ORCHARD/USDC:agent_token').ok).toBe(true);
    expect(CATALOG.entries).toHaveLength(CATALOG.fixed.entries.length + 1);
  });

  test.each([
    [{ symbol: 'AAPL' }, 'taken by spotchain:AAPLx'],
    [{ symbol: 'aaplX' }, 'taken by spotchain:AAPLx'],
    [{ symbol: 'btc' }, 'taken by'],
    [{ symbol: 'SpaceX' }, 'taken by spotchain:SPACEX'],
    [{ symbol: 'TWO WORDS' }, 'is not a symbol'],
    [{ symbol: 'ELEVENLONG1' }, 'is not a symbol'],
    [{ symbol: '' }, 'is not a symbol'],
    [{ name: '  ' }, 'needs a name'],
    [{ decimals: 1.5 }, 'has 1.5 decimals'],
    [{ mint: 'AgtRchd' }, 'not an address'],
    [{ program: 'x' }, 'not an address'],
    [{ mint: 'XsbEhLAtcf6HdfpFZ5xEMdqW8nfAvcsP5bdudRLJzJp' }, 'in the catalog already'],
    [{ pairedStock: 'spotchain:SPACEX' as const }, 'is not a tokenized stock'],
    [{ pairedStock: 'spotexchange:BTCUSDT' as const }, 'is not a tokenized stock'],
  ])('%j is refused: %s', (over, why) => {
    expect(listingProblem(token(over), CATALOG.fixed)).toContain(why);
    expect(completeCatalog([token(over), token({ symbol: 'GOOD', mint: OTHER_MINT })])).toHaveLength(1);
    expect(CATALOG.listed.map(({ instrument }) => instrument)).toEqual(['GOOD']);
  });

  test('with a name or mint that is already listed is left out, the older one stays', () => {
    const refused = completeCatalog([token({ name: 'Impostor', mint: OTHER_MINT, symbol: 'orchard', listedAt: LISTED + 1 }), token()]);
    expect(refused).toEqual(['orchard is listed already']);
    expect(CATALOG.listed.map(({ name }) => name)).toEqual(['Orchard Keeper']);
  });

  test('that ended keeps its name and is no longer tradable', () => {
    completeCatalog([token({ delistedAt: LISTED + DAY })]);
    const facts = CATALOG.bySymbol('ORCHARD')?.token;
    if (facts == null) throw new Error('ORCHARD has no token');
    expect([LISTED - 1, LISTED, LISTED + DAY - 1, LISTED + DAY].map((at) => [lifecycleAt(facts, at), isTradableAt(facts, at)])).toEqual([
      ['upcoming', false],
      ['active', true],
      ['active', true],
      ['retired', false],
    ]);
  });
});

test('SPACEX converts into SPCXx from the split on, and is retired at the deadline', () => {
  const facts = CATALOG.bySymbol('SPACEX')?.token;
  if (facts == null) throw new Error('SPACEX has no token');
  const deadline = Date.parse('2027-03-12T00:00:00Z');
  expect([1_781_065_799_999, 1_781_065_800_000, deadline - 1, deadline].map((at) => lifecycleAt(facts, at))).toEqual([
    'active',
    'converting',
    'converting',
    'retired',
  ]);
  expect(facts.successor?.symbol).toBe('SPCXx');
  expect(isTradableAt(facts, deadline)).toBe(false);
});

test('a listed token can be bought on paper like any other, until its listing has ended', () => {
  const assessed = (delistedAt: number | null) => {
    completeCatalog([token({ delistedAt })]);
    const at = LISTED + 2 * DAY;
    const order = sizeOrder({
      id: 'order',
      origin: 'proposal',
      mode: 'paper',
      bookId: 'book',
      instrument: 'spotchain:ORCHARD',
      side: 'buy',
      touch: '0.0184',
      maxSlippageBps: 50,
      notionalUsd: '500',
      heldQuantity: '0',
    }) as Order;
    const quote = {
      venue: 'spotchain',
      instrument: 'ORCHARD',
      bid: '0.0183',
      ask: '0.0184',
      observedAt: at,
      quality: 'live',
      flags: [],
    } as const;
    const context: RiskContext = {
      at,
      quote,
      reference: { required: false, observed: null },
      liquidityUsd: '300000',
      mandate: DEFAULT_PREFERENCES,
      book: markBook(emptyBook('book', 'paper', '10000'), new Map(), at),
      others: NO_OTHER_BOOKS,
      halt: 'none',
      disabledFeature: null,
      feeBps: 25,
    };
    return assessOrder(order, context).attribution.rejections.map(({ code }) => code);
  };
  expect(assessed(null)).toEqual([]);
  expect(assessed(LISTED + DAY)).toEqual(['halted']);
});

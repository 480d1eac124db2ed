// Venue separation at compile time: forbidden code does not compile. Every line under `@ts-expect-error` is a bug that
// `npm run check` refuses; if one of them compiled, the unused expectation would fail the check.
/* oxlint-disable typescript/no-misused-spread -- the spread is the bug: the linter refuses it as well */
import { expect, test } from 'vitest';
import type { ExecutionClient, ExecutionClients } from '../../actors/proposal/execution-client.ts';
import type { SpotOrders } from '../../src/adapters/venues/spotexchange/orders.ts';
import { isOrderOn, type Order, type OrderQuote } from '../../src/domain/orders/order.ts';
import { type PaperFillInfo, type PaperMarket, paperFill } from '../../src/domain/orders/paper-fill.ts';
import { isFromVenue, type Quote, type ReferencePrice } from '../../src/domain/market/quote.ts';
import { assessOrder, type RiskApproved, type RiskContext } from '../../src/domain/risk/index.ts';
import { executablePrice } from '../../src/domain/market/valuation.ts';
import { product } from '../rooms/source.ts';

/** Checked by the compiler alone: nothing in here is ever called. */
const refused = (_bugs: () => unknown): void => {};

declare const onChain: Quote<'spotchain'>;
declare const onExchange: Quote<'spotexchange'>;
declare const onPerpetuals: Quote<'evmvenue'>;
declare const share: ReferencePrice;
declare const order: Order<'spotchain'>;
declare const context: RiskContext<'spotchain'>;
declare const approved: RiskApproved<Order<'spotchain'>>;
declare const client: ExecutionClient<'spotchain'>;
declare const exchange: ExecutionClient<'spotexchange'>;
declare const spotOrders: SpotOrders;
declare const approvedElsewhere: RiskApproved<Order<'spotexchange'>>;
declare const approvedSomewhere: RiskApproved;
declare const receivedSomewhere: Quote;
declare const info: PaperFillInfo;
declare const market: PaperMarket;

test('a quote prices orders of its own venue, and the compiler does not accept a union with another', () => {
  refused(() => [
    executablePrice(onChain, 'spotchain', 'buy'),
    // @ts-expect-error the exchange's quote on the chain
    executablePrice(onExchange, 'spotchain', 'buy'),
    // @ts-expect-error the chain's quote on the perpetuals' venue
    executablePrice(onChain, 'evmvenue', 'sell'),
    // @ts-expect-error a reference is no venue to trade on
    executablePrice(onChain, 'reference', 'buy'),
    assessOrder(order, { ...context, quote: onChain }),
    // @ts-expect-error an order on the chain is not assessed at the exchange's price
    assessOrder(order, { ...context, quote: onExchange }),
    // @ts-expect-error nor at that of a perpetual
    assessOrder(order, { ...context, quote: onPerpetuals }),
  ]);
  expect(refused).toBeTypeOf('function');
});

test('no quote becomes another venue’s by relabelling or copying', () => {
  refused(() => {
    // @ts-expect-error the label is changed, the brand is not
    const relabelled: Quote<'spotexchange'> = { ...onChain, venue: 'spotexchange' as const };
    // @ts-expect-error nor is what an order needs of a quote
    const priced: OrderQuote<'spotexchange'> = onChain as OrderQuote<'spotchain'>;
    return [relabelled, priced];
  });
});

test('a reference price is no quote: it prices no order, fills none, and marks none', () => {
  refused(() => {
    // @ts-expect-error it has no bid and no ask, and its venue is none that is traded on
    const quote: Quote = share;
    return [
      quote,
      // @ts-expect-error it is not executable
      executablePrice(share, 'spotchain', 'buy'),
      // @ts-expect-error risk takes no order at it
      assessOrder(order, { ...context, quote: share }),
      // @ts-expect-error nothing is filled at it
      paperFill(approved, { ...market, quote: share }, { takerFeeBps: 0 } as never, info),
    ];
  });
});

test('clients and paper fills take only orders passed by risk and unchanged since', () => {
  refused(() => {
    const sent = { orgId: 'o', key: 'k', quote: onChain, decisionPrice: '1', leaseUntil: 0, leaseLeftMs: () => 0 };
    return [
      client.submit(approved, sent),
      // @ts-expect-error risk has not seen it
      client.submit(order, sent),
      // @ts-expect-error it is larger than what risk saw
      client.submit({ ...approved, quantity: '6' }, sent),
      // @ts-expect-error nor does a plain copy go through: who copies may change
      client.submit({ ...approved }, sent),
      // @ts-expect-error paper fills are no way around risk
      paperFill(order, market, { takerFeeBps: 0 } as never, info),
      // @ts-expect-error nor for an order that was sent to another venue afterwards
      paperFill({ ...approved, venue: 'evmvenue' as const }, market, { takerFeeBps: 0 } as never, info),
    ];
  });
});

test('a client takes the orders and quotes of its own venue, and is registered only under its name', () => {
  refused(() => {
    const sent = { orgId: 'o', key: 'k', decisionPrice: '1', leaseUntil: 0, leaseLeftMs: () => 0 };
    const clients: ExecutionClients = {
      spotchain: client,
      // @ts-expect-error the chain's client under the name of the exchange
      spotexchange: client,
      // @ts-expect-error and the exchange's own orders under that of the perpetuals
      evmvenue: spotOrders,
    };
    // @ts-expect-error a client of every venue would take the orders of any
    const any: ExecutionClient<'spotchain' | 'spotexchange'> = exchange;
    return [
      clients,
      any,
      // @ts-expect-error risk passed it on another venue
      client.submit(approvedElsewhere, { ...sent, quote: onChain }),
      // @ts-expect-error it is not said on which
      client.submit(approvedSomewhere, { ...sent, quote: onChain }),
      // @ts-expect-error the quote is of another venue
      client.submit(approved, { ...sent, quote: onExchange }),
      // @ts-expect-error it is not said of which
      client.submit(approved, { ...sent, quote: receivedSomewhere }),
      // @ts-expect-error a reference prices nothing here either
      client.submit(approved, { ...sent, quote: share }),
      // @ts-expect-error nor is another venue's order looked for
      client.lookUp(approvedElsewhere, 'k', { orgId: 'o', decisionPrice: '1', leaseUntil: null }),
      exchange.submit(approvedElsewhere, { ...sent, quote: onExchange }),
      // @ts-expect-error the exchange itself takes no order of the chain
      spotOrders.submit(approved, { ...sent, quote: onExchange }),
    ];
  });
});

test('a venue type lost in data returns only by a check', () => {
  refused(() => {
    const sent = { orgId: 'o', key: 'k', decisionPrice: '1', leaseUntil: 0, leaseLeftMs: () => 0 };
    if (!isOrderOn(approvedSomewhere, 'spotchain') || !isFromVenue(receivedSomewhere, 'spotchain')) return [];
    return [
      client.submit(approvedSomewhere, { ...sent, quote: receivedSomewhere }),
      // @ts-expect-error asked about the chain, it is none of the exchange's
      exchange.submit(approvedSomewhere, { ...sent, quote: receivedSomewhere }),
    ];
  });
  const quote = { venue: 'spotchain' } as Quote;
  expect([isFromVenue(quote, 'spotchain'), isFromVenue(quote, 'spotexchange')]).toEqual([true, false]);
});

test('a verdict has an approved order only if it passed', () => {
  refused(() => {
    const verdict = assessOrder(order, context);
    // @ts-expect-error not before `ok` was looked at
    const early: RiskApproved = verdict.approved;
    if (verdict.ok) return [early, verdict.approved satisfies RiskApproved<Order<'spotchain'>>];
    // @ts-expect-error a blocked order is approved by nobody
    return verdict.approved;
  });
});

/** Returns the text from an opening bracket to its closing one. */
function bracketed(code: string, from: number): string {
  let depth = 0;
  for (let at = code.indexOf('(', from); at < code.length; at++) {
    if (code[at] === '(') depth++;
    else if (code[at] === ')' && --depth === 0) return code.slice(from, at + 1);
  }
  return code.slice(from);
}

test('no cast bypasses it: none makes an approved order, and none precedes the risk function', () => {
  const casts = product.flatMap(({ path, code }) => [
    ...(path !== 'src/domain/risk/assess.ts' && /\bas (?:unknown as )?RiskApproved\b/.test(code) ? [`${path}: as RiskApproved`] : []),
    ...[...code.matchAll(/\b(?:assessOrder|executablePrice|paperFill)\(/g)]
      .map((call) => bracketed(code, call.index))
      .filter((call) => /\bas (?:never|any|unknown)\b/.test(call))
      .map((call) => `${path}: ${call.slice(0, 60)}`),
  ]);
  expect(casts).toEqual([]);
});

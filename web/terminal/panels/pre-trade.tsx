/** Cost and risk of an order before it is sent. Nothing is reserved. */
import { Progress } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { forPeople, plain, priceText } from '../../words.js';
import { api, type PortfolioImpact, useRead } from '../api.ts';
import { cut, isAmount, multiply } from '../kit/decimal.ts';
import { Money, moneyText, priceShown, spreadText } from '../kit/numbers.tsx';
import { useStore } from '../kit/store.ts';
import { readQuotePrice, quoteNow, useQuote } from '../market.ts';
import { useMay } from '../member.ts';
import { type Draft, draft } from './draft.ts';
import { Changes } from './way-out.tsx';
import { FigureList, NotRead } from '../kit/lists.tsx';
import { Rejections } from '../kit/refusal.tsx';

/** Pause after typing before the check is requested. */
const QUIET_MS = 350;
/** Interval of the check: its price and its limits move with the market and with the orders of others. */
const CHECKED_EVERY_MS = 5_000;

type Allocation = PortfolioImpact['allocations'][number];

/** Returns the order's size in US dollars, or null if it has none. */
function computeNotional(key: string, { size, unit, kind, price }: Draft): string | null {
  if (!isAmount(size)) return null;
  if (unit === 'usd') return cut(size, 6);
  const at = kind === 'limit' && isAmount(price) ? price : readQuotePrice(quoteNow(key));
  if (at === null) return null;
  const notional = cut(multiply(size, at), 6);
  return isAmount(notional) ? notional : null;
}

export function PreTrade({ instrumentKey }: { readonly instrumentKey: string }) {
  const order = useStore(draft);
  const mayRead = useMay('agent:read');
  const [asked] = useDebouncedValue(order, QUIET_MS);
  const { side, mode, size, unit, kind, price } = asked;
  const isSized = computeNotional(instrumentKey, order) !== null;
  const read = useRead(
    ['impact', instrumentKey, side, mode, size, unit, kind === 'limit' ? price : ''],
    (call) => {
      // A number of units is worth what the market pays now.
      const notionalUsd = computeNotional(instrumentKey, asked) ?? '';
      return api.simulateImpact({ body: { mode, allocations: [{ instrument: instrumentKey, side, notionalUsd }] } }, call);
    },
    {
      enabled: mayRead && isSized && computeNotional(instrumentKey, asked) !== null,
      placeholderData: (before) => before,
      refetchInterval: CHECKED_EVERY_MS,
    },
  );
  const allocation = isSized ? read.data?.allocations[0] : undefined;
  const isOfOrder = asked === order && !read.isPlaceholderData;
  return (
    <section className="pre-trade" aria-label="Pre-trade check" aria-busy={!isOfOrder}>
      <Costs instrumentKey={instrumentKey} allocation={isOfOrder ? allocation : undefined} />
      {read.error === null ? <Risk allocation={allocation} isOfOrder={isOfOrder} /> : <NotRead query={read} />}
    </section>
  );
}

function Costs({ instrumentKey, allocation }: { readonly instrumentKey: string; readonly allocation: Allocation | undefined }) {
  const quote = useQuote(instrumentKey);
  return (
    <FigureList
      look="facts"
      lines={[
        ['Est. price', allocation?.price == null ? null : priceShown(allocation.price)],
        ['Quantity', allocation && priceText(allocation.quantity)],
        ['Fee', allocation && <Money usd={allocation.feeUsd} />],
        ['Spread', spreadText(quote?.bid, quote?.ask)],
        ['Worst price', allocation?.risk?.order && priceShown(allocation.risk.order.limitPrice)],
      ]}
    />
  );
}

/** @param props.isOfOrder False while the check is of an earlier state of the ticket. */
function Risk({ allocation, isOfOrder }: { readonly allocation: Allocation | undefined; readonly isOfOrder: boolean }) {
  if (allocation === undefined) return <p className="verdict faint">Enter a size to check risk and costs.</p>;
  const { wouldPass, risk, limits, note } = allocation;
  const shown = limits.filter(({ code, limitUsd }) => limitUsd !== null && SHOWN_LIMITS.includes(code));
  return (
    <>
      <p className={`verdict ${isOfOrder ? (wouldPass ? 'up' : 'down') : 'faint'}`} role="status">
        <strong>{isOfOrder ? (wouldPass ? 'Risk: passes' : 'Risk: blocked') : 'Risk: checking…'}</strong>
      </p>
      {shown.map(({ code, limitUsd, afterUsd }) => (
        <Limit key={code} name={plain(code).replace(/ breach$/, '')} used={afterUsd} limit={limitUsd ?? '0'} />
      ))}
      <Rejections of={risk?.rejections} />
      <Changes rejections={risk?.rejections ?? []} />
      {note !== '' && <p className="faint">{forPeople(note)}</p>}
    </>
  );
}

/** Rejection codes of the limits that people set. The other limits derive from these. */
const SHOWN_LIMITS = ['notional_limit_breach', 'capital_limit_breach'];

function Limit({ name, used, limit }: { readonly name: string; readonly used: string; readonly limit: string }) {
  const percent = Math.min(100, Math.max(0, (Number(used) / Number(limit)) * 100));
  return (
    <div className="limit" title={`${moneyText(used)} of ${moneyText(limit)} after this order`}>
      <span>{name}</span>
      <Progress value={percent} size={4} color={percent > 90 ? 'red' : percent > 70 ? 'yellow' : 'blue'} aria-label={`${name} used`} />
      <span className="num">{percent < 0.1 && percent > 0 ? '<0.1' : percent.toFixed(1)} %</span>
    </div>
  );
}

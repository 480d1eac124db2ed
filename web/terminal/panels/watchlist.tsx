/** Watchlist of instruments with live prices. Starred ones stay on top. */
import { ActionIcon } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { api, type CatalogEntry, useRead } from '../api.ts';
import { benchmarkOf, useCatalog } from '../catalog.ts';
import { settingOf } from '../kept-settings.ts';
import { Written } from '../kit/form.tsx';
import { StarIcon } from '../kit/icons.tsx';
import { Change, Price, Quality } from '../kit/numbers.tsx';
import { Sparkline } from '../kit/sparkline.tsx';
import { useStore } from '../kit/store.ts';
import { premiumPct, priceOf, useQuote, useTicker } from '../market.ts';
import { choose, instrument } from '../place.ts';
import { IS_REPLAY } from '../replay/mode.ts';
import { useMove } from './use-move.ts';

/** Hourly closes change once an hour, but a slow venue is read again sooner. */
const READ_EVERY_MS = 300_000;

const starred = settingOf('starred', 'spotexchange:BTCUSDT spotexchange:ETHUSDT spotchain:AAPLx spotchain:TSLAx');

const GROUPS: readonly (readonly [title: string, kinds: readonly CatalogEntry['kind'][]])[] = [
  ['Spot', ['spot']],
  ['Tokenized shares', ['tokenized_equity']],
  ['Pre-IPO', ['pre_ipo']],
  ['Agent tokens', ['agent_token']],
  ['Perpetuals', ['perp']],
];

type Days = ReadonlyMap<string, readonly string[]>;

/** Hourly closes of the last day by instrument. A replay has none. */
function useDays(): Days | undefined {
  const { data } = useRead(
    ['days'],
    async (call) => {
      const days = new Map<string, readonly string[]>();
      for await (const { venue, instrument: symbol, bars } of api.listDayCloses.items({ limit: 200 }, call))
        days.set(
          `${venue}:${symbol}`,
          bars.map(({ close }) => close),
        );
      return days;
    },
    { enabled: !IS_REPLAY, staleTime: READ_EVERY_MS, refetchInterval: READ_EVERY_MS },
  );
  return data;
}

export function Watchlist() {
  const days = useDays();
  const [wanted, setWanted] = useState('');
  const stars = useStore(starred).split(' ');
  const entries = useCatalog().filter(({ instrument: symbol, name }) =>
    `${symbol} ${name}`.toLowerCase().includes(wanted.trim().toLowerCase()),
  );
  const isStarred = ({ key }: CatalogEntry): boolean => stars.includes(key);
  const rest = entries.filter((entry) => !isStarred(entry));
  return (
    <div className="panel-scroll watchlist">
      <Written className="panel-search" placeholder="Filter instruments" aria-label="Filter instruments" value={wanted} write={setWanted} />
      <table className="rows">
        <thead>
          <tr>
            <th scope="col">Instrument</th>
            <th scope="col">24 h</th>
            <th scope="col">Price</th>
            <th scope="col" title="Change in 24 hours; below it the premium of a token to its reference">
              Change
            </th>
          </tr>
        </thead>
        <Group title="Favorites" entries={entries.filter(isStarred)} stars={stars} days={days} />
        {GROUPS.map(([title, kinds]) => (
          <Group key={title} title={title} entries={rest.filter(({ kind }) => kinds.includes(kind))} stars={stars} days={days} />
        ))}
      </table>
      {entries.length === 0 && wanted !== '' && <p className="empty">No instrument matches “{wanted}”.</p>}
    </div>
  );
}

function Group({
  title,
  entries,
  stars,
  days,
}: {
  readonly title: string;
  readonly entries: readonly CatalogEntry[];
  readonly stars: readonly string[];
  readonly days: Days | undefined;
}): ReactNode {
  if (entries.length === 0) return null;
  return (
    <tbody>
      <tr className="row-group">
        <th colSpan={4} scope="rowgroup">
          {title}
        </th>
      </tr>
      {entries.map((entry) => (
        <Row key={entry.key} entry={entry} isStarred={stars.includes(entry.key)} day={days?.get(entry.key) ?? NO_DAY} />
      ))}
    </tbody>
  );
}

interface RowProps {
  readonly entry: CatalogEntry;
  readonly isStarred: boolean;
  readonly day: readonly string[];
}

const NO_DAY: readonly string[] = [];

function Row({ entry, isStarred, day }: RowProps) {
  const { key, instrument: symbol, name } = entry;
  const isChosen = useStore(instrument) === key;
  const quote = useQuote(key);
  const price = priceOf(quote);
  const move = useMove(price);
  return (
    <tr className="row" data-chosen={isChosen} data-instrument={key} onClick={() => choose(key)}>
      <th scope="row">
        <span className="instrument">
          <ActionIcon
            variant="transparent"
            size="xs"
            className="star"
            data-on={isStarred}
            aria-label={`${isStarred ? 'Remove' : 'Add'} ${symbol} ${isStarred ? 'from' : 'to'} favorites`}
            onClick={(event) => {
              event.stopPropagation();
              toggle(key);
            }}
          >
            <StarIcon />
          </ActionIcon>
          <button type="button" className="plain" aria-current={isChosen ? 'true' : undefined} onClick={() => choose(key)} title={name}>
            {symbol.replace(/^xyz:/, '')}
          </button>
          <Quality row={quote} short />
        </span>
      </th>
      <td className="day">
        {day.length > 1 && <Sparkline isValued values={price === null ? day : [...day, price]} label={`Last 24 hours of ${symbol}`} />}
      </td>
      <td className={`flash-${move}`}>
        <Price price={price} />
      </td>
      <td>
        <DayChange entry={entry} price={price} before={day[0] ?? null} />
        <Premium entry={entry} price={price} />
      </td>
    </tr>
  );
}

/** Change in 24 hours, from the exchange or against the close a day ago. */
function DayChange({
  entry,
  price,
  before,
}: {
  readonly entry: CatalogEntry;
  readonly price: string | null;
  readonly before: string | null;
}) {
  const ticker = useTicker(entry.key);
  return <Change percent={ticker === undefined ? premiumPct(price, before) : Number(ticker.priceChangePct)} title="Change in 24 hours" />;
}

function Premium({ entry, price }: { readonly entry: CatalogEntry; readonly price: string | null }) {
  const reference = priceOf(useQuote(benchmarkOf(entry)));
  const premium = premiumPct(price, reference);
  if (premium === null || (entry.kind !== 'tokenized_equity' && entry.kind !== 'pre_ipo')) return null;
  return (
    <small className="premium num" title={`Premium of ${premium.toFixed(2)} % to the reference ${reference ?? ''}`}>
      {premium > 0 ? '+' : ''}
      {premium.toFixed(Math.abs(premium) < 10 ? 1 : 0)} prem
    </small>
  );
}

function toggle(key: string): void {
  const keys = starred.get().split(' ').filter(Boolean);
  starred.set((keys.includes(key) ? keys.filter((kept) => kept !== key) : [...keys, key]).join(' '));
}

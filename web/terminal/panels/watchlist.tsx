/** Watchlist of instruments with live prices. Starred ones stay on top. */
import { ActionIcon } from '@mantine/core';
import { useState } from 'react';
import { api, type CatalogEntry, useRead } from '../api.ts';
import { benchmarkKey, useCatalog } from '../catalog.ts';
import { openSetting } from '../kept-settings.ts';
import { Written } from '../kit/form.tsx';
import { StarIcon } from '../kit/icons.tsx';
import { signedText } from '../kit/number-texts.ts';
import { Change, Price, priceShown, Quality } from '../kit/numbers.tsx';
import { Sparkline } from '../kit/sparkline.tsx';
import { useStore } from '../kit/store.ts';
import { Table } from '../kit/table.tsx';
import { premiumPct, readQuotePrice, useDay, useQuote } from '../market.ts';
import { choose, instrument } from '../place.ts';
import { IS_REPLAY } from '../replay/mode.ts';
import { useMove } from './use-move.ts';

/** Hourly closes change once an hour, but a slow venue is read again sooner. */
const READ_EVERY_MS = 300_000;

const starred = openSetting('starred', 'spotexchange:BTCUSDT spotexchange:ETHUSDT spotchain:AAPLx spotchain:TSLAx');

const FAVORITES = 'Favorites';
const GROUPS: Readonly<Record<CatalogEntry['kind'], string>> = {
  spot: 'Spot',
  tokenized_equity: 'Tokenized shares',
  pre_ipo: 'Pre-IPO',
  agent_token: 'Agent tokens',
  perp: 'Perpetuals',
};
const GROUP_ORDER = [FAVORITES, ...Object.values(GROUPS)];

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
  const chosen = useStore(instrument);
  const entries = useCatalog().filter(({ instrument: symbol, name }) =>
    `${symbol} ${name}`.toLowerCase().includes(wanted.trim().toLowerCase()),
  );
  const isStarred = ({ key }: CatalogEntry): boolean => stars.includes(key);
  const findGroup = (entry: CatalogEntry): string => (isStarred(entry) ? FAVORITES : GROUPS[entry.kind]);
  return (
    <div className="panel-scroll watchlist">
      <Written className="panel-search" placeholder="Filter instruments" aria-label="Filter instruments" value={wanted} write={setWanted} />
      <Table
        rows={entries.toSorted((a, b) => GROUP_ORDER.indexOf(findGroup(a)) - GROUP_ORDER.indexOf(findGroup(b)))}
        keyOf={({ key }) => key}
        groupOf={findGroup}
        attributesOf={({ key }) => ({
          className: 'row',
          'data-chosen': key === chosen,
          'data-instrument': key,
          onClick: () => choose(key),
        })}
        columns={[
          { title: 'Instrument', cell: (entry) => <Name entry={entry} isStarred={isStarred(entry)} isChosen={entry.key === chosen} /> },
          { title: '24 h', cell: (entry) => <Day entry={entry} day={days?.get(entry.key) ?? NO_DAY} /> },
          { title: 'Price', cell: (entry) => <Moving of={entry.key} /> },
          {
            title: 'Change',
            hint: 'Change in 24 hours; below it the premium of a token to its reference',
            cell: (entry) => <DayChange entry={entry} before={days?.get(entry.key)?.[0] ?? null} />,
          },
        ]}
      />
      {entries.length === 0 && wanted !== '' && <p className="empty">No instrument matches “{wanted}”.</p>}
    </div>
  );
}

const NO_DAY: readonly string[] = [];
/** Length of a price that fits its column. */
const FITTING_DIGITS = 10;

interface NameProps {
  readonly entry: CatalogEntry;
  readonly isStarred: boolean;
  readonly isChosen: boolean;
}

function Name({ entry: { key, instrument: symbol, name }, isStarred, isChosen }: NameProps) {
  const quote = useQuote(key);
  return (
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
  );
}

function Day({ entry: { key, instrument: symbol }, day }: { readonly entry: CatalogEntry; readonly day: readonly string[] }) {
  const price = readQuotePrice(useQuote(key));
  if (day.length < 2) return null;
  return <Sparkline isValued values={price === null ? day : [...day, price]} label={`Last 24 hours of ${symbol}`} />;
}

/** Price that takes the colour of its last move. */
function Moving({ of: key }: { readonly of: string }) {
  const price = readQuotePrice(useQuote(key));
  return (
    <span className={`flash-${useMove(price)}`} data-long={price !== null && priceShown(price).length > FITTING_DIGITS}>
      <Price price={price} />
    </span>
  );
}

/** Change in 24 hours, by the exchange while its figure is current, or against the close a day ago. Below it, the premium of a token. */
function DayChange({ entry, before }: { readonly entry: CatalogEntry; readonly before: string | null }) {
  const price = readQuotePrice(useQuote(entry.key));
  const day = useDay(entry.key);
  return (
    <>
      <Change percent={day == null ? premiumPct(price, before) : Number(day.priceChangePct)} title="Change in 24 hours" />
      <Premium entry={entry} price={price} />
    </>
  );
}

function Premium({ entry, price }: { readonly entry: CatalogEntry; readonly price: string | null }) {
  const reference = readQuotePrice(useQuote(benchmarkKey(entry)));
  const premium = premiumPct(price, reference);
  if (premium === null || (entry.kind !== 'tokenized_equity' && entry.kind !== 'pre_ipo')) return null;
  return (
    <small className="premium num" title={`Premium of ${premium.toFixed(2)} % to the reference ${reference ?? ''}`}>
      {signedText(premium, Math.abs(premium) < 10 ? 1 : 0)} % prem
    </small>
  );
}

function toggle(key: string): void {
  const keys = starred.get().split(' ').filter(Boolean);
  starred.set((keys.includes(key) ? keys.filter((kept) => kept !== key) : [...keys, key]).join(' '));
}

/** Instruments with their live prices; a star keeps one on top. */
import { ActionIcon, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { CatalogEntry } from '../api.ts';
import { benchmarkOf, useCatalog } from '../catalog.ts';
import { StarIcon } from '../kit/icons.tsx';
import { Change, Price, Quality } from '../kit/numbers.tsx';
import { createKeptStore, useStore } from '../kit/store.ts';
import { premiumPct, priceOf, useQuote, useTicker } from '../market.ts';
import { choose, instrument } from '../place.ts';
import { useMove } from './use-move.ts';

const starred = createKeptStore('sevengate.terminal.starred', 'spotexchange:BTCUSDT spotexchange:ETHUSDT spotchain:AAPLx spotchain:TSLAx');

const GROUPS: readonly (readonly [title: string, kinds: readonly CatalogEntry['kind'][]])[] = [
  ['Spot', ['spot']],
  ['Tokenized shares', ['tokenized_equity']],
  ['Pre-IPO', ['pre_ipo']],
  ['Agent tokens', ['agent_token']],
  ['Perpetuals', ['perp']],
];

export function Watchlist() {
  const [wanted, setWanted] = useState('');
  const stars = useStore(starred).split(' ');
  const entries = useCatalog().filter(({ instrument: symbol, name }) =>
    `${symbol} ${name}`.toLowerCase().includes(wanted.trim().toLowerCase()),
  );
  const isStarred = ({ key }: CatalogEntry): boolean => stars.includes(key);
  const rest = entries.filter((entry) => !isStarred(entry));
  return (
    <div className="panel-scroll watchlist">
      <TextInput
        className="panel-search"
        placeholder="Filter instruments"
        aria-label="Filter instruments"
        value={wanted}
        onChange={({ currentTarget }) => setWanted(currentTarget.value)}
      />
      <table className="rows">
        <thead>
          <tr>
            <th scope="col">Instrument</th>
            <th scope="col">Price</th>
            <th scope="col" title="24 hours on the exchange; premium to its reference for a token">
              Change
            </th>
          </tr>
        </thead>
        <Group title="Favorites" entries={entries.filter(isStarred)} stars={stars} />
        {GROUPS.map(([title, kinds]) => (
          <Group key={title} title={title} entries={rest.filter(({ kind }) => kinds.includes(kind))} stars={stars} />
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
}: {
  readonly title: string;
  readonly entries: readonly CatalogEntry[];
  readonly stars: readonly string[];
}): ReactNode {
  if (entries.length === 0) return null;
  return (
    <tbody>
      <tr className="row-group">
        <th colSpan={3} scope="rowgroup">
          {title}
        </th>
      </tr>
      {entries.map((entry) => (
        <Row key={entry.key} entry={entry} isStarred={stars.includes(entry.key)} />
      ))}
    </tbody>
  );
}

function Row({ entry, isStarred }: { readonly entry: CatalogEntry; readonly isStarred: boolean }) {
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
      <td className={`flash-${move}`}>
        <Price price={price} />
      </td>
      <td>
        <DayOrPremium entry={entry} price={price} />
      </td>
    </tr>
  );
}

function DayOrPremium({ entry, price }: { readonly entry: CatalogEntry; readonly price: string | null }) {
  const ticker = useTicker(entry.key);
  const reference = priceOf(useQuote(benchmarkOf(entry)));
  if (ticker !== undefined) return <Change percent={Number(ticker.priceChangePct)} title="Change in 24 hours" />;
  return <Change percent={premiumPct(price, reference)} title={`Premium to the reference ${reference}`} />;
}

function toggle(key: string): void {
  const keys = starred.get().split(' ').filter(Boolean);
  starred.set((keys.includes(key) ? keys.filter((kept) => kept !== key) : [...keys, key]).join(' '));
}

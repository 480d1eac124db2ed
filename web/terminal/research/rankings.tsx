/** Tokens ranked by discount, premium, liquidity or events. */
import { SegmentedControl, Switch, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type CSSProperties, useState } from 'react';
import { capitalized, plain } from '../../words.js';
import { api, type RankedRow } from '../api.ts';
import { Heads } from '../kit/heads.tsx';
import { Change, compactText, Price, Quality } from '../kit/numbers.tsx';
import { choose } from '../place.ts';
import { Loaded } from '../kit/lists.tsx';

const MODES = {
  'fair-value': ['deepest_discount', 'highest_premium', 'liquidity', 'event_intensity'],
  private: ['gap_to_mark', 'deepest_discount', 'highest_premium', 'liquidity', 'momentum', 'news_intensity'],
} as const;
type Market = keyof typeof MODES;
/** Gap in percent that has the full colour. */
const FULL_HEAT_PCT = 4;

export function Rankings() {
  const [market, setMarket] = useState<Market>('fair-value');
  const [mode, setMode] = useState<string>('deepest_discount');
  const [wanted, setWanted] = useState('');
  const [isRanked, setRanked] = useState(false);
  const [q] = useDebouncedValue(wanted.trim(), 300);
  const read = useQuery({
    queryKey: ['rankings', market, mode, q, isRanked],
    queryFn: ({ signal }) => {
      const filter = { limit: 200, ...(q === '' ? {} : { q }), ...(isRanked ? { ranked: true } : {}) };
      return market === 'private'
        ? api.rankPrivateMarkets({ ...filter, mode: mode as 'momentum' }, { signal })
        : api.rankFairValue({ ...filter, mode: mode as 'liquidity' }, { signal });
    },
    refetchInterval: 30_000,
    placeholderData: (before) => before,
  });
  return (
    <div className="page">
      <div className="page-head">
        <h1>Rankings</h1>
        <SegmentedControl
          aria-label="Market"
          data={[
            { value: 'fair-value', label: 'Tokenized shares' },
            { value: 'private', label: 'Pre-IPO' },
          ]}
          value={market}
          onChange={(value) => {
            setMarket(value as Market);
            setMode(MODES[value as Market][0]);
          }}
        />
        <span className="space" />
        <Switch label="Ranked only" checked={isRanked} onChange={({ currentTarget }) => setRanked(currentTarget.checked)} />
        <TextInput
          placeholder="Filter"
          aria-label="Filter rankings"
          value={wanted}
          onChange={({ currentTarget }) => setWanted(currentTarget.value)}
        />
      </div>
      <SegmentedControl
        aria-label="Rank by"
        data={MODES[market].map((value) => ({ value, label: capitalized(plain(value)) }))}
        value={mode}
        onChange={setMode}
        className="wrap-control"
      />
      <Loaded query={read}>
        {({ formula, items }) => (
          <>
            <p className="faint">{capitalized(plain(formula))}</p>
            <Ranked rows={items} />
          </>
        )}
      </Loaded>
    </div>
  );
}

function Ranked({ rows }: { readonly rows: readonly RankedRow[] }) {
  if (rows.length === 0) return <p className="empty">No token matches.</p>;
  return (
    <div className="card scroll-x" tabIndex={0} role="region" aria-label="Ranked tokens">
      <table className="rows wide">
        <Heads
          titles={['#', 'Token', 'Sector', 'Price', 'Reference', 'Gap', 'Liquidity', 'Score', 'Session', 'Notes']}
          words={['Token', 'Sector', 'Session', 'Notes']}
        />
        <tbody>
          {rows.map((row) => (
            <RankedLine key={row.instrument} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RankedLine({ row }: { readonly row: RankedRow }) {
  const { rank, symbol, name, instrument, sector, tokenPrice, reference, gapPct, liquidityUsd, score, session, reasons, flags } = row;
  const heat = gapPct === null ? 0 : Math.min(1, Math.abs(gapPct) / FULL_HEAT_PCT);
  return (
    <tr data-ranked={instrument}>
      <td className="num">{rank ?? '–'}</td>
      <th scope="row">
        <button type="button" className="plain" onClick={() => choose(instrument)}>
          {symbol}
        </button>{' '}
        <small>{name}</small>
      </th>
      <td className="text">{plain(sector)}</td>
      <td>
        <Price price={tokenPrice?.price} />
      </td>
      <td>
        <Price price={reference?.price} />
        {reference !== null && (
          <>
            {' '}
            <Quality row={reference} short />
          </>
        )}
      </td>
      <td
        className="heat"
        style={{ '--heat': heat.toFixed(2) } as CSSProperties}
        data-way={gapPct !== null && gapPct < 0 ? 'discount' : 'premium'}
      >
        <Change percent={gapPct} />
      </td>
      <td className="num">{liquidityUsd === null ? '–' : `$${compactText(liquidityUsd)}`}</td>
      <td className="num" title={score ?? ''}>
        {score === null ? '–' : Number(score).toFixed(3)}
      </td>
      <td className="text">{session === null ? '–' : plain(session.toLowerCase())}</td>
      <td className="text faint">{[...reasons, ...flags].map(plain).join(', ')}</td>
    </tr>
  );
}

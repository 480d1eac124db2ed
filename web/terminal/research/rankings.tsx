/** Tokens ranked by discount, premium, liquidity or events. */
import { Switch } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { CSSProperties } from 'react';
import { capitalized, plain } from '../../words.js';
import { api, type RankedRow, useRead } from '../api.ts';
import { Segments, Written } from '../kit/form.tsx';
import { Heads } from '../kit/heads.tsx';
import { Change, compactText, Price, Quality } from '../kit/numbers.tsx';
import { choose } from '../place.ts';
import { Loaded } from '../kit/lists.tsx';
import { useView, type View, Views } from '../kit/views.tsx';

const MODES = {
  'fair-value': ['deepest_discount', 'highest_premium', 'liquidity', 'event_intensity'],
  private: ['gap_to_mark', 'deepest_discount', 'highest_premium', 'liquidity', 'momentum', 'news_intensity'],
} as const;
type Market = keyof typeof MODES;
const TITLES = ['#', 'Token', 'Sector', 'Price', 'Reference', 'Gap', 'Liquidity', 'Score', 'Session', 'Notes'];
/** Gap in percent that has the full colour. */
const FULL_HEAT_PCT = 4;

export function Rankings() {
  const view = useView('rankings', { market: 'fair-value', mode: 'deepest_discount', wanted: '', ranked: '' }, '3 5', {
    market: Object.keys(MODES),
    mode: Object.values(MODES).flat(),
  });
  const { mode, wanted } = view.values;
  const market = view.values.market as Market;
  const isRanked = view.values.ranked !== '';
  const [q] = useDebouncedValue(wanted.trim(), 300);
  const read = useRead(
    ['rankings', market, mode, q, isRanked],
    (call) => {
      const filter = { limit: 200, ...(q === '' ? {} : { q }), ...(isRanked ? { ranked: true } : {}) };
      return market === 'private'
        ? api.rankPrivateMarkets({ ...filter, mode: mode as 'momentum' }, call)
        : api.rankFairValue({ ...filter, mode: mode as 'liquidity' }, call);
    },
    { refetchInterval: 30_000, placeholderData: (before) => before },
  );
  return (
    <div className="page">
      <div className="page-head">
        <h1>Rankings</h1>
        <Segments
          label="Market"
          of={[
            ['fair-value', 'Tokenized shares'],
            ['private', 'Pre-IPO'],
          ]}
          value={market}
          choose={(value) => view.set({ market: value, mode: MODES[value][0] })}
        />
        <span className="space" />
        <Switch
          label="Ranked only"
          checked={isRanked}
          onChange={({ currentTarget }) => view.set({ ranked: currentTarget.checked ? 'yes' : '' })}
        />
        <Written placeholder="Filter" aria-label="Filter rankings" value={wanted} write={(text) => view.set({ wanted: text })} />
        <Views view={view} titles={TITLES} />
      </div>
      <Segments label="Rank by" of={MODES[market]} value={mode} choose={(value) => view.set({ mode: value })} className="wrap-control" />
      <Loaded query={read}>
        {({ formula, items }) => (
          <>
            <p className="faint">{capitalized(plain(formula))}</p>
            <Ranked rows={view.inOrder(items, textsOf)} view={view} />
          </>
        )}
      </Loaded>
    </div>
  );
}

/** Returns the values of a token's cells by which its row is sorted. */
const textsOf = ({ rank, symbol, sector, tokenPrice, reference, gapPct, liquidityUsd, score, session, reasons }: RankedRow) => [
  rank?.toString(),
  symbol,
  sector,
  tokenPrice?.price,
  reference?.price,
  gapPct?.toString(),
  liquidityUsd,
  score,
  session,
  reasons.join(),
];

function Ranked({ rows, view }: { readonly rows: readonly RankedRow[]; readonly view: Pick<View, 'values' | 'sorting'> }) {
  if (rows.length === 0) return <p className="empty">No token matches.</p>;
  return (
    <div className="card scroll-x" tabIndex={0} role="region" aria-label="Ranked tokens">
      <table className="rows wide" data-hidden={view.values.hidden}>
        <Heads titles={TITLES} words={['Token', 'Sector', 'Session', 'Notes']} sorting={view.sorting} />
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

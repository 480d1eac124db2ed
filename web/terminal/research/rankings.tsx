/** Tokens ranked by discount, premium, liquidity or events. */
import { Switch } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { CSSProperties } from 'react';
import { capitalized, plain } from '../../words.js';
import { api, type RankedRow, useRead } from '../api.ts';
import type { Attributes, Column } from '../kit/columns.tsx';
import { Segments, Written } from '../kit/form.tsx';
import { Price, Quality } from '../kit/numbers.tsx';
import { Loaded } from '../kit/lists.tsx';
import { Table } from '../kit/table.tsx';
import { useView, Views } from '../kit/views.tsx';
import { Instrument } from '../kit/columns.tsx';

const MODES = {
  'fair-value': ['deepest_discount', 'highest_premium', 'liquidity', 'event_intensity'],
  private: ['gap_to_mark', 'deepest_discount', 'highest_premium', 'liquidity', 'momentum', 'news_intensity'],
} as const;
type Market = keyof typeof MODES;
/** Gap in percent that has the full colour. */
const FULL_HEAT_PCT = 4;

export function Rankings() {
  const view = useView(
    'rankings',
    { market: 'fair-value', mode: 'deepest_discount', wanted: '', ranked: '' },
    {
      market: Object.keys(MODES),
      mode: Object.values(MODES).flat(),
    },
  );
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
          of={{ 'fair-value': 'Tokenized shares', private: 'Pre-IPO' }}
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
        <Views view={view} titles={COLUMNS.map(({ title }) => title)} />
      </div>
      <Segments label="Rank by" of={MODES[market]} value={mode} choose={(value) => view.set({ mode: value })} className="wrap-control" />
      <Loaded query={read}>
        {({ formula, items }) => (
          <>
            <p className="faint">{capitalized(plain(formula))}</p>
            <Table
              label="Ranked tokens"
              empty="No token matches."
              area="card scroll-x"
              isSearched={false}
              view={view}
              rows={items}
              columns={COLUMNS}
              keyOf={({ instrument }) => instrument}
              attributesOf={({ instrument }) => ({ 'data-ranked': instrument })}
            />
          </>
        )}
      </Loaded>
    </div>
  );
}

const COLUMNS: readonly Column<RankedRow>[] = [
  { title: '#', text: ({ rank }) => rank ?? '–' },
  {
    title: 'Token',
    isText: true,
    isName: true,
    cell: ({ instrument, symbol, name }) => (
      <>
        <Instrument of={instrument}>{symbol}</Instrument> <small>{name}</small>
      </>
    ),
  },
  { title: 'Sector', isText: true, text: ({ sector }) => plain(sector) },
  { title: 'Price', price: ({ tokenPrice }) => tokenPrice?.price },
  {
    title: 'Reference',
    value: ({ reference }) => reference?.price,
    cell: ({ reference }) => (
      <>
        <Price price={reference?.price} /> {reference !== null && <Quality row={reference} short />}
      </>
    ),
  },
  { title: 'Gap', isFigure: true, change: ({ gapPct }) => gapPct, attributesOf: shadeGap },
  { title: 'Liquidity', large: ({ liquidityUsd }) => liquidityUsd },
  { title: 'Score', cell: ({ score }) => <span title={score ?? ''}>{score === null ? '–' : Number(score).toFixed(3)}</span> },
  { title: 'Session', isText: true, text: ({ session }) => (session === null ? '–' : plain(session.toLowerCase())) },
  { title: 'Notes', isText: true, isFaint: true, text: ({ reasons, flags }) => [...reasons, ...flags].map(plain).join(', ') },
];

/** Colour of a gap. */
function shadeGap({ gapPct }: RankedRow): Attributes<'td'> {
  const heat = gapPct === null ? 0 : Math.min(1, Math.abs(gapPct) / FULL_HEAT_PCT);
  return {
    className: 'num heat',
    style: { '--heat': heat.toFixed(2) } as CSSProperties,
    'data-way': gapPct !== null && gapPct < 0 ? 'discount' : 'premium',
  };
}

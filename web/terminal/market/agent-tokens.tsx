/** Agent tokens ranked by risk and strength, and those paired with a share. */
import { useState } from 'react';
import { plain, readSymbol } from '../../words.js';
import { api, type PairedPerformance, type RankedAgentToken } from '../api.ts';
import { Opener } from '../kit/beside.tsx';
import { Segments } from '../kit/form.tsx';
import { List, useList } from '../kit/lists.tsx';
import { AgentToken } from './agent-token.tsx';

const READ_EVERY_MS = 30_000;
const MODES = ['lowest_risk', 'liquidity', 'dispersion', 'relative_performance', 'newest'] as const;
type Mode = (typeof MODES)[number];

export function AgentTokens() {
  const [view, setView] = useState<'all' | 'paired'>('all');
  const [mint, setMint] = useState<string | null>(null);
  return (
    <div className="page">
      <div className="page-head">
        <h1>Agent tokens</h1>
        <Segments label="Tokens" of={{ all: 'All tokens', paired: 'Paired with a share' }} value={view} choose={setView} />
      </div>
      {view === 'all' ? <Ranked chosen={mint} choose={setMint} /> : <Paired chosen={mint} choose={setMint} />}
      {mint !== null && <AgentToken key={mint} mint={mint} />}
    </div>
  );
}

interface TableProps {
  readonly chosen: string | null;
  readonly choose: (mint: string | null) => void;
}

function Ranked({ chosen, choose }: TableProps) {
  const [mode, setMode] = useState<Mode>('lowest_risk');
  const tokens = useList(['agent-tokens', mode], (page, options) => api.rankAgentTokens({ ...page, mode }, options), {
    everyMs: READ_EVERY_MS,
  });
  return (
    <>
      <Segments label="Rank by" of={MODES} value={mode} choose={setMode} className="wrap-control" />
      <List
        list={tokens}
        label="Agent tokens"
        empty={
          <>
            No agent tokens yet. <a href="#/launches">Launch one</a> from an agent or a Take.
          </>
        }
        keyOf={({ mint }) => mint}
        columns={[
          { title: 'Token', cell: (token) => showName(token, { chosen, choose }) },
          { title: 'Price', price: ({ price }) => price?.priceUsd },
          { title: 'Score', cell: showScore },
          { title: 'Depth', large: ({ depth }) => depth?.depthUsd },
          {
            title: 'Top 10 (%)',
            hint: 'Percent of the supply that the ten largest holders have',
            ratio: ({ holders }) => holders?.top10Pct,
          },
          {
            title: 'Creator can sell (%)',
            hint: 'Percent of the supply that the creator holds unlocked',
            ratio: ({ creator }) => creator?.freePct,
          },
          { title: 'Paired', isText: true, text: ({ pairedStock }) => (pairedStock === null ? '–' : readSymbol(pairedStock)) },
          { title: 'Listed', ago: ({ listedAt }) => listedAt },
        ]}
      />
    </>
  );
}

function showScore({ score, reasons }: RankedAgentToken) {
  if (score === null) return <span className="faint">{reasons.map(plain).join(', ') || '–'}</span>;
  return <>{score.toFixed(2)}</>;
}

const showName = ({ mint, symbol, name }: Pick<RankedAgentToken, 'mint' | 'symbol' | 'name'>, { chosen, choose }: TableProps) => (
  <>
    <Opener isOpen={chosen === mint} toggle={() => choose(chosen === mint ? null : mint)}>
      {symbol}
    </Opener>{' '}
    <small className="long">{name}</small>
  </>
);

function Paired({ chosen, choose }: TableProps) {
  const relative = (window: PairedPerformance['window']) => (performance: readonly PairedPerformance[]) =>
    performance.find((one) => one.window === window)?.relativePct;
  return (
    <List
      list={useList(['stock-paired'], api.listStockPaired, { everyMs: READ_EVERY_MS })}
      label="Tokens that are paired with a share"
      empty="No token is paired with a share."
      keyOf={({ mint }) => mint}
      columns={[
        { title: 'Token', cell: (token) => showName(token, { chosen, choose }) },
        { title: 'Share', isText: true, text: ({ pairedStock }) => readSymbol(pairedStock) },
        { title: 'Price', price: ({ priceUsd }) => priceUsd },
        { title: '24 h against the share', isFigure: true, change: ({ performance }) => relative('24h')(performance) },
        { title: '7 days', change: ({ performance }) => relative('7d')(performance) },
        { title: '30 days', change: ({ performance }) => relative('30d')(performance) },
        { title: 'Risk', text: ({ risk }) => risk.score.toFixed(0) },
        {
          title: 'Exposure',
          isText: true,
          cell: ({ duplicatedExposure }) =>
            duplicatedExposure?.flagged === true ? (
              <span className="warn">held twice: token and share</span>
            ) : (
              <span className="faint">–</span>
            ),
        },
      ]}
    />
  );
}

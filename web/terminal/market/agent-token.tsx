/** Page of one agent token: holders, the creator's sellable share, liquidity, and each term of its risk score. */
import { Progress } from '@mantine/core';
import { plain, readSymbol } from '../../words.js';
import { ApiError, api, useRead, type AgentTokenAnalytics } from '../api.ts';
import { Address } from '../kit/address.tsx';
import { Ago, At } from '../kit/ages.tsx';
import { FigureList, Loaded } from '../kit/lists.tsx';
import { Table } from '../kit/table.tsx';
import { compactText, Price } from '../kit/numbers.tsx';
import { Instrument } from '../kit/columns.tsx';

const READ_EVERY_MS = 30_000;

export function AgentToken({ mint }: { readonly mint: string }) {
  const token = useRead(['agent-token', mint], (call) => api.getAgentToken({ mint }, call), { refetchInterval: READ_EVERY_MS });
  // A token launched a moment ago is not in the market data yet.
  if (token.error instanceof ApiError && token.error.status === 404)
    return <p className="faint">Holders and risk appear here once the market lists it.</p>;
  return <Loaded query={token}>{(data) => <Token token={data} />}</Loaded>;
}

function Token({ token }: { readonly token: AgentTokenAnalytics }) {
  const { mint, instrument, symbol, name, price, depth, volume, creator, holders } = token;
  const figures: readonly (readonly [title: string, content: React.ReactNode])[] = [
    ['Mint', <Address key="mint" address={mint} />],
    ['Price', <Price key="price" price={price?.priceUsd} />],
    ['Priced', <Ago key="priced" at={price?.at} />],
    ['Depth', depth === null ? 'unknown' : `$${compactText(depth.depthUsd)} on ${plain(depth.source)}`],
    ['Volume counted', volume === null ? 'unknown' : `$${compactText(volume.countedUsd)} in ${volume.days} days`],
    ['Washed', volume === null ? 'unknown' : `${volume.washedPct.toFixed(1)} %`],
    ['Circulating', holders === null ? 'unknown' : compactText(holders.circulating)],
    ['Creator holds', creator === null ? 'unknown' : `${creator.freePct.toFixed(2)} % free, ${creator.lockedPct.toFixed(2)} % locked`],
    ['Vesting', vestingText(creator)],
    ...(creator?.vesting?.endsAt == null ? [] : [['Vested by', <At key="vested" at={creator.vesting.endsAt} />] as const]),
  ];
  return (
    <section className="card claims token" aria-label={symbol}>
      <h2>
        <Instrument of={instrument}>{symbol}</Instrument> <small>{name}</small>
      </h2>
      <FigureList look="figures" lines={figures} />
      <div className="two-columns">
        <Risk token={token} />
        <Holders token={token} />
      </div>
      <Performance token={token} />
    </section>
  );
}

function vestingText(creator: AgentTokenAnalytics['creator']): string {
  if (creator === null) return 'unknown';
  if (creator.vesting === null || creator.vesting.state === 'none') return 'none';
  const { state, unlocked, total } = creator.vesting;
  return `${plain(state)}: ${compactText(unlocked)} of ${compactText(total)}`;
}

/** Terms of the risk score with their formulas on hover. */
const Risk = ({ token: { risk } }: { readonly token: AgentTokenAnalytics }) => (
  <div>
    <h3>Risk {risk.score.toFixed(0)} of 100</h3>
    {risk.terms.map(({ name, points, weight, formula }) => (
      <div key={name} className="limit wide-limit" title={formula}>
        <span>{plain(name)}</span>
        <Progress
          value={weight === 0 ? 0 : Math.min(100, (points / weight) * 100)}
          size={5}
          color={points > weight * 0.66 ? 'red' : points > weight * 0.33 ? 'yellow' : 'teal'}
          aria-label={plain(name)}
        />
        <span className="num">
          {points.toFixed(1)} / {weight}
        </span>
      </div>
    ))}
    {risk.unknown.length > 0 && <p className="warn">Unknown, counted in full: {risk.unknown.map(plain).join(', ')}</p>}
  </div>
);

function Holders({ token: { holders } }: { readonly token: AgentTokenAnalytics }) {
  if (holders === null) return <p className="faint">Its holders are not known yet.</p>;
  return (
    <div>
      <h3>Holders {!holders.isComplete && <small>the largest that were read</small>}</h3>
      {holders.wallets.slice(0, 10).map(({ owner, pct, isCreator }) => (
        <div key={owner} className="limit wide-limit">
          <span>
            <Address address={owner} /> {isCreator && <span className="tag">creator</span>}
          </span>
          <Progress value={Math.min(100, pct)} size={5} aria-label={`Share of ${owner}`} />
          <span className="num">{pct.toFixed(2)} %</span>
        </div>
      ))}
      {holders.excluded.length > 0 && (
        <p className="faint">
          Not counted: {holders.excluded.map(({ kind, pctOfSupply }) => `${kind} ${pctOfSupply.toFixed(1)} %`).join(', ')}
        </p>
      )}
    </div>
  );
}

function Performance({ token: { performance, pairedStock, duplicatedExposure } }: { readonly token: AgentTokenAnalytics }) {
  if (performance === null || pairedStock === null) return null;
  const share = readSymbol(pairedStock);
  return (
    <>
      {duplicatedExposure?.flagged === true && <p className="warn">You hold the token and {share}: the same exposure twice.</p>}
      <Table
        label={`Token against ${share}`}
        rows={performance}
        keyOf={({ window }) => window}
        columns={[
          { title: 'Window', text: ({ window }) => window },
          { title: 'Token', change: ({ tokenPct }) => tokenPct },
          { title: share, change: ({ stockPct }) => stockPct },
          { title: 'Against it', change: ({ relativePct }) => relativePct },
        ]}
      />
    </>
  );
}

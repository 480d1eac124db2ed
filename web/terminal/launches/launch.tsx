/** Page of one launch: its curve, terms, price history, holders, signatures and claims. */
import { useMemo } from 'react';
import { percentText, plain, priceText, quoteText, readSymbol } from '../../words.js';
import { api, useRead, type Launch, type LauncherLaunch, type LaunchMonitor, type LaunchPriceHistory } from '../api.ts';
import { Address } from '../kit/address.tsx';
import { WorkState } from '../kit/ages.tsx';
import { Course, type Drawn, listPoints } from '../kit/course.tsx';
import { Card, FigureList, Loaded, Trail } from '../kit/lists.tsx';
import { Table } from '../kit/table.tsx';
import { Price } from '../kit/numbers.tsx';
import { AgentToken } from '../market/agent-token.tsx';
import { useMay } from '../member.ts';
import { useAnnouncements } from '../organization.ts';
import { Signing } from '../wallet/signing.tsx';
import { Claims } from './claims.tsx';
import { Curve } from './curve.tsx';
import { findPaid, findPrepared } from './prepare.ts';
import { Terms } from './terms.tsx';

const READ_EVERY_MS = 5_000;
const ENDED = ['graduated', 'launched', 'expired', 'failed'];
/** States in which fees can be claimed. */
const TRADES = ['trading', 'graduating', 'graduated'];
/** An Ed25519 signature is deterministic, so signing again yields the same payment transaction. */
const SIGNS_AGAIN = 'signs the same payment transaction again. It cannot be charged twice.';
const MOST_DECIMALS = 12;

export function LaunchPage({ id }: { readonly id: string }) {
  useAnnouncements('launches', 'launch', 'launches');
  const launch = useRead(['launch', id], (call) => api.getLaunch({ id }, call), { refetchInterval: READ_EVERY_MS });
  return (
    <div className="page">
      <Trail to="launches" name="Launches" />
      <Loaded query={launch}>{(data) => <Shown launch={data} />}</Loaded>
    </div>
  );
}

function Shown({ launch }: { readonly launch: Launch | LauncherLaunch }) {
  const { id, symbol, name, state, reason, detail, changedAt } = launch;
  return (
    <>
      <div className="page-head">
        <h1>
          {symbol} <small>{name}</small>
        </h1>
        <span className="tag" data-state={state}>
          {plain(state)}
        </span>
        {reason !== null && <span className="warn">{detail ?? plain(reason)}</span>}
        {!ENDED.includes(state) && <WorkState work={{ ...launch, state: 'running', seenAt: changedAt, error: null }} name="the launch" />}
        <span className="space" />
        <a href={`#/actors/${id}`}>State chart and time travel</a>
      </div>
      <ToSign launch={launch} />
      {launch.kind === 'curve' ? <OnCurve launch={launch} /> : <ByLauncher launch={launch} />}
    </>
  );
}

/** Wallets to sign with, while the launch waits for a signature. */
function ToSign({ launch: { id, kind, state, creator } }: { readonly launch: Launch | LauncherLaunch }) {
  const maySign = useMay('trade:execute');
  const isDeclined = state === 'failed_paid';
  if (state !== 'prepared' && !isDeclined) return null;
  return (
    <section className="card claims stack" aria-label="Signature required">
      <h2>{isDeclined ? 'Retry with the launcher' : 'Signature required'}</h2>
      <p>
        The wallet <Address address={creator} /> {isDeclined ? SIGNS_AGAIN : 'must sign within about a minute.'}
      </p>
      {maySign ? (
        <Signing key={state} prepare={() => (isDeclined ? findPaid(id) : findPrepared(id, kind))} />
      ) : (
        <p className="faint">Submitting requires the permission trade:execute.</p>
      )}
    </section>
  );
}

function OnCurve({ launch }: { readonly launch: Launch }) {
  const { id, mint, symbol, preset, quoteMint, startingFdv, totalSupply, decimals, state, tradingSince } = launch;
  const monitor = useRead(['launch', id, 'monitor'], (call) => api.monitorLaunch({ id }, call), { refetchInterval: READ_EVERY_MS });
  const preview = useRead(
    ['launch-preview', id],
    (call) => api.previewLaunch({ body: { preset, quoteMint, startingFdv, totalSupply, decimals } }, call),
    { staleTime: Infinity },
  );
  const trades = TRADES.includes(state);
  return (
    <>
      <div className="launch-sight">
        <section className="card claims stack" aria-label="Curve">
          <Loaded query={preview}>{(data) => <Curve preview={data} now={monitor.data?.curve ?? null} symbol={symbol} />}</Loaded>
        </section>
        <section className="card claims stack" aria-label="Status">
          <Loaded query={monitor}>{(data) => <Facts launch={launch} monitor={data} />}</Loaded>
        </section>
      </div>
      {tradingSince !== null && <PriceCourse launch={launch} />}
      {preview.data !== undefined && (
        <Card title="Terms">
          <Terms preview={preview.data} />
        </Card>
      )}
      {trades && <AgentToken mint={mint} />}
      {trades && <Claims launchId={id} />}
    </>
  );
}

function Facts({ launch, monitor: { curve, graduation, pairedStock } }: { readonly launch: Launch; readonly monitor: LaunchMonitor }) {
  const { quoteSymbol, mint, agentId, takeId } = launch;
  const fees = curve?.creatorFees;
  const lines: readonly (readonly [string, React.ReactNode])[] = [
    ['Fill', curve === null ? 'not on chain yet' : percentText(curve.fillPct)],
    [
      'Collected',
      curve === null ? 'nothing' : `${quoteText(curve.quoteReserve)} of ${quoteText(curve.graduationThreshold)} ${quoteSymbol}`,
    ],
    ['Price', curve === null ? '–' : `${quoteText(curve.price)} ${quoteSymbol}`],
    ['Price in dollars', <Price key="usd" price={curve?.priceUsd} />],
    [
      'Return since launch',
      curve?.returns == null
        ? 'unknown'
        : `${percentText(curve.returns.tokenPct)} in dollars, ${percentText(curve.returns.relativePct)} in ${quoteSymbol}`,
    ],
    ['Paired with', pairedStock === null ? '–' : readSymbol(pairedStock)],
    [
      'Creator fees',
      fees === undefined ? 'none' : `${quoteText(fees.quote)} ${quoteSymbol} to claim, ${quoteText(fees.claimedQuote)} claimed`,
    ],
    ['Graduation', plain(graduation.progress)],
    ['Pool after graduation', graduation.successorPool === null ? '–' : <Address key="pool" address={graduation.successorPool} />],
    ['Mint', <Address key="mint" address={mint} />],
    [
      'Belongs to',
      agentId !== null ? (
        <a key="of" href={`#/agents/${agentId}`}>
          its agent
        </a>
      ) : takeId !== null ? (
        <a key="of" href={`#/takes/${takeId}`}>
          its Take
        </a>
      ) : (
        '–'
      ),
    ],
    ['As of', curve === null ? '–' : `slot ${curve.slot}, ${Math.round(curve.ageMs / 1_000)} s old`],
  ];
  return <FigureList look="facts left" lines={lines} />;
}

function ByLauncher({ launch }: { readonly launch: LauncherLaunch }) {
  const { lamports, payTo, pairedStock, creatorFeeBps, signatures, mint, agentId } = launch;
  const [payment] = signatures;
  return (
    <section className="card claims" aria-label="Status">
      <FigureList
        look="facts left"
        lines={[
          ['Paid', `${priceText(lamports)} lamports`],
          ['Paid to', <Address key="to" address={payTo} />],
          ['Paired with', readSymbol(pairedStock)],
          ['Creator fee', `${creatorFeeBps} bps`],
          ['Payment', payment === undefined ? 'not submitted' : <Address key="payment" address={payment} />],
          ['Mint', mint === null ? 'not launched' : <Address key="mint" address={mint} />],
          [
            'Belongs to',
            <a key="of" href={`#/agents/${agentId}`}>
              its agent
            </a>,
          ],
        ]}
      />
    </section>
  );
}

function PriceCourse({ launch: { id, symbol, quoteSymbol } }: { readonly launch: Launch }) {
  const history = useRead(['launch', id, 'price-history'], (call) => api.getLaunchPriceHistory({ id }, call), {
    refetchInterval: READ_EVERY_MS,
  });
  const course = useMemo(() => drawCourse(history.data ?? { points: [], fills: [] }, quoteSymbol), [history.data, quoteSymbol]);
  return (
    <Card title="Price over time">
      <Course
        course={course}
        label={`Price of ${symbol} in ${quoteSymbol}, with the fill of its curve`}
        empty="The chart appears after the second trade."
      />
      {(history.data?.fills.length ?? 0) > 0 && (
        <Table
          label="Trades of your organization"
          rows={history.data?.fills ?? []}
          keyOf={({ orderId, at }) => `${orderId} ${at}`}
          columns={[
            { title: 'At', at: ({ at }) => at },
            { title: 'Side', isText: true, side: ({ side }) => side },
            { title: 'Tokens', text: ({ quantity }) => priceText(quantity) },
            { title: 'Price (USD)', price: ({ priceUsd }) => priceUsd },
          ]}
        />
      )}
    </Card>
  );
}

function drawCourse({ points, fills }: LaunchPriceHistory, quote: string): Drawn {
  const smallest = Math.min(...points.map(({ price }) => Number(price)));
  const times = points.map(({ at }) => Date.parse(at));
  // The chart has no place between two points.
  const findPlace = (at: number): number => times.findLast((time) => time <= at) ?? times[0] ?? at;
  const moved = points.filter(({ progress }, index) => index > 0 && progress !== points[index - 1]?.progress);
  return {
    series: [{ title: `price in ${quote}`, ink: '--accent', points: listPoints(points, ({ price }) => price) }],
    lower: { title: 'fill %', points: listPoints(points, ({ fillPct }) => fillPct) },
    levels: points[0] === undefined ? [] : [{ title: 'first', price: Number(points[0].price) }],
    marks: [
      ...moved.map(({ at, progress }) => ({ at: Date.parse(at), text: plain(progress) })),
      ...fills.map(({ at, side, quantity }) => ({
        at: findPlace(Date.parse(at)),
        text: `${side === 'buy' ? 'bought' : 'sold'} ${priceText(quantity)}`,
      })),
    ].sort((a, b) => a.at - b.at),
    // Show four digits of the smallest price.
    decimals: Number.isFinite(smallest) ? Math.max(2, Math.min(MOST_DECIMALS, 3 - Math.floor(Math.log10(smallest || 1)))) : 2,
  };
}

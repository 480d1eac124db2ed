/** Page of one transfer: provider status, state on both chains, terms, and amounts over time. */
import { useMemo } from 'react';
import { clockTime, plain, priceText } from '../../words.js';
import { api, useRead, type BridgeTransfer, type BridgeTransferPoint } from '../api.ts';
import { Address } from '../kit/address.tsx';
import { At } from '../kit/ages.tsx';
import { Course, type Drawn } from '../kit/course.tsx';
import { FigureList, Loaded } from '../kit/lists.tsx';
import { ENDED, Progress, TransferState } from './state.tsx';

const READ_EVERY_MS = 3_000;
const DECIMALS = 6;

export function Transfer({ id }: { readonly id: string }) {
  const transfer = useRead(['transfer', id], (call) => api.getBridgeStatus({ id }, call), {
    refetchInterval: ({ state: { data } }) => (data !== undefined && ENDED.includes(data.state) ? false : READ_EVERY_MS),
  });
  return (
    <section className="card claims stack" aria-label="Transfer">
      <Loaded query={transfer}>{(data) => <Shown transfer={data} />}</Loaded>
    </section>
  );
}

function Shown({ transfer }: { readonly transfer: BridgeTransfer }) {
  const { id, state, amount, token, delayed, attentions, axes, changedAt } = transfer;
  const points = useRead(
    ['transfer', id, 'timeline', changedAt],
    async (call) => (await api.getBridgeTransferTimeline({ id }, call)).items,
    { placeholderData: (before) => before },
  );
  const course = useMemo(() => drawCourse(transfer, points.data ?? []), [transfer, points.data]);
  return (
    <>
      <div className="page-head">
        <h2>
          {priceText(amount)} {token}: <TransferState state={state} />
        </h2>
        {delayed && <span className="tag warn">delayed</span>}
        <Progress transfer={transfer} />
        <span className="space" />
        <a href={`#/actors/${id}`}>State chart and time travel</a>
      </div>
      {attentions.map(({ code, words }) => (
        <p key={code} className="warn" data-attention={code}>
          {words}
        </p>
      ))}
      <Axes axes={axes} />
      <Course
        course={course}
        label={`Transfer of ${amount} ${token}: sent and arrived over time`}
        empty="The timeline appears once the transfer moves."
      />
      <Terms transfer={transfer} />
    </>
  );
}

function Axes({ axes: { provider, source, destination, refund } }: Pick<BridgeTransfer, 'axes'>) {
  const said =
    provider.silentSince === null ? plain(provider.state) : `${plain(provider.state)}, silent since ${clockTime(provider.silentSince)}`;
  const blocks = source.state === 'included' ? `${plain(source.state)}, ${source.confirmations} deep` : plain(source.state);
  const lines: readonly (readonly [string, string])[] = [
    ['Provider', provider.reason === null ? said : `${said}: ${provider.reason}`],
    ['Source chain', source.detail === null ? blocks : `${blocks}: ${source.detail}`],
    ['Destination chain', arrival(destination)],
    ...(refund.state === 'none' ? [] : [['Refund', arrival(refund)] as const]),
  ];
  return <FigureList lines={lines} />;
}

const arrival = ({ state, amountUsd }: BridgeTransfer['axes']['destination']): string =>
  amountUsd === null ? plain(state) : `${plain(state)}, ${priceText(amountUsd)} USDC`;

function Terms({ transfer }: { readonly transfer: BridgeTransfer }) {
  const { sender, recipient, minimumReceived, expectedReceived, estimatedSeconds, hash, submittedAt, endedAt, explanation } = transfer;
  const lines: readonly (readonly [string, React.ReactNode])[] = [
    ['Sender', <Address key="sender" address={sender} />],
    ['Recipient', <Address key="recipient" address={recipient} />],
    ['Minimum received', priceText(minimumReceived)],
    ['Expected amount', priceText(expectedReceived)],
    ['Estimated time', `${estimatedSeconds} s`],
    ['Source transaction', hash === null ? 'not submitted' : <Address key="hash" address={hash} />],
    ['Submitted', <At key="submitted" at={submittedAt} />],
    ['Ended', <At key="ended" at={endedAt} />],
    ['Reason for this provider', explanation],
  ];
  return <FigureList look="facts left" lines={lines} />;
}

function drawCourse({ amount, expectedReceived, minimumReceived }: BridgeTransfer, points: readonly BridgeTransferPoint[]): Drawn {
  const hasLeft = ({ source }: BridgeTransferPoint) => source === 'included' || source === 'final';
  const line = (title: string, ink: string, valueOf: (point: BridgeTransferPoint) => number) => ({
    title,
    ink,
    points: points.map((point) => ({ at: Date.parse(point.at), value: valueOf(point) })),
  });
  /** Several states within one second share a place. */
  const words = new Map<number, string[]>();
  for (const [index, { at, state }] of points.entries()) {
    if (index > 0 && state === points[index - 1]?.state) continue;
    const second = Math.floor(Date.parse(at) / 1_000) * 1_000;
    words.set(second, [...(words.get(second) ?? []), plain(state)]);
  }
  const refunded = points.some(({ refundedUsd }) => refundedUsd !== null);
  return {
    series: [
      line('left', '--text-2', (point) => (hasLeft(point) ? Number(amount) : 0)),
      line('arrived', '--up', ({ arrivedUsd }) => Number(arrivedUsd ?? 0)),
      ...(refunded ? [line('refunded', '--warn', ({ refundedUsd }) => Number(refundedUsd ?? 0))] : []),
    ],
    levels: [
      { title: 'quoted', price: Number(expectedReceived) },
      { title: 'at least', price: Number(minimumReceived) },
    ],
    marks: [...words].map(([at, states]) => ({ at, text: states.join(', ') })),
    decimals: DECIMALS,
  };
}

/** Trading conditions of the chosen instrument: funding of a perpetual, or sessions of a share. */
import { clockTime, dayAndTime, plain } from '../../words.js';
import { api, type CatalogEntry, useRead, type PerpDetail, type SessionDay } from '../api.ts';
import { useEntry } from '../catalog.ts';
import { Until } from '../kit/ages.tsx';
import { FigureList, Loaded } from '../kit/lists.tsx';
import { Table } from '../kit/table.tsx';
import { Change, compactText, Price } from '../kit/numbers.tsx';
import { useStore } from '../kit/store.ts';
import { instrument } from '../place.ts';

const HOURS = 48;
const READ_EVERY_MS = 30_000;

export function Conditions() {
  const entry = useEntry(useStore(instrument));
  if (entry === undefined) return <p className="empty">Choose an instrument.</p>;
  if (entry.kind === 'perp') return <Funding key={entry.key} entry={entry} />;
  if (entry.kind === 'tokenized_equity' || entry.kind === 'pre_ipo') return <Sessions />;
  return <p className="empty">{entry.instrument} trades at every hour, without funding.</p>;
}

function Funding({ entry }: { readonly entry: CatalogEntry }) {
  const perp = useRead(['perp', entry.instrument], (call) => api.getPerp({ instrument: entry.instrument, hours: HOURS }, call), {
    refetchInterval: READ_EVERY_MS,
  });
  return (
    <div className="panel-scroll padded">
      <Loaded query={perp}>
        {(data) => (
          <>
            <FigureList
              look="figures"
              lines={[
                ['Mark', <Price price={data.markPrice} />],
                ['Oracle', <Price price={data.oraclePrice} />],
                ['Annual funding', <Change percent={Number(data.annualFundingPct)} title={`${data.hourlyFunding} an hour`} />],
                ['Next', <Until at={data.nextFundingAt} />],
                ['Open interest', <>${compactText(data.openInterestNotional)}</>],
              ]}
            />
            <Course funding={data.funding} />
          </>
        )}
      </Loaded>
    </div>
  );
}

/** Funding of each hour as a bar. Long positions pay positive funding. */
function Course({ funding: { items, problem } }: Pick<PerpDetail, 'funding'>) {
  if (items.length === 0) return <p className="empty">{problem ?? 'No funding was read yet.'}</p>;
  const hours = items.toSorted((a, b) => (a.at < b.at ? -1 : 1));
  const most = Math.max(...hours.map(({ hourlyFunding }) => Math.abs(Number(hourlyFunding))), 1e-12);
  const [first, last] = [hours[0], hours.at(-1)];
  return (
    <figure className="funding-course">
      <svg
        viewBox={`0 0 ${hours.length * 6} 60`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Funding of the last ${hours.length} hours`}
      >
        <line x1={0} x2={hours.length * 6} y1={30} y2={30} className="lane-line" />
        {hours.map(({ at, hourlyFunding }, place) => {
          const height = (Math.abs(Number(hourlyFunding)) / most) * 28;
          const isPaid = Number(hourlyFunding) >= 0;
          return (
            <rect
              key={at}
              className={isPaid ? 'fund-up' : 'fund-down'}
              x={place * 6 + 1}
              width={4}
              y={isPaid ? 30 - height : 30}
              height={height}
            >
              <title>{`${dayAndTime(at)}: ${percentText(Number(hourlyFunding))} an hour`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption className="faint">
        {dayAndTime(first?.at ?? '')} to {dayAndTime(last?.at ?? '')}, at most {percentText(most)} an hour
      </figcaption>
    </figure>
  );
}

function Sessions() {
  const sessions = useRead(['sessions'], async (call) => (await api.listSessions({ limit: 10 }, call)).items, { staleTime: READ_EVERY_MS });
  return (
    <div className="panel-scroll">
      <Loaded query={sessions}>
        {(days) => (
          <Table
            label="Sessions of the stock exchange"
            rows={days}
            keyOf={({ date }) => date}
            columns={[
              { title: 'Day', text: ({ date }) => date },
              { title: 'Kind', isText: true, text: ({ kind, occasion }) => `${plain(kind)}${occasion === null ? '' : `, ${occasion}`}` },
              { title: 'Before', text: (day) => formatTime(day, 'preMarketAt') },
              { title: 'Opens', text: (day) => formatTime(day, 'regularAt') },
              { title: 'After', text: (day) => formatTime(day, 'postMarketAt') },
              { title: 'Closes', text: (day) => formatTime(day, 'closedAt') },
            ]}
          />
        )}
      </Loaded>
    </div>
  );
}

function formatTime(day: SessionDay, at: 'preMarketAt' | 'regularAt' | 'postMarketAt' | 'closedAt'): string {
  const time = day[at];
  return time === null ? '–' : clockTime(time).slice(0, 5);
}

const RATE = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });

/** Formats a rate as percent: `0.00125 %` for 0.0000125. */
const percentText = (rate: number): string => `${RATE.format(rate * 100)} %`;

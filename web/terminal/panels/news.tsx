/** News of the chosen instrument: its events, newest first, with severity, direction and whether they are confirmed. */
import { plain } from '../../words.js';
import { api, type MarketEvent } from '../api.ts';
import { useEntry } from '../catalog.ts';
import { Ago } from '../kit/ages.tsx';
import { Loaded, useList } from '../kit/lists.tsx';
import { useStore } from '../kit/store.ts';
import { useMay } from '../member.ts';
import { instrument } from '../place.ts';

/** Reading interval: news have no feed. */
const READ_EVERY_MS = 20_000;
const TONES = { negative: 'down', neutral: 'faint', positive: 'up' } as const;

export function News() {
  const entry = useEntry(useStore(instrument));
  const symbol = entry?.underlying ?? '';
  const mayRead = useMay('market:read');
  const events = useList(['news', symbol], (page, options) => api.listMarketEvents({ ...page, symbol, limit: 30 }, options), {
    everyMs: READ_EVERY_MS,
    isWanted: symbol !== '' && mayRead,
  });
  if (!mayRead) return <p className="empty">Your role may not read news. Ask for the permission market:read.</p>;
  if (symbol === '') return <p className="empty">Choose an instrument to see its news.</p>;
  const items = (events.data?.pages ?? []).flatMap((page) => page.items);
  return (
    <div className="panel-scroll">
      <Loaded query={events}>
        {() =>
          items.length === 0 ? (
            <p className="empty">No news about {symbol}. Filings, wires and results appear here with their sources.</p>
          ) : (
            <ul className="news" aria-label={`News about ${symbol}`}>
              {items.map((event) => (
                <Item key={event.id} event={event} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </div>
  );
}

function Item({ event: { headline, kind, severity, direction, state, families, firstAt, reports } }: { readonly event: MarketEvent }) {
  const url = reports.find((report) => report.url !== null)?.url ?? null;
  return (
    <li data-severity={severity}>
      {url === null ? (
        <span>{headline}</span>
      ) : (
        <a href={url} target="_blank" rel="noopener noreferrer">
          {headline}
        </a>
      )}
      <small>
        <Ago at={firstAt} /> · {plain(kind)} · {severity}, <span className={TONES[direction]}>{direction}</span> · {state} ·{' '}
        {families.join(', ')}
      </small>
    </li>
  );
}

/** Copilot: questions in plain words, answers as figures with links, and drafts that do not start trading. */
import { Button, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { forPeople, plain } from '../../words.js';
import { type Agent, api, type BasisRow, type ChainTvl, type MarketEvent, type Perp, type RankedRow } from '../api.ts';
import { useEntry } from '../catalog.ts';
import type { Column } from '../kit/columns.tsx';
import { Refusal } from '../kit/refusal.tsx';
import { useStore } from '../kit/store.ts';
import { Table } from '../kit/table.tsx';
import { goTo, instrument } from '../place.ts';
import { thesisAsked } from '../takes/thesis-asked.ts';
import { submits } from '../kit/browser.ts';

type Reply = Awaited<ReturnType<typeof api.chatWithCopilot>>;

interface Exchange {
  readonly question: string;
  readonly reply: Reply;
}

const EXAMPLES = [
  'What is the deepest discount?',
  'How is my portfolio doing?',
  'Buy AAPLx when the discount is over 2%, with $500',
  'What is the funding of BTC?',
  'Is the market open?',
];

export const Copilot = () => (
  <div className="page copilot">
    <h1>Copilot</h1>
    <Conversation examples={EXAMPLES} />
  </div>
);

/** Copilot beside the chart. Its examples are about the chosen instrument. */
export function CopilotPanel() {
  const symbol = useEntry(useStore(instrument))?.instrument;
  return (
    <div className="panel-scroll padded copilot">
      <Conversation examples={symbol === undefined ? EXAMPLES : [`What is the price of ${symbol}?`, ...EXAMPLES.slice(1, 2)]} />
    </div>
  );
}

function Conversation({ examples }: { readonly examples: readonly string[] }) {
  const [question, setQuestion] = useState('');
  const [past, setPast] = useState<readonly Exchange[]>([]);
  // Known at once: a question is drawn as under way only after the next key may have come.
  const isAsking = useRef(false);
  const asking = useMutation({
    onSettled: () => {
      isAsking.current = false;
    },
    mutationFn: (message: string) => {
      const conversationId = past.at(-1)?.reply.conversationId;
      return api.chatWithCopilot({ body: { message, ...(conversationId === undefined ? {} : { conversationId }) } });
    },
    onSuccess: (reply, message) => {
      setPast((before) => [...before, { question: message, reply }]);
      setQuestion('');
    },
  });
  const ask = (message: string) => {
    if (message.trim() === '' || isAsking.current) return;
    isAsking.current = true;
    asking.mutate(message.trim());
  };
  return (
    <>
      {past.length === 0 && (
        <p className="faint">Ask about prices, rankings, your portfolio or an agent. A draft trades only after you arm it.</p>
      )}
      <ol className="exchanges" aria-live="polite">
        {past.map((exchange, place) => (
          <Answer key={`${exchange.reply.conversationId} ${place}`} exchange={exchange} />
        ))}
      </ol>
      <Refusal error={asking.error} />
      <form onSubmit={submits(() => ask(question))}>
        <Textarea
          aria-label="Question"
          placeholder="Which share has the deepest discount?"
          autosize
          minRows={2}
          value={question}
          onChange={({ currentTarget }) => setQuestion(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey) return;
            event.preventDefault();
            ask(question);
          }}
        />
        <div className="part-head">
          {examples.map((example) => (
            <Button key={example} variant="default" size="compact-xs" onClick={() => ask(example)}>
              {example}
            </Button>
          ))}
          <span className="space" />
          <Button type="submit" loading={asking.isPending} disabled={question.trim() === ''}>
            Ask
          </Button>
        </div>
      </form>
    </>
  );
}

/** Rows of an answer as a table, with the page that shows all of them. */
interface Shown {
  /** Beginning of the route that gives the same rows in full. */
  readonly route: string;
  readonly page: string;
  draw(items: readonly unknown[]): ReactNode;
}

/** The rows are those of the route: the copilot answers with the same bodies. */
const shown = <Row extends object>(route: string, page: string, keyOf: (row: Row) => string, columns: readonly Column<Row>[]): Shown => ({
  route,
  page,
  draw: (items) => <Table rows={items as readonly Row[]} keyOf={keyOf} columns={columns} />,
});

const edge = (row: BasisRow, against: 'reference' | 'perpetual') => row.edges.find((one) => one.against === against);

const TABLES: readonly Shown[] = [
  shown<RankedRow>('/v1/rankings/', 'rankings', (row) => row.instrument, [
    { title: '#', text: ({ rank }) => rank ?? '–' },
    { title: 'Token', instrument: (row) => row.instrument },
    { title: 'Price', price: ({ tokenPrice }) => tokenPrice?.price },
    { title: 'Gap', change: ({ gapPct }) => gapPct },
    { title: 'Liquidity', large: ({ liquidityUsd }) => liquidityUsd },
  ]),
  shown<MarketEvent>('/v1/intelligence/events', 'trade', ({ id }) => id, [
    { title: 'Event', long: ({ headline }) => headline },
    { title: 'Kind', isText: true, text: ({ kind }) => plain(kind) },
    { title: 'Severity', isText: true, text: ({ severity }) => severity },
    { title: 'State', isText: true, text: ({ state }) => state },
    { title: 'Changed', ago: ({ observedAt }) => observedAt },
  ]),
  shown<Perp>('/v1/perps', 'perps', (row) => row.instrument, [
    { title: 'Perpetual', instrument: (row) => `evmvenue:${row.instrument}` },
    { title: 'Funding, % a year', ratio: ({ annualFundingPct }) => Number(annualFundingPct) },
    { title: 'Mark', price: ({ markPrice }) => markPrice },
    { title: 'Open interest', large: ({ openInterestNotional }) => openInterestNotional },
  ]),
  shown<BasisRow>('/v1/arbitrage/basis', 'basis', ({ symbol }) => symbol, [
    { title: 'Token', isText: true, text: ({ symbol }) => symbol },
    { title: 'To reference, bps', ratio: (row) => toNumber(edge(row, 'reference')?.spreadBps) },
    { title: 'To perpetual, bps', ratio: (row) => toNumber(edge(row, 'perpetual')?.spreadBps) },
    { title: 'After costs, bps', ratio: (row) => toNumber(edge(row, 'perpetual')?.netEdgeBps ?? edge(row, 'reference')?.netEdgeBps) },
  ]),
  shown<ChainTvl>('/v1/chains', 'chains', ({ chain }) => chain, [
    { title: 'Chain', isText: true, text: ({ chain }) => chain },
    { title: 'Value locked', large: ({ tvlUsd }) => tvlUsd },
    { title: '7 days', change: ({ change7dPct }) => change7dPct },
  ]),
  shown<Agent>('/v1/agents', 'agents', ({ id }) => id, [
    { title: 'Agent', cell: ({ id, name }) => <a href={`#/agents/${id}`}>{name}</a> },
    { title: 'Stage', isText: true, text: ({ stage }) => plain(stage) },
    { title: 'Autonomy', isText: true, text: ({ autonomy }) => plain(autonomy) },
    { title: 'Paused by', isText: true, text: ({ pauseCause }) => (pauseCause === null ? '–' : plain(pauseCause)) },
  ]),
];

const toNumber = (decimal: string | null | undefined): number | null => (decimal == null ? null : Number(decimal));

/** Rows behind an answer, or nothing if it has none or they are of no table. */
function Rows({ reply: { data, links } }: { readonly reply: Reply }) {
  const { items } = (data ?? {}) as { readonly items?: readonly unknown[] };
  const table = TABLES.find(({ route }) => links.some((link) => link.startsWith(route)));
  if (table === undefined || items === undefined || items.length === 0) return null;
  return (
    <>
      <div className="scroll-x">{table.draw(items)}</div>
      <a href={`#/${table.page}`}>Show all</a>
    </>
  );
}

/** Ways on from a draft. Nothing is armed here. */
function Onwards({ draft }: { readonly draft: NonNullable<Reply['draft']> }) {
  if (draft.kind === 'policy') return <a href="#/basis-policies">Arm it under Basis policies</a>;
  const { thesis } = draft.next.body as { readonly thesis: string };
  return (
    <Button
      size="compact-sm"
      onClick={() => {
        thesisAsked.set(thesis);
        goTo('takes');
      }}
    >
      Open in the composer
    </Button>
  );
}

function Answer({ exchange: { question, reply } }: { readonly exchange: Exchange }) {
  const { draft } = reply;
  return (
    <li className="card">
      <p className="faint">{question}</p>
      <p className="reply">{forPeople(reply.reply)}</p>
      <Rows reply={reply} />
      {draft !== null && (
        <div className="draft">
          <strong>Draft of a {plain(draft.kind)}</strong>
          <ul>
            {draft.understood.map(({ phrase, as }) => (
              <li key={phrase}>
                “{phrase}” <span className="faint">as</span> {as}
              </li>
            ))}
            {draft.assumed.map((assumed) => (
              <li key={assumed} className="warn">
                Assumed: {assumed}
              </li>
            ))}
          </ul>
          <Onwards draft={draft} />
        </div>
      )}
    </li>
  );
}

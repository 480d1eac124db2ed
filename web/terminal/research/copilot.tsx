/** Copilot: questions in plain words, answers as figures with links, and drafts that do not start trading. */
import { Button, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { plain } from '../../words.js';
import { api } from '../api.ts';
import { useEntry } from '../catalog.ts';
import { Refusal } from '../kit/refusal.tsx';
import { useStore } from '../kit/store.ts';
import { instrument } from '../place.ts';
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
  'Explain funding',
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

function Answer({ exchange: { question, reply } }: { readonly exchange: Exchange }) {
  const { draft } = reply;
  return (
    <li className="card">
      <p className="faint">{question}</p>
      <p className="reply">{reply.reply}</p>
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
          {draft.kind === 'take' && <a href="#/takes">Review it under Takes</a>}
        </div>
      )}
    </li>
  );
}

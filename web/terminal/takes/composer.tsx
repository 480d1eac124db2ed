/** Composer of a Take. Each phrase of a thesis is highlighted with its reading; only a thesis without open questions becomes a draft. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { forPeople } from '../../words.js';
import { api, refresh } from '../api.ts';
import { useCatalog } from '../catalog.ts';
import { loadPart, Refusal } from '../kit/refusal.tsx';
import { feed } from '../market.ts';
import { goTo } from '../place.ts';
import { thesisAsked } from './thesis-asked.ts';
import type { compileThesis } from '../../../src/domain/take/compile-thesis.ts';
import { splitParts, type Reading } from './marks.ts';
import { InWords, Legend, Parts } from './reading.tsx';
import { submits } from '../kit/browser.ts';

const MOST_THESIS = 2_000;
const EXAMPLES = [
  'Buy AAPLx when it trades more than 2% below its reference, with $500; sell when the premium is above 0.5%',
  'Buy BTCUSDT when the price is below $20,000, with $500, because weekends overshoot',
  'Buy NVDAx when RSI is below 30, with $250; sell when RSI is above 60',
];
const NOTHING: Reading = { understood: [], assumed: [], notUnderstood: [], questions: [] };

type CompiledThesis = ReturnType<typeof compileThesis>;
type Compile = (thesis: string) => CompiledThesis;

/** Loads the thesis grammar and the catalog, or returns null until both are loaded. */
function useGrammar(): Compile | null {
  const entries = useCatalog();
  const [grammar, setGrammar] = useState<typeof import('./grammar.ts') | null>(null);
  useEffect(() => {
    void loadPart(() => import('./grammar.ts')).then(setGrammar);
  }, []);
  return useMemo(() => {
    if (grammar === null || entries.length === 0) return null;
    // The API answers with the entries of the domain's catalog.
    const catalog = grammar.createCatalog(entries as Parameters<typeof grammar.createCatalog>[0]);
    return (thesis) => grammar.compileThesis(thesis, { catalog, now: feed.now() });
  }, [grammar, entries]);
}

function toReading(compiled: CompiledThesis | null): Reading {
  if (compiled === null) return NOTHING;
  if (compiled.ok) return { ...compiled, questions: [] };
  if (compiled.why === 'ambiguous') return { ...NOTHING, understood: compiled.understood, questions: compiled.questions };
  return { ...NOTHING, questions: compiled.problems.map(({ problem, allowed }) => `The thesis ${problem}; allowed: ${allowed}.`) };
}

export function Composer() {
  const [thesis, setThesis] = useState(() => thesisAsked.get());
  useEffect(() => thesisAsked.set(''), []);
  const compile = useGrammar();
  const isEmpty = thesis.trim() === '';
  const compiled = useMemo(() => (compile === null || isEmpty ? null : compile(thesis)), [compile, thesis, isEmpty]);
  const reading = toReading(compiled);
  const making = useMutation({
    mutationFn: () => api.compileTake({ body: { thesis } }),
    onSuccess: ({ id }) => {
      refresh('takes');
      goTo(`takes/${id}`);
    },
  });
  const submit = submits(() => making.mutate());
  return (
    <form className="card composer" aria-label="Compose a Take" onSubmit={submit}>
      <h2 className="sr-only">Compose a Take</h2>
      <div className="composer-write">
        <Thesis thesis={thesis} reading={reading} write={setThesis} />
        <Legend />
        <div className="buttons">
          <span className="faint space">{describeVerdict(isEmpty, compiled)}</span>
          <Button type="submit" loading={making.isPending} disabled={isEmpty || (compile !== null && compiled?.ok !== true)}>
            Create draft
          </Button>
        </div>
        <Refusal error={making.error} />
      </div>
      <div className="composer-read" aria-live="polite">
        {isEmpty ? <Examples take={setThesis} /> : <InWords reading={reading} />}
      </div>
    </form>
  );
}

function describeVerdict(isEmpty: boolean, compiled: CompiledThesis | null): string {
  if (isEmpty) return 'A draft does not trade. You arm it on its page.';
  if (compiled === null) return 'Reading…';
  if (!compiled.ok)
    return compiled.why === 'ambiguous' ? 'Not clear yet: answer the questions in your own words.' : 'It cannot become a Take yet.';
  if (compiled.open.length === 0) return 'Clear: nothing is left open.';
  return `Clear. To confirm before arming: ${compiled.open.map(forPeople).join('; ')}`;
}

interface ThesisProps {
  readonly thesis: string;
  readonly reading: Reading;
  readonly write: (thesis: string) => void;
}

/** Text field over the same text in colour. Both have the same font and size, so that the letters align. */
const Thesis = ({ thesis, reading, write }: ThesisProps) => (
  <div className="thesis">
    <div className="thesis-marks" aria-hidden="true">
      <Parts of={splitParts(thesis, reading)} />
      {/* An empty last line needs a height too. */}
      {'​'}
    </div>
    <textarea
      aria-label="Your thesis"
      placeholder="Write what to buy, when, with how much, and when to sell"
      maxLength={MOST_THESIS}
      rows={4}
      spellCheck={false}
      value={thesis}
      onChange={({ currentTarget }) => write(currentTarget.value)}
    />
  </div>
);

const Examples = ({ take }: { readonly take: (thesis: string) => void }) => (
  <section aria-label="Examples">
    <h3>Start from an example</h3>
    <ul className="examples">
      {EXAMPLES.map((example) => (
        <li key={example}>
          <button type="button" className="plain" onClick={() => take(example)}>
            {example}
          </button>
        </li>
      ))}
    </ul>
  </section>
);

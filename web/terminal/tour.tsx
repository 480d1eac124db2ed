/** First steps: look, create, approve, backtest, halt. A dismissible strip above the page leads from one to the next. */
import { Button } from '@mantine/core';
import { openSetting } from './kept-settings.ts';
import { useStore } from './kit/store.ts';
import { useMay } from './member.ts';
import { goTo, page, within } from './place.ts';

interface Step {
  readonly name: string;
  readonly words: string;
  /** Page of the step. */
  readonly address: string;
}

const STEPS: readonly Step[] = [
  {
    name: 'Look',
    words:
      'Live prices, the order book, your positions. Click an instrument: every panel follows it. Press / to search or to type an order.',
    address: 'trade',
  },
  {
    name: 'Create',
    words:
      'Build an agent from rules in rows, or begin with a template. A preview shows what its rules would have earned. It begins on paper.',
    address: 'agents/new',
  },
  {
    name: 'Approve',
    words: 'An agent at autonomy “confirm” asks before each trade. What expires first stands on top: A approves it, D declines it.',
    address: 'proposals',
  },
  {
    name: 'Backtest',
    words: 'Open an agent, then Evaluations: a backtest runs in the background. Seven gates stand between an idea and real money.',
    address: 'agents',
  },
  {
    name: 'Halt',
    words: 'The red button above stops every agent at once, from every page. A risk manager resumes them, one by one or all at once.',
    address: 'operate',
  },
];
const DONE = 'done';

/** Number of the current step as text, or `done` once it was dismissed. */
const reached = openSetting('tour', '0');

export const beginTour = (): void => {
  reached.set('0');
  goTo(STEPS[0]?.address ?? 'trade');
};

export function Tour() {
  const kept = useStore(reached);
  const mayTrade = useMay('trade:execute');
  const here = [useStore(page), useStore(within)].filter((part) => part !== '').join('/');
  const at = Number(kept);
  const step = STEPS[at];
  if (kept === DONE || step === undefined || !mayTrade) return null;
  const go = (place: number) => {
    const next = STEPS[place];
    reached.set(next === undefined ? DONE : String(place));
    if (next !== undefined) goTo(next.address);
  };
  return (
    <aside className="tour" aria-label="First steps">
      <ol>
        {STEPS.map(({ name }, place) => (
          <li key={name} aria-current={place === at ? 'step' : undefined}>
            <button type="button" className="plain" onClick={() => go(place)}>
              {place + 1} {name}
            </button>
          </li>
        ))}
      </ol>
      <p>{step.words}</p>
      {!here.startsWith(step.address) && (
        <Button size="compact-xs" variant="default" onClick={() => goTo(step.address)}>
          Show me
        </Button>
      )}
      <Button size="compact-xs" onClick={() => go(at + 1)}>
        {at === STEPS.length - 1 ? 'Finish' : 'Next'}
      </Button>
      <button type="button" className="plain" aria-label="Hide the first steps" onClick={() => reached.set(DONE)}>
        ×
      </button>
    </aside>
  );
}

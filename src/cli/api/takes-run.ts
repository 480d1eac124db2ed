/** Implementation of `sevengate takes`. */
import type { Client, Take } from '../../../clients/typescript/src/index.ts';
import { decisionText } from './agents-run.ts';
import { type Chosen, chosenId } from './client-options.ts';
import { columns, spaced, type Terminal } from './terminal.ts';

const LISTED = 50;
const HEAD = ['ID', 'STATE', 'MODE', 'INSTRUMENT', 'USD', 'UNTIL'];

export async function listTakes({ api, json, print }: Terminal): Promise<void> {
  const { items } = await api.listTakes({ limit: LISTED });
  if (json) return print(JSON.stringify(items));
  print(items.length === 0 ? 'No Takes yet. Write one: sevengate takes compile "<thesis>"' : columns([HEAD, ...items.map(toRow)]));
}

/** Compiles a thesis. Prints what was understood, what was assumed, and what is left to confirm. */
export async function compileTake(terminal: Terminal, thesis: string): Promise<void> {
  printTake(terminal, await terminal.api.compileTake({ body: { thesis } }), true);
}

export async function showTake(terminal: Terminal, chosen: Chosen): Promise<void> {
  printTake(terminal, await findTake(terminal.api, chosen), true);
}

/** Arms a Take. @throws Error listing what its words leave open, unless that is confirmed */
export async function armTake(terminal: Terminal, chosen: Chosen, mode: 'paper' | 'live', confirms: boolean): Promise<void> {
  const { id: takeId, open } = await findTake(terminal.api, chosen);
  printTake(terminal, await terminal.api.armTake({ body: { takeId, mode, ...confirmed(open, confirms) } }));
}

type Bare = 'disarmTake' | 'closeTake' | 'publishTake';

export async function commandTake(terminal: Terminal, command: Bare, chosen: Chosen): Promise<void> {
  const { id } = await findTake(terminal.api, chosen);
  printTake(terminal, await terminal.api[command]({ id }));
}

export async function forkTake(terminal: Terminal, chosen: Chosen, amount: string | undefined): Promise<void> {
  const { id: takeId } = await findTake(terminal.api, chosen);
  printTake(terminal, await terminal.api.forkTake({ body: { takeId, ...(amount === undefined ? {} : { allocationUsd: amount }) } }), true);
}

/** Makes a draft agent of a Take. @throws Error listing what its words leave open, unless that is confirmed */
export async function agentOfTake({ api, json, print }: Terminal, chosen: Chosen, confirms: boolean): Promise<void> {
  const { id: takeId, open } = await findTake(api, chosen);
  const made = await api.tokenizeTake({ body: { takeId, as: 'agent', ...confirmed(open, confirms) } });
  print(
    json ? JSON.stringify(made) : `Created ${made.agent?.name} at ${made.agent?.stage}. Next: sevengate agents show "${made.agent?.name}"`,
  );
}

/** Prints the newest decisions, oldest first. */
export async function listTakeDecisions({ api, json, print }: Terminal, chosen: Chosen, limit: number): Promise<void> {
  const { id } = await findTake(api, chosen);
  const { items } = await api.listTakeDecisions({ id, limit });
  if (json) return print(JSON.stringify(items));
  const none = 'No decisions yet. An armed Take is evaluated at each full half minute.';
  print(items.length === 0 ? none : items.toReversed().map(decisionText).join('\n'));
}

function confirmed(open: readonly string[], confirms: boolean): { readonly confirm?: string[] } {
  if (open.length === 0) return {};
  if (confirms) return { confirm: [...open] };
  throw new Error(['the thesis leaves points open; confirm these with --confirm:', ...open.map((one) => `  ${one}`)].join('\n'));
}

async function findTake(api: Client, chosen: Chosen): Promise<Take> {
  const id = chosenId(chosen, 'Take', 'the newest');
  if (id !== null) return api.getTake({ id });
  const { items } = await api.listTakes({ limit: 1 });
  if (items[0] === undefined) throw new Error('no Takes yet: create one with sevengate takes compile "<thesis>"');
  return items[0];
}

function printTake({ json, print }: Terminal, take: Take, withWords = false): void {
  if (json) return print(JSON.stringify(take));
  const { id, state, mode, instrument, allocationUsd, expiresAt, reason } = take;
  const head = `${spaced(state)}${mode === null ? '' : ` on ${mode}`}${reason === null ? '' : ` (${spaced(reason)})`}: ${instrument}, ${allocationUsd} USD, until ${expiresAt}  ${id}`;
  print(withWords ? [head, ...listWords(take)].join('\n') : head);
}

/** Returns each phrase with its reading, the assumptions, and what the author has to confirm. */
function listWords({ understood, assumed, open, thesis }: Take): string[] {
  const read = understood.map(({ phrase, as }) => ['  read', phrase, as]);
  return [
    ...(thesis === null ? [] : [`"${thesis}"`]),
    ...(read.length === 0 ? [] : [columns(read)]),
    ...assumed.filter((one) => !open.includes(one)).map((one) => `  assumed  ${one}`),
    ...open.map((one) => `  to confirm  ${one}`),
  ];
}

function toRow({ id, state, mode, instrument, allocationUsd, expiresAt }: Take): string[] {
  return [id, spaced(state), mode ?? '–', instrument, allocationUsd, expiresAt];
}

/** The palette, which goes anywhere and acts, and the keys that act without it. */
import { useMantineColorScheme } from '@mantine/core';
import { Spotlight, type SpotlightActionData, type SpotlightActionGroupData } from '@mantine/spotlight';
import { useEffect, useState } from 'react';
import { useAgentActions } from './agents/commands.ts';
import { useCatalog } from './catalog.ts';
import { askHalt, useMayHalt } from './halt.tsx';
import { isWriting } from './kit/keys.ts';
import { useMay, useMe } from './member.ts';
import { type OrderInWords, ordersIn } from './order-in-words.ts';
import { pagesFor } from './pages.ts';
import { changeDraft, writeOrder } from './panels/draft.ts';
import { answerFirst } from './panels/proposals.tsx';
import { PANEL_NAMES, PANELS } from './panels.tsx';
import { choose, goTo, panelAsked } from './place.ts';

export function Commands() {
  const [query, setQuery] = useState('');
  useKeys();
  const groups = [useOrderActions(query), useActions(), usePageActions(), useAgentActions(), useInstrumentActions()];
  return (
    <Spotlight
      actions={groups.filter(({ actions }) => actions.length > 0)}
      query={query}
      onQueryChange={setQuery}
      shortcut={['mod + K', '/']}
      nothingFound="Nothing matches. Try an instrument, a page, or “buy 500 AAPLx”."
      limit={12}
      searchProps={{ placeholder: 'Instrument, page, or “buy 500 AAPLx”', 'aria-label': 'Search or type an order' }}
      transitionProps={{ duration: 0 }}
      lockScroll={false}
      attributes={{ content: { 'aria-label': 'Commands' } }}
      closeOnActionTrigger
      clearQueryOnClose
      scrollable
      maxHeight={420}
    />
  );
}

/** Keys that act while nobody is writing. */
function useKeys(): void {
  const [mayTrade, mayHalt] = [useMay('trade:execute'), useMayHalt()];
  useEffect(() => {
    const acts: { readonly [key: string]: () => void } = {
      ...(mayTrade
        ? {
            b: () => beginOrder('buy'),
            s: () => beginOrder('sell'),
            a: () => answerFirst('approve'),
            d: () => answerFirst('decline'),
          }
        : {}),
      ...(mayHalt ? { H: askHalt } : {}),
    };
    const act = (event: KeyboardEvent) => {
      const found = acts[event.key];
      if (found === undefined || event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
      event.preventDefault();
      found();
    };
    addEventListener('keydown', act);
    return () => removeEventListener('keydown', act);
  }, [mayTrade, mayHalt]);
}

function beginOrder(side: 'buy' | 'sell'): void {
  goTo('trade');
  writeOrder({ side });
  setTimeout(() => document.getElementById('ticket-size')?.focus(), 60);
}

/** An order that the typed words say. */
function useOrderActions(query: string): SpotlightActionGroupData {
  const entries = useCatalog();
  const mayTrade = useMay('trade:execute');
  return { group: 'Order', actions: (mayTrade ? ordersIn(query, entries) : []).map((order) => orderAction(order, query)) };
}

/** Fills the ticket. @param query What was typed: the palette shows an action only if its words match. */
function orderAction({ side, size, unit, key, symbol, price }: OrderInWords, query: string): SpotlightActionData {
  const amount = unit === 'usd' ? `$${size} of` : size;
  return {
    id: `order-${unit}`,
    label: `${side === 'buy' ? 'Buy' : 'Sell'} ${amount} ${symbol}${price === null ? '' : ` at ${price}`}`,
    description: 'Fills the order ticket. You send it there.',
    keywords: query,
    onClick: () => {
      choose(key);
      writeOrder({ side, size, unit, ...(price === null ? { kind: 'market' } : { kind: 'limit', price }) });
    },
  };
}

function useActions(): SpotlightActionGroupData {
  const [mayTrade, mayHalt] = [useMay('trade:execute'), useMayHalt()];
  const { setColorScheme } = useMantineColorScheme();
  const act = (id: string, label: string, keywords: string[], onClick: () => void): SpotlightActionData => ({
    id,
    label,
    keywords,
    onClick,
  });
  return {
    group: 'Actions',
    actions: [
      ...(mayTrade
        ? [
            act('approve', 'Approve the next proposal', ['a', 'yes'], () => answerFirst('approve')),
            act('decline', 'Decline the next proposal', ['d', 'no'], () => answerFirst('decline')),
            act('live', 'Trade live', ['real', 'mode'], () => changeDraft({ mode: 'live' })),
            act('paper', 'Trade on paper', ['mode'], () => changeDraft({ mode: 'paper' })),
          ]
        : []),
      ...(mayHalt ? [act('halt', 'Halt all agents', ['stop', 'emergency', 'kill'], askHalt)] : []),
      act('dark', 'Dark theme', ['night', 'colours'], () => setColorScheme('dark')),
      act('light', 'Light theme', ['day', 'colours'], () => setColorScheme('light')),
      act('reset', 'Reset the workspace', ['layout', 'panels'], () => panelAsked.set('reset')),
      ...PANEL_NAMES.map((name) =>
        act(`panel-${name}`, `Show ${PANELS[name].title.toLowerCase()}`, ['panel', 'open'], () => showPanel(name)),
      ),
    ],
  };
}

function showPanel(name: string): void {
  goTo('trade');
  panelAsked.set(name);
}

function usePageActions(): SpotlightActionGroupData {
  const me = useMe();
  const actions = pagesFor(me).flatMap(({ name, pages }) =>
    pages.map(({ title, address }) => ({
      id: `page-${address}`,
      label: `Go to ${title.toLowerCase()}`,
      description: name,
      keywords: [title, 'go'],
      onClick: () => location.assign(address),
    })),
  );
  return { group: 'Pages', actions };
}

function useInstrumentActions(): SpotlightActionGroupData {
  const actions = useCatalog().map(({ key, instrument, name, underlying }) => ({
    id: key,
    label: instrument,
    description: name,
    keywords: [underlying, key],
    onClick: () => choose(key),
  }));
  return { group: 'Instruments', actions };
}

/** Command palette, and the keyboard shortcuts that work without it. */
import { useMantineColorScheme } from '@mantine/core';
import { Spotlight, type SpotlightActionData, type SpotlightActionGroupData } from '@mantine/spotlight';
import { useEffect, useState } from 'react';
import { preferences } from '../preferences.js';
import { useAgentActions } from './agents/commands.ts';
import { useCatalog } from './catalog.ts';
import { askHalt, useMayHalt } from './halt.tsx';
import { isWriting } from './kit/browser.ts';
import { useMay, useMe } from './member.ts';
import { type OrderInWords, ordersIn } from './order-in-words.ts';
import { pagesFor } from './pages.ts';
import { changeDraft, writeOrder } from './panels/draft.ts';
import { answerFirst } from './panels/proposals.tsx';
import { PANEL_NAMES, PANELS } from './panels.tsx';
import { choose, goTo, panelAsked } from './place.ts';
import { openHelp, switchNotices, switchZone } from './settings.tsx';

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
      // Keys typed right after the shortcut go to the palette.
      searchProps={{ placeholder: 'Instrument, page, or “buy 500 AAPLx”', 'aria-label': 'Search or type an order', autoFocus: true }}
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

/** Time after G in which a page's key may follow. */
const SECOND_KEY_MS = 1_500;

/** Handles shortcuts while no field has the focus. */
function useKeys(): void {
  const [mayTrade, mayHalt] = [useMay('trade:execute'), useMayHalt()];
  const me = useMe();
  useEffect(() => {
    const pages = new Map(pagesFor(me).flatMap((group) => group.pages.map(({ key, address }) => [key, address])));
    const acts: { readonly [key: string]: () => void } = {
      ...(mayTrade
        ? {
            b: () => beginOrder('buy'),
            s: () => beginOrder('sell'),
            a: () => answerFirst('approve'),
            d: () => answerFirst('decline'),
          }
        : {}),
      ...(mayTrade ? { n: () => goTo('agents/new') } : {}),
      ...(mayHalt ? { H: askHalt } : {}),
      z: switchZone,
      '?': openHelp,
      g: () => {
        wentAt = performance.now();
      },
    };
    let wentAt = -Infinity;
    const act = (event: KeyboardEvent) => {
      // A held key acts once: it would answer one proposal after another.
      if (!preferences().keys || event.repeat) return;
      const page = performance.now() - wentAt < SECOND_KEY_MS ? pages.get(event.key) : undefined;
      wentAt = -Infinity;
      const found = page === undefined ? acts[event.key] : () => location.assign(page);
      if (found === undefined || event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
      event.preventDefault();
      found();
    };
    addEventListener('keydown', act);
    return () => removeEventListener('keydown', act);
  }, [me, mayTrade, mayHalt]);
}

function beginOrder(side: 'buy' | 'sell'): void {
  goTo('trade');
  writeOrder({ side });
  setTimeout(() => document.getElementById('ticket-size')?.focus(), 60);
}

/** Returns the actions of an order typed in words. */
function useOrderActions(query: string): SpotlightActionGroupData {
  const entries = useCatalog();
  const mayTrade = useMay('trade:execute');
  return { group: 'Order', actions: (mayTrade ? ordersIn(query, entries) : []).map((order) => orderAction(order, query)) };
}

/** Returns the action that fills the order ticket. @param query Typed words: the palette shows only actions that match them. */
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
      act('zone', 'Switch between UTC and local time', ['z', 'clock'], switchZone),
      act('notices', 'Switch browser notifications', ['alerts'], () => void switchNotices()),
      act('keys', 'Show the keys', ['help', 'shortcuts', '?'], openHelp),
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

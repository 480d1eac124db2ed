/** Workspace on a phone, one panel per screen, with a bar at the bottom of every page. Pending approvals come first. */
import { Drawer } from '@mantine/core';
import { useEffect, useState } from 'react';
import { createStore, useStore } from './kit/store.ts';
import { useMe } from './member.ts';
import { pagesFor } from './pages.ts';
import { InstrumentHead } from './panels/instrument-head.tsx';
import { usePendingProposals, useProposals } from './panels/proposals.tsx';
import { PANELS, type PanelName } from './panels.tsx';
import { goTo, page, panelAsked, within } from './place.ts';
import { Stacked } from './stacked.tsx';

const SCREENS: readonly (readonly [title: string, ...panels: PanelName[]])[] = [
  ['Approve', 'proposals'],
  ['Markets', 'watchlist'],
  ['Chart', 'chart', 'book', 'news', 'conditions'],
  ['Trade', 'ticket', 'orders'],
  ['Portfolio', 'positions', 'fills', 'alerts'],
];

const chosen = createStore<string | null>(null);

/** Returns the screen. The first one is decided once: an approval that came under the thumb later would be pressed by mistake. */
function useScreen(): string {
  const { isSuccess: isRead } = useProposals();
  const first = usePendingProposals().length > 0 ? 'Approve' : 'Markets';
  useEffect(() => {
    if (isRead && chosen.get() === null) chosen.set(first);
  }, [isRead]);
  return useStore(chosen) ?? first;
}

export function Phone() {
  const screen = useScreen();
  const asked = useStore(panelAsked);
  useEffect(() => {
    const found = SCREENS.find(([, ...panels]) => panels.includes(asked as PanelName));
    if (found !== undefined) chosen.set(found[0]);
    // A panel that no screen holds has a page of the same name.
    else if (asked !== null && asked in PANELS) goTo(asked);
    panelAsked.set(null);
  }, [asked]);
  const [title = '', ...panels] = SCREENS.find(([name]) => name === screen) ?? [];
  return (
    <div className="phone" data-screen={title}>
      {title === 'Trade' && <InstrumentHead />}
      <Stacked panels={PANELS} names={panels as PanelName[]} />
    </div>
  );
}

/** Navigation bar at the bottom of every page. */
export function Thumbs() {
  const [isMenuOpen, setMenuOpen] = useState(false);
  const screen = useScreen();
  const isTrading = useStore(page) === 'trade';
  const waiting = usePendingProposals().length;
  const place = [useStore(page), useStore(within)].join('/');
  // The browser's own Back leads to another page too.
  useEffect(() => setMenuOpen(false), [place]);
  const show = (name: string) => {
    chosen.set(name);
    if (!isTrading) goTo('trade');
  };
  return (
    <>
      <nav className="thumbs" aria-label="Screens">
        {SCREENS.map(([name]) => (
          <button key={name} type="button" aria-current={isTrading && name === screen ? 'page' : undefined} onClick={() => show(name)}>
            {name}
            {name === 'Approve' && waiting > 0 && <span className="count urgent">{waiting}</span>}
          </button>
        ))}
        <button type="button" aria-current={isTrading ? undefined : 'page'} onClick={() => setMenuOpen(true)}>
          More
        </button>
      </nav>
      <PageMenu isOpen={isMenuOpen} close={() => setMenuOpen(false)} />
    </>
  );
}

function PageMenu({ isOpen, close }: { readonly isOpen: boolean; readonly close: () => void }) {
  const me = useMe();
  return (
    <Drawer opened={isOpen} onClose={close} title="Pages" position="bottom" size="75%" closeButtonProps={{ 'aria-label': 'Close' }}>
      <div className="page-menu">
        {pagesFor(me).map(({ name, pages }) => (
          <section key={name}>
            <h2>{name}</h2>
            {pages.map(({ title, address }) => (
              <a key={address} href={address} onClick={close}>
                {title}
              </a>
            ))}
          </section>
        ))}
      </div>
    </Drawer>
  );
}

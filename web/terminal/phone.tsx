/** The workspace on a phone: one panel a screen, reached by a thumb; what waits for an answer comes first. */
import { Drawer } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useStore } from './kit/store.ts';
import { useMe } from './member.ts';
import { pagesFor } from './pages.ts';
import { InstrumentHead } from './panels/instrument-head.tsx';
import { usePendingProposals } from './panels/proposals.tsx';
import { PANELS, type PanelName } from './panels.tsx';
import { panelAsked } from './place.ts';

const SCREENS: readonly (readonly [title: string, ...panels: PanelName[]])[] = [
  ['Approve', 'proposals'],
  ['Markets', 'watchlist'],
  ['Chart', 'chart', 'book', 'news', 'conditions'],
  ['Trade', 'ticket', 'orders'],
  ['Portfolio', 'positions', 'fills', 'alerts'],
];

export function Phone() {
  const [screen, setScreen] = useState('Markets');
  const [isMenuOpen, setMenuOpen] = useState(false);
  const asked = useStore(panelAsked);
  const waiting = usePendingProposals().length;
  useEffect(() => {
    const found = SCREENS.find(([, ...panels]) => panels.includes(asked as PanelName));
    if (found !== undefined) setScreen(found[0]);
    panelAsked.set(null);
  }, [asked]);
  const [title = '', ...panels] = SCREENS.find(([name]) => name === screen) ?? [];
  return (
    <>
      <div className="phone" data-screen={title}>
        {title === 'Trade' && <InstrumentHead />}
        {(panels as PanelName[]).map((name) => {
          const { title: heading, content: Content } = PANELS[name];
          return (
            <section key={name} className="phone-panel" aria-label={heading}>
              {name !== 'chart' && <h2>{heading}</h2>}
              <Content />
            </section>
          );
        })}
      </div>
      <nav className="thumbs" aria-label="Screens">
        {SCREENS.map(([name]) => (
          <button key={name} type="button" aria-current={name === screen ? 'page' : undefined} onClick={() => setScreen(name)}>
            {name}
            {name === 'Approve' && waiting > 0 && <span className="count urgent">{waiting}</span>}
          </button>
        ))}
        <button type="button" onClick={() => setMenuOpen(true)}>
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

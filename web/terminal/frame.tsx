/** The frame around every page: organization, search, connection, clock, today's P&L, halt, and the six groups of pages. */
import { Button, Menu, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { spotlight } from '@mantine/spotlight';
import { Suspense, useEffect, useRef, useState } from 'react';
import { clockTime, zoneWord } from '../words.js';
import { api, refresh, refreshSoon, strain, useRead } from './api.ts';
import { Commands } from './commands.tsx';
import { HaltBanner, HaltButton } from './halt.tsx';
import { PHONE } from './kit/browser.ts';
import { GroupIcon } from './kit/icons.tsx';
import { Gain, Today } from './kit/numbers.tsx';
import { Guarded, laterPart, describeError } from './kit/refusal.tsx';
import { useStore, useTicking } from './kit/store.ts';
import { connection, feed, followMarket } from './market.ts';
import { signOut, useMay, useMe } from './member.ts';
import { type PageGroup, pagesFor } from './pages.ts';
import { Thumbs } from './phone.tsx';
import { followAddress, page } from './place.ts';
import { followForNotices } from './notices.ts';
import { useAgentName } from './organization.ts';
import { ReplayBar } from './replay/bar.tsx';
import { IS_REPLAY } from './replay/mode.ts';
import { HelpSheet, SettingsItems, usePreferences } from './settings.tsx';
import { beginTour, Tour } from './tour.tsx';
import { TradeWorkspace } from './workspace.tsx';

const Research = laterPart(async () => (await import('./research/pages.tsx')).default);

export function Frame() {
  const name = useStore(page);
  const mayRead = useMay('agent:read');
  // A change of the zone renders every time on the page again.
  usePreferences();
  const isPhone = useMediaQuery(PHONE, undefined, { getInitialValueInEffect: false });
  useEffect(() => {
    const stops = [followMarket(), followAddress(), ...(mayRead && !IS_REPLAY ? [followOrganization()] : [])];
    return () => stops.forEach((stop) => stop());
  }, [mayRead]);
  return (
    <div className="frame">
      <a className="skip" href="#main" onClick={skip}>
        Skip to content
      </a>
      <TopBar />
      <Navigation />
      <main id="main" tabIndex={-1} className="main">
        {IS_REPLAY ? <ReplayBar /> : <HaltBanner />}
        {!IS_REPLAY && <Tour />}
        <Suspense fallback={<p className="faint page">Loading…</p>}>
          <Guarded key={name}>{name === 'trade' ? <TradeWorkspace /> : <Research name={name} />}</Guarded>
        </Suspense>
      </main>
      {isPhone && <Thumbs />}
      <Commands />
      <HelpSheet />
      {mayRead && !IS_REPLAY && <Notices />}
    </div>
  );
}

function Notices() {
  const nameOf = useAgentName();
  useEffect(() => followForNotices(nameOf), [nameOf]);
  return null;
}

function skip(event: { preventDefault(): void }): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

/** Reads lists again when the organization's announcements concern them. */
function followOrganization(): () => void {
  const readAgain =
    (...names: readonly string[]) =>
    () => {
      refresh(...names);
      refreshSoon('portfolio', 'performance');
    };
  const readAgents = () => {
    refresh('agents', 'halt');
    refreshSoon('paused');
  };
  const begin = readAgain('proposals', 'alerts', 'orders', 'agents');
  const stops = [
    feed.subscribe({ channel: 'proposals', begin, receive: readAgain('proposals') }),
    feed.subscribe({ channel: 'alerts', begin, receive: readAgain('alerts', 'orders', 'agents') }),
    feed.subscribe({ channel: 'agents', begin, receive: readAgents }),
  ];
  return () => stops.forEach((stop) => stop());
}

function TopBar() {
  const mayRead = useMay('agent:read');
  return (
    <header className="bar">
      <a className="brand" href="#/trade" aria-label="Sevengate terminal">
        <img src="/terminal/icon.svg" alt="" width={20} height={20} />
        <span>Sevengate</span>
      </a>
      <button type="button" className="search" onClick={spotlight.open} aria-keyshortcuts="/ Control+K Meta+K">
        <span>Search or type an order</span>
        <kbd aria-hidden="true">/</kbd>
      </button>
      <span className="space" />
      {mayRead && <TodaysProfit />}
      <Connection />
      <Clock />
      {!IS_REPLAY && <HaltButton />}
      {!IS_REPLAY && <Member />}
    </header>
  );
}

/** Clock with the service's time, or the tape's during a replay. */
function Clock() {
  useTicking();
  const now = feed.now();
  return (
    <time className="clock num" dateTime={new Date(now).toISOString()}>
      {clockTime(now)} <span className="faint">{zoneWord()}</span>
    </time>
  );
}

/**
 * Connection indicator. Green only while heartbeats arrive and calls are answered. The service beats every 5 s; one missed beat, late
 * frames, refused or slow calls turn it off.
 */
function Connection() {
  const { state, words } = useCondition();
  return (
    <button
      type="button"
      className="connection"
      data-state={state}
      disabled={state !== 'waiting' && state !== 'connecting'}
      onClick={feed.connect}
      title="Try again now"
    >
      <span className="dot" aria-hidden="true" />
      <span role="status">{words}</span>
    </button>
  );
}

function useCondition(): { readonly state: string; readonly words: string } {
  const { state, retryAt, since, lateS } = useStore(connection);
  const { busyUntil, slow } = useStore(strain);
  const now = useTicking();
  const secondsTo = (at: number) => Math.max(0, Math.ceil((at - now) / 1_000));
  if (state === 'late') return { state, words: `Late by ${lateS} s` };
  if (state !== 'live') {
    const verb = since === 0 ? 'Connecting' : 'Reconnecting';
    return { state, words: state === 'waiting' && secondsTo(retryAt) > 0 ? `${verb} in ${secondsTo(retryAt)} s` : `${verb}…` };
  }
  if (secondsTo(busyUntil) > 0) return { state: 'busy', words: `Busy, asks again in ${secondsTo(busyUntil)} s` };
  return slow > 0 ? { state: 'slow', words: 'Slow answers' } : { state, words: 'Live' };
}

function TodaysProfit() {
  const { data } = useRead(['performance', 'paper'], (call) => api.getPerformance({ mode: 'paper' }, call), { refetchInterval: 15_000 });
  return (
    <span className="today">
      <span className="faint">P&L today</span> <Today usd={data?.totals.todayUsd} without={data?.totals.todayWithout} />
      <span className="faint">total</span> <Gain usd={data?.totals.pnlUsd} />
      <span className="tag">paper</span>
    </span>
  );
}

function Member() {
  const me = useMe();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('dark');
  const name = me.name ?? me.subject;
  return (
    <Menu position="bottom-end" withinPortal={false}>
      <Menu.Target>
        <Button variant="subtle" color="gray" className="member" aria-label={`${initials(name)}, account of ${name}`}>
          {initials(name)}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{name}</Menu.Label>
        <Menu.Item onClick={() => setColorScheme(scheme === 'dark' ? 'light' : 'dark')}>
          {scheme === 'dark' ? 'Light theme' : 'Dark theme'}
        </Menu.Item>
        <Menu.Item component="a" href="#/members">
          Organization and members
        </Menu.Item>
        <SettingsItems />
        <Menu.Item onClick={beginTour}>First steps</Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={() => void signOut().catch(tellStaysIn)}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function tellStaysIn(error: unknown): void {
  notifications.show({ color: 'red', title: 'You are still signed in', message: describeError(error) });
}

const initials = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => word.slice(0, 1).toUpperCase())
    .join('');

function Navigation() {
  const me = useMe();
  return (
    <nav className="rail" aria-label="Pages">
      {pagesFor(me)
        .filter(({ pages }) => pages.length > 0)
        .map((group) => (
          <GroupMenu key={group.name} group={group} />
        ))}
    </nav>
  );
}

const OPEN_DELAY_MS = 120;

function GroupMenu({ group: { name: group, pages } }: { readonly group: PageGroup }) {
  const name = useStore(page);
  const [isOpen, setOpen] = useState(false);
  // A pointer that entered shortly before the choice would open the menu again, over the page: until it enters once more, it does not.
  const isSpent = useRef(false);
  const renew = () => {
    isSpent.current = false;
  };
  return (
    <Menu
      position="right-start"
      trigger="click-hover"
      openDelay={OPEN_DELAY_MS}
      withinPortal={false}
      offset={2}
      opened={isOpen}
      onChange={(opened) => setOpen(opened && !isSpent.current)}
    >
      <Menu.Target>
        <button
          type="button"
          className="rail-group"
          data-current={pages.some(({ address }) => address === `#/${name}`)}
          onPointerEnter={renew}
          onClick={renew}
          onKeyDown={renew}
        >
          <GroupIcon name={group} />
          <span>{group}</span>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{group}</Menu.Label>
        {pages.map(({ title, address }) => (
          <Menu.Item
            key={address}
            component="a"
            href={address}
            onClick={() => {
              isSpent.current = true;
            }}
          >
            {title}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

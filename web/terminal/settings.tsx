/** Preferences of this browser and the list of shortcuts, in the member's menu. */
import { isMantineColorScheme, localStorageColorSchemeManager, Menu, Modal } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useSyncExternalStore } from 'react';
import { onPreferences, prefer, preferences, readPreferences } from '../preferences.js';
import { openSetting } from './kept-settings.ts';
import { createStore, useStore } from './kit/store.ts';
import { useMe } from './member.ts';
import { allowNotices } from './notices.ts';
import { pagesFor } from './pages.ts';

/** True while the list of shortcuts is open. */
const isHelpOpen = createStore(false);
export const openHelp = (): void => isHelpOpen.set(true);

const kept = openSetting('preferences');
kept.subscribe(() => {
  if (kept.get() === '') return;
  const { zone, keys } = readPreferences(kept.get());
  prefer({ zone, keys });
});
onPreferences(() => {
  const { zone, keys } = preferences();
  kept.set(JSON.stringify({ zone, keys }));
});

const scheme = openSetting('theme');
const here = localStorageColorSchemeManager();
let stop = (): void => {};
/** Theme of the member. The copy in this browser paints the page before the member is known. */
export const THEME_OF_MEMBER: typeof here = {
  ...here,
  set(chosen) {
    here.set(chosen);
    scheme.set(chosen);
  },
  subscribe(show) {
    here.subscribe(show);
    stop = scheme.subscribe(() => {
      const chosen = scheme.get();
      if (!isMantineColorScheme(chosen)) return;
      here.set(chosen);
      show(chosen);
    });
  },
  unsubscribe() {
    here.unsubscribe();
    stop();
  },
};

export const usePreferences = () => useSyncExternalStore(onPreferences, preferences);

export function switchZone(): void {
  prefer({ zone: preferences().zone === 'utc' ? 'local' : 'utc' });
}

export async function switchNotices(): Promise<void> {
  const isOn = preferences().notifications;
  const why = isOn ? null : await allowNotices();
  if (why !== null) notifications.show({ color: 'yellow', message: why });
  else {
    prefer({ notifications: !isOn });
    notifications.show({ message: isOn ? 'Browser notifications are off.' : 'Browser notifications are on while you look elsewhere.' });
  }
}

export function SettingsItems() {
  const { zone, keys, notifications: isNotified } = usePreferences();
  return (
    <>
      <Menu.Item onClick={switchZone}>Show times in {zone === 'utc' ? 'local time' : 'UTC'}</Menu.Item>
      <Menu.Item onClick={() => void switchNotices()}>Turn {isNotified ? 'off' : 'on'} browser notifications</Menu.Item>
      <Menu.Item onClick={() => prefer({ keys: !keys })}>Turn {keys ? 'off' : 'on'} single keys</Menu.Item>
      <Menu.Item onClick={openHelp} rightSection={<kbd>?</kbd>}>
        Keys
      </Menu.Item>
    </>
  );
}

const EVERYWHERE = [
  ['Ctrl K or /', 'search, or type an order'],
  ['B, S', 'buy or sell the chosen instrument'],
  ['A, D', 'approve or decline the proposal that expires first'],
  ['Shift H', 'halt all agents'],
  ['N', 'create an agent'],
  ['Z', 'switch between UTC and local time'],
  ['?', 'this sheet'],
  ['Escape', 'close what is open'],
] as const;
const DEBUGGER = [
  ['← →', 'one step earlier, one later'],
  ['Home, End', 'first step, newest step'],
  ['Space', 'play or pause'],
  ['W', 'ask what if'],
] as const;

export function HelpSheet() {
  const isOpen = useStore(isHelpOpen);
  const me = useMe();
  const pages = pagesFor(me).flatMap((group) =>
    group.pages.flatMap(({ key, title }) => (key === undefined ? [] : [[`G ${key}`, title] as const])),
  );
  return (
    <Modal
      opened={isOpen}
      onClose={() => isHelpOpen.set(false)}
      title="Keys"
      size="lg"
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <div className="help-sheet">
        <Keys title="Everywhere" of={EVERYWHERE} />
        <Keys title="Time travel" of={DEBUGGER} />
        <Keys title="Go to a page: two keys in turn" of={pages} />
      </div>
    </Modal>
  );
}

const Keys = ({ title, of }: { readonly title: string; readonly of: readonly (readonly [keys: string, what: string])[] }) => (
  <section>
    <h2>{title}</h2>
    <dl className="keys">
      {of.map(([keys, what]) => (
        <div key={keys}>
          <dt>
            <kbd>{keys}</kbd>
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  </section>
);

/** Workspace: dockable panels on a wide screen, and a substitute on a phone. */
import { useMediaQuery } from '@mantine/hooks';
import { type ReactNode, Suspense } from 'react';
import type { Workspace } from './dock.tsx';
import { PHONE } from './kit/browser.ts';
import { Phone } from './phone.tsx';
import { IS_REPLAY } from './replay/mode.ts';
import { REPLAY } from './replay/workspace.ts';
import { usePreferences } from './settings.tsx';
import { TRADE } from './trade-workspace.tsx';
import { laterPart } from './kit/refusal.tsx';

const Dock = laterPart(async () => (await import('./dock.tsx')).default);

interface Props {
  readonly title: string;
  readonly workspace: Workspace;
  /** Content on a phone. */
  readonly narrow: ReactNode;
}

export function Docked({ title, workspace, narrow }: Props) {
  const isPhone = useMediaQuery(PHONE, undefined, { getInitialValueInEffect: false });
  // Panels are rendered apart from the page: those with times of another zone are made anew.
  const { zone } = usePreferences();
  return (
    <>
      <h1 className="sr-only">{title}</h1>
      {isPhone ? (
        narrow
      ) : (
        <Suspense fallback={null}>
          <Dock key={zone} workspace={workspace} />
        </Suspense>
      )}
    </>
  );
}

export const TradeWorkspace = () =>
  IS_REPLAY ? (
    <Docked title="Replay workspace" workspace={REPLAY} narrow={<Phone />} />
  ) : (
    <Docked title="Trading workspace" workspace={TRADE} narrow={<Phone />} />
  );

/** Versions of an agent's manifest, the newest first, each with what it changed. */
import { Button } from '@mantine/core';
import { dayAndTime } from '../../words.js';
import { api, type ManifestVersion } from '../api.ts';
import { useList } from '../kit/lists.tsx';
import { Refusal } from '../kit/refusal.tsx';
import { type Condition, conditionSentence } from './rules.ts';

export function Versions({ agentId }: { readonly agentId: string }) {
  const { data, error, isPending, hasNextPage, fetchNextPage } = useList(['versions', agentId], (page, options) =>
    api.listVersions({ id: agentId, ...page }, options),
  );
  return (
    <div className="versions">
      <Refusal error={error} />
      {isPending && <p className="empty">Reading…</p>}
      <ol>
        {(data?.pages ?? [])
          .flatMap(({ items }) => items)
          .map((version) => (
            <Version key={version.version} version={version} />
          ))}
      </ol>
      {hasNextPage && (
        <Button size="compact-xs" variant="default" onClick={() => void fetchNextPage()}>
          Older versions
        </Button>
      )}
    </div>
  );
}

function Version({
  version: { version, manifestHash, createdBy, createdAt, changes, conditionsAdded, conditionsRemoved },
}: {
  readonly version: ManifestVersion;
}) {
  const isFirst = changes.length + conditionsAdded.length + conditionsRemoved.length === 0;
  return (
    <li data-version={version}>
      <div className="part-head">
        <strong>Version {version}</strong>
        <span className="faint">
          {dayAndTime(createdAt)} by {createdBy} · <code title={manifestHash}>{manifestHash.slice(0, 10)}</code>
        </span>
      </div>
      <ul>
        {isFirst && <li className="faint">{version === 1 ? 'The first version.' : 'Nothing changed.'}</li>}
        {conditionsRemoved.map(({ side, condition }) => (
          <li key={`- ${JSON.stringify(condition)} ${side}`} className="down">
            − {side}: {conditionSentence(condition as Condition)}
          </li>
        ))}
        {conditionsAdded.map(({ side, condition }) => (
          <li key={`+ ${JSON.stringify(condition)} ${side}`} className="up">
            + {side}: {conditionSentence(condition as Condition)}
          </li>
        ))}
        {changes.map(({ path, before, after }) => (
          <li key={path}>
            {path.replace('$.', '')}: <span className="down">{shown(before)}</span> → <span className="up">{shown(after)}</span>
          </li>
        ))}
      </ul>
    </li>
  );
}

const shown = (value: unknown): string =>
  value === undefined || value === null ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value);

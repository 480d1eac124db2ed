/** Posts about traded assets, newest first. Post texts are untrusted and never parsed as HTML. */
import { Switch } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { api, type SocialPost } from '../api.ts';
import { useCatalog } from '../catalog.ts';
import { Written } from '../kit/form.tsx';
import { List, useList } from '../kit/lists.tsx';
import { compactText } from '../kit/numbers.tsx';
import { choose } from '../place.ts';

const READ_EVERY_MS = 15_000;
const QUIET_MS = 300;

export function Social() {
  const [symbol, setSymbol] = useState('');
  const [author, setAuthor] = useState('');
  const [isMapped, setMapped] = useState(true);
  const [filter] = useDebouncedValue({ symbol: symbol.trim(), author: author.trim() }, QUIET_MS);
  return (
    <div className="page">
      <div className="page-head">
        <h1>Social feed</h1>
        <span className="space" />
        <Switch label="Known assets only" checked={isMapped} onChange={({ currentTarget }) => setMapped(currentTarget.checked)} />
        <Written placeholder="Symbol" aria-label="Symbol" value={symbol} write={setSymbol} />
        <Written placeholder="Author" aria-label="Author" value={author} write={setAuthor} />
      </div>
      <List
        list={useList(
          ['social', filter.symbol, filter.author, isMapped],
          (page, options) =>
            api.listSocialFeed(
              {
                ...page,
                mapped: isMapped,
                ...(filter.symbol === '' ? {} : { symbol: filter.symbol }),
                ...(filter.author === '' ? {} : { author: filter.author }),
              },
              options,
            ),
          { everyMs: READ_EVERY_MS },
        )}
        label="Posts"
        empty="No post matches. Posts that name a traded asset appear here as they are received."
        keyOf={({ id }) => id}
        columns={[
          { title: 'Author', cell: showAuthor },
          { title: 'Post', isText: true, cell: showText },
          {
            title: 'Assets',
            isText: true,
            value: ({ assets }) => assets.map(({ asset }) => asset).join(' '),
            cell: (post) => <Assets post={post} />,
          },
          { title: 'Likes', text: ({ engagement: { likes } }) => (likes === null ? '–' : compactText(String(likes))) },
          { title: 'Reposts', text: ({ engagement: { reposts } }) => (reposts === null ? '–' : compactText(String(reposts))) },
          { title: 'Posted', ago: ({ publishedAt }) => publishedAt },
        ]}
      />
    </div>
  );
}

const showAuthor = ({ author, platform }: SocialPost) => (
  <>
    {author} <small>{platform}</small>
  </>
);

/** Post with a link to its source, if that is a web address. */
function showText({ text, url }: SocialPost) {
  const isLink = url !== null && url.startsWith('https://');
  return (
    <span className="long post">
      {text}{' '}
      {isLink && (
        <a href={url} target="_blank" rel="noreferrer noopener">
          Open
        </a>
      )}
    </span>
  );
}

function Assets({ post: { assets, ambiguous, unmapped } }: { readonly post: SocialPost }) {
  const catalog = useCatalog();
  return (
    <span className="tags">
      {assets.map(({ asset, matched }) => {
        const entry = catalog.find(({ underlying, instrument }) => underlying === asset || instrument === asset);
        return entry === undefined ? (
          <span key={asset} className="tag" title={`named as ${matched}`}>
            {asset}
          </span>
        ) : (
          <button key={asset} type="button" className="plain tag" title={`named as ${matched}`} onClick={() => choose(entry.key)}>
            {asset}
          </button>
        );
      })}
      {ambiguous.map(({ matched, assets: either }) => (
        <span key={matched} className="tag warn" title={`may be ${either.join(' or ')}`}>
          {matched}?
        </span>
      ))}
      {unmapped.map((name) => (
        <span key={name} className="tag faint">
          {name}
        </span>
      ))}
    </span>
  );
}

/** Redis URLs: `redis://host:port` for a server, `redis+cluster://host:port?also=host:port` for a cluster and some of its nodes. */

/** Returns true for the URL of a cluster. `also` names further nodes, in case the first is down at the start. */
export function isCluster(url: string): boolean {
  return /^rediss?\+cluster:/.test(url);
}

/** Returns the URL of the first node of a cluster. */
export function nodeUrl(url: string): string {
  const node = new URL(url.replace('+cluster:', ':'));
  node.searchParams.delete('also');
  return node.href;
}

/** URLs of Redis: `redis://host:port` names a server, `redis+cluster://host:port?also=host:port` a cluster by some of its nodes. */

/** A URL that names a cluster by one of its nodes, and others in `also` where that one may be down at the start. */
export function isCluster(url: string): boolean {
  return /^rediss?\+cluster:/.test(url);
}

/** Returns the URL of the node that stands first in the URL of a cluster. */
export function nodeUrl(url: string): string {
  const node = new URL(url.replace('+cluster:', ':'));
  node.searchParams.delete('also');
  return node.href;
}

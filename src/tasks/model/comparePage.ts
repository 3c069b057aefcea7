// The pages on which a pull request is opened, on widely used hosts.
import { withoutEndSlashes } from '../../base/endSlashes.ts';
import { decodedPart, readRemoteUrl } from '../../base/remoteUrl.ts';

/** The software that a host runs. */
export type HostKind = 'github' | 'gitlab' | 'bitbucket' | 'bitbucketServer' | 'azure' | 'gitea';

/** Two branches, each in the repository of a remote's address. The repositories are the same, or one is a fork. */
export interface BranchComparison {
	/** The address of the remote that has the branch. */
	head: string;
	branch: string;
	/** The address of the remote whose repository is to take the branch. */
	base: string;
	/** The branch to merge into; undefined for the branch that the host proposes. */
	baseBranch: string | undefined;
}

/** A repository on a host. */
interface HostedRepository {
	/** The address of the host's pages, without a trailing slash. */
	origin: string;
	host: string;
	/** The parts of the path, encoded as in an address. */
	parts: string[];
}

/** Hosts that have a separate name for ssh. */
const WEB_HOSTS: ReadonlyMap<string, string> = new Map([
	['ssh.github.com', 'github.com'],
	['www.github.com', 'github.com'],
	['altssh.gitlab.com', 'gitlab.com'],
	['altssh.bitbucket.org', 'bitbucket.org'],
	['ssh.dev.azure.com', 'dev.azure.com'],
]);

/** The hosts whose software is known from their name. The first match counts. */
const KNOWN: readonly (readonly [RegExp, HostKind])[] = [
	[/^github\.com$|\.ghe\.com$|^github\./, 'github'],
	[/^gitlab\.com$|^gitlab\./, 'gitlab'],
	[/^bitbucket\.org$/, 'bitbucket'],
	[/^bitbucket\./, 'bitbucketServer'],
	[/^dev\.azure\.com$|\.visualstudio\.com$/, 'azure'],
	[/^(?:codeberg\.org|gitea\.com)$|^(?:gitea|forgejo)\./, 'gitea'],
];

/** Returns the host of a remote's address, with its port for a web address, or undefined if it names none. */
export function hostOf(address: string): string | undefined {
	return readHosted(address)?.host;
}

/**
 * Returns the software of a host, judged by its name or by the form of the address, or undefined if it is not known.
 */
export function hostKindOf(address: string): HostKind | undefined {
	const repository = readHosted(address);
	if (!repository) {
		return undefined;
	}
	const { host, parts } = repository;
	const name = host.replace(/:\d+$/, '');
	const known = KNOWN.find(([pattern]) => pattern.test(name))?.[1];
	if (known !== undefined) {
		return known;
	}
	if (parts.includes('_git')) {
		return 'azure';
	}
	return parts.at(-3) === 'scm' ? 'bitbucketServer' : undefined;
}

/** Returns the page on which a pull request for the branch is opened, or undefined if the addresses name none. */
export function comparePage(kind: HostKind, { head, branch, base, baseBranch }: BranchComparison): string | undefined {
	const from = readHosted(head);
	const into = readHosted(base);
	if (!from || !into) {
		return undefined;
	}
	switch (kind) {
		case 'github':
		case 'gitea':
			return ownerPage(kind, from, into, branch, baseBranch);
		case 'gitlab':
			// The page of a fork proposes the repository from which it was made.
			return page(`${from.origin}/${from.parts.join('/')}/-/merge_requests/new`, {
				'merge_request[source_branch]': branch,
				'merge_request[target_branch]': baseBranch,
			});
		case 'bitbucket': {
			const target = into.parts.slice(-2).map(decodedPart).join('/');
			const named = isSame(from, into) ? baseBranch : `${target}::${baseBranch}`;
			return page(`${from.origin}/${from.parts.slice(-2).join('/')}/pull-requests/new`, {
				source: branch,
				// Bitbucket proposes the repository from which a fork was made.
				dest: baseBranch === undefined ? undefined : named,
			});
		}
		case 'bitbucketServer':
			return bitbucketServerPage(from, branch, isSame(from, into) ? baseBranch : undefined);
		case 'azure':
			return azurePage(from, branch, isSame(from, into) ? baseBranch : undefined);
	}
}

function ownerPage(
	kind: 'github' | 'gitea',
	from: HostedRepository,
	into: HostedRepository,
	branch: string,
	baseBranch: string | undefined,
): string | undefined {
	const [owner, name] = from.parts.slice(-2);
	if (owner === undefined || name === undefined || into.parts.length < 2) {
		return undefined;
	}
	const isRenamed = name !== into.parts.at(-1);
	const repository = kind === 'github' ? `${owner}:${name}` : `${owner}/${name}`;
	const prefix = isSame(from, into) ? '' : `${isRenamed ? repository : owner}:`;
	const compared = baseBranch === undefined ? '' : `${encodeBranch(baseBranch)}...`;
	const address = `${into.origin}/${into.parts.join('/')}/compare/${compared}${prefix}${encodeBranch(branch)}`;
	return kind === 'github' ? `${address}?expand=1` : address;
}

/** `scm/KEY/name` in a web address, `KEY/name` in an ssh address; a key that begins with `~` is a person's. */
function bitbucketServerPage(
	{ origin, parts }: HostedRepository,
	branch: string,
	baseBranch: string | undefined,
): string | undefined {
	const [key, name] = parts.slice(-2);
	if (key === undefined || name === undefined) {
		return undefined;
	}
	const before = parts.slice(0, -2);
	const context = (before.at(-1) === 'scm' ? before.slice(0, -1) : before).map(part => `/${part}`).join('');
	const owner = /^(?:~|%7e)/i.test(key) ? `users/${key.replace(/^(?:~|%7e)/i, '')}` : `projects/${key}`;
	const asked = page(`${origin}${context}/${owner}/repos/${name}/pull-requests`, {
		sourceBranch: `refs/heads/${branch}`,
		targetBranch: baseBranch === undefined ? undefined : `refs/heads/${baseBranch}`,
	});
	return asked.replace('?', '?create&');
}

/**
 * The address has `_git` before the repository's name; an old form of ssh address lacks it, and names no organisation
 * either.
 */
function azurePage(
	{ origin, parts }: HostedRepository,
	branch: string,
	baseBranch: string | undefined,
): string | undefined {
	return parts.includes('_git')
		? page(`${origin}/${parts.join('/')}/pullrequestcreate`, { sourceRef: branch, targetRef: baseBranch })
		: undefined;
}

function page(address: string, values: Readonly<Record<string, string | undefined>>): string {
	const given = Object.entries(values).flatMap(([name, value]) =>
		value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
	);
	return `${address}?${given.join('&')}`;
}

/** A branch in a path keeps its slashes. */
function encodeBranch(branch: string): string {
	return branch.split('/').map(encodeURIComponent).join('/');
}

function readHosted(address: string): HostedRepository | undefined {
	const place = readRemoteUrl(address);
	const url = place.kind === 'url' ? URL.parse(place.url) : null;
	if (!url) {
		return undefined;
	}
	const parts = withoutEndSlashes(url.pathname)
		.replace(/\.git$/, '')
		.split('/')
		.filter(part => part !== '');
	const host = WEB_HOSTS.get(url.host) ?? url.host;
	const [version, organisation = '', project = '', name = ''] = parts;
	if (version === 'v3' && name !== '' && /^(?:dev\.azure|vs-ssh\.visualstudio)\.com$/.test(host)) {
		// The ssh form of Azure DevOps.
		return host === 'dev.azure.com'
			? { origin: `https://${host}`, host, parts: [organisation, project, '_git', name] }
			: {
					origin: `https://${organisation}.visualstudio.com`,
					host: `${organisation}.visualstudio.com`,
					parts: [project, '_git', name],
				};
	}
	return parts.length < 2 ? undefined : { origin: `${url.protocol}//${host}`, host, parts };
}

function isSame(one: HostedRepository, other: HostedRepository): boolean {
	// Bitbucket's web addresses have a part that its ssh addresses lack.
	const keyOf = ({ host, parts }: HostedRepository) =>
		[host, ...parts.filter((part, position) => part !== 'scm' || position !== parts.length - 3)]
			.join('/')
			.toLowerCase();
	return keyOf(one) === keyOf(other);
}

/** A remote of the repository. */
export interface NamedRemote {
	name: string;
	address: string;
}

/**
 * Returns the remotes whose repository may be meant to take a branch of `head`, the likeliest first. There are several
 * only if it is not clear: `upstream` is meant if it has the name of `head`'s repository, on the same host.
 */
export function likelyBases(head: NamedRemote, remotes: readonly NamedRemote[]): NamedRemote[] {
	const own = readHosted(head.address);
	if (!own) {
		return [head];
	}
	const others = remotes.filter(({ address }) => {
		const other = readHosted(address);
		return other !== undefined && other.host === own.host && !isSame(other, own);
	});
	const hasOwnName = ({ address }: NamedRemote) =>
		readHosted(address)?.parts.at(-1)?.toLowerCase() === own.parts.at(-1)?.toLowerCase();
	const upstream = others.find(({ name }) => name === 'upstream');
	if (head.name === 'upstream') {
		return [head];
	}
	if (upstream && hasOwnName(upstream)) {
		return [upstream];
	}
	const candidates = [
		...(upstream ? [upstream] : []),
		...others.filter(other => other !== upstream && hasOwnName(other)),
	];
	return [...candidates, head];
}

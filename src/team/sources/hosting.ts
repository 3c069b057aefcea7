// Asks the API of a source host, GitHub's or that of Gitea and Forgejo, in the name of one user and with that user's own
// token. What comes back is read leniently, bounded and never followed to another origin.
import * as z from 'zod';
import { append } from '../../base/append.ts';
import { describeError } from '../../base/errors.ts';
import { GuardRefusal, openGuarded, readGuarded } from '../../base/guardedRequest.ts';
import { parseJson } from '../../base/json.ts';
import { RequestRefused } from '../../service/replies.ts';
import { isBranchName } from '../../service/tasks/repoUrl.ts';
import type { Source } from '../configuration.ts';

const TIMEOUT_MS = 20_000;
const MAXIMUM_BYTES = 10 * 1024 * 1024;
/** A list is cut after so many pages. */
const MAXIMUM_PAGES = 20;
const MAXIMUM_REDIRECTS = 3;
/** The name of an owner, a repository or a branch as it can stand in a path. */
const MAXIMUM_NAME = 255;

/** How the hosts differ: the parameter for the length of a page and the most that it can be, and the headers. */
const KINDS = {
	github: {
		...{ sizeParameter: 'per_page', pageSize: 100 },
		headers: (token: string) => ({
			authorization: `Bearer ${token}`,
			accept: 'application/vnd.github+json',
			'x-github-api-version': '2022-11-28',
		}),
	},
	gitea: {
		...{ sizeParameter: 'limit', pageSize: 50 },
		headers: (token: string) => ({ authorization: `token ${token}`, accept: 'application/json' }),
	},
} as const;

const text = z.string().nullish().catch(null);
const accountSchema = z.object({ login: text, username: text, name: text, full_name: text, avatar_url: text });
const repositorySchema = z.object({
	name: z.string().min(1),
	full_name: text,
	description: text,
	private: z.boolean().catch(true),
	clone_url: text,
	updated_at: text,
	language: text,
	owner: accountSchema.nullish().catch(null),
	default_branch: text,
	permissions: z.object({ push: z.boolean() }).nullish().catch(null),
});
type Repository = z.output<typeof repositorySchema>;
const branchSchema = z.object({ name: z.string().min(1), protected: z.boolean().catch(false) });

/** Every method throws a RequestRefused: 404 where the host refuses the token, and 502 where it fails. */
export class SourceHost {
	private readonly source: Source;
	private readonly token: string;

	constructor(source: Source, token: string) {
		this.source = source;
		this.token = token;
	}

	/** The user, and the organisations that the user belongs to. */
	async organisations(): Promise<object[]> {
		const [user, organisations] = await Promise.all([this.user(), this.list('/user/orgs', accountSchema)]);
		return [user, ...(organisations ?? [])].map(account => ({
			login: loginOf(account),
			name: account.full_name || account.name || loginOf(account),
			avatar_url: account.avatar_url ?? '',
		}));
	}

	/** The repositories of a user or an organisation, as far as the token shows them. */
	async repositories(owner: string): Promise<object[]> {
		const part = segment(owner);
		const isSelf = loginOf(await this.user()).toLowerCase() === owner.toLowerCase();
		const found = isSelf
			? await this.list('/user/repos', repositorySchema)
			: ((await this.list(`/orgs/${part}/repos`, repositorySchema)) ??
				(await this.list(`/users/${part}/repos`, repositorySchema)));
		return (found ?? [])
			.filter(repository => !isSelf || ownerOf(repository).toLowerCase() === owner.toLowerCase())
			.map(({ name, full_name, description, private: isPrivate, clone_url, updated_at, language }) => ({
				name,
				full_name: full_name ?? `${owner}/${name}`,
				description: description || null,
				private: isPrivate,
				clone_url: clone_url ?? `${this.source.clone}/${owner}/${name}.git`,
				updated_at: updated_at ?? '',
				language: language || null,
			}));
	}

	async branches(owner: string, name: string): Promise<object[]> {
		const [repository, branches] = await Promise.all([
			this.repository(owner, name),
			this.list(`/repos/${segment(owner)}/${segment(name)}/branches`, branchSchema),
		]);
		if (repository === undefined || branches === undefined) {
			throw new RequestRefused(404, 'Repository not found or no access.');
		}
		return branches.map(branch => ({
			name: branch.name,
			protected: branch.protected,
			isDefault: branch.name === repository.default_branch,
		}));
	}

	/**
	 * Looks up the branch that a task begins with: a named one, or the default one. Returns a sentence, with the name of
	 * the field, if the user cannot have a task there.
	 */
	async branch(owner: string, name: string, branch: string | undefined): Promise<{ branch: string } | string> {
		const repository = await this.repository(owner, name);
		if (repository === undefined) {
			return `repoUrl: ${this.source.scm} has no repository ${owner}/${name} that you can see.`;
		}
		// Nothing counts as no: who lets another's task go on would have it pushed with the token of its creator.
		if (repository.permissions?.push !== true) {
			return `repoUrl: ${this.source.scm} does not say that you can push to ${owner}/${name}, so a task could not leave its branch there.`;
		}
		const wanted = branch ?? repository.default_branch;
		if (!wanted) {
			return `repoUrl: ${owner}/${name} has no branch yet. Make a first commit, then start again.`;
		}
		// Half of a surrogate pair cannot be encoded, and no branch has one.
		const isPossible = isBranchName(wanted) && wanted.isWellFormed();
		const path = () => `/repos/${segment(owner)}/${segment(name)}/branches/${encodeURIComponent(wanted)}`;
		return !isPossible || (await this.get(path(), branchSchema)) === undefined
			? `selectedBranch: there is no branch "${wanted.slice(0, 100)}" in ${owner}/${name}. Choose one that is there.`
			: { branch: wanted };
	}

	private async user(): Promise<z.output<typeof accountSchema>> {
		const user = await this.get('/user', accountSchema);
		if (user === undefined) {
			throw this.refusedToken();
		}
		return user;
	}

	private repository(owner: string, name: string): Promise<Repository | undefined> {
		return this.get(`/repos/${segment(owner)}/${segment(name)}`, repositorySchema);
	}

	/** Resolves with undefined for what the host does not have, or does not show to this user. */
	private async get<T extends z.ZodType>(path: string, schema: T): Promise<z.output<T> | undefined> {
		const reply = await this.request(path);
		return reply && this.read(schema, reply.value);
	}

	private async list<T extends z.ZodType>(path: string, schema: T): Promise<z.output<T>[] | undefined> {
		const { sizeParameter, pageSize } = KINDS[this.source.kind];
		const records: z.output<T>[] = [];
		for (let page = 1; page <= MAXIMUM_PAGES; page++) {
			const reply = await this.request(`${path}?${sizeParameter}=${pageSize}&page=${page}`);
			if (reply === undefined) {
				return undefined;
			}
			append(records, this.read(z.array(schema), reply.value));
			// The link itself is not followed: it could lead anywhere.
			if (!reply.hasNext) {
				break;
			}
		}
		return records;
	}

	private read<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
		const parsed = schema.safeParse(value);
		if (!parsed.success) {
			throw this.failure('its reply was of another form than its documents say');
		}
		return parsed.data;
	}

	private async request(path: string): Promise<{ value: unknown; hasNext: boolean } | undefined> {
		const { api, kind } = this.source;
		const reply = await this.exchange(new URL(api + path), {
			...KINDS[kind].headers(this.token),
			'user-agent': 'errand-service',
		});
		const { status, headers } = reply;
		if (status === 401) {
			throw this.refusedToken();
		}
		// GitHub answers 403 both to who has asked too often and to who may not ask at all.
		const isLimited = status === 429 || (status === 403 && headers['x-ratelimit-remaining'] === '0');
		if (status === 404 || (status === 403 && !isLimited)) {
			return undefined;
		}
		if (isLimited || status < 200 || status > 299) {
			throw this.failure(isLimited ? 'it takes no more requests for now' : `it answered with status ${status}`);
		}
		return { value: parseJson(reply.text), hasNext: /\brel="?next"?/.test(String(headers['link'] ?? '')) };
	}

	private async exchange(url: URL, headers: Record<string, string>) {
		try {
			const response = await openGuarded(url, {
				headers,
				maximumRedirects: MAXIMUM_REDIRECTS,
				// The operator has named this address, wherever it is. Nothing else in the network is reached.
				trustedOrigins: [url.origin],
				signal: AbortSignal.timeout(TIMEOUT_MS),
			});
			const bytes = await readGuarded(response, MAXIMUM_BYTES);
			const { statusCode: status = 0 } = response;
			return { status, headers: response.headers, text: Buffer.from(bytes).toString('utf8') };
		} catch (error) {
			throw this.failure(error instanceof GuardRefusal ? WORDS[error.reason] : describeError(error));
		}
	}

	private refusedToken(): RequestRefused {
		return new RequestRefused(404, `Source-hosting token not found or expired: ${this.source.scm} does not take it.`);
	}

	private failure(reason: string): RequestRefused {
		return new RequestRefused(502, `The source host ${this.source.scm} failed: ${reason}.`);
	}
}

const WORDS: Readonly<Record<GuardRefusal['reason'], string>> = {
	private: 'its address leads into a private network',
	port: 'its port belongs to another protocol',
	redirected: 'it redirected elsewhere, or too often',
	unreachable: 'it refused',
	'too-large': 'its reply was too large',
};

/** Returns the repository of an address that a source host serves, or undefined if none of them does. */
export function findRepository(
	sources: readonly Source[],
	repoUrl: string,
): { source: Source; owner: string; name: string } | undefined {
	for (const source of sources) {
		const prefix = `${source.clone}/`;
		const [, owner = '', name = ''] = /^([^/]+)\/([^/]+?)(?:\.git)?\/?$/.exec(repoUrl.slice(prefix.length)) ?? [];
		if (repoUrl.startsWith(prefix) && isName(owner) && isName(name)) {
			return { source, owner, name };
		}
	}
	return undefined;
}

/** An owner or a repository. Other characters would need an encoding, in which they could mean something else. */
const isName = (name: string) => /^[\w.-]+$/.test(name) && !/^\.+$/.test(name);

/** Encodes a part of a path. A name that would be resolved away, or that no host can have, is refused as unknown. */
function segment(name: string): string {
	if (/^\.{1,2}$/.test(name) || name.length > MAXIMUM_NAME) {
		throw new RequestRefused(404, 'Repository not found or no access.');
	}
	return encodeURIComponent(name);
}

const loginOf = ({ login, username, name }: z.output<typeof accountSchema>): string => login || username || name || '';
const ownerOf = ({ owner, full_name }: Repository): string =>
	owner ? loginOf(owner) : (full_name?.split('/', 1)[0] ?? '');

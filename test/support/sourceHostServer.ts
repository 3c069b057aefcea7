// The API of a source host, as GitHub and Gitea document theirs, over bare repositories in a folder.
import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

interface Account {
	login: string;
	token: string;
	organisations?: readonly string[];
}

export interface HostedRepository {
	owner: string;
	name: string;
	/** The logins of those who may push. Others can read it if it is not private. */
	writers: readonly string[];
	isPrivate?: boolean;
	/** True if the host does not say who may do what there. */
	hidesPermissions?: boolean;
	/** The bare repository with its branches. Without one, its branches are these, of which the first is the default. */
	folder?: string;
	branches?: readonly string[];
}

export interface SourceHostOptions {
	kind: 'github' | 'gitea';
	accounts: readonly Account[];
	repositories: readonly HostedRepository[];
	/** What the addresses of repositories begin with. */
	clone?: string;
}

const RULES = {
	github: { base: '', size: 'per_page', maximum: 100 },
	gitea: { base: '/api/v1', size: 'limit', maximum: 50 },
} as const;

export class SourceHostServer {
	private readonly server: Server;
	private readonly options: SourceHostOptions;
	/** A status with which everything is answered instead. */
	failure: number | undefined;
	/** Where every request is redirected to instead. */
	redirect: string | undefined;
	/** The headers of the requests that came. */
	readonly seen: IncomingMessage['headers'][] = [];

	private constructor(options: SourceHostOptions) {
		this.options = options;
		this.server = createServer((request, response) => {
			this.answer(request, response).catch(() => response.writeHead(500).end());
		});
	}

	static async start(options: SourceHostOptions): Promise<SourceHostServer> {
		const host = new SourceHostServer(options);
		await new Promise<void>(resolve => host.server.listen(0, '127.0.0.1', resolve));
		return host;
	}

	private get origin(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	/** The base address of the API, as the configuration names it. */
	get api(): string {
		return this.origin + RULES[this.options.kind].base;
	}

	get clone(): string {
		return this.options.clone ?? this.origin;
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise(resolve => this.server.close(resolve));
	}

	private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		this.seen.push(request.headers);
		request.resume();
		const send = (status: number, body: unknown, headers: Record<string, string> = {}) =>
			response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
		if (this.redirect !== undefined) {
			send(301, {}, { location: this.redirect });
			return;
		}
		if (this.failure !== undefined) {
			send(this.failure, { message: 'Server Error' });
			return;
		}
		const { accounts, kind } = this.options;
		const [, scheme = '', sent = ''] = /^(\w+) (.+)$/.exec(request.headers.authorization ?? '') ?? [];
		const account = accounts.find(({ token }) => token === sent);
		if (account === undefined || !['bearer', 'token'].includes(scheme.toLowerCase())) {
			send(401, { message: 'Bad credentials' });
			return;
		}
		if (kind === 'github' && request.headers['user-agent'] === undefined) {
			send(403, { message: 'Request forbidden by administrative rules.' });
			return;
		}
		const { base, size, maximum } = RULES[kind];
		const url = new URL(request.url ?? '/', this.origin);
		const found = await this.find(url.pathname.slice(base.length), account);
		if (found === undefined) {
			send(404, { message: 'Not Found' });
			return;
		}
		if (!Array.isArray(found)) {
			send(200, found);
			return;
		}
		const length = Math.min(Number(url.searchParams.get(size) ?? 30), maximum);
		const page = Number(url.searchParams.get('page') ?? 1);
		const next = new URL(url);
		next.searchParams.set('page', String(page + 1));
		const hasNext = page * length < found.length;
		const rows = found.slice((page - 1) * length, page * length);
		send(200, rows, hasNext ? { link: `<${next.href}>; rel="next", <${next.href}>; rel="last"` } : {});
	}

	private async find(target: string, account: Account): Promise<object | object[] | undefined> {
		const parts = target.split('/').slice(1).map(decodeURIComponent);
		const [area, owner, name, kind, branch] = parts;
		const seen = this.options.repositories.filter(
			({ isPrivate, writers }) => !isPrivate || writers.includes(account.login),
		);
		if (target === '/user') {
			return this.person(account.login);
		}
		if (target === '/user/orgs') {
			return (account.organisations ?? []).map(login =>
				this.options.kind === 'github'
					? { login, id: 1, avatar_url: `${this.origin}/a/${login}`, description: null }
					: { id: 1, name: login, username: login, full_name: `The ${login}`, avatar_url: `${this.origin}/a/${login}` },
			);
		}
		if (target === '/user/repos') {
			return this.records(
				seen.filter(repository => repository.writers.includes(account.login)),
				account,
			);
		}
		if ((area === 'orgs' || area === 'users') && name === 'repos' && kind === undefined) {
			const isPerson = this.options.accounts.some(({ login }) => login === owner);
			return isPerson === (area === 'users')
				? this.records(
						seen.filter(repository => repository.owner === owner),
						account,
					)
				: undefined;
		}
		const repository = seen.find(candidate => candidate.owner === owner && candidate.name === name);
		if (area !== 'repos' || repository === undefined) {
			return undefined;
		}
		if (kind === undefined) {
			return (await this.records([repository], account))[0];
		}
		const branches = (await branchesOf(repository)).map(known => ({
			name: known,
			commit: { sha: '0'.repeat(40) },
			protected: known === 'release',
		}));
		return branch === undefined ? branches : branches.find(known => known.name === branch);
	}

	private person(login: string): object {
		const picture = { id: 2, login, avatar_url: `${this.origin}/a/${login}` };
		return this.options.kind === 'github' ? { ...picture, name: null } : { ...picture, full_name: '', email: '' };
	}

	private records(repositories: readonly HostedRepository[], { login }: Account): Promise<object[]> {
		return Promise.all(
			repositories.map(async repository => {
				const { owner, name, isPrivate = false, writers, hidesPermissions } = repository;
				return {
					id: 3,
					name,
					full_name: `${owner}/${name}`,
					owner: this.person(owner),
					description: this.options.kind === 'github' ? null : '',
					private: isPrivate,
					clone_url: `${this.clone}/${owner}/${name}.git`,
					updated_at: '2026-01-02T03:04:05Z',
					language: this.options.kind === 'github' ? 'TypeScript' : '',
					default_branch: (await branchesOf(repository))[0] ?? '',
					...(!hidesPermissions && { permissions: { admin: false, push: writers.includes(login), pull: true } }),
				};
			}),
		);
	}
}

/** The default branch comes first. */
async function branchesOf({ folder, branches = [] }: HostedRepository): Promise<readonly string[]> {
	if (folder === undefined) {
		return branches;
	}
	const git = async (...args: string[]) => (await run('git', ['-C', path.resolve(folder), ...args])).stdout.trim();
	const [current, all] = await Promise.all([
		git('symbolic-ref', '--short', 'HEAD'),
		git('for-each-ref', '--format=%(refname:short)', 'refs/heads'),
	]);
	return [current, ...all.split('\n').filter(name => name !== current && name !== '')];
}

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestRefused } from '../../../src/service/replies.ts';
import { parseConfiguration, type Source } from '../../../src/team/configuration.ts';
import { findRepository, SourceHost } from '../../../src/team/sources/hosting.ts';
import { SourceHostServer } from '../../support/sourceHostServer.ts';

const many = Array.from({ length: 130 }, (_, index) => `topic/${index}`);

for (const kind of ['github', 'gitea'] as const) {
	describe(`the API of ${kind}`, () => {
		let server: SourceHostServer;
		let source: Source;

		before(async () => {
			server = await SourceHostServer.start({
				kind,
				accounts: [
					{ login: 'ada', token: 'ada-token', organisations: ['engines'] },
					{ login: 'bob', token: 'bob-token' },
				],
				repositories: [
					{ owner: 'ada', name: 'notes', writers: ['ada'], isPrivate: true, branches: ['main', 'release', ...many] },
					{ owner: 'engines', name: 'loom', writers: ['ada'], branches: ['trunk'] },
					{ owner: 'bob', name: 'open', writers: ['bob'], branches: ['main'] },
					{ owner: 'bob', name: 'empty', writers: ['bob', 'ada'] },
					{ owner: 'bob', name: 'silent', writers: ['bob', 'ada'], branches: ['main'], hidesPermissions: true },
				],
			});
			const sources = [{ scm: 'forge', kind, api: server.api, clone: server.clone }];
			[source] = parseConfiguration(JSON.stringify({ sources }), {}).sources as [Source];
		});
		afterEach(() => {
			server.failure = undefined;
			server.redirect = undefined;
		});
		after(() => server.stop());

		const ada = () => new SourceHost(source, 'ada-token');
		const refused = (action: Promise<unknown>, status: number, message: RegExp) =>
			assert.rejects(action, (error: RequestRefused) => {
				assert.equal(error.name, 'RequestRefused');
				assert.equal(error.status, status);
				assert.match(error.message, message);
				assert.doesNotMatch(error.message, /ada-token/);
				return true;
			});

		it('lists the user and the organisations, as records with the documented fields', async () => {
			const [user, organisation, ...others] = (await ada().organisations()) as Record<string, string>[];
			assert.deepEqual(others, []);
			assert.equal(user?.['login'], 'ada');
			assert.equal(user?.['name'], 'ada');
			assert.equal(organisation?.['login'], 'engines');
			assert.deepEqual(Object.keys(organisation ?? {}).sort(), ['avatar_url', 'login', 'name']);
		});

		it("lists the user's own repositories, those of an organisation, and of others what they show", async () => {
			const names = async (owner: string, host = ada()) =>
				((await host.repositories(owner)) as { full_name: string }[]).map(({ full_name }) => full_name);
			assert.deepEqual(await names('ada'), ['ada/notes']);
			assert.deepEqual(await names('engines'), ['engines/loom']);
			assert.deepEqual(await names('bob'), ['bob/open', 'bob/empty', 'bob/silent']);
			assert.deepEqual(await names('ada', new SourceHost(source, 'bob-token')), []);
			assert.deepEqual(await names('nobody'), []);
			const [notes] = await ada().repositories('ada');
			assert.deepEqual(notes, {
				name: 'notes',
				full_name: 'ada/notes',
				description: null,
				private: true,
				clone_url: `${server.clone}/ada/notes.git`,
				updated_at: '2026-01-02T03:04:05Z',
				language: kind === 'github' ? 'TypeScript' : null,
			});
		});

		it('lists branches over all pages, and says which is the default', async () => {
			const branches = (await ada().branches('ada', 'notes')) as {
				name: string;
				protected: boolean;
				isDefault: boolean;
			}[];
			assert.deepEqual(
				branches.map(({ name }) => name),
				['main', 'release', ...many],
			);
			assert.deepEqual(branches[0], { name: 'main', protected: false, isDefault: true });
			assert.deepEqual(branches[1], { name: 'release', protected: true, isDefault: false });
		});

		it('finds the branch of a task, or says what stands in its way', async () => {
			assert.deepEqual(await ada().branch('engines', 'loom', undefined), { branch: 'trunk' });
			assert.deepEqual(await ada().branch('ada', 'notes', 'topic/7'), { branch: 'topic/7' });
			assert.match(String(await ada().branch('ada', 'notes', 'none')), /^selectedBranch: .*"none"/);
			assert.match(String(await ada().branch('ada', 'notes', '../x')), /^selectedBranch: /);
			assert.match(String(await ada().branch('ada', 'notes', 'half-\ud800')), /^selectedBranch: /);
			assert.match(String(await ada().branch('ada', 'nothing', undefined)), /^repoUrl: .*ada\/nothing/);
			assert.match(String(await ada().branch('bob', 'open', undefined)), /^repoUrl: .*push/);
			assert.match(String(await ada().branch('bob', 'silent', undefined)), /^repoUrl: .*push/);
			assert.match(String(await ada().branch('bob', 'empty', undefined)), /^repoUrl: .*no branch yet/);
			const bob = new SourceHost(source, 'bob-token');
			assert.match(String(await bob.branch('ada', 'notes', 'main')), /^repoUrl: .*no repository/);
		});

		it('answers 404 for a token that the host does not take, and for what it does not show', async () => {
			for (const action of [
				(host: SourceHost) => host.organisations(),
				(host: SourceHost) => host.repositories('ada'),
				(host: SourceHost) => host.branches('ada', 'notes'),
				(host: SourceHost) => host.branch('ada', 'notes', undefined),
			]) {
				await refused(action(new SourceHost(source, 'old-token')), 404, /token not found or expired/);
			}
			await refused(new SourceHost(source, 'bob-token').branches('ada', 'notes'), 404, /^Repository not found/);
			await refused(ada().branches('..', 'notes'), 404, /^Repository not found/);
			await refused(ada().branches('ada', 'notes/../../bob/open'), 404, /^Repository not found/);
		});

		it('answers 502 where the host fails, redirects elsewhere or is not there', async () => {
			for (const status of [500, 503, 429]) {
				server.failure = status;
				await refused(ada().organisations(), 502, /forge/);
			}
			server.failure = undefined;
			let stolen = 0;
			const elsewhere = createServer((_, response) => {
				stolen++;
				response.end('[]');
			});
			await new Promise<void>(resolve => elsewhere.listen(0, '127.0.0.1', resolve));
			server.redirect = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
			await refused(ada().organisations(), 502, /redirected/);
			assert.equal(stolen, 0);
			elsewhere.close();
			const away = { ...source, api: 'http://127.0.0.1:1' };
			await refused(new SourceHost(away, 'ada-token').organisations(), 502, /forge/);
		});
	});
}

describe('the repository of an address', () => {
	const { sources } = parseConfiguration(
		JSON.stringify({
			sources: [
				{ scm: 'github', kind: 'github', api: 'https://api.github.com' },
				{ scm: 'forge', kind: 'gitea', api: 'https://forge.example/git/api/v1', clone: 'https://forge.example/git' },
			],
		}),
		{},
	);

	it('is that of the host whose address it begins with', () => {
		for (const address of ['https://github.com/a/b', 'https://github.com/a/b.git', 'https://github.com/a/b/']) {
			const { source, ...found } = findRepository(sources, address) ?? assert.fail(address);
			assert.equal(source.scm, 'github');
			assert.deepEqual(found, { owner: 'a', name: 'b' });
		}
		assert.equal(findRepository(sources, 'https://forge.example/git/a/b')?.source.scm, 'forge');
	});

	it('is none for other hosts, paths and spellings', () => {
		for (const address of [
			'https://github.com.evil.example/a/b',
			'https://user:password@github.com/a/b',
			'https://github.com/a/b/c',
			'https://github.com/../b',
			'https://github.com/a/..',
			'https://github.com/a/b?x',
			'https://github.com/a/%2e%2e',
			'https://forge.example/a/b',
			'http://github.com/a/b',
			'git@github.com:a/b',
			'ext::sh -c true',
			'/home/a/b',
		]) {
			assert.equal(findRepository(sources, address), undefined, address);
		}
	});
});

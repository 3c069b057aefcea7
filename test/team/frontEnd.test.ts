import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { Pool } from 'pg';
import { logRecord } from '../../src/service/tasks/taskLog.ts';
import { makeAuthority, makeCertificate } from '../support/certificates.ts';
import { heldBytes } from '../support/heldMemory.ts';
import { processorLaps } from '../support/processorTime.ts';
import { TemporaryRepository } from '../support/temporaryRepository.ts';
import { type Caller, useFrontEnd } from '../support/useFrontEnd.ts';
import { waitFor } from '../support/waitFor.ts';

describe('a front end', () => {
	const test = useFrontEnd();
	let ada: Caller;
	let repository: TemporaryRepository;
	const create = (caller: Caller) => caller.ask('/api/tasks', { json: { prompt: 'x', repoUrl: repository.path } });
	const refused = async (response: Response, status: number, message: RegExp) => {
		const { error } = (await response.json()) as { error: string };
		assert.equal(response.status, status, error);
		assert.match(error, message);
		return Number(response.headers.get('retry-after'));
	};

	before(async () => {
		repository = await TemporaryRepository.create();
		ada = await test.caller('ada');
	});
	after(() => repository.remove());

	it('takes so many requests of a user in a minute, and then says when to come again', async () => {
		const frugal = await test.caller('frugal');
		await test.start({ limits: { requestsAMinute: 5 } });
		const statuses: number[] = [];
		let last: Response | undefined;
		// A minute may end between two of them.
		for (let count = 0; count < 11; count++) {
			last = await frugal.ask('/api/tasks');
			statuses.push(last.status);
			if (last.status === 429) {
				break;
			}
			await last.text();
		}
		assert.deepEqual(new Set(statuses.slice(0, 5)), new Set([200]));
		const seconds = await refused(last as Response, 429, /more than 5 requests/);
		assert.ok(seconds >= 1 && seconds <= 60, String(seconds));
		const other = await ada.ask('/api/tasks');
		assert.equal(other.status, 200, 'another user has requests of their own');
		await other.text();
	});

	it('keeps so many requests of a user open, and counts them until they end', async () => {
		const curious = await test.caller('curious');
		await test.start({ limits: { requestsAtOnce: 2 }, allowLocalRepositories: true });
		const { task } = (await (await create(curious)).json()) as { task: { id: string } };
		const leaving = new AbortController();
		const follow = () => curious.ask(`/api/tasks/${task.id}/stream`, { signal: leaving.signal });
		await Promise.all([follow(), follow()]);
		assert.ok((await refused(await curious.ask('/api/tasks'), 429, /2 of your requests are still open/)) > 0);
		const other = await ada.ask('/api/tasks');
		assert.equal(other.status, 200, 'another user has requests of their own');
		await other.text();
		leaving.abort();
		await waitFor('the end of the streams', async () => {
			const response = await curious.ask('/api/tasks');
			await response.text();
			return response.status === 200;
		});
	});

	it('takes no prompt that would make lists too long', async () => {
		const wordy = await test.caller('wordy');
		await test.start({ allowLocalRepositories: true });
		const creation = (length: number) =>
			wordy.ask('/api/tasks', { json: { prompt: 'x'.repeat(length), repoUrl: repository.path } });
		await refused(await creation(100_001), 400, /^prompt: allowed: at most 100000 characters/);
		const { task } = (await (await creation(100_000)).json()) as { task: { id: string } };
		await wordy.ask(`/api/tasks/${task.id}`, { method: 'PATCH', json: { action: 'stop' } });
		const json = { currentPrompt: 'x'.repeat(100_001) };
		await refused(await wordy.ask(`/api/tasks/${task.id}/continue`, { json }), 400, /^currentPrompt: allowed/);
	});

	it('takes no limit of time that a worker would not keep to', async () => {
		const patient = await test.caller('patient');
		await test.start({ allowLocalRepositories: true });
		const creation = (hours: number) =>
			patient.ask('/api/tasks', { json: { prompt: 'x', repoUrl: repository.path, maxDuration: hours * 3_600 } });
		await refused(await creation(24), 400, /^maxDuration: allowed: at most 82800/);
		assert.equal((await creation(23)).status, 200);
	});

	it('takes so many tasks of a user at once', async () => {
		const busy = await test.caller('busy');
		await test.start({ limits: { tasksAtOnce: 2 }, allowLocalRepositories: true });
		const replies = await Promise.all([1, 2, 3, 4].map(() => create(busy)));
		assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 200, 429, 429]);
		const seconds = await refused(replies.find(({ status }) => status === 429) as Response, 429, /2 tasks/);
		assert.ok(seconds > 0);
		const [first] = (await (await busy.ask('/api/tasks')).json()).tasks as { id: string }[];
		await busy.ask(`/api/tasks/${first?.id}`, { method: 'PATCH', json: { action: 'stop' } });
		assert.equal((await create(busy)).status, 200);
	});

	it('takes no further task of a user whose tasks have cost enough this month', async () => {
		const costly = await test.caller('costly');
		await test.start({ limits: { costAMonth: 2 }, allowLocalRepositories: true });
		const { task } = (await (await create(costly)).json()) as { task: { id: string } };
		const attempt = { taskId: task.id, position: 0, turn: 1, attempt: 1 };
		await test.team.attempts.begin(attempt);
		const use = {
			...{ position: 0, turn: 1, agent: 'demo', model: 'm', provider: 'p', calls: 1, failedCalls: 0 },
			...{ estimatedCalls: 0, inputTokens: 1, outputTokens: 1, cost: 2.5 },
		};
		const change = { status: 'completed', branchName: 'errand/x' } as const;
		await test.team.attempts.write(attempt, { sent: 0, entries: [], change, use: [use] });
		const seconds = await refused(await create(costly), 402, /2 US dollars/);
		assert.ok(seconds > 0 && seconds <= 31 * 24 * 3_600);
		const further = costly.ask(`/api/tasks/${task.id}/continue`, { json: { currentPrompt: 'x' } });
		await refused(await further, 402, /this month/);
	});

	it('counts what a task costs for whoever made it, also where others of the team let it go on', async () => {
		await test.team.people.addTeam('spenders');
		const maker = await test.caller('maker', ['spenders']);
		const member = await test.caller('member', ['spenders']);
		await test.start({ limits: { costAMonth: 1 }, allowLocalRepositories: true });
		const json = { prompt: 'x', repoUrl: repository.path, teamId: 'spenders' };
		const { task } = (await (await maker.ask('/api/tasks', { json })).json()) as { task: { id: string } };
		const attempt = { taskId: task.id, position: 0, turn: 1, attempt: 1 };
		await test.team.attempts.begin(attempt);
		const use = {
			...{ position: 0, turn: 1, agent: 'demo', model: 'm', provider: 'p', calls: 1, failedCalls: 0 },
			...{ estimatedCalls: 0, inputTokens: 1, outputTokens: 1, cost: 1 },
		};
		const change = { status: 'completed', branchName: 'main' } as const;
		await test.team.attempts.write(attempt, { sent: 0, entries: [], change, use: [use] });
		const further = member.ask(`/api/tasks/${task.id}/continue`, { json: { currentPrompt: 'x' } });
		await refused(await further, 402, /The tasks of maker have cost/);
	});

	it('refuses a revoked token at once, and ends the streams that are open with it', async () => {
		const leaver = await test.caller('leaver');
		await test.start({ allowLocalRepositories: true });
		const { task } = (await (await create(leaver)).json()) as { task: { id: string } };
		const stream = await leaver.ask(`/api/tasks/${task.id}/stream`);
		assert.equal(stream.status, 200);
		await test.team.people.revokeToken(leaver.tokenId);
		await refused(await leaver.ask('/api/tasks'), 401, /credentials/);
		// The end of a stream that is broken off is an error of the connection.
		let log = '';
		await assert.rejects(async () => {
			for await (const piece of stream.body as ReadableStream<Uint8Array>) {
				log += Buffer.from(piece).toString();
			}
		});
		assert.doesNotMatch(log, /event: complete/);
	});

	it('lets a log be followed that another one changes, and sends its followers there when it stops', async () => {
		const first = await test.start({ allowLocalRepositories: true });
		const second = await test.start({ allowLocalRepositories: true });
		const { task } = (await (await create(ada)).json()) as { task: { id: string } };
		const follow = (address: string, fromIndex = 0) =>
			fetch(`${address}/api/tasks/${task.id}/stream?fromIndex=${fromIndex}`, {
				headers: { authorization: `Bearer ${ada.token}` },
			});
		const left = await follow(first.address);
		const ended = left.text();
		await first.stop();
		assert.doesNotMatch(await ended, /event: (?:complete|error)/);

		const log = (await follow(second.address)).text();
		const attempt = { taskId: task.id, position: 0, turn: 1, attempt: 1 };
		await test.team.attempts.begin(attempt);
		const entry = logRecord('demo', 'agent_executing', 'info', 'from a worker');
		await test.team.attempts.write(attempt, { sent: 0, entries: [entry, entry] });
		await test.team.attempts.write(attempt, { sent: 2, entries: [], change: { status: 'completed' } });
		assert.equal((await log).match(/from a worker/g)?.length, 2);
		const rest = await (await follow(second.address, 1)).text();
		assert.equal(rest.match(/from a worker/g)?.length, 1);
		assert.match(rest, /event: complete\ndata: .*"totalLogs":2/);
	});

	it('says that it is healthy and ready without a token, and that it is not ready for another schema', async () => {
		const { address } = await test.start({});
		assert.deepEqual(await (await fetch(`${address}/health`)).json(), { status: 'healthy' });
		assert.deepEqual(await (await fetch(`${address}/ready`)).json(), { ready: true });
		assert.equal((await fetch(`${address}/encrypted/health`)).status, 200);
		for (const [target, init] of [
			['/health', { method: 'POST' }],
			['/api/tasks', {}],
			['/no-such-path', {}],
			['/enc/a/b/message', { method: 'POST' }],
		] as const) {
			assert.equal((await fetch(address + target, init)).status, 401, target);
		}
		assert.equal((await fetch(`${address}/health`, { headers: { origin: 'https://example.com' } })).status, 403);
		const pool = new Pool({ connectionString: test.team.database.url });
		await pool.query('INSERT INTO schema_versions (version) VALUES (1000)');
		try {
			const response = await fetch(`${address}/ready`);
			assert.equal(response.status, 503);
			const { ready, message } = (await response.json()) as { ready: boolean; message: string };
			assert.equal(ready, false);
			assert.match(message, /schema/);
			await assert.rejects(test.start({}), { name: 'UserFacingError' });
		} finally {
			await pool.query('DELETE FROM schema_versions WHERE version = 1000');
			await pool.end();
		}
	});

	it('answers no request whose Host is not the name of a host, or whose path has a backslash', async () => {
		const { address } = await test.start({ demo: true });
		// The name that stands for the first in ASCII is as long as the whole, so that its length gives nothing away.
		const hosts = ['ê.å/v1/models?x', 'a b', '0x7f.1', '999.1'];
		assert.equal(new URL(`http://${hosts[0]}`).hostname.length, hosts[0]?.length);
		const { port } = new URL(address);
		for (const [target, host, status] of [
			...hosts.map(host => ['/health', host, 400] as const),
			['/health\\', 'a', 400],
			['/health', 'Service.Example:8443', 200],
			['/health', '[::1]:80', 200],
		] as const) {
			const response = await new Promise<IncomingMessage>((resolve, reject) => {
				get({ host: '127.0.0.1', port, path: target, headers: { host } }, resolve).on('error', reject);
			});
			const answer = JSON.parse(await text(response));
			assert.equal(response.statusCode, status, host);
			assert.equal(typeof answer[status === 200 ? 'status' : 'error'], 'string', host);
		}
	});

	it('refuses 32 MB of brackets with a sentence, without taking them apart', async () => {
		const builder = await test.caller('builder');
		await test.start({ demo: true });
		const body = Buffer.alloc(32 * 1024 * 1024, '[');
		const lap = processorLaps();
		const before = heldBytes();
		for (const [target, status] of [
			['/v1/messages', 400],
			['/chat/completions', 413],
			['/api/tasks', 413],
		] as const) {
			const response = await builder.ask(target, { method: 'POST', body });
			const { error } = (await response.json()) as { error: string | { message: string } };
			assert.equal(response.status, status);
			assert.match(typeof error === 'string' ? error : error.message, /^The request body is /);
		}
		assert.ok(lap() < 5_000);
		await waitFor('the bodies to be let go', () => heldBytes() - before < 10 * 1024 * 1024);
		assert.equal((await builder.ask('/api/tasks')).status, 200);
	});

	it('counts requests by their routes for programs that collect metrics, and by nothing of their callers', async () => {
		const { metricsAddress } = await test.start({}, { metrics: { host: '127.0.0.1', port: 0 } });
		await (await ada.ask('/api/tasks')).text();
		await (await ada.ask('/api/tasks/some-id')).text();
		await (await ada.ask(`/${ada.token}`)).text();
		const metrics = await (await fetch(`${metricsAddress}/metrics`)).text();
		assert.match(metrics, /errand_requests_total\{method="GET",route="\/api\/tasks",status="200"\} 1/);
		assert.match(metrics, /errand_requests_total\{method="GET",route="\/api\/tasks\/:taskId",status="404"\} 1/);
		assert.match(metrics, /process_resident_memory_bytes/);
		assert.ok(!metrics.includes(ada.token) && !metrics.includes('some-id'));
		assert.equal((await fetch(`${metricsAddress}/`)).status, 404);
	});

	it('speaks TLS with the certificate that it is given', async () => {
		const authority = makeAuthority('Team');
		const tls = makeCertificate({ hosts: ['localhost', '127.0.0.1'], issuer: authority });
		const { address } = await test.start({}, { listen: { host: '127.0.0.1', port: 0, tls } });
		assert.match(address, /^https:/);
		const status = await new Promise<number | undefined>((resolve, reject) => {
			request(`${address}/health`, { ca: authority.cert }, response => {
				response.resume();
				resolve(response.statusCode);
			})
				.on('error', reject)
				.end();
		});
		assert.equal(status, 200);
	});

	it('seals reasoning so that every other front end with the same key can open it', async () => {
		const { ReasoningSeal } = await import('../../src/service/responses/reasoningSeal.ts');
		const { Secrets } = await import('../../src/team/secrets.ts');
		const [one, other] = ['A', 'B'].map(letter => Buffer.alloc(32, letter).toString('base64'));
		const sealOf = (keys: string) => new ReasoningSeal(new Secrets(keys).derive('reasoning'));
		const sealed = sealOf(`${one}`).seal('because');
		assert.equal(sealOf(`${one},${other}`).open(sealed), 'because');
		assert.equal(sealOf(`${other}`).open(sealed), undefined);
	});
});

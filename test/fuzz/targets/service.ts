// The local service behind its HTTP.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { isFields } from '../../../src/base/fields.ts';
import { readDiscovery } from '../../../src/contract/control.ts';
import { upstreamHandoverSchema } from '../../../src/contract/upstreams.ts';
import { type Service, startService } from '../../../src/service/service.ts';
import { workFolderOf } from '../../../src/service/stateFolder.ts';
import { messageEnd, messageStart, textBlock } from '../../support/messagesWire.ts';
import { created, done, messageItem } from '../../support/responsesWire.ts';
import { UpstreamServer } from '../../support/upstreamServer.ts';
import type { Target } from '../fuzzer.ts';

const REPLIES = {
	chat: { pieces: ['Hello'] },
	responses: {
		events: [created('responses-model'), done(0, messageItem('Hello')), { type: 'response.completed', response: {} }],
	},
	messages: { events: [messageStart(), ...textBlock(0, 'Hello'), ...messageEnd('end_turn')] },
};

/** A service in this process with a model server of each form. */
class RunningService {
	private readonly folder = mkdtempSync(path.join(os.tmpdir(), 'errand-fuzz-'));
	private readonly agent = new Agent({ keepAlive: true });
	private service: Service | undefined;
	private servers: UpstreamServer[] = [];
	private headers: Record<string, string> = {};

	async start(): Promise<this> {
		this.servers = await Promise.all(Object.values(REPLIES).map(behaviour => UpstreamServer.start(behaviour)));
		const upstreams = Object.keys(REPLIES).map((kind, at) => ({
			...{ slug: `of-${kind}`, kind, url: this.servers[at]?.url, models: [`${kind}-model`] },
		}));
		const stateFolder = path.join(this.folder, 'state');
		this.service = await startService({
			...{ stateFolder, port: 0, idleSeconds: 3_600, runningTasks: 1, tokenFile: undefined },
			...{ programFile: path.resolve('src/service/entry.ts'), version: '0.0.0' },
			handover: upstreamHandoverSchema.parse({ upstreams, findOllama: false }),
		});
		const { token = '' } = (await readDiscovery(stateFolder)) ?? {};
		this.headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
		return this;
	}

	/** Resolves with the head of an answer and its text. */
	async ask(method: string, target: string, body: Buffer): Promise<{ head: IncomingMessage; text: string }> {
		assert.ok(this.service !== undefined);
		const { hostname, port } = new URL(this.service.address);
		const { agent, headers } = this;
		const length = { 'content-length': body.length };
		const asked = request({ hostname, port, method, path: target, agent, headers: { ...headers, ...length } });
		asked.end(body);
		const [head] = (await once(asked, 'response')) as [IncomingMessage];
		const text = await textOf(head);
		for (const { requests } of this.servers) {
			requests.length = 0;
		}
		return { head, text };
	}

	async stop(): Promise<void> {
		this.agent.destroy();
		await this.service?.stop();
		await Promise.all(this.servers.map(server => server.stop()));
		for (const folder of [this.folder, workFolderOf(path.join(this.folder, 'state'))]) {
			rmSync(folder, { recursive: true, force: true });
		}
	}
}

let running: Promise<RunningService> | undefined;

/** Those that would end the service, never end themselves, or install and run programs. */
const LEFT_OUT = /\/(?:shutdown|lease|install|try|stream)\b/;

/** An input is a line with method and path, and the body below it. */
const serviceRoutes: Target = {
	name: 'serviceRoutes',
	iterations: 220,
	async run(input) {
		running ??= new RunningService().start();
		const service = await running;
		const end = input.indexOf('\n');
		const line = input.subarray(0, end < 0 ? input.length : end).toString('latin1');
		const body = end < 0 ? Buffer.of() : input.subarray(end + 1);
		const [, method = '', target = ''] = /^(GET|POST|PATCH|PUT|DELETE) (\/[\x21-\x7e]{0,4000})$/.exec(line) ?? [];
		if (method === '' || LEFT_OUT.test(decodeURIComponent(target.replace(/%(?![\da-f]{2})|%[89a-f]/gi, '')))) {
			return 'left out';
		}
		const { head, text } = await service.ask(method, target, body);
		const { statusCode: status = 0, headers } = head;
		assert.ok(status < 500, `${method} ${target} answers with ${status}: ${text.slice(0, 300)}`);
		assert.ok(text.length <= 200_000 + 40 * body.length, 'an answer grows');
		if (status >= 400) {
			assert.match(headers['content-type'] ?? '', /^application\/json/);
			const { error } = JSON.parse(text);
			const sentence = isFields(error) ? error['message'] : error;
			assert.ok(
				typeof sentence === 'string' && sentence !== '' && sentence.length < 2_000,
				`no sentence: ${text.slice(0, 200)}`,
			);
		}
		const alive = await service.ask('GET', '/v1/models', Buffer.of());
		assert.equal(alive.head.statusCode, 200, 'the service does not live on');
		return `${method} ${target.split('?')[0]?.slice(0, 40)} ${status} ${status < 400 ? '' : text.replace(/\d+|“.*”|".{30,}"/g, '')}`;
	},
	async stop() {
		await (await running)?.stop();
		running = undefined;
	},
};

export const serviceTargets: readonly Target[] = [serviceRoutes];

import assert from 'node:assert/strict';
import { ContractServer, type HostName, type Tampering } from '../../support/contractServer/contractServer.ts';
import { openModel } from '../../support/contractServer/fixtures.ts';

// biome-ignore lint/suspicious/noExplicitAny: replies are looked into field by field
export type Json = any;

interface Options {
	/** Absent: the host's own; null: none. */
	key?: string | null;
	method?: string;
	body?: unknown;
	headers?: Record<string, string>;
}

interface Answer {
	status: number;
	json: Json;
	text: string;
}

/** A server for each test of the suite that calls this, and ways to ask it. */
export class Asker {
	private started: ContractServer | undefined;

	constructor() {
		beforeEach(() => this.restart());
		afterEach(() => this.started?.stop());
	}

	get server(): ContractServer {
		assert.ok(this.started !== undefined);
		return this.started;
	}

	async restart(tampering?: Tampering): Promise<void> {
		await this.started?.stop();
		this.started = await ContractServer.start(tampering === undefined ? {} : { tampering });
	}

	/** A request with JSON where there is a body. */
	async ask(host: HostName, path: string, options: Options = {}): Promise<Answer> {
		const key = options.key === undefined ? this.keyOf(host) : options.key;
		const { body } = options;
		const response = await fetch(this.server.hosts[host] + path, {
			method: options.method ?? (body === undefined ? 'GET' : 'POST'),
			headers: {
				...(key === null ? {} : { authorization: `Bearer ${key}` }),
				...(body === undefined ? {} : { 'content-type': 'application/json' }),
				...options.headers,
			},
			...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
		});
		const text = await response.text();
		const isJson = response.headers.get('content-type') === 'application/json';
		return { status: response.status, json: isJson ? JSON.parse(text) : undefined, text };
	}

	/** A chat completion of the open model, unless `fields` says otherwise. */
	chat(fields: object = {}, host: HostName = 'public', path = '/chat/completions'): Promise<Answer> {
		return this.ask(host, path, { body: { model: openModel.id, ...user('text'), ...fields } });
	}

	private keyOf(host: HostName): string {
		const { keys } = this.server;
		return host === 'cloud' ? keys.cloud : host === 'agent' ? keys.agent : keys.inference;
	}
}

export function user(content: string) {
	return { messages: [{ role: 'user', content }] };
}

/** The events of a stream, their data parsed unless it is the end mark. */
export function events(text: string): { event: string | undefined; data: Json }[] {
	return text
		.split('\n\n')
		.filter(block => block !== '')
		.map(block => {
			const event = /^event: (.*)$/m.exec(block)?.[1];
			const data = [...block.matchAll(/^data: (.*)$/gm)].map(([, line]) => line).join('\n');
			return { event, data: data === '[DONE]' ? data : JSON.parse(data) };
		});
}

export async function refused(answer: Promise<Answer>, status: number, naming: string): Promise<void> {
	const { status: actual, text } = await answer;
	assert.equal(actual, status, text);
	assert.ok(text.includes(naming), `${text} does not name ${naming}`);
}

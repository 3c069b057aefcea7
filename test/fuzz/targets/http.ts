// Services of ours behind their HTTP. A request is written as bytes, so that its head may say anything.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { Duplex, Writable } from 'node:stream';
import { isFields } from '../../../src/base/fields.ts';
import { messageEnd, messageStart, textBlock } from '../../support/messagesWire.ts';
import { created, done, messageItem } from '../../support/responsesWire.ts';
import { type UpstreamBehaviour, UpstreamServer } from '../../support/upstreamServer.ts';

/** The replies of model servers, one for each form. */
const REPLIES: Readonly<Record<string, UpstreamBehaviour>> = {
	chat: { pieces: ['Hello'] },
	responses: {
		events: [created('responses-model'), done(0, messageItem('Hello')), { type: 'response.completed', response: {} }],
	},
	messages: { events: [messageStart(), ...textBlock(0, 'Hello'), ...messageEnd('end_turn')] },
};

/** A model server of each form. */
export class ModelServers {
	private readonly servers: readonly UpstreamServer[];

	private constructor(servers: readonly UpstreamServer[]) {
		this.servers = servers;
	}

	static async start(): Promise<ModelServers> {
		return new ModelServers(await Promise.all(Object.values(REPLIES).map(reply => UpstreamServer.start(reply))));
	}

	/** The servers as a service is told of them. */
	get upstreams(): { slug: string; kind: string; url: string; models: string[] }[] {
		return Object.keys(REPLIES).map((kind, at) => ({
			...{ slug: `of-${kind}`, kind, url: this.servers[at]?.url ?? '', models: [`${kind}-model`] },
		}));
	}

	/** Forgets the requests, of which there are many. */
	forget(): void {
		for (const { requests } of this.servers) {
			requests.length = 0;
		}
	}

	async stop(): Promise<void> {
		await Promise.all(this.servers.map(server => server.stop()));
	}
}

export interface RawRequest {
	method: string;
	target: string;
	/** All that is sent. */
	bytes: Buffer;
	bodyLength: number;
	/** True if its head is as every client writes it. Such a request has an answer. */
	isPlain: boolean;
}

export interface Answer {
	status: number;
	headers: IncomingHttpHeaders;
	text: string;
}

const PLAIN = /^(GET|POST|PATCH|PUT|DELETE) (\/[\x21-\x7e]{0,4000})$/;
/** How long a client waits that has promised more than it sends. */
const GIVE_UP_MS = 200;

/**
 * Reads an input: a line with method and target, lines with headers that replace those of the same names in `usual`, an
 * empty line, and the body.
 */
export function readRequest(input: Buffer, usual: Readonly<Record<string, string>>): RawRequest {
	const text = input.toString('latin1');
	const end = text.indexOf('\n\n');
	const [first = '', ...lines] = text.slice(0, end < 0 ? text.length : end).split('\n');
	const body = end < 0 ? '' : text.slice(end + 2);
	const given = new Set(lines.map(line => line.split(':', 1)[0]?.toLowerCase()));
	const length = given.has('transfer-encoding') ? {} : { 'content-length': String(body.length) };
	const others = Object.entries({ ...usual, ...length, connection: 'close' }).filter(([name]) => !given.has(name));
	const head = [`${first} HTTP/1.1`, ...others.map(([name, value]) => `${name}: ${value}`), ...lines, '', ''];
	const [, , target = ''] = PLAIN.exec(first) ?? [];
	return {
		method: first.split(' ', 1)[0] ?? '',
		target: target || first.slice(0, 100),
		bytes: Buffer.from(head.join('\r\n') + body, 'latin1'),
		bodyLength: body.length,
		isPlain: lines.length === 0 && target !== '',
	};
}

/** Sends a request. Resolves with undefined if the connection ends without an answer. */
export async function exchange(address: string, { bytes, method, target, isPlain }: RawRequest) {
	const { hostname, port } = new URL(address);
	const socket = connect({ host: hostname, port: Number(port) });
	socket.write(bytes);
	// The parser of Node's own client reads the answer, and what it would send goes nowhere.
	const nowhere = new Writable({ write: (_piece, _encoding, written) => written() });
	const asked = request({
		method: method === 'HEAD' ? method : 'GET',
		createConnection: () => Duplex.from({ readable: socket, writable: nowhere }),
	});
	// An error comes up below, unless the answer has been read already.
	asked.on('error', () => {});
	const timer = isPlain ? undefined : setTimeout(() => socket.end(), GIVE_UP_MS);
	try {
		asked.end();
		const [head] = (await once(asked, 'response')) as [IncomingMessage];
		let text = '';
		for await (const piece of head.setEncoding('utf8')) {
			text += piece;
			// The log of a task that does not end has no end either.
			if (/\/stream\b/.test(target)) {
				break;
			}
		}
		return { status: head.statusCode ?? 0, headers: head.headers, text };
	} catch (error) {
		if (isPlain) {
			throw error;
		}
		return undefined;
	} finally {
		clearTimeout(timer);
		socket.destroy();
	}
}

/** Asserts what holds of every answer of a service. Returns it in a short form. */
export function assertAnswer(asked: RawRequest, answer: Answer | undefined): string {
	const { method, target, bodyLength, isPlain } = asked;
	const what = `${method} ${target.split('?')[0]?.slice(0, 40)}`;
	if (answer === undefined) {
		return `${what} none`;
	}
	const { status, headers, text } = answer;
	assert.ok(status < 500, `${method} ${target} answers with ${status}: ${text.slice(0, 300)}`);
	assert.ok(text.length <= 200_000 + 40 * bodyLength, 'an answer grows');
	// Node itself answers what is no HTTP, and without a body.
	if (status < 400 || method === 'HEAD' || (!isPlain && text === '' && headers['content-type'] === undefined)) {
		return `${what} ${status}`;
	}
	assert.match(headers['content-type'] ?? '', /^application\/json/, `${method} ${target} answers with ${status}`);
	const { error } = JSON.parse(text);
	const sentence = isFields(error) ? error['message'] : error;
	assert.ok(
		typeof sentence === 'string' && sentence !== '' && sentence.length < 2_000,
		`no sentence: ${text.slice(0, 200)}`,
	);
	return `${what} ${status} ${text.replace(/\d+|“.*”|".{30,}"/g, '')}`;
}

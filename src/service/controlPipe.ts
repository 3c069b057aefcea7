import { randomBytes } from 'node:crypto';
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import path from 'node:path';
import { describeError } from '../base/errors.ts';
import { pathOf } from '../base/httpRequest.ts';
import { parseJson } from '../base/json.ts';
import type { Logger } from '../base/logger.ts';
import { socketPlaceFor } from '../base/socketPlace.ts';
import { createTokenCheck } from '../base/tokenCheck.ts';
import { controlPaths } from '../contract/control.ts';
import { type UpstreamHandover, upstreamHandoverSchema } from '../contract/upstreams.ts';
import { describeIssue } from './replies.ts';

const MAXIMUM_BYTES = 1024 * 1024;

export interface ControlPipeOptions {
	stateFolder: string;
	token: string;
	/** Receives a list of upstreams that replaces the previous one. */
	onHandover(handover: UpstreamHandover): void;
	logger: Logger;
}

export interface ControlPipe {
	/** The path of the socket, or the name of the pipe. */
	readonly path: string;
	close(): void;
}

/**
 * Opens the pipe through which windows hand over secrets while the service runs. It is HTTP over a socket in the state
 * folder, which only the OS user can open, or over a named pipe, the name of which only that user can read. Nothing of
 * it goes over the network.
 */
export async function openControlPipe(options: ControlPipeOptions): Promise<ControlPipe> {
	const { place, folder } = await placeFor(options.stateFolder);
	const checkToken = createTokenCheck(options.token);
	const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
		const isRight = checkToken(request.headers.authorization) === 'right';
		const answer = isRight
			? handle(request, options)
			: Promise.resolve({ status: 401, body: { error: 'Valid credentials are needed.' } });
		answer.then(
			({ status, body }) => send(response, status, body),
			error => {
				options.logger.log('error', 'the control pipe failed', { reason: describeError(error) });
				send(response, 500, { error: 'The local service failed at this.' });
			},
		);
	});
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(place, resolve);
	});
	if (process.platform !== 'win32') {
		chmodSync(place, 0o600);
	}
	return {
		path: place,
		close() {
			server.close();
			server.closeAllConnections();
			if (folder !== undefined) {
				rmSync(folder, { recursive: true, force: true });
			}
		},
	};
}

/** The caller holds the lock of the state folder, so a socket that exists already was left by a crash. */
async function placeFor(stateFolder: string): Promise<{ place: string; folder?: string }> {
	if (process.platform === 'win32') {
		return { place: `\\\\.\\pipe\\errand-${randomBytes(16).toString('hex')}` };
	}
	return socketPlaceFor(path.join(stateFolder, 'control.sock'));
}

interface Answer {
	status: number;
	body: object;
}

async function handle(request: IncomingMessage, { onHandover }: ControlPipeOptions): Promise<Answer> {
	if (request.method !== 'PUT' || pathOf(request) !== controlPaths.upstreams) {
		return { status: 404, body: { error: 'There is no such address on this pipe.' } };
	}
	const pieces: Buffer[] = [];
	let size = 0;
	for await (const piece of request as AsyncIterable<Buffer>) {
		size += piece.length;
		if (size > MAXIMUM_BYTES) {
			return { status: 413, body: { error: 'The list is larger than 1 MB.' } };
		}
		pieces.push(piece);
	}
	const handover = readHandover(Buffer.concat(pieces).toString('utf8'));
	if (typeof handover === 'string') {
		return { status: 400, body: { error: handover } };
	}
	onHandover(handover);
	return { status: 200, body: { taken: true } };
}

/**
 * Reads the upstreams from a line of JSON. If they are invalid, it returns a sentence that says why; the sentence never
 * repeats a value, as it may be a key.
 */
export function readHandover(text: string): UpstreamHandover | string {
	const value = parseJson(text);
	if (value === undefined) {
		return 'The upstreams are not valid JSON.';
	}
	const parsed = upstreamHandoverSchema.safeParse(value);
	return parsed.success ? parsed.data : `The upstreams cannot be taken: ${describeIssue(parsed.error)}`;
}

function send(response: ServerResponse, status: number, body: object): void {
	const text = JSON.stringify(body);
	response.writeHead(status, {
		'content-type': 'application/json',
		'content-length': Buffer.byteLength(text),
		connection: 'close',
	});
	response.end(text);
}

import { randomBytes } from 'node:crypto';
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import path from 'node:path';
import { sendJson } from '../agents/relay/callAnswer.ts';
import { describeError } from '../base/errors.ts';
import { pathOf, readJsonBody } from '../base/httpRequest.ts';
import type { Logger } from '../base/logger.ts';
import { socketPlaceFor } from '../base/socketPlace.ts';
import { createTokenCheck } from '../base/tokenCheck.ts';
import { controlPaths } from '../contract/control.ts';
import { type UpstreamHandover, upstreamHandoverSchema } from '../contract/upstreams.ts';
import { describeIssue } from './replies.ts';

const MEGABYTES = 1;
/** After an answer, the connection is of no more use. */
const CLOSING = { connection: 'close' };

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
			({ status, body }) => sendJson(response, status, body, CLOSING),
			error => {
				options.logger.log('error', 'the control pipe failed', { reason: describeError(error) });
				sendJson(response, 500, { error: 'The local service failed at this.' }, CLOSING);
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
	const body = await readJsonBody(request, MEGABYTES);
	if ('problem' in body) {
		return { status: body.status, body: { error: body.problem } };
	}
	const handover = readHandover(body.value);
	if (typeof handover === 'string') {
		return { status: 400, body: { error: handover } };
	}
	onHandover(handover);
	return { status: 200, body: { taken: true } };
}

/**
 * Reads the upstreams. If they are invalid, it returns a sentence that says why; the sentence never repeats a value, as
 * it may be a key.
 */
export function readHandover(value: unknown): UpstreamHandover | string {
	const parsed = upstreamHandoverSchema.safeParse(value);
	return parsed.success ? parsed.data : `The upstreams cannot be taken: ${describeIssue(parsed.error)}`;
}

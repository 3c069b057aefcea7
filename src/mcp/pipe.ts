import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import path from 'node:path';
import { describeError } from '../base/errors.ts';
import { dropBody, pathOf, readJsonBody } from '../base/httpRequest.ts';
import type { Logger } from '../base/logger.ts';
import { newSocketFolder } from '../base/socketPlace.ts';
import { streamText } from '../base/streamText.ts';
import { createTokenCheck } from '../base/tokenCheck.ts';
import {
	type LogEventOfTask,
	PIPE_MEGABYTES,
	type PipeAnswer,
	type PipeCall,
	type PipeParsed,
	pipeCalls,
} from '../contract/editorPipe.ts';

/**
 * The maximum number of calls at the same time, and half the maximum number of connections; further ones are refused.
 */
const MAXIMUM_CALLS = 16;
const HEAD_MS = 10_000;
const BODY_MS = 30_000;
const MAXIMUM_HEAD_BYTES = 16 * 1024;
const LINES = 'application/x-ndjson; charset=utf-8';

/** Carries out the calls. The signal aborts when the caller has gone. All errors are explained. */
export type PipeAnswers = {
	[Call in Exclude<PipeCall, 'follow'>]: (asked: PipeParsed<Call>, signal: AbortSignal) => Promise<PipeAnswer<Call>>;
} & { follow(asked: PipeParsed<'follow'>, signal: AbortSignal): AsyncIterable<LogEventOfTask> };

export interface PipeOptions {
	answers: PipeAnswers;
	/** Returns a sentence with the cause and the next step. */
	explain(error: unknown): Promise<string>;
	logger: Logger;
}

export interface OpenPipe {
	/** The path of the socket, or the name of the pipe. */
	readonly address: string;
	/** Every call must carry it. */
	readonly token: string;
	/** Ends all calls. */
	close(): void;
}

/**
 * Opens the pipe through which the MCP server's process calls this window: HTTP over a socket in a folder that only the
 * OS user can open, or over a named pipe with a random name. Nothing of it goes over the network.
 */
export async function openPipe(options: PipeOptions): Promise<OpenPipe> {
	const token = randomBytes(32).toString('base64url');
	const { address, folder } = await newPlace();
	const gate = new Gate(options, createTokenCheck(token));
	const server = createServer(
		{
			headersTimeout: HEAD_MS,
			requestTimeout: BODY_MS,
			connectionsCheckingInterval: HEAD_MS,
			maxHeaderSize: MAXIMUM_HEAD_BYTES,
		},
		(request, response) => void gate.onRequest(request, response),
	);
	server.maxConnections = 2 * MAXIMUM_CALLS;
	server.listen(address);
	await once(server, 'listening');
	if (folder !== undefined) {
		chmodSync(address, 0o600);
	}
	return {
		address,
		token,
		close() {
			server.close();
			server.closeAllConnections();
			if (folder !== undefined) {
				rmSync(folder, { recursive: true, force: true });
			}
		},
	};
}

async function newPlace(): Promise<{ address: string; folder: string | undefined }> {
	if (process.platform === 'win32') {
		return { address: `\\\\.\\pipe\\errand-${randomBytes(16).toString('hex')}`, folder: undefined };
	}
	const folder = await newSocketFolder();
	return { address: path.join(folder, 'editor.sock'), folder };
}

class Gate {
	private readonly options: PipeOptions;
	private readonly checkToken: ReturnType<typeof createTokenCheck>;
	private running = 0;

	constructor(options: PipeOptions, checkToken: ReturnType<typeof createTokenCheck>) {
		this.options = options;
		this.checkToken = checkToken;
	}

	async onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const call = pathOf(request).slice(1);
		if (this.checkToken(request.headers.authorization) !== 'right') {
			await refuse(request, response, 401, 'The call does not carry the token of this window. Start the server again.');
		} else if (request.method !== 'POST' || !Object.hasOwn(pipeCalls, call)) {
			await refuse(request, response, 404, 'There is no such call here.');
		} else if (this.running >= MAXIMUM_CALLS) {
			await refuse(request, response, 429, `${MAXIMUM_CALLS} calls are running already. Wait until some have ended.`);
		} else {
			this.running++;
			response.once('close', () => this.running--);
			await this.take(call as PipeCall, request, response);
		}
	}

	private async take(call: PipeCall, request: IncomingMessage, response: ServerResponse): Promise<void> {
		const body = await readJsonBody(request, PIPE_MEGABYTES);
		if ('problem' in body) {
			send(response, body.status, { problem: body.problem });
			return;
		}
		const asked = pipeCalls[call].safeParse(body.value);
		if (!asked.success) {
			const [issue] = asked.error.issues;
			const place = issue?.path.join('.') ?? '';
			send(response, 400, { problem: `The arguments cannot be used: ${place}: ${issue?.message}.` });
			return;
		}
		const { answers, logger } = this.options;
		if (call === 'follow') {
			streamText(signal => this.lines(asked.data as PipeParsed<'follow'>, signal), {
				outgoing: response,
				contentType: LINES,
				onFailure: error =>
					logger.log('warn', 'a log could not be passed on to another agent', { reason: describeError(error) }),
			});
			return;
		}
		const gone = new AbortController();
		response.once('close', () => gone.abort());
		const answer = answers[call] as (asked: unknown, signal: AbortSignal) => Promise<unknown>;
		try {
			send(response, 200, { value: await answer(asked.data, gone.signal) });
		} catch (error) {
			logger.log('warn', `the call ${call} of another agent failed`, { reason: describeError(error) });
			send(response, 200, { problem: await this.options.explain(error) });
		}
	}

	private async *lines(asked: PipeParsed<'follow'>, signal: AbortSignal): AsyncGenerator<string, void> {
		try {
			for await (const event of this.options.answers.follow(asked, signal)) {
				yield lineOf({ event });
			}
			yield lineOf({ value: {} });
		} catch (error) {
			yield lineOf({ problem: await this.options.explain(error) });
		}
	}
}

const lineOf = (value: object): string => `${JSON.stringify(value)}\n`;

async function refuse(
	request: IncomingMessage,
	response: ServerResponse,
	status: number,
	problem: string,
): Promise<void> {
	await dropBody(request);
	send(response, status, { problem });
}

function send(response: ServerResponse, status: number, line: object): void {
	response.writeHead(status, { 'content-type': LINES, connection: 'close' });
	response.end(lineOf(line));
}

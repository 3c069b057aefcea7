import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import fs from 'node:fs';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { slowLine } from './slowLine.ts';

export interface FrontOptions {
	/** 0 chooses a free port. */
	port: number;
	/** The editor's own port on 127.0.0.1. */
	editorPort: number;
	token: string;
	/** The file with the half of the key that the page does not keep. It is created on first use. */
	keyFile: string;
	/** The delay of messages between windows and their extensions in milliseconds; none by default. */
	delayMs?: number;
}

export interface Front {
	port: number;
	close(): Promise<void>;
}

const host = '127.0.0.1';
const cookieName = 'vscode-tkn';

/**
 * Starts a server in front of the editor: it answers `POST /mint-key`, without which the page forgets its secrets on a
 * reload, and passes everything else through.
 */
export async function startFront(options: FrontOptions): Promise<Front> {
	const agent = new http.Agent({ keepAlive: true });
	const sockets = new Set<Socket>();
	const server = http.createServer((request, response) => {
		if (request.method === 'POST' && request.url?.split('?')[0] === '/mint-key') {
			mintKey(options, request, response);
		} else {
			passOn(options, agent, request, response);
		}
	});
	server.on('upgrade', (request, socket, head) => passUpgradeOn(options, request, socket, head, sockets));
	server.on('connection', socket => keep(sockets, socket));
	await new Promise<void>((resolve, reject) => {
		server.once('error', (error: NodeJS.ErrnoException) =>
			reject(
				error.code === 'EADDRINUSE'
					? new Error(`Port ${options.port} is in use by another program. End that, or choose another port.`)
					: error,
			),
		);
		server.listen(options.port, host, resolve);
	});
	return {
		port: (server.address() as AddressInfo).port,
		close: () =>
			new Promise(resolve => {
				server.close(() => resolve());
				agent.destroy();
				for (const socket of sockets) {
					socket.destroy();
				}
			}),
	};
}

/**
 * Answers a request for the key. The endpoint is protected like the editor itself, and only for the editor's own page,
 * because a page on another port shares the editor's cookies.
 */
function mintKey({ token, keyFile }: FrontOptions, request: IncomingMessage, response: ServerResponse): void {
	const address = new URL(request.url ?? '/', `http://${host}`);
	const given = address.searchParams.get('tkn') ?? cookie(request, cookieName);
	const { host: askedHost = '', origin } = request.headers;
	const local = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(askedHost);
	if (!local || origin !== `http://${askedHost}` || given === undefined || !same(given, token)) {
		response.writeHead(403, { 'content-type': 'text/plain' }).end('Forbidden.');
		return;
	}
	response.writeHead(200, { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' });
	response.end(keyIn(keyFile));
}

/** Reads or creates the 32 bytes, in a file that only its owner can read. */
function keyIn(file: string): Buffer {
	try {
		fs.writeFileSync(file, randomBytes(32), { flag: 'wx', mode: 0o600 });
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
			throw error;
		}
	}
	return fs.readFileSync(file);
}

function passOn(options: FrontOptions, agent: http.Agent, request: IncomingMessage, response: ServerResponse): void {
	const { method, url, headers } = request;
	const onward = http.request({ host, port: options.editorPort, method, path: url, headers, agent });
	onward.on('response', answer => {
		response.writeHead(answer.statusCode ?? 502, answer.headers);
		answer.pipe(response);
		answer.on('error', () => response.destroy());
	});
	onward.on('error', () => {
		if (response.headersSent) {
			response.destroy();
		} else {
			response.writeHead(502, { 'content-type': 'text/plain' }).end('The editor does not answer.');
		}
	});
	response.on('close', () => onward.destroy());
	request.pipe(onward);
}

function passUpgradeOn(
	{ editorPort, delayMs }: FrontOptions,
	request: IncomingMessage,
	socket: Duplex,
	head: Buffer,
	sockets: Set<Socket>,
): void {
	const onward = net.connect(editorPort, host, () => {
		const lines = [`${request.method} ${request.url} HTTP/1.1`];
		for (let index = 0; index < request.rawHeaders.length; index += 2) {
			lines.push(`${request.rawHeaders[index]}: ${request.rawHeaders[index + 1]}`);
		}
		onward.write(`${lines.join('\r\n')}\r\n\r\n`);
		onward.write(head);
		if (delayMs === undefined) {
			onward.pipe(socket).pipe(onward);
		} else {
			onward.pipe(slowLine(delayMs)).pipe(socket);
			socket.pipe(slowLine(delayMs)).pipe(onward);
		}
	});
	keep(sockets, onward);
	for (const [one, other] of [
		[onward, socket],
		[socket, onward],
	] as const) {
		// On a slow line, the last messages of a window are still under way. Without them, the window's extensions would go
		// on for hours.
		const end = () => (delayMs === undefined ? other.destroy() : setTimeout(() => other.destroy(), 2 * delayMs));
		one.on('error', end);
		one.on('close', end);
	}
}

function keep(sockets: Set<Socket>, socket: Socket): void {
	socket.setNoDelay(true);
	sockets.add(socket);
	socket.once('close', () => sockets.delete(socket));
}

function cookie(request: IncomingMessage, name: string): string | undefined {
	const pairs = (request.headers.cookie ?? '').split(';').map(pair => pair.trim().split('='));
	return pairs.find(([key]) => key === name)?.[1];
}

function same(given: string, expected: string): boolean {
	const digest = (text: string) => createHash('sha256').update(text).digest();
	return timingSafeEqual(digest(given), digest(expected));
}

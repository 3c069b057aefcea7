import { spawn } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';

const USER = 'tester';
const PASSWORD = 'a pass/word: with #';
const HEADER_END = Buffer.from('\r\n\r\n');

/** Serves bare repositories below a folder with git's own `http-backend`, to anyone who knows the password. */
export class GitHttpServer {
	private readonly folder: string;
	private readonly server: Server;
	/** The number of requests that were refused because the password was missing. */
	refused = 0;
	user = USER;
	password = PASSWORD;
	/** True if nobody is asked for a password. */
	isOpen = false;
	/** Called with each request that has the password. It may answer instead of git, now or never. */
	fault: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;

	private constructor(folder: string) {
		this.folder = folder;
		this.server = createServer((request, response) => this.answer(request, response));
	}

	/** `folder` contains the repositories. */
	static async start(folder: string): Promise<GitHttpServer> {
		const server = new GitHttpServer(folder);
		await new Promise<void>(resolve => server.server.listen(0, '127.0.0.1', resolve));
		return server;
	}

	/** Returns the address of a repository by its path below the folder. */
	address(repository: string): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/${repository}`;
	}

	/** Returns the variables with which the editor makes git ask it for the user name and the password. */
	async credentials(): Promise<Record<string, string>> {
		const program = path.join(this.folder, 'askpass.sh');
		await writeFile(program, `#!/bin/sh\ncase "$1" in Username*) echo '${USER}';; *) echo '${PASSWORD}';; esac\n`);
		await chmod(program, 0o755);
		return { GIT_ASKPASS: program };
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise(resolve => this.server.close(resolve));
	}

	private answer(request: IncomingMessage, response: ServerResponse): void {
		const expected = `Basic ${Buffer.from(`${this.user}:${this.password}`).toString('base64')}`;
		if (request.headers.authorization !== expected && !this.isOpen) {
			this.refused++;
			request.resume();
			response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end();
			return;
		}
		if (!this.fault?.(request, response)) {
			this.serve(request, response);
		}
	}

	/** Lets git answer a request, which a fault may have held. */
	serve(request: IncomingMessage, response: ServerResponse): void {
		const url = new URL(request.url ?? '/', 'http://127.0.0.1');
		const header = (name: string) => String(request.headers[name] ?? '');
		const program = spawn('git', ['http-backend'], {
			env: {
				PATH: process.env['PATH'],
				HOME: this.folder,
				GIT_CONFIG_NOSYSTEM: '1',
				GIT_CONFIG_GLOBAL: os.devNull,
				GIT_PROJECT_ROOT: this.folder,
				GIT_HTTP_EXPORT_ALL: '1',
				REMOTE_USER: this.user,
				REQUEST_METHOD: request.method,
				PATH_INFO: decodeURIComponent(url.pathname),
				QUERY_STRING: url.search.slice(1),
				CONTENT_TYPE: header('content-type'),
				HTTP_CONTENT_ENCODING: header('content-encoding'),
				HTTP_GIT_PROTOCOL: header('git-protocol'),
				...(header('content-length') === '' ? {} : { CONTENT_LENGTH: header('content-length') }),
			},
			stdio: ['pipe', 'pipe', 'ignore'],
		});
		program.stdin.on('error', () => {});
		request.pipe(program.stdin);
		const pieces: Buffer[] = [];
		program.stdout.on('data', (piece: Buffer) => pieces.push(piece));
		program.on('close', () => {
			const output = Buffer.concat(pieces);
			const end = output.indexOf(HEADER_END);
			if (end === -1) {
				response.writeHead(500).end();
				return;
			}
			let status = 200;
			for (const line of output.subarray(0, end).toString('latin1').split('\r\n')) {
				const [name = '', value = ''] = line.split(/:\s*/, 2);
				if (name.toLowerCase() === 'status') {
					status = Number.parseInt(value, 10);
				} else {
					response.setHeader(name, value);
				}
			}
			response.writeHead(status).end(output.subarray(end + HEADER_END.length));
		});
	}
}

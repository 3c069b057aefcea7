import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Uri } from 'vscode';
import { type WebviewShellOptions, webviewShell } from '../../src/platform/webview.ts';
import { builtByTheRunner } from '../support/builtByTheRunner.ts';

/** Content types by file extension; the page itself has none. */
const types: Record<string, string> = {
	'': 'text/html; charset=utf-8',
	'.js': 'text/javascript',
	'.css': 'text/css',
	'.ttf': 'font/ttf',
};

/** What the extension says of one of its pages. */
export interface ServedPage extends Pick<WebviewShellOptions, 'name' | 'dataImages' | 'workers'> {
	/** What the page is given beside its translations. */
	data?: object;
}

/** Serves a page and its files, as the editor does. */
export class PageServer {
	readonly name: string;
	/** The translations of the page, by their English texts. */
	bundle: Record<string, string> | undefined;
	readonly origin: string;
	private readonly server: Server;

	private constructor(server: Server, name: string) {
		this.server = server;
		this.name = name;
		this.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	}

	static async start(page: ServedPage): Promise<PageServer> {
		const folder = path.join(builtByTheRunner('ERRAND_TEST_EXTENSION'), 'dist', 'webview');
		const files = new Map(
			readdirSync(folder).map(name => [`/dist/webview/${name}`, readFileSync(path.join(folder, name))]),
		);
		const server = createServer((request, response) => {
			const { pathname } = new URL(request.url ?? '/', started.origin);
			const isPage = pathname === '/';
			const body = isPage ? shell(page, started.origin, started.bundle) : files.get(pathname);
			response.writeHead(body === undefined ? 404 : 200, {
				'content-type': types[path.extname(pathname)] ?? '',
				// A browser that may keep the files keeps what it has compiled as well.
				'cache-control': isPage ? 'no-store' : 'max-age=86400',
			});
			response.end(body);
		});
		await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
		const started = new PageServer(server, page.name);
		return started;
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise(resolve => this.server.close(resolve));
	}
}

/** Returns the HTML as the extension makes it, with addresses of this server. */
function shell({ data, ...page }: ServedPage, origin: string, bundle: Record<string, string> = {}): string {
	const uri = (pathname: string): Uri =>
		({
			path: pathname,
			with: (change: { path: string }) => uri(change.path),
			toString: () => origin + pathname,
		}) as Uri;
	return webviewShell(
		{ cspSource: origin, asWebviewUri: resource => resource },
		{
			extensionUri: uri('/'),
			title: page.name,
			language: 'en',
			data: { bundle, ...data },
			...page,
		},
	);
}

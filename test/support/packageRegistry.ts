import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';

export interface PackedPackage {
	name: string;
	version: string;
	manifest: Record<string, unknown>;
	archive: Buffer;
	integrity: string;
}

/** Packs a package with npm. `files` are the texts of its files by path; all of them are executable. */
export function packPackage(
	manifest: { name: string; version: string; [field: string]: unknown },
	files: Record<string, string>,
): PackedPackage {
	const folder = mkdtempSync(path.join(os.tmpdir(), 'errand-pack-'));
	try {
		const all = { ...files, 'package.json': JSON.stringify(manifest) };
		for (const [name, text] of Object.entries(all)) {
			mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
			writeFileSync(path.join(folder, name), text, { mode: 0o755 });
		}
		const args = ['pack', '--silent', '--ignore-scripts', '--cache', path.join(folder, '.cache')];
		const printed = execFileSync('npm', args, { cwd: folder, encoding: 'utf8' });
		const archive = readFileSync(path.join(folder, printed.trim().split('\n').at(-1) ?? ''));
		const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
		return { name: manifest.name, version: manifest.version, manifest, archive, integrity };
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** A small package registry on loopback. */
export class PackageRegistry {
	readonly address: string;
	/** The methods and paths of all requests. */
	readonly requests: string[] = [];
	/** If true, archives are begun and never finished. */
	holdsArchives = false;
	/** The number of open connections whose archive is held back. */
	held = 0;
	private readonly server: Server;
	private readonly packages: readonly PackedPackage[];

	private constructor(server: Server, packages: readonly PackedPackage[]) {
		this.server = server;
		this.packages = packages;
		this.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
		server.on('request', (request, response) => this.answer(request, response));
	}

	static async start(packages: readonly PackedPackage[]): Promise<PackageRegistry> {
		const server = createServer();
		server.listen(0, '127.0.0.1');
		await once(server, 'listening');
		return new PackageRegistry(server, packages);
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		this.server.close();
		await once(this.server, 'close');
	}

	private answer(request: IncomingMessage, response: ServerResponse): void {
		const place = decodeURIComponent(request.url ?? '');
		this.requests.push(`${request.method} ${place}`);
		const archived = this.packages.find(({ name, version }) => place === `/archives/${name}-${version}.tgz`);
		if (archived !== undefined) {
			this.sendArchive(archived.archive, response);
			return;
		}
		const versions = this.packages.filter(({ name }) => place === `/${name}`);
		const [first] = versions;
		if (first === undefined) {
			response.writeHead(404, { 'content-type': 'application/json' });
			response.end('{"error":"Not found"}');
			return;
		}
		const entries = versions.map(({ name, version, manifest, integrity }) => [
			version,
			{ ...manifest, dist: { integrity, tarball: `${this.address}archives/${name}-${version}.tgz` } },
		]);
		response.writeHead(200, { 'content-type': 'application/json' });
		response.end(
			JSON.stringify({
				name: first.name,
				'dist-tags': { latest: first.version },
				versions: Object.fromEntries(entries),
			}),
		);
	}

	private sendArchive(archive: Buffer, response: ServerResponse): void {
		response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': archive.length });
		if (!this.holdsArchives) {
			response.end(archive);
			return;
		}
		this.held++;
		response.once('close', () => {
			this.held--;
		});
		response.write(archive.subarray(0, 10));
	}
}

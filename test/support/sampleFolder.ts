import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeSampleRepository } from '../../scripts/sampleRepository.ts';

/** A sample repository and its origin, which can be reset to their initial state. */
export class SampleFolder {
	/** The clone that a window opens, on `main`. */
	readonly folder: string;
	/** The folder of the bare repository from which it was cloned. */
	readonly originFolder: string;
	private readonly config: string;
	private readonly first: readonly { folder: string; refs: Map<string, string> }[];

	constructor(folder: string) {
		const { origin } = makeSampleRepository(folder);
		this.folder = folder;
		this.originFolder = origin;
		this.config = readFileSync(this.file('.git/config'), 'utf8');
		this.first = [folder, origin].map(repository => ({ folder: repository, refs: refsOf(repository) }));
	}

	/** Runs git in the clone and returns its output. */
	git(...args: string[]): string {
		return gitIn(this.folder, args);
	}

	/** Runs git in the origin and returns its output. */
	origin(...args: string[]): string {
		return gitIn(this.originFolder, args);
	}

	/** Returns the path of a file in the clone. */
	file(name: string): string {
		return path.join(this.folder, name);
	}

	/** Returns the content of a file in the clone. */
	read(name: string): string {
		return readFileSync(this.file(name), 'utf8');
	}

	/** Writes files of the clone, by their paths. */
	write(files: Readonly<Record<string, string | Uint8Array>>): void {
		for (const [name, content] of Object.entries(files)) {
			mkdirSync(path.dirname(this.file(name)), { recursive: true });
			writeFileSync(this.file(name), content);
		}
	}

	/** Commits files on `main`, in the clone and in the origin. */
	add(files: Readonly<Record<string, string | Uint8Array>>): void {
		this.write(files);
		this.git('add', '--all');
		this.git('commit', '--quiet', '--message', 'Add what the tests begin with');
		this.git('push', '--quiet', 'origin', 'HEAD');
	}

	reset(): void {
		// A branch that is checked out is not updated.
		this.git('checkout', '--quiet', '--force', '--detach');
		for (const { folder, refs } of this.first) {
			const added = [...refsOf(folder).keys()].filter(name => !refs.has(name));
			const lines = [...added.map(name => `delete ${name}`), ...[...refs].map(([name, id]) => `update ${name} ${id}`)];
			gitIn(folder, ['update-ref', '--stdin'], `${lines.join('\n')}\n`);
		}
		writeFileSync(this.file('.git/config'), this.config);
		this.git('checkout', '--quiet', '--force', 'main');
		this.git('clean', '--quiet', '--force', '--force', '-d', '-x');
	}
}

function gitIn(folder: string, args: readonly string[], input = ''): string {
	return execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', input });
}

/** Returns the commits of all references by name, without symbolic references. */
function refsOf(folder: string): Map<string, string> {
	const lines = gitIn(folder, ['for-each-ref', '--format=%(refname) %(objectname) %(symref)']).trim().split('\n');
	const fields = lines.map(line => line.split(' '));
	return new Map(fields.filter(([, , target]) => !target).map(([name = '', id = '']) => [name, id]));
}

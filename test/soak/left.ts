// What must not be there once everything has ended.
import { globSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { newSocketFolder } from '../../src/base/socketPlace.ts';
import { removeLeftFolders } from '../../src/base/temporaryFolder.ts';
import { valueWithin } from '../support/waitFor.ts';
import type { Finding } from './activity.ts';
import { processesOf } from './processes.ts';
import type { Place } from './site.ts';

const END_LIMIT_MS = 60_000;
/** The references that Errand keeps in a repository of the user. */
const KEPT_REFERENCES = /^refs\/(?:heads|remotes|tags)\/|^refs\/errand\/(?:turns|steps|tasks|bases)\//;
const MOST_MORE_DESCRIPTORS = 50;

const left = (what: string): Finding => ({ promise: 'left', what });

/** Finds references, branches of no task and locks in the repositories of a place. */
export async function leftInRepositories({ name, sample, truth }: Place): Promise<Finding[]> {
	const ids = new Set((await truth.tasks()).map(({ id }) => id.slice(0, 8)));
	const names = (git: (...args: string[]) => string) =>
		git('for-each-ref', '--format=%(refname)').trim().split('\n').filter(Boolean);
	const branches = names((...args) => sample.origin(...args)).filter(one => one.startsWith('refs/heads/errand/'));
	const locks = [sample.file('.git'), sample.originFolder].flatMap(folder =>
		globSync('**/*.lock', { cwd: folder }).map(file => path.join(folder, file)),
	);
	return [
		...[...names((...args) => sample.git(...args)), ...names((...args) => sample.origin(...args))]
			.filter(one => !KEPT_REFERENCES.test(one))
			.map(one => left(`${one} in the repository of ${name}`)),
		...branches
			.filter(one => !ids.has(/-([\da-f]{8})(?:-attempt-\d+)?$/.exec(one)?.[1] ?? ''))
			.map(one => left(`${one} in the origin of ${name} is of no task`)),
		...locks.map(file => left(`${file} in the repository of ${name}`)),
	];
}

/** Finds the processes and the temporary files of a run that has ended. */
export async function leftOnMachine(folder: string, temporary: string): Promise<Finding[]> {
	let processes: string[] = [];
	await valueWithin(END_LIMIT_MS, 500, () => {
		processes = processesOf(folder).map(one => `${one.pid} in ${one.folder}: ${one.commandLine.slice(0, 300)}`);
		return processes.length === 0;
	});
	const named = () => readdirSync(temporary).filter(name => name.includes('errand'));
	// A program that was killed has left its folders to others: those for sockets at once, the rest a day later.
	rmSync(await newSocketFolder(), { recursive: true });
	const longAgo = new Date(Date.now() - 48 * 60 * 60_000);
	for (const name of named()) {
		utimesSync(path.join(temporary, name), longAgo, longAgo);
	}
	await removeLeftFolders();
	const files = named();
	return [
		...processes.map(one => left(`process ${one}`)),
		...files.map(name => left(`the temporary file ${path.join(temporary, name)}`)),
	];
}

/** Watches the open files and sockets of processes from one quiet time to the next. */
export class Descriptors {
	private readonly first = new Map<number, number>();
	private readonly last = new Map<number, { what: string; count: number }>();

	look(what: string, pid: number | undefined): void {
		const count = pid === undefined ? undefined : countOf(pid);
		if (pid !== undefined && count !== undefined) {
			this.first.set(pid, this.first.get(pid) ?? count);
			this.last.set(pid, { what, count });
		}
	}

	findings(): Finding[] {
		return [...this.last]
			.filter(([pid, { count }]) => count - (this.first.get(pid) ?? 0) > MOST_MORE_DESCRIPTORS)
			.map(([pid, { what, count }]) =>
				left(
					`${what}, process ${pid}: ${count} open files and sockets, ${this.first.get(pid)} in the first quiet time`,
				),
			);
	}
}

function countOf(pid: number): number | undefined {
	try {
		return readdirSync(`/proc/${pid}/fd`).length;
	} catch {
		return undefined;
	}
}

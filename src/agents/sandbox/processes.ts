import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate as yieldToOthers } from 'node:timers/promises';

/** Reading this many processes takes about a millisecond. */
const PROCESSES_AT_ONCE = 50;

/** What a process and its descendants use now. */
export interface ProcessUse {
	processes: number;
	/** Bytes of memory that is not a file's. */
	memory: number;
}

/**
 * Adds up what the descendants of a process use, without itself. A process that has left its session or lost its parent
 * counts too if it is in a sandbox: the first process of the sandbox takes its parent's place. Linux only.
 */
export async function descendantsUse(root: number): Promise<ProcessUse> {
	const children = await childrenByParent();
	const found: number[] = [];
	for (const queue = [root]; queue.length > 0; ) {
		const own = children.get(queue.pop() ?? 0) ?? [];
		found.push(...own);
		queue.push(...own);
	}
	let memory = 0;
	await inPortions(found, pid => {
		memory += memoryOf(pid);
	});
	return { processes: found.length, memory };
}

async function childrenByParent(): Promise<Map<number, number[]>> {
	const children = new Map<number, number[]>();
	const pids = readdirSync('/proc')
		.filter(name => /^\d+$/.test(name))
		.map(Number);
	await inPortions(pids, pid => {
		// The state and the parent follow the name in parentheses, which can contain anything.
		const status = read(`/proc/${pid}/stat`);
		const parent = Number(status.slice(status.lastIndexOf(')')).split(' ')[2]);
		children.set(parent, [...(children.get(parent) ?? []), pid]);
	});
	return children;
}

function memoryOf(pid: number): number {
	let kilobytes = 0;
	for (const [, amount] of read(`/proc/${pid}/status`).matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)) {
		kilobytes += Number(amount);
	}
	return kilobytes * 1024;
}

async function inPortions(pids: readonly number[], work: (pid: number) => void): Promise<void> {
	for (const [index, pid] of pids.entries()) {
		work(pid);
		if (index % PROCESSES_AT_ONCE === PROCESSES_AT_ONCE - 1) {
			await yieldToOthers();
		}
	}
}

/** Returns an empty text if the process has ended. */
function read(file: string): string {
	try {
		return readFileSync(file, 'latin1');
	} catch {
		return '';
	}
}

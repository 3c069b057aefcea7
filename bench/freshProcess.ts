import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** The result that a contender sends back when it is done. */
export interface Measured {
	/** The CPU microseconds of its process while it worked, user and system. */
	cpu: number;
	/** The peak memory in megabytes, including the program itself. */
	memory: number;
	/** The longest time that its thread worked without a turn of the event loop, in milliseconds. */
	delay: number;
	/** The number that it counted, on which all contenders of one race must agree. */
	count: number;
	/** Further numbers of one contender. */
	[name: string]: number;
}

/** Starts a program of this folder and resolves with its first message. */
async function start<T>(program: string, parameters: object): Promise<{ child: ChildProcess; message: T }> {
	const child = fork(path.join(import.meta.dirname, program), [JSON.stringify(parameters)], {
		execArgv: ['--disable-warning=ExperimentalWarning', '--expose-gc'],
		stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
	});
	const ended = once(child, 'exit').then(([code]) => {
		throw new Error(`${program} ended with ${code} before it had said anything`);
	});
	const [message] = await Promise.race([once(child, 'message'), ended]);
	ended.catch(() => {});
	return { child, message: message as T };
}

/** Runs a contender in a process of its own. */
export async function measure(program: string, parameters: object): Promise<Measured> {
	const { child, message } = await start<Measured>(program, parameters);
	child.kill();
	return message;
}

/** Runs `use` beside a server program, which sends its address, or other access data, once it listens. */
export async function withServer<T, M = string>(
	program: string,
	parameters: object,
	use: (message: M) => Promise<T>,
): Promise<T> {
	const { child, message } = await start<M>(program, parameters);
	try {
		return await use(message);
	} finally {
		child.kill();
	}
}

/** Runs every contender once in each round, so that other load on the machine affects all alike. */
export async function race(rounds: number, program: string, contenders: readonly object[]): Promise<Measured[][]> {
	const results: Measured[][] = contenders.map(() => []);
	for (let round = 0; round < rounds; round++) {
		for (const [index, contender] of contenders.entries()) {
			results[index]?.push(await measure(program, contender));
		}
	}
	const counts = new Set(results.flat().map(({ count }) => count));
	if (counts.size !== 1) {
		throw new Error(`the contenders did not do the same work: ${[...counts].join(', ')}`);
	}
	return results;
}

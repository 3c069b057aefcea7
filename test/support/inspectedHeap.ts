import type { ChildProcess } from 'node:child_process';
import { waitFor } from './waitFor.ts';

export interface InspectedHeap {
	/** Resolves with the megabytes in use after a collection. */
	used(): Promise<number>;
	close(): void;
}

/** A program that was started with `NODE_OPTIONS=--inspect-port=0`. */
export interface Debugged {
	readonly child: ChildProcess;
	/** What it has written to its standard error so far. */
	log(): string;
}

/** Opens the debugger of a program, which alone tells what a heap holds without what nobody needs any more. */
export async function openHeap({ child, log }: Debugged): Promise<InspectedHeap> {
	child.kill('SIGUSR1');
	const url = await waitFor('the debugger', () => /ws:\S+/.exec(log())?.[0]);
	const socket = new WebSocket(url);
	await new Promise(resolve => socket.addEventListener('open', resolve, { once: true }));
	let id = 0;
	const ask = (method: string) =>
		new Promise<{ usedSize: number }>(resolve => {
			const asked = ++id;
			const onMessage = ({ data }: MessageEvent) => {
				const reply = JSON.parse(data);
				if (reply.id === asked) {
					socket.removeEventListener('message', onMessage);
					resolve(reply.result);
				}
			};
			socket.addEventListener('message', onMessage);
			socket.send(JSON.stringify({ id: asked, method }));
		});
	return {
		async used() {
			// One collection leaves what only a second one finds: what finalizers have let go, and code that has not run since.
			await ask('HeapProfiler.collectGarbage');
			await ask('HeapProfiler.collectGarbage');
			return (await ask('Runtime.getHeapUsage')).usedSize / 2 ** 20;
		},
		close: () => socket.close(),
	};
}

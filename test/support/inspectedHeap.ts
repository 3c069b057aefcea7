import type { ChildProcess } from 'node:child_process';
import { waitFor } from './waitFor.ts';

/** The contents of a heap, in bytes. */
export interface HeapContents {
	/** Code that V8 has compiled, with what it has learnt of it. It stops growing once all code has run. */
	code: number;
	/** Everything else, by the kind of objects, such as the name of their class. */
	byKind: ReadonlyMap<string, number>;
}

export interface InspectedHeap {
	/** Resolves with the megabytes in use after a collection. */
	used(): Promise<number>;
	/** Resolves with what is in use. This stops the program for some seconds. */
	contents(): Promise<HeapContents>;
	close(): void;
}

/** A program that was started with `NODE_OPTIONS=--inspect-port=0`. */
export interface Debugged {
	readonly child: ChildProcess;
	/** What it has written to its standard error so far. */
	log(): string;
}

/** Starts the debugger of a program, and resolves with its URL. */
export function startDebugger({ child, log }: Debugged): Promise<string> {
	child.kill('SIGUSR1');
	return waitFor('the debugger', () => /ws:\S+/.exec(log())?.[0]);
}

/** Connects to a debugger, which alone tells what a heap holds without what nobody needs any more. */
export async function openHeap(url: string): Promise<InspectedHeap> {
	const socket = new WebSocket(url);
	await new Promise((resolve, reject) => {
		socket.addEventListener('open', resolve, { once: true });
		socket.addEventListener('error', () => reject(new Error('the debugger does not answer')), { once: true });
	});
	let id = 0;
	/** `onChunk` gets the pieces of a snapshot, which come before the answer. */
	const ask = (method: string, onChunk?: (chunk: string) => void) =>
		new Promise<{ usedSize: number }>(resolve => {
			const asked = ++id;
			const onMessage = ({ data }: MessageEvent) => {
				const message = JSON.parse(data);
				if (message.id === asked) {
					socket.removeEventListener('message', onMessage);
					resolve(message.result);
				} else if (message.method === 'HeapProfiler.addHeapSnapshotChunk') {
					onChunk?.(message.params.chunk);
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
		async contents() {
			await ask('HeapProfiler.collectGarbage');
			const chunks: string[] = [];
			await ask('HeapProfiler.takeHeapSnapshot', chunk => chunks.push(chunk));
			return contentsOf(chunks.join(''));
		},
		close: () => socket.close(),
	};
}

/** Reads the sizes of the nodes of a snapshot, and leaves out its edges, which are most of it. */
function contentsOf(snapshot: string): HeapContents {
	const between = (start: string, end: string) => {
		const from = snapshot.indexOf(start) + start.length;
		return JSON.parse(snapshot.slice(from, snapshot.indexOf(end, from)));
	};
	const { meta } = between('{"snapshot":', ',\n"nodes":');
	const nodes: number[] = between(',\n"nodes":', ',\n"edges":');
	const stringsAt = snapshot.lastIndexOf('"strings":[') + '"strings":'.length;
	const strings: string[] = JSON.parse(snapshot.slice(stringsAt, snapshot.lastIndexOf('}')));
	const place = (field: string): number => meta.node_fields.indexOf(field);
	const [type, name, size] = [place('type'), place('name'), place('self_size')] as const;
	const types: string[] = meta.node_types[type];
	let code = 0;
	const byKind = new Map<string, number>();
	for (let at = 0; at < nodes.length; at += meta.node_fields.length) {
		const of = types[nodes[at + type] ?? 0] ?? '';
		const bytes = nodes[at + size] ?? 0;
		if (of === 'code') {
			code += bytes;
		} else {
			// The names of texts are what they say.
			const kind = of === 'object' || of === 'native' ? `${of} ${strings[nodes[at + name] ?? 0]}` : of;
			byKind.set(kind, (byKind.get(kind) ?? 0) + bytes);
		}
	}
	return { code, byKind };
}

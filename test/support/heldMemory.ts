import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/** Returns the bytes of the heap that are in use after garbage collection. */
export function heapUsed(): number {
	setFlagsFromString('--expose-gc');
	collect ??= runInNewContext('gc') as () => void;
	collect();
	return process.memoryUsage().heapUsed;
}

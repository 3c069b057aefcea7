import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/**
 * Returns the bytes that this process holds after garbage collection, in its heap and in buffers. Resident memory would
 * also tell of garbage that nobody has collected yet.
 */
export function heldBytes(): number {
	setFlagsFromString('--expose-gc');
	collect ??= runInNewContext('gc') as () => void;
	// The second collection ends the release of buffers that the first one began.
	collect();
	collect();
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}

/**
 * Resolves with the most bytes that this process held more while `running` ran than before. Looks take a tenth of its
 * time at most, because a collection of a large heap is slow.
 */
export async function mostHeldBytes(running: Promise<unknown>): Promise<number> {
	const before = heldBytes();
	let most = before;
	let timer: NodeJS.Timeout;
	const look = () => {
		const began = performance.now();
		most = Math.max(most, heldBytes());
		timer = setTimeout(look, Math.max(20, 9 * (performance.now() - began)));
	};
	look();
	await running.finally(() => clearTimeout(timer));
	return Math.max(most, heldBytes()) - before;
}

/**
 * Runs `work` for each item, at most `limit` at a time, and returns the results in the order of the items. The first
 * error aborts the other runs and is thrown once all of them have ended.
 */
export async function inParallel<Item, Result>(
	items: readonly Item[],
	limit: number,
	signal: AbortSignal | undefined,
	work: (item: Item, signal: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
	const failed = new AbortController();
	const either = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
	const results: Result[] = [];
	const left = items.entries();
	const worker = async (): Promise<void> => {
		for (const [index, item] of left) {
			try {
				either.throwIfAborted();
				results[index] = await work(item, either);
			} catch (error) {
				failed.abort(error);
				return;
			}
		}
	};
	await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
	either.throwIfAborted();
	return results;
}

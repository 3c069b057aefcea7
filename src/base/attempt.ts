/** Returns what `act` returns, or undefined if it throws: whatever goes wrong, there is nothing to be had. */
export function attempt<T>(act: () => T): T | undefined {
	try {
		return act();
	} catch {
		return undefined;
	}
}

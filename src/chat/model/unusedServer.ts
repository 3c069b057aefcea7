/** A server whose models the list would have if the user agreed to it, or if it answered. */
export interface UnusedServer {
	kind: 'found' | 'failing';
	label: string;
	place: string;
	/** Why it is not used, as sentences. */
	reason: string;
	/** Lets the user do something about it. */
	ask(): void;
}

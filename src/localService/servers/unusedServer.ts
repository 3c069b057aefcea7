/** A model server whose models a list would have, as lists show it. */
export interface UnusedServer {
	/** Whether it was found on this machine and is not used, or stands in the settings and does not list its models. */
	kind: 'found' | 'failing';
	label: string;
	/** Its host and port. */
	place: string;
	/** Sentences that say why its models are not there. */
	reason: string;
	/** Lets the user do something about it. */
	ask(): void;
}

import path from 'node:path';

/** An extension that opens the tasks and the chat in the first window. */
export const viewOpener = path.join(import.meta.dirname, 'viewOpener');

export interface LaunchInput {
	/** The folder for everything that the launch writes. */
	dataFolder: string;
	/** The built extension. */
	extension: string;
	/** The folder that the editor opens. */
	folder: string;
	/** Settings beside those of every first launch, which are the user's from then on. */
	settings: Readonly<Record<string, unknown>>;
}

export interface Launch {
	/** A text that tells the user where the window is. */
	address: string;
	/** Resolves when the editor has ended by itself, with the reason if that is a failure. */
	ended: Promise<string | undefined>;
	stop(): Promise<void>;
}

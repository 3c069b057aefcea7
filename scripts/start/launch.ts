export interface LaunchInput {
	/** Where the launch keeps what it writes. */
	dataFolder: string;
	/** The built extension. */
	extension: string;
	/** What the editor opens. */
	folder: string;
}

export interface Launch {
	/** Where the window is, for the reader. */
	address: string;
	/** The editor ended without being asked; the reason when that is a failure. */
	ended: Promise<string | undefined>;
	stop(): Promise<void>;
}

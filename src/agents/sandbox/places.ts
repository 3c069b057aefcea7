// The locations inside the sandbox. They do not depend on the machine, so that an agent learns nothing about the host.

/** No development server that an agent starts is likely to want this port. */
const RELAY_PORT = 41_417;

/** The folder of everything that Errand itself puts into the sandbox. */
const OWN_FOLDER = '/run/errand';

/** The name and number of the user inside. Programs look them up in a `passwd` of the sandbox's own. */
export const AGENT_USER = { name: 'agent', id: 1_000, home: '/home/agent' } as const;

export const RELAY = { port: RELAY_PORT, socket: `${OWN_FOLDER}/relay.sock` } as const;

const LONGEST_NAME = 60;

export interface InsidePlaces {
	/** The working tree. */
	tree: string;
	/** The home folder. Its folder `tmp` is also /tmp. */
	home: string;
	/** The address of the relay, without a trailing slash. Nothing answers there if the sandbox has no relay. */
	relayUrl: string;
}

/** Returns the places of a sandbox for the repository of this name, which is reduced to safe characters. */
export function insidePlaces(name: string): InsidePlaces {
	const safe = name
		.slice(0, LONGEST_NAME)
		.replace(/[^A-Za-z0-9._-]+/g, '-')
		.replace(/^[.-]+|-+$/g, '');
	return {
		tree: `/workspace/${safe || 'repository'}`,
		home: AGENT_USER.home,
		relayUrl: `http://127.0.0.1:${RELAY_PORT}`,
	};
}

/**
 * Returns the path inside of the program that serves the relay. Its extension marks it as a module, because there is no
 * `package.json` to do so.
 */
export function insideProgram(file: string): string {
	return `${OWN_FOLDER}/inside.${file.endsWith('.ts') ? 'mts' : 'mjs'}`;
}

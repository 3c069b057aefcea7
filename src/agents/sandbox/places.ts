// The locations inside the sandbox. They do not depend on the machine, so that an agent learns nothing about the host.

/** The folder of everything that Errand itself puts into the sandbox. */
const OWN_FOLDER = '/run/errand';

/** The name and number of the user inside. Programs look them up in a `passwd` of the sandbox's own. */
export const AGENT_USER = { name: 'agent', id: 1_000, home: '/home/agent' } as const;

/** No development server that an agent starts is likely to want this port. */
export const RELAY = { port: 41_417, socket: `${OWN_FOLDER}/relay.sock` } as const;

const LONGEST_NAME = 60;

/**
 * Returns the places of a sandbox for the repository of this name, which is reduced to safe characters: the working tree,
 * the home folder, whose folder `tmp` is also /tmp, and the address of the relay, at which nothing answers if there is none.
 */
export function insidePlaces(name: string) {
	const safe = name
		.slice(0, LONGEST_NAME)
		.replace(/[^A-Za-z0-9._-]+/g, '-')
		.replace(/^[.-]+|-+$/g, '');
	return {
		tree: `/workspace/${safe || 'repository'}`,
		home: AGENT_USER.home,
		relayUrl: `http://127.0.0.1:${RELAY.port}`,
	};
}

/**
 * Returns the path inside of the program that serves the relay. Its extension marks it as a module, because there is no
 * `package.json` to do so.
 */
export function insideProgram(file: string): string {
	return `${OWN_FOLDER}/inside.${file.endsWith('.ts') ? 'mts' : 'mjs'}`;
}

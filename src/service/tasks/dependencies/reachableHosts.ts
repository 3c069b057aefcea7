/** The limit on recorded hosts, as a program may try any number. */
const MAXIMUM_REFUSED = 20;

/** Returns whether a host may be reached. `name` is given if it leads to this host of the machine or its network. */
export type AllowsHost = (host: string, port: number, name?: string) => boolean;

/**
 * Returns the check for the hosts that an installation may reach: those that the user has allowed for the repository.
 * Whoever publishes a name can point it into the user's network, so only names from the user's own configuration may
 * lead there. Both lists hold `host:port`.
 */
export function reachableHosts(allowed: readonly string[], own: readonly string[]): AllowsHost {
	return (host, port, name) => {
		const place = `${name}:${port}`;
		return (
			allowed.includes(`${host}:${port}`) || (name !== undefined && allowed.includes(place) && own.includes(place))
		);
	};
}

/** The hosts that one installation may reach, and those that it was refused. */
export class InstallationHosts {
	/** The refused hosts as `host:port`. */
	private readonly refused = new Set<string>();
	private readonly reaches: AllowsHost;

	constructor(reaches: AllowsHost) {
		this.reaches = reaches;
	}

	readonly allows: AllowsHost = (host, port, name) => {
		const isAllowed = this.reaches(host, port, name);
		// A name that leads into the user's network is refused for that, not for lack of an answer.
		if (!isAllowed && name === undefined && this.refused.size < MAXIMUM_REFUSED) {
			this.refused.add(`${host}:${port}`);
		}
		return isAllowed;
	};

	/** Returns the hosts that were refused since the last call. */
	takeRefused(): string[] {
		const taken = [...this.refused];
		this.refused.clear();
		return taken;
	}
}

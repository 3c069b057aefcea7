/** A program may try any number of hosts. */
const MAXIMUM_REFUSED = 20;

/** Whether a host may be reached. `name` is given where it leads to `host`, an address of this machine or its network. */
export type AllowsHost = (host: string, port: number, name?: string) => boolean;

/**
 * Returns which hosts an installation reaches: those that the user has allowed for the repository. Whoever publishes a
 * name can let it lead into the user's network, so only a name from the user's own configuration may. Both lists are of
 * `host:port`.
 */
export function reachableHosts(allowed: readonly string[], own: readonly string[]): AllowsHost {
	return (host, port, name) => {
		const place = `${name}:${port}`;
		return (
			allowed.includes(`${host}:${port}`) || (name !== undefined && allowed.includes(place) && own.includes(place))
		);
	};
}

/** The hosts of one installation, and those that it was refused. */
export class InstallationHosts {
	/** As `host:port`. */
	private readonly refused = new Set<string>();
	private readonly reaches: AllowsHost;

	constructor(reaches: AllowsHost) {
		this.reaches = reaches;
	}

	readonly allows: AllowsHost = (host, port, name) => {
		const isAllowed = this.reaches(host, port, name);
		// A name that leads into the user's network is not refused for want of an answer.
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

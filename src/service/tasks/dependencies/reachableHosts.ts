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

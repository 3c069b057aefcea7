import { Refusals } from '../../agents/relay/refusals.ts';
import { pageAddress, pageText, type WebAccess } from '../../agents/relay/webAccess.ts';
import { UserFacingError } from '../../base/errors.ts';
import { oneLine } from '../../base/plainText.ts';

/** The port of pages. */
const PORT = '443';

/** What the user lets tasks of a repository do on the web. */
export interface TaskWebConsents {
	/** The hosts that they may reach, as `host:port`. */
	hosts: readonly string[];
	/** Searches the web. Undefined if that is not allowed. */
	search: WebAccess['search'];
}

/**
 * Returns what the agent of a task may ask of the web, and nothing if the user has allowed nothing. `onRefused` receives
 * sentences for the log.
 */
export function taskWeb(
	{ hosts, search }: TaskWebConsents,
	onRefused: (sentence: string) => void,
): WebAccess | undefined {
	const fetch = hosts.length === 0 ? undefined : pagesOf(hosts, new Refusals(onRefused));
	return fetch || search ? { fetch, search } : undefined;
}

function pagesOf(hosts: readonly string[], refusals: Refusals): NonNullable<WebAccess['fetch']> {
	return async (address, signal) => {
		const url = pageAddress(address);
		const place = `${url.hostname}:${url.port || PORT}`;
		if (!hosts.includes(place)) {
			refusals.report('page', oneLine(`The page ${url.href} was not fetched: ${place} has not been allowed.`));
			throw new UserFacingError(`${place} has not been allowed for this task. It may reach ${hosts.join(', ')}.`);
		}
		return pageText(url, signal);
	};
}

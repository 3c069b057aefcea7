import { Refusals } from '../../agents/relay/refusals.ts';
import { pageAddress, pageText, type WebAccess } from '../../agents/relay/webAccess.ts';
import { UserFacingError } from '../../base/errors.ts';
import { oneLine } from '../../base/plainText.ts';

/** The port of pages. */
const PORT = '443';

/**
 * Returns what the agent of a task may ask of the web: pages of the hosts (`host:port`) that the user lets tasks of the
 * repository reach, and nothing if there are none. `onRefused` receives sentences for the log.
 */
export function taskWeb(hosts: readonly string[], onRefused: (sentence: string) => void): WebAccess | undefined {
	if (hosts.length === 0) {
		return undefined;
	}
	const refusals = new Refusals(onRefused);
	return {
		async fetch(address, signal) {
			const url = pageAddress(address);
			const place = `${url.hostname}:${url.port || PORT}`;
			if (!hosts.includes(place)) {
				refusals.report('page', oneLine(`The page ${url.href} was not fetched: ${place} has not been allowed.`));
				throw new UserFacingError(`${place} has not been allowed for this task. It may reach ${hosts.join(', ')}.`);
			}
			return pageText(url, signal);
		},
	};
}

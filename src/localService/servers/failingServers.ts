import type { UpstreamProblem } from '../../base/errors.ts';
import { placeOf } from '../../base/hostname.ts';
import { executeCommand } from '../../platform/commands.ts';
import { internalCommands } from '../../platform/ids.ts';
import type { UpstreamKeyStore } from '../model/upstreamKeyStore.ts';
import { readOwnServers } from './ownServers.ts';
import { serviceProblem } from './serverMessages.ts';
import type { UnusedServer } from './unusedServer.ts';

/** The servers of the settings that did not list their models, with the reasons. The list of servers helps with them. */
export async function failingServers(
	problems: readonly UpstreamProblem[],
	keys: UpstreamKeyStore,
): Promise<UnusedServer[]> {
	const own = await readOwnServers(keys);
	return problems.flatMap((problem): UnusedServer[] => {
		const server = own.find(({ slug }) => slug === problem.slug);
		if (server === undefined) {
			return [];
		}
		const { label, setting } = server;
		return [
			{
				kind: 'failing',
				label,
				place: placeOf(setting.url),
				reason: serviceProblem(problem, setting.url),
				ask: () => void executeCommand(internalCommands.addModelServer),
			},
		];
	});
}

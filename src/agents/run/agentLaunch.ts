import path from 'node:path';
import { defined } from '../../base/defined.ts';
import { UserFacingError } from '../../base/errors.ts';
import { withPlace } from '../catalogue/configurationTexts.ts';
import { type AgentPlace, type FoundAgent, isUsableModel } from '../catalogue/entry.ts';
import { proxyVariables } from '../relay/relay.ts';

export interface AgentLaunch {
	/** An absolute path. */
	command: string;
	args: readonly string[];
	/** The absolute paths of all programs that it consists of, except those of the system. */
	programs: readonly string[];
	/** The whole environment. */
	env: Record<string, string>;
	/** The texts of its configuration files, by their paths below its home, with `/`. */
	files: Record<string, string>;
	/** The modes to which its session may be set, the first that it offers. Empty: the agent's default. */
	modes: readonly string[];
	/** True if it works with an account of its own. */
	usesAccount: boolean;
	/** True if the costs that it tells of its session are left out. */
	inventsCosts?: boolean;
	/** A sentence that says what to check if the agent does not start. */
	startHint?: string;
}

/**
 * Returns how to start an agent at a place. Its programs are the agent's own, not those of `place`.
 * @throws UserFacingError if the model's name cannot be passed on.
 */
export function agentLaunch(agent: FoundAgent, place: Omit<AgentPlace, 'programs'>): AgentLaunch {
	const { definition, programs, location } = agent;
	const { label, nodeVersion, askingMode, modes = [], account } = definition;
	if (!isUsableModel(place.model)) {
		throw new UserFacingError(
			`The name of the model cannot be given to ${label}, because it has invisible characters. Choose another model.`,
		);
	}
	const full = { ...place, programs };
	const startHint =
		nodeVersion && `${label} needs Node ${nodeVersion} or newer, and runs with the "node" that PATH names first.`;
	return {
		command: location,
		args: definition.args.map(text => withPlace(text, full)),
		programs: Object.values(programs),
		env: {
			...definition.environment(full),
			...baseEnvironment(full),
			...(account && proxyVariables(place.relayUrl, place.token)),
		},
		usesAccount: account !== undefined,
		files: definition.files(full),
		modes: place.isAttended && askingMode !== undefined ? [askingMode] : modes,
		...defined({ startHint, inventsCosts: definition.inventsCosts }),
	};
}

/** Returns the environment that every agent gets. It contains nothing of this process's own. */
export function baseEnvironment({
	home,
	path: programFolders,
}: Pick<AgentPlace, 'home' | 'path'>): Record<string, string> {
	const below = (...names: string[]) => path.posix.join(home, ...names);
	return {
		PATH: programFolders,
		HOME: home,
		TMPDIR: below('tmp'),
		XDG_CONFIG_HOME: below('.config'),
		XDG_DATA_HOME: below('.local', 'share'),
		XDG_STATE_HOME: below('.local', 'state'),
		XDG_CACHE_HOME: below('.cache'),
		LANG: 'C.UTF-8',
		TERM: 'dumb',
		CI: '1',
		NO_COLOR: '1',
	};
}

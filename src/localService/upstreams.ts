import { defined } from '../base/defined.ts';
import type { Logger } from '../base/logger.ts';
import type { TaskSettings } from '../contract/agents.ts';
import type { UpstreamHandoverInput } from '../contract/upstreams.ts';
import { readSetting } from '../platform/settings.ts';
import { readTaskSettings } from './model/taskSettings.ts';
import type { UpstreamKeyStore } from './model/upstreamKeyStore.ts';
import { readUpstreamSettings } from './model/upstreamSettings.ts';

/**
 * Returns the upstreams of the settings with their keys from the secret storage, and the settings about tasks, with the
 * values of the variables that agents are to get. It never rejects.
 */
export async function currentHandover(keys: UpstreamKeyStore, logger: Logger): Promise<UpstreamHandoverInput> {
	const { upstreams, problems, findOllama } = readUpstreamSettings(readSetting('errand.local.upstreams'));
	for (const { issue } of problems) {
		const reason = issue === undefined ? 'its name' : `${issue.path.join('.')}: ${issue.message}`;
		logger.log('warn', 'an entry of errand.local.upstreams cannot be used', { reason });
	}
	const list = upstreams.map(async ({ slug, setting }) => {
		const key = await keys.usable(slug, setting.url).catch(() => undefined);
		return { ...setting, slug, ...defined({ key }) };
	});
	return { upstreams: await Promise.all(list), findOllama, tasks: currentTaskSettings(logger) };
}

/** Reads the settings about tasks and agents. Those that cannot be used are named in the log. */
export function currentTaskSettings(logger: Logger): TaskSettings {
	const { tasks, agentProblems, unusable } = readTaskSettings({
		agents: readSetting('errand.local.agents'),
		sandbox: readSetting('errand.local.sandbox'),
		maxCost: readSetting('errand.tasks.maxCost'),
		routingPolicy: readSetting('errand.chat.routing'),
		retention: readSetting('errand.chat.zeroDataRetention'),
		environment: process.env,
	});
	for (const { issue } of agentProblems) {
		const reason = issue === undefined ? 'its id' : `${issue.path.join('.')}: ${issue.message}`;
		logger.log('warn', 'an entry of errand.local.agents cannot be used', { reason });
	}
	for (const setting of unusable) {
		logger.log('warn', 'a setting about tasks cannot be used', { reason: setting });
	}
	return tasks;
}

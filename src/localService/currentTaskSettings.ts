import type { Logger } from '../base/logger.ts';
import type { TaskSettings } from '../contract/agents.ts';
import { readSetting } from '../platform/settings.ts';
import { readTaskSettings } from './model/taskSettings.ts';

/** Reads the settings about tasks and agents. Those that cannot be used are named in the log. */
export function currentTaskSettings(logger: Logger): TaskSettings {
	const { tasks, agentProblems, unusable } = readTaskSettings(readSetting, process.env);
	for (const { issue } of agentProblems) {
		const reason = issue === undefined ? 'its id' : `${issue.path.join('.')}: ${issue.message}`;
		logger.log('warn', 'an entry of errand.local.agents cannot be used', { reason });
	}
	for (const setting of unusable) {
		logger.log('warn', 'a setting about tasks cannot be used', { reason: setting });
	}
	return tasks;
}

import { redactText } from '../../base/redact.ts';
import { isAbsent } from '../../contract/lenient.ts';
import type { Task } from '../../contract/tasks.ts';
import { visibleText } from './visibleText.ts';

export type DetailGroup = 'state' | 'work' | 'place' | 'deployment' | 'people' | 'times' | 'other';

/** The documented fields (contract: cloud-tasks.md, Task). All other fields are in the group `other`. */
const groups: Record<Exclude<DetailGroup, 'other'>, readonly (keyof Task & string)[]> = {
	state: ['id', 'status', 'progress', 'error', 'badge', 'batchId'],
	work: [
		...(['prompt', 'selectedAgent', 'selectedModel', 'installDependencies', 'maxDuration'] as const),
		...(['multiLaunch', 'selectedAgents', 'agentExecutions'] as const),
	],
	place: [
		...(['repoUrl', 'selectedBranch', 'branchName', 'diffStats', 'merged', 'prNumber', 'prUrl'] as const),
		...(['sandboxUrl', 'sandboxId'] as const),
	],
	deployment: ['autoDeployEnabled', 'deployments'],
	people: ['userId', 'teamId', 'creatorName', 'creatorImage', 'isEmptyGitUser'],
	times: ['createdAt', 'updatedAt', 'completedAt'],
};

/**
 * Returns all that a service reports about a task, in the form of YAML: each field by its own name, in groups under the
 * headings that `heading` returns. Absent fields are left out, unknown structures are JSON, and keys are removed.
 */
export function taskDetails(task: Task, heading: (group: DetailGroup) => string): string {
	const named = new Set<string>(Object.values(groups).flat());
	const rest = Object.keys(task).filter(name => !named.has(name));
	// The name of this field begins with that of the host.
	const isDeployment = (name: string) => name.endsWith('DeploymentSettings');
	const all: Record<DetailGroup, readonly string[]> = {
		...groups,
		deployment: [...groups.deployment, ...rest.filter(isDeployment)],
		other: rest.filter(name => !isDeployment(name)),
	};
	const texts = (Object.entries(all) as [DetailGroup, readonly string[]][]).flatMap(([group, names]) => {
		const lines = names.flatMap(name => {
			const value = task[name];
			return isAbsent(value) ? [] : [`${name}: ${valueText(value)}`];
		});
		return lines.length === 0 ? [] : [[`# ${heading(group)}`, ...lines].join('\n')];
	});
	return `${visibleText(redactText(texts.join('\n\n')))}\n`;
}

function valueText(value: unknown): string {
	if (typeof value !== 'string') {
		return JSON.stringify(value, withoutPatch, 2);
	}
	const lines = value.split(/\r\n|\r|\n/);
	return lines.length === 1 ? value : ['|', ...lines.map(line => `  ${line}`)].join('\n');
}

/** The changes of an agent have their own view, and can be of any size. */
const withoutPatch = (name: string, value: unknown) => (name === 'gitDiff' ? undefined : value);

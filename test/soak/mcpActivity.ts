import { setTimeout as delay } from 'node:timers/promises';
import { plainText } from '../../src/base/plainText.ts';
import { isFinalStatus } from '../../src/contract/tasks.ts';
import { McpClient, type ToolAnswer } from '../support/mcpClient.ts';
import { valueWithin } from '../support/waitFor.ts';
import type { Activity, Finding, Tally } from './activity.ts';
import type { Place } from './site.ts';

/** A call may wait for a whole minute for a service that is away. */
const ANSWER_LIMIT_MS = 120_000;
const END_LIMIT_MS = 180_000;

/** Uses the tasks of a local service through the MCP server, as another program's agent does. */
export class McpActivity implements Activity {
	readonly name: string;
	private readonly place: Place;
	private readonly client: McpClient;
	private readonly tally: Tally;
	private readonly started: string[] = [];
	private readonly findings: Finding[] = [];

	private constructor(place: Place, client: McpClient, tally: Tally) {
		this.name = `MCP server (${place.name})`;
		this.place = place;
		this.client = client;
		this.tally = tally;
	}

	static async start(place: Place, program: string, tally: Tally): Promise<McpActivity> {
		const client = await McpClient.start({
			program,
			args: ['--data', place.stateFolder],
			capabilities: { elicitation: { form: {} } },
			onRequest: () => ({ action: 'accept', content: { allow: true } }),
		});
		return new McpActivity(place, client, tally);
	}

	stop(): Promise<void> {
		return this.client.stop();
	}

	async step(): Promise<void> {
		await delay(5_000);
		const repository = this.place.sample.folder;
		const list = await this.call('list_tasks', { limit: 5 });
		const last = this.started.at(-1);
		if (!list.isError && last !== undefined && (await this.call('get_task', { task_id: last })).json?.is_active) {
			await this.call('follow_task', { task_id: last, from_index: 0, max_entries: 5 });
			return;
		}
		const { isError, json } = await this.call('start_task', { prompt: '/demo slow for another', repository });
		if (!isError) {
			this.started.push(json.task_id);
		}
	}

	async check(): Promise<Finding[]> {
		const findings = this.findings.splice(0);
		if (this.client.child.exitCode !== null || this.client.child.signalCode !== null) {
			findings.push({ promise: 'alive', what: `the MCP server has ended: ${this.client.stderr.slice(-500)}` });
			return findings;
		}
		for (const id of this.started.splice(0)) {
			const status = await valueWithin(END_LIMIT_MS, 1_000, async () => {
				const task = (await this.place.truth.tasks()).find(stored => stored.id === id);
				return task === undefined ? 'gone' : isFinalStatus(task.status) && task.status;
			});
			if (status === undefined || status === 'gone') {
				const what = `task ${id} of the MCP server is ${status ?? 'without an end'}; see ${this.place.evidence}`;
				findings.push({ promise: status === undefined ? 'alive' : 'kept', what });
				continue;
			}
			const texts = await this.wholeLog(id);
			const stored = await this.place.truth.log(id);
			const at = stored.findIndex(({ message }, index) => plainText(message ?? '') !== texts[index]);
			if (at !== -1 || texts.length !== stored.length) {
				const what = `the MCP server tells ${texts.length} entries of ${id}, and ${stored.length} are stored; the first other one is ${at}: “${texts[at]}” in place of “${stored[at]?.message}”`;
				findings.push({ promise: 'logs', what });
			}
			this.tally.count('logs read through the MCP server');
		}
		return findings;
	}

	private async wholeLog(id: string): Promise<string[]> {
		const texts: string[] = [];
		for (let from = 0; ; ) {
			const { json, isError } = await this.call('follow_task', { task_id: id, from_index: from, max_entries: 100 });
			if (isError) {
				return texts;
			}
			texts.push(...json.entries.map(({ text }: { text: string }) => text));
			from = json.next_index;
			if (json.has_ended) {
				return texts;
			}
		}
	}

	private async call(name: string, asked: object): Promise<ToolAnswer> {
		this.tally.count('calls of the MCP server');
		const answer = await Promise.race([
			this.client.call(name, asked),
			delay(ANSWER_LIMIT_MS, undefined, { ref: false }),
		]);
		if (answer === undefined) {
			this.findings.push({ promise: 'alive', what: `${name} of the MCP server had no answer in two minutes` });
			throw new Error(`${name} has no answer`);
		}
		if (answer.isError && !answer.texts.join('').trim()) {
			this.findings.push({ promise: 'kept', what: `${name} of the MCP server has failed without a reason` });
		}
		return answer;
	}
}

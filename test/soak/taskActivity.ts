import { setTimeout as delay } from 'node:timers/promises';
import { isFinalStatus, type Task } from '../../src/contract/tasks.ts';
import { createEntryFormatter } from '../../src/tasks/model/formatEntry.ts';
import { outcomeOf } from '../../src/tasks/model/taskGroups.ts';
import { runCommand } from '../support/editorWindow.ts';
import { logText, startTask } from '../support/errandWindow.ts';
import { valueWithin } from '../support/waitFor.ts';
import type { Activity, Finding, Tally } from './activity.ts';
import type { Site, StoredTask } from './site.ts';

const AT_ONCE = 2;
/** A task takes half a minute, and as long again for each worker that is lost. */
const END_LIMIT_MS = 180_000;
/** The list is read every five seconds; after a failure the pauses grow. */
const TREE_LIMIT_MS = 90_000;
const LOG_LIMIT_MS = 20_000;
/** A line of an entry, in distinction to Errand's own lines. Further lines of a message are not compared. */
const ENTRY = /^\d\d:\d\d:\d\d {2}/;

/** Starts tasks, follows two at a time, and compares what the window shows of them with what their service has stored. */
export class TaskActivity implements Activity {
	readonly name: string;
	private readonly site: Site;
	private readonly tally: Tally;
	/** The prompts, and whether the window has said that the task was started. */
	private readonly prompts = new Map<string, boolean>();
	private readonly judged = new Set<string>();

	constructor(site: Site, tally: Tally) {
		this.name = `tasks (${site.name})`;
		this.site = site;
		this.tally = tally;
	}

	async step(): Promise<void> {
		const own = await this.tasks();
		await this.compareLogs(own);
		if (own.filter(({ status }) => !isFinalStatus(status)).length >= AT_ONCE) {
			await delay(2_000);
			return;
		}
		await this.site.chat();
		const prompt = `Soak ${String(this.prompts.size + 1).padStart(4, '0')} /demo slow`;
		this.prompts.set(prompt, false);
		this.tally.count(`tasks (${this.site.name})`);
		await startTask(this.site.page, prompt);
		this.prompts.set(prompt, true);
	}

	async check(): Promise<Finding[]> {
		const findings: Finding[] = [];
		const add = (promise: Finding['promise'], what: string) =>
			findings.push({ promise, what: `${what} (${this.site.name}); see ${this.site.evidence}` });
		let own: StoredTask[] = [];
		const ended = await valueWithin(END_LIMIT_MS, 1_000, async () => {
			own = await this.tasks();
			return own.every(({ status }) => isFinalStatus(status));
		});
		if (!ended) {
			const running = own.filter(({ status }) => !isFinalStatus(status));
			add('alive', `tasks have no end: ${running.map(({ id, status }) => `${id} ${status}`).join(', ')}`);
		}
		for (const [prompt, isStarted] of this.prompts) {
			const count = own.filter(task => task.prompt === prompt).length;
			if (count > 1 || (isStarted && count === 0)) {
				add('final', `“${prompt}” was ${isStarted ? 'started' : 'sent'} once, and there are ${count} tasks of it`);
			}
		}
		const wrong = await valueWithin(LOG_LIMIT_MS, 500, async () => {
			await this.compareLogs(own);
			return own.every(({ id }) => this.judged.has(id));
		});
		if (!wrong) {
			for (const task of own.filter(({ id }) => !this.judged.has(id))) {
				await this.openLog(task, add);
			}
		}
		await this.checkTree(add);
		return findings;
	}

	async outcomes(): Promise<Record<string, number>> {
		const outcomes: Record<string, number> = {};
		for (const task of await this.tasks()) {
			const outcome = outcomeOf(task as Task);
			outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
		}
		return outcomes;
	}

	private async tasks(): Promise<StoredTask[]> {
		const all = await this.site.truth.tasks().catch(() => []);
		return all.filter(({ prompt }) => this.prompts.has(prompt));
	}

	/** Judges the logs that tell the end of their tasks. */
	private async compareLogs(tasks: readonly StoredTask[]): Promise<void> {
		for (const { id, prompt, status } of tasks.filter(task => !this.judged.has(task.id))) {
			if (isFinalStatus(status) && (await this.difference(id, prompt)) === undefined) {
				this.judged.add(id);
				this.tally.count(`logs read to their end (${this.site.name})`);
			}
		}
	}

	/** Returns where the shown log differs from the stored one. */
	private async difference(id: string, prompt: string): Promise<string | undefined> {
		const format = createEntryFormatter();
		const stored = (await this.site.truth.log(id)).flatMap(entry => format(entry, undefined)).filter(isEntry);
		const shown = logText(this.site.window.server, prompt).split('\n').filter(isEntry);
		const at = stored.findIndex((line, index) => line !== shown[index]);
		return at === -1 && shown.length === stored.length
			? undefined
			: `line ${at === -1 ? stored.length : at} is “${shown[at === -1 ? stored.length : at] ?? ''}” in place of “${stored[at] ?? ''}”, ${shown.length} lines shown of ${stored.length}`;
	}

	/**
	 * A log that was not followed when its task ended, as after a reload, is opened once more. It must be whole then; and
	 * one that was already told to have ended must have been.
	 */
	private async openLog({ id, prompt }: StoredTask, add: (promise: 'logs', what: string) => void): Promise<void> {
		const { page, window } = this.site;
		const before = await this.difference(id, prompt);
		const lines = logText(window.server, prompt).trimEnd().split('\n');
		this.judged.add(id);
		if (before !== undefined && /completed|failed|interrupted|stopped/.test(lines.at(-1) ?? '')) {
			add('logs', `the log of “${prompt}” says that it has ended: ${before}`);
			return;
		}
		await runCommand(page, 'Errand: Open Task Log');
		const input = page.locator('.quick-input-widget:visible .quick-input-box input');
		await input.fill(prompt);
		await page.locator('.quick-input-widget:visible .monaco-list-row').filter({ hasText: prompt }).first().click();
		const isWhole = await valueWithin(LOG_LIMIT_MS, 500, async () => (await this.difference(id, prompt)) === undefined);
		this.tally.count(`logs opened once more (${this.site.name})`);
		if (!isWhole) {
			add('logs', `the log of “${prompt}” is not whole: ${await this.difference(id, prompt)}`);
		}
	}

	private async checkTree(add: (promise: 'tree', what: string) => void): Promise<void> {
		let wrong: string[] = [];
		const isTrue = await valueWithin(TREE_LIMIT_MS, 1_000, async () => {
			const tasks = await this.tasks();
			const rows = await this.site.page
				.locator('.part.sidebar .pane-body .monaco-list-row')
				.evaluateAll(elements => elements.map(element => element.getAttribute('aria-label') ?? ''));
			const shown = tasks.flatMap(task => rows.filter(row => row.startsWith(task.prompt)).map(row => ({ task, row })));
			wrong = shown
				.filter(({ task, row }) => !says(row, outcomeOf(task as Task)))
				.map(({ task, row }) => `“${row}” is ${task.status}`);
			const rowsOfOthers = rows.filter(row => row.startsWith('Soak ') && shown.every(one => one.row !== row));
			wrong.push(...rowsOfOthers.map(row => `there is no task for “${row}”`));
			return wrong.length === 0 && (shown.length > 0 || tasks.length === 0);
		});
		this.tally.count(`looks at the tree (${this.site.name})`);
		if (!isTrue) {
			add('tree', `after ${TREE_LIMIT_MS / 1_000} s the tree says: ${wrong.join('; ') || 'nothing of any task'}`);
		}
	}
}

const isEntry = (line: string): boolean => ENTRY.test(line);

/** Returns whether a row's text for screen readers says this outcome. */
function says(row: string, outcome: string): boolean {
	const word = /, (completed|failed|interrupted|stopped|ran out of time)(?:,|$)/.exec(row)?.[1];
	return word === undefined ? outcome === 'active' : word.replace('ran out of time', 'timeout') === outcome;
}

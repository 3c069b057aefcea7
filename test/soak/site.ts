// A window of the soak with a connection of its own, and what the service behind it knows.
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import type { Frame } from 'playwright-core';
import { endService } from '../../scripts/processes.ts';
import { DISCOVERY_FILE } from '../../src/contract/control.ts';
import type { LogEntry } from '../../src/contract/tasks.ts';
import { DATABASE_FILE } from '../../src/service/stateFolder.ts';
import { agentQuestion } from '../support/chatAgentWindow.ts';
import { answerInput, appears, dismissInput, runCommand } from '../support/editorWindow.ts';
import { leavePrompt, openChat, taskLine } from '../support/errandWindow.ts';
import { type Probe, probeOf } from '../support/probeExtension.ts';
import type { SampleFolder } from '../support/sampleFolder.ts';
import type { TaskServer } from '../support/taskServer.ts';
import type { TeamService } from '../support/teamService.ts';
import type { TestWindow } from '../support/useWindow.ts';
import type { Dice } from './activity.ts';

/** A task as the store of its service has it. */
export interface StoredTask {
	id: string;
	prompt: string;
	status: string;
	error?: string | undefined;
}

/** What a service has stored, read behind its back. */
export interface Truth {
	tasks(): Promise<StoredTask[]>;
	log(id: string): Promise<LogEntry[]>;
}

/** A repository, and the local service beside it. */
export class Place {
	readonly name: string;
	readonly sample: SampleFolder;
	readonly stateFolder: string;
	readonly truth: Truth;

	constructor({ name, sample, stateFolder, truth }: Pick<Place, 'name' | 'sample' | 'stateFolder' | 'truth'>) {
		this.name = name;
		this.sample = sample;
		this.stateFolder = stateFolder;
		this.truth = truth;
	}

	/** Where a reader of the report finds what the window and its local service have written. */
	get evidence(): string {
		return path.join('test-output', 'soak', this.name);
	}

	/** The process of the local service, if it runs. */
	get localService(): number | undefined {
		try {
			return JSON.parse(readFileSync(path.join(this.stateFolder, DISCOVERY_FILE), 'utf8')).pid;
		} catch {
			return undefined;
		}
	}

	keepEvidence(): void {
		const log = path.join(this.stateFolder, 'service.log');
		if (existsSync(log)) {
			mkdirSync(this.evidence, { recursive: true });
			copyFileSync(log, path.join(this.evidence, 'service.log'));
		}
	}
}

export interface SiteOptions {
	name: 'local' | 'team' | 'misbehaving';
	window: TestWindow;
	/** The folder of the local service of this window. */
	stateFolder: string;
	/** The key of the window's connection; the local one needs none. */
	key?: string;
	truth: Truth;
}

export class Site extends Place {
	readonly window: TestWindow;
	private readonly key: string | undefined;

	constructor({ name, window, stateFolder, key, truth }: SiteOptions) {
		super({ name, sample: window.sample, stateFolder, truth });
		this.window = window;
		this.key = key;
	}

	/** Saves what the window shows. */
	async picture(): Promise<void> {
		const file = path.join('test-output', 'soak', `${this.name}-${new Date().toISOString().slice(11, 19)}.png`);
		await this.page.screenshot({ path: file, timeout: 5_000 }).catch(() => {});
	}

	override keepEvidence(): void {
		const { dataFolder } = this.window.server;
		rmSync(this.evidence, { recursive: true, force: true });
		cpSync(path.join(dataFolder, 'server', 'data'), path.join(this.evidence, 'editor'), { recursive: true });
		super.keepEvidence();
	}

	get page() {
		return this.window.page;
	}

	get probe(): Probe {
		const probe = probeOf(this.page);
		if (probe === undefined) {
			throw new Error('The window has no probe.');
		}
		return probe;
	}

	/** Opens the chat, once nothing else asks for anything or covers it, as a user does after a fault. */
	async chat(): Promise<Frame> {
		const question = this.page.locator('.monaco-dialog-box');
		if ((await question.count()) > 0) {
			await this.page.keyboard.press('Escape');
		}
		if (!(await this.answerKey(500))) {
			await dismissInput(this.page);
		}
		await this.probe.do({ do: 'command', command: 'notifications.clearAll', arguments: [] });
		const frame = await openChat(this.page);
		if ((await taskLine(frame).count()) > 0) {
			await leavePrompt(frame);
		}
		await this.allow(frame);
		return frame;
	}

	/** Answers an agent that asks, because it waits as long as it must. */
	async allow(frame: Frame): Promise<void> {
		const allow = agentQuestion(frame).getByRole('button', { name: 'Allow Once', exact: true });
		if ((await allow.count()) > 0) {
			await allow.first().click({ timeout: 2_000 });
		}
	}

	/** Gives the connection its key if that is asked for in time. */
	async answerKey(withinMs: number): Promise<boolean> {
		const box = this.page.locator('.quick-input-widget:visible .quick-input-box input[type="password"]');
		if (this.key === undefined || !(await appears(box, withinMs))) {
			return false;
		}
		await answerInput(this.page, this.key);
		return true;
	}

	/** Closes the window, and ends the local service that it has left for others. */
	async close(): Promise<void> {
		await this.window.close();
		await endService(this.stateFolder);
	}

	/** Makes the window ask for the key of its tasks. */
	async begin(): Promise<void> {
		await openChat(this.page);
		await runCommand(this.page, 'Errand: Open Task Log');
		await this.answerKey(15_000);
		await delay(1_000);
		await dismissInput(this.page);
	}
}

/** Reads the database of a local service, which may be killed or away meanwhile. */
export function localTruth(stateFolder: string): Truth {
	const query = <Row>(sql: string, ...values: string[]): Row[] => {
		const database = new DatabaseSync(path.join(stateFolder, DATABASE_FILE), { readOnly: true });
		try {
			return database.prepare(sql).all(...values) as Row[];
		} finally {
			database.close();
		}
	};
	return {
		tasks: async () => query('SELECT id, prompt, status, error FROM tasks ORDER BY sequence'),
		log: async id =>
			query(
				`SELECT type, contentType, message, timestamp, agent, step FROM logEntries
				WHERE taskSequence = (SELECT sequence FROM tasks WHERE id = ?) ORDER BY position`,
				id,
			),
	};
}

export function teamTruth({ pool }: TeamService): Truth {
	return {
		async tasks() {
			const { rows } = await pool.query(
				"SELECT id, status, record->>'prompt' AS prompt, record->>'error' AS error FROM tasks ORDER BY sequence",
			);
			return rows;
		},
		async log(id) {
			const { rows } = await pool.query(
				`SELECT entry FROM log_entries
				WHERE task_sequence = (SELECT sequence FROM tasks WHERE id = $1) ORDER BY position`,
				[id],
			);
			return rows.map(({ entry }) => entry);
		},
	};
}

export function servedTruth(server: TaskServer): Truth {
	return {
		tasks: async () => server.tasks as unknown as StoredTask[],
		log: async id => server.entriesOf(id) as LogEntry[],
	};
}

/** Runs the tasks of the misbehaving service, whose logs break off and whose answers get lost unless it is calm. */
export async function runServedTasks(
	server: TaskServer,
	{ dice, isCalm, signal }: { dice: Dice; isCalm(): boolean; signal: AbortSignal },
): Promise<void> {
	const said = new Map<string, number>();
	while (!signal.aborted) {
		await delay(250, undefined, { signal }).catch(() => {});
		server.createFault = isCalm() || !dice.chance(0.2) ? undefined : dice.anyOf(['lost before', 'lost after'] as const);
		server.listFailure =
			isCalm() || !dice.chance(0.02) ? undefined : { status: dice.anyOf([500, 503]), body: { error: 'It is so.' } };
		for (const task of server.tasks.filter(({ completedAt }) => completedAt === undefined)) {
			const line = (said.get(task.id) ?? 0) + 1;
			said.set(task.id, line);
			Object.assign(task, { status: 'processing', progress: line });
			if (!isCalm() && dice.chance(0.03)) {
				server.breaks.push(server.entriesOf(task.id).length);
			}
			server.log(task.id, `Working, line ${line}`);
			if (line === 80) {
				server.finish(task.id, dice.chance(0.2) ? 'error' : 'completed');
			}
		}
	}
}
